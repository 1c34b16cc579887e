"""What the pages of players at the staff desk show, and what they ask for."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol, TypeAlias, get_args

from services.accounts.logging_in.logins import Login

PlayerAct: TypeAlias = Literal["hide", "show", "forget"]
PLAYER_ACTS: Final[tuple[PlayerAct, ...]] = get_args(PlayerAct)


@dataclass(frozen=True, slots=True)
class PlayerOnRecord:
    """A player as staff see them: everything but the address.

    `survivor` is who the id is read as, `merged_into` what it was merged into itself, `others` who
    is merged into the survivor. Nobody known is behind an anonymous or a forgotten player.
    """

    player_id: str
    survivor: str
    merged_into: str | None
    others: Sequence[str]
    is_known: bool
    is_verified: bool
    is_private: bool
    privacy_by: str | None
    name: str | None
    sessions: int


class PlayersAtStaff(Protocol):
    """Finds players, and does with them what operators may. Each act is kept before it is done."""

    async def find(self, login: Login, typed: str) -> str | None:
        """Return the player with an address, if there is one. Raises ClaimRefused."""
        ...

    async def register(self, login: Login, typed: str) -> str:
        """Put somebody on record, and return the player. Raises ClaimRefused."""
        ...

    async def one(self, player_id: str) -> PlayerOnRecord:
        """Return what is on record about a player. Raises UnknownPlayer."""
        ...

    async def act(self, login: Login, player_id: str, act: PlayerAct) -> None:
        """Do something with a player. Raises UnknownPlayer, and why it can't be done."""
        ...
