"""What the pages of the staff desk ask for. Whatever changes something is kept as an act first."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Protocol

from services.accounts.logging_in.logins import Login
from shared.access.sources import KnownSource, SourceDetails
from shared.mail.looking import ListedMail, OutboxStanding


class SourcesAtStaff(Protocol):
    """Looks after sources. All raise UnknownSource and ServiceUnavailable."""

    async def all(self) -> Sequence[KnownSource]:
        """Return all sources."""
        ...

    async def one(self, slug: str) -> KnownSource:
        """Return a source."""
        ...

    async def change(
        self, login: Login, slug: str, change: Callable[[SourceDetails], SourceDetails]
    ) -> None:
        """Change what is said about a source. Raises InvalidSource."""
        ...

    async def suspend(self, login: Login, slug: str, *, is_suspended: bool) -> None:
        """Refuse the keys of a source from now on, or accept them again."""
        ...


@dataclass(frozen=True, slots=True)
class WaitingDispute:
    """What a player says about a session whose source has not answered in time."""

    number: int
    player_id: str
    session_id: str
    source: str
    day: date
    said: str = field(repr=False)
    said_on: date
    is_with_staff: bool
    answer: str | None = field(repr=False)
    resolved_by: str | None


class DisputesAtStaff(Protocol):
    """Answers players for sources that have not."""

    async def waiting(self) -> Sequence[WaitingDispute]:
        """Return what waits for staff, the oldest first."""
        ...

    async def one(self, number: int) -> WaitingDispute:
        """Return one. Raises UnknownDispute, which is a NotFound."""
        ...

    async def answer(self, login: Login, number: int, text: str) -> None:
        """Answer a player, who is mailed that. Raises UnfitText, or that there is nothing to."""
        ...


class MailsAtStaff(Protocol):
    """Looks after mails that do not get through. Addresses are masked."""

    async def standing(self) -> OutboxStanding:
        """Return how many wait, and since when."""
        ...

    async def failing(self) -> Sequence[ListedMail]:
        """Return what waits after a failed try, was refused or given up: the newest first."""
        ...

    async def retry(self, login: Login, mail_id: str) -> None:
        """Have a mail tried at once. Raises UnknownMail."""
        ...

    async def drop(self, login: Login, mail_id: str) -> None:
        """Give a mail up, and forget what it said. Raises UnknownMail."""
        ...


@dataclass(frozen=True, slots=True)
class PartPlace:
    """How far a part is. `behind` counts facts, and is None where that can't be seen from here.

    `is_kept` is None where nothing says whether anything works on it.
    """

    name: str
    fact_seq: int | None
    behind: int | None
    is_kept: bool | None = None


@dataclass(frozen=True, slots=True)
class PartsStanding:
    """How far all parts are behind what is on record."""

    end_seq: int
    parts: Sequence[PartPlace]
    mails: OutboxStanding
    disputes: int
    looked_at: datetime


class PartsAtStaff(Protocol):
    """Looks at how far every part is."""

    async def standing(self) -> PartsStanding:
        """Return that. What can't be reached in two seconds is told as not seen."""
        ...
