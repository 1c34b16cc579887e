"""Says how people appear in public answers: by id and chosen name, or not at all."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import Path
from pydantic import BaseModel, Field

from services.projections.reading import ViewReader
from shared.errors import MahjicError
from shared.ids import BOB, MistypedPlayerIdError, read_player_id

PRIVATE_PLAYER: Final = "a private player"
BOB_NAME: Final = "Bob (imaginary player)"
ID_CHARACTERS_MAX: Final = 40

READ_NAMES: Final = """
SELECT player_id, COALESCE(name, player_id) AS name
FROM mahjic.public_players WHERE player_id = ANY($1::text[])
"""

PlayerIdPath = Annotated[
    str,
    Path(
        max_length=ID_CHARACTERS_MAX,
        description="A Mahjic ID. Case does not matter; O is read as 0, I and L as 1.",
        examples=["MJ-7K3Q9XZM"],
    ),
]


class MistypedPlayerId(MahjicError):
    """A text that can't be a Mahjic ID, or one whose check character does not fit."""

    code = "mistyped_player_id"
    title = "The Mahjic ID is mistyped"
    status = 422


class UnknownPlayer(MahjicError):
    """No such player, or one who is not shown; the answer is the same, and names nobody."""

    code = "unknown_player"
    title = "There is no such player"
    status = 404

    def __init__(self) -> None:
        super().__init__("No public player has this Mahjic ID. Check it, or search for the player.")


class Opponent(BaseModel):
    """Somebody at the table, as everybody may see them."""

    player_id: str | None = Field(
        description="The Mahjic ID; null for a private player and for Bob.",
        examples=["MJ-7K3Q9XZM"],
    )
    player: str = Field(
        description=f"The public name, else the Mahjic ID; `{PRIVATE_PLAYER}` or `{BOB_NAME}`.",
        examples=["Ada"],
    )


@dataclass(frozen=True, slots=True)
class Names:
    """The names of the public players among some ids."""

    public: dict[str, str]

    def shown(self, player_id: str) -> dict[str, str | None]:
        """Return how a player at the table is shown: an Opponent."""
        if player_id == BOB:
            return {"player_id": None, "player": BOB_NAME}
        if player_id not in self.public:
            return {"player_id": None, "player": PRIVATE_PLAYER}
        return {"player_id": player_id, "player": self.public[player_id]}


def read_id(text: str) -> str:
    """Return the canonical Mahjic ID of what a person typed. Raises MistypedPlayerId."""
    try:
        return read_player_id(text)
    except MistypedPlayerIdError as error:
        raise MistypedPlayerId(str(error)) from None


async def read_names(reader: ViewReader, player_ids: Iterable[str]) -> Names:
    """Look up who of these players is public now, and under which name."""
    rows = await reader.fetch_plain(READ_NAMES, sorted(set(player_ids)))
    return Names({row["player_id"]: row["name"] for row in rows})
