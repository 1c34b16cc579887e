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


class DisputeRefused(MahjicError):
    """Nothing more can be said about the session, and the page says why."""

    code = "dispute_refused"
    title = "Nothing can be said about this session"
    status = 409


@dataclass(frozen=True, slots=True)
class OwnDispute:
    """A session on somebody's record, and what they said about it: nothing without `said`.

    It no longer `counts` for them once it is voided, corrected, or the seat is another player's.
    """

    session_id: str
    day: date
    source: str
    source_name: str
    counts: bool
    said: str | None = None
    said_on: date | None = None
    state: Literal["open", "with_staff", "answered", "resolved"] | None = None
    answer: str | None = None
    answered_on: date | None = None
    resolved_by: Literal["voided", "corrected", "reseated"] | None = None


class DisputesSessions(Protocol):
    """Keeps what people say about sessions they did not play."""

    async def look(self, login: Login, session_id: str) -> OwnDispute:
        """Return a session on somebody's record. Raises NotFound for every other session."""
        ...

    async def say(self, login: Login, session_id: str, text: str) -> None:
        """Keep what they say; said again before an answer, the words change.

        Raises NotFound, UnfitText and DisputeRefused before anything is written.
        """
        ...

    async def take_back(self, login: Login, session_id: str) -> None:
        """Erase what they said. Raises NotFound if that is nothing."""
        ...

    async def all(self, login: Login) -> Sequence[OwnDispute]:
        """Return everything they said, the newest first."""
        ...


@dataclass(frozen=True, slots=True)
class RightsDesk:
    """What these pages are handed."""

    forgetting: ForgetsPeople
    downloads: TellsEverything
    merging: MergesPlayers
    disputes: DisputesSessions


Rights: TypeAlias = Annotated[RightsDesk, handed_in(RightsDesk)]
