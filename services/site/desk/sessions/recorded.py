"""What the pages about a source's sessions ask for, and what they are told.

People go by the club's own names. Of a private player a source is told only the numbers of its own
sessions: never the rating now, and nothing of what others changed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Literal, Protocol, TypeAlias

from services.accounts.logging_in.logins import Login
from services.accounts.members.session_acts import SessionActKind
from services.site.desk.night.nights import RatingMove, TableResult
from services.site.desk.night.roster import Listed
from shared.errors import MahjicError
from shared.events.facts import Reason

SheetKind: TypeAlias = Literal["csv", "xlsx"]


@dataclass(frozen=True, slots=True)
class WantedSessions:
    """Which sessions of a club are looked for. None means all."""

    first_day: date | None = None
    last_day: date | None = None
    player_id: str | None = None


@dataclass(frozen=True, slots=True)
class SessionLine:
    """A session in the list. `others` is how many sat there who are not named."""

    session_id: str
    day: date | None
    kind: str | None
    status: str
    rounds: int
    people: Sequence[str]
    others: int


@dataclass(frozen=True, slots=True)
class SessionLines:
    """A page of the list, and the cursor of the next one."""

    lines: Sequence[SessionLine]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class MovedBy:
    """How a change of the past moved somebody. Of a private player only by how much."""

    label: str
    before: float | None
    after: float | None
    change: float


@dataclass(frozen=True, slots=True)
class PastEffect:
    """What a change of the past did: to people of the session, and to how many others."""

    moved: Sequence[MovedBy]
    others: int


@dataclass(frozen=True, slots=True)
class SessionEnding:
    """Why a session counts no more, and what leaving it out did, once that is known."""

    reason: str
    note: str | None
    effect: PastEffect | None


@dataclass(frozen=True, slots=True)
class DoneAtDesk:
    """What a member did to a session. `who` is None for somebody who is a member no longer."""

    act: SessionActKind
    at: datetime
    who: str | None = field(repr=False)
    is_own: bool


@dataclass(frozen=True, slots=True)
class MovedLater:
    """Whom a later change of the past moved, and where everyone can read why."""

    label: str
    player_id: str
    change_id: str
    change: float


@dataclass(frozen=True, slots=True)
class ChangedLater:
    """A change of the past, after this session, that touched what its people began with.

    `club` is another club whose session was changed. `is_of_this` says that seats of this very
    session were given to others.
    """

    on_date: date
    cause: str
    club: str | None
    is_own: bool
    is_of_this: bool
    moved: Sequence[MovedLater]


@dataclass(frozen=True, slots=True)
class DisputeAtDesk:
    """What a player says about a session of the club, and what became of it."""

    number: int
    session_id: str
    day: date
    who: str = field(repr=False)
    state: str
    said: str = field(repr=False)
    said_on: date
    answer: str | None = field(repr=False)
    resolved_by: str | None
    newest: str | None

    @property
    def is_waiting(self) -> bool:
        """Whether nobody has answered yet."""
        return self.state in {"open", "with_staff"}


@dataclass(frozen=True, slots=True)
class OwnSession:
    """A session of the club, as it is today.

    `tables` hold who sits there now, `moves` what it was rated with. `why_fixed` says why the club
    can change it no more, and is empty as long as it can.
    """

    session_id: str
    day: date | None
    kind: str | None
    status: str
    submitted_at: datetime
    tables: Sequence[TableResult]
    moves: Sequence[RatingMove]
    corrects: str | None
    corrected_by: str | None
    note: str | None
    effect: PastEffect | None
    ending: SessionEnding | None
    is_reseated: bool
    is_somebody_erased: bool
    acts: Sequence[DoneAtDesk]
    disputes: Sequence[DisputeAtDesk]
    later: Sequence[ChangedLater]
    why_fixed: str

    @property
    def has_points(self) -> bool:
        """Whether points count."""
        return self.kind != "social"

    @property
    def counts(self) -> bool:
        """Whether it counts, or will once it is rated."""
        return self.status in {"accepted", "rated"}


class ChangeRefused(MahjicError):
    """A session can't be changed so. `newest` is the one to change instead, if there is one."""

    code = "change_refused"
    title = "The session is not changed"
    status = 409

    def __init__(self, detail: str, *, newest: str | None = None) -> None:
        super().__init__(detail)
        self.newest = newest


class AnswerRefused(MahjicError):
    """There is nothing left to answer."""

    code = "answer_refused"
    title = "The answer is not sent"
    status = 409


class SessionsOfDesk(Protocol):
    """What a desk does with sessions on record. Everything is done as the source."""

    async def people(self, source: str) -> Sequence[Listed]:
        """Return the list of a club, by its own names only."""
        ...

    async def find(
        self, source: str, wanted: WantedSessions, *, cursor: str | None = None
    ) -> SessionLines:
        """Return a page of the sessions of a club, the newest day first. Raises WrongCursor."""
        ...

    async def one(self, login: Login, source: str, session_id: str) -> OwnSession:
        """Return a session of the club. Raises UnknownSession."""
        ...

    async def sheet(self, source: str, session_id: str, kind: SheetKind) -> bytes:
        """Return a session as a score sheet that the club could have sent.

        Raises UnknownSession.
        """
        ...

    async def take_out(
        self, login: Login, source: str, session_id: str, *, reason: Reason, note: str | None
    ) -> None:
        """Void a session, once. Raises UnknownSession or ChangeRefused."""
        ...

    async def bring_back(self, login: Login, source: str, session_id: str) -> str:
        """Let a voided session count again as it was, once; return the one that counts now.

        Raises UnknownSession or ChangeRefused.
        """
        ...

    async def correct(self, login: Login, source: str, session_id: str) -> str:
        """Begin a correction, or go on with it; return its draft.

        Raises ChangeRefused or TooManyNights.
        """
        ...

    async def disputes(
        self, source: str, *, is_all: bool = False, after: int = 0
    ) -> Sequence[DisputeAtDesk]:
        """Return what players dispute, the oldest first: what waits for an answer, or all of it."""
        ...

    async def answer(
        self, login: Login, source: str, session_id: str, number: int, text: str
    ) -> None:
        """Answer a player. Raises NotFound, AnswerRefused or UnfitText."""
        ...
