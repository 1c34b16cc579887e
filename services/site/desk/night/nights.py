"""What the pages of a night ask for and say: drafts, the list of a club, trials and sending.

A draft is one night on its way. Its id is made with the page, and it is what sends it only once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Final, Literal, Protocol, TypeAlias

from services.accounts.logging_in.logins import Login
from services.site.desk.night.roster import Listed
from services.site.desk.night.typed import TypedNight
from services.site.kit.words import _, shown_day
from shared.errors import MahjicError, NotFound
from shared.events.facts import Reason

DRAFT_DAYS: Final = 30
DraftState: TypeAlias = Literal["open", "sending", "sent"]
# What to do if a night is like one on record: ask, correct that one, or send it beside it.
SendAs: TypeAlias = Literal["new", "correction", "another"]


class UnknownDraft(NotFound):
    """There is no such night at this desk, or it is gone."""

    code = "unknown_draft"
    title = "This night is not here"

    def __init__(self) -> None:
        super().__init__(
            _(
                "Nights that are not sent are kept for 30 days, and this one is gone or was "
                "thrown away. Begin a new one."
            )
        )


class TooManyNights(MahjicError):
    """As many nights wait at the desk of a source as are kept."""

    code = "too_many_nights"
    title = "Too many nights are waiting"
    status = 409

    def __init__(self, most: int, oldest: date | None) -> None:
        which = _("one without a date") if oldest is None else shown_day(oldest)
        super().__init__(
            _(
                "{} nights of your club are not sent yet. Go to your desk, and send one of them or "
                "throw one away. The one that nobody has touched for the longest time: {}."
            ).format(most, which)
        )


@dataclass(frozen=True, slots=True)
class NightDraft:
    """A night on its way. Once it is sent, `session_id` says as what, and nothing typed is left.

    `corrects` is the session in whose place it is to be put.
    """

    draft_id: str
    state: DraftState
    night: TypedNight = field(repr=False)
    version: int
    changed_at: datetime
    session_id: str | None = None
    corrects: str | None = None


@dataclass(frozen=True, slots=True)
class TypedAs:
    """What comes with a typed night: the version that its page began with, and the page's token.

    `named` are the ids and addresses of its people.
    """

    named: Sequence[str] = field(repr=False)
    version: int
    page: str


@dataclass(frozen=True, slots=True)
class KeptNight:
    """Under which id a typed night is kept, and how often it was changed there.

    `is_correction` says that it is to be put in the place of a session on record.
    """

    draft_id: str
    version: int
    is_correction: bool = False


@dataclass(frozen=True, slots=True)
class OpenNight:
    """A night that is not sent yet, in the list of a desk."""

    draft_id: str
    day: date | None
    tables: int
    changed_at: datetime
    is_own: bool
    is_correction: bool = False


@dataclass(frozen=True, slots=True)
class SeatResult:
    """One line of a table: who, how many won, and points if they count."""

    label: str
    won: int
    points: float | None


@dataclass(frozen=True, slots=True)
class TableResult:
    """What was played at a table."""

    games: int
    wall: int
    seats: Sequence[SeatResult]


@dataclass(frozen=True, slots=True)
class RatingMove:
    """From where to where somebody moves, or moved; anonymous people too, at this club."""

    label: str
    before: float
    after: float
    change: float
    is_new: bool
    mahjic_id: str | None = None


@dataclass(frozen=True, slots=True)
class RecordedNight:
    """A session of the club that is on record; `moves` is empty until it is rated."""

    session_id: str
    status: str
    tables: Sequence[TableResult]
    moves: Sequence[RatingMove]


@dataclass(frozen=True, slots=True)
class TriedNight:
    """What a night would do, and which sessions on record it is like.

    `same` is the session that is this very night already. `notes` are what is odd about it.
    """

    moves: Sequence[RatingMove] = ()
    similar: Sequence[str] = ()
    same: str | None = None
    notes: Sequence[str] = ()
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class SendPressed:
    """What comes with the press that sends a draft: the version that was looked at, and as what.

    What nobody has seen is not sent. `corrects` is the session that a correction replaces.
    """

    version: int
    send_as: SendAs = "new"
    corrects: str = ""


@dataclass(frozen=True, slots=True)
class SentNight:
    """What came of sending: a session, or why nothing was recorded.

    `is_first` says that nobody had recorded this before; `is_changed`, that somebody changed the
    draft after it was looked at, so nothing was sent.
    """

    session_id: str | None = None
    similar: Sequence[str] = ()
    refusal: str = ""
    is_first: bool = False
    is_changed: bool = False


class Nights(Protocol):
    """What a desk does with nights. Everything is asked as the source, and counts as its word."""

    @property
    def today_latest(self) -> date:
        """The date where it is latest on earth."""
        ...

    @property
    def today_of_clubs(self) -> date:
        """The date of an evening that may just have ended, in the west of the United States."""
        ...

    def new_draft_id(self) -> str:
        """Return an id that no draft has."""
        ...

    def new_page(self) -> str:
        """Return a token that no other page has."""
        ...

    async def people(self, source: str) -> Sequence[Listed]:
        """Return the list of a club, by its own names only."""
        ...

    async def has_played(self, source: str) -> bool:
        """Return whether a session of a club is on record."""
        ...

    async def usual(self, source: str) -> tuple[str, str]:
        """Return the kind of game and the games of a round as the club sent them last."""
        ...

    async def draft(self, login: Login, source: str, draft_id: str) -> NightDraft:
        """Return a draft of the desk. Raises UnknownDraft or UnknownDesk."""
        ...

    async def open_nights(self, login: Login, source: str) -> Sequence[OpenNight]:
        """Return what is not sent yet, what was changed last first."""
        ...

    async def save(
        self, login: Login, source: str, draft_id: str, night: TypedNight, typed: TypedAs
    ) -> KeptNight | None:
        """Keep what is typed under this id; None once the night is on its way.

        If another page changed the night since the version that this one began with, both are kept,
        and this one is a night of its own from then on. Raises UnknownDraft if the night is gone,
        and TooManyNights if no more may wait.
        """
        ...

    async def drop(self, login: Login, source: str, draft_id: str) -> None:
        """Throw a draft away, unless it is on its way."""
        ...

    async def try_out(self, source: str, claim: Mapping[str, Any]) -> TriedNight:
        """Say what a night would do, without recording anything."""
        ...

    async def send(
        self,
        login: Login,
        source: str,
        draft_id: str,
        claim: Mapping[str, Any] | None,
        pressed: SendPressed,
    ) -> SentNight:
        """Send a draft as this claim; again and again it is the same session.

        What is on its way already goes on as it was begun, whatever the claim. Raises UnknownDraft.
        """
        ...

    async def send_correction(
        self,
        login: Login,
        source: str,
        draft_id: str,
        claim: Mapping[str, Any] | None,
        *,
        version: int,
        reason: Reason,
        note: str | None = None,
        is_meant: bool = False,
    ) -> SentNight:
        """Put a draft in the place of the session that it corrects, as `send` does.

        `is_meant` says that it is right although it repeats other rounds on record.
        """
        ...

    async def recorded(self, source: str, session_id: str) -> RecordedNight | None:
        """Return a session of the source, None if there is none."""
        ...
