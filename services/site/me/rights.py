"""What the pages of a person's own rights are handed, beside the room that all own pages have."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Final, Literal, Protocol, TypeAlias

from services.accounts.logging_in.logins import Login
from shared.errors import MahjicError
from shared.http.routes import handed_in

# What somebody without a player types to be sure, who has no Mahjic ID.
FORGET_WORDS: Final = "forget me"


class NotTheMahjicId(MahjicError):
    """What was typed to be sure is not what was asked for."""

    code = "not_the_mahjic_id"
    title = "That is not what was asked for"
    status = 422


class ForgetsPeople(Protocol):
    """Forgets whoever asks for it."""

    async def forget(self, login: Login, typed: str) -> None:
        """Erase the account of a login and all its players, in one transaction.

        `typed` is the Mahjic ID, or FORGET_WORDS of somebody without one. Raises LoginNotFresh, and
        NotTheMahjicId before anything is erased. Of an account that is gone already nothing is
        left to do.
        """
        ...


class TellsEverything(Protocol):
    """Tells whoever asks for it everything that is stored about them."""

    async def everything(self, login: Login) -> AsyncIterator[bytes]:
        """Return one JSON document, in pieces that are made as they are sent.

        Raises LoginNotFresh and ServiceUnavailable before the first of them.
        """
        ...


class MergeRefused(MahjicError):
    """Two players are not made one, and the page says why not."""

    code = "merge_refused"
    title = "The two are not put together"
    status = 409


@dataclass(frozen=True, slots=True)
class MergeLook:
    """What making one player of two would move, or why it can't be done.

    `rounds`, `sessions`, `sources` and the days are of `player_id`, which would be read as `into`.
    They are not counted to the end if there are too many. `met` are sessions in which the two sat
    at one table.
    """

    player_id: str
    into: str
    rounds: int
    sessions: int
    sources: Sequence[str]
    first_day: date | None
    last_day: date | None
    is_private: bool
    why_not: Literal["met", "ask_staff"] | None = None
    why_not_words: str = ""
    met: Sequence[str] = ()


class MergesPlayers(Protocol):
    """Makes one of two players whose addresses one account has proved."""

    async def look(self, login: Login, player_id: str, into: str) -> MergeLook:
        """Return what it would do. Raises NotFound for a player who is not one's own."""
        ...

    async def merge(self, login: Login, player_id: str, into: str, *, is_private: bool) -> None:
        """Make the two one, and show or hide them; the other addresses are told.

        Raises LoginNotFresh, NotFound and MergeRefused before anything is written. Two that are one
        already are only shown or hidden.
        """
        ...


@dataclass(frozen=True, slots=True)
class RightsDesk:
    """What these pages are handed."""

    forgetting: ForgetsPeople
    downloads: TellsEverything
    merging: MergesPlayers


Rights: TypeAlias = Annotated[RightsDesk, handed_in(RightsDesk)]
