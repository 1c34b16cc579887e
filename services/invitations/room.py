"""What everything in this room is done with, and what it asks of others."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Final

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from shared.mail.outbox import MailOutbox

Connection = asyncpg.Connection | PoolConnectionProxy

# Someone who played longer ago no longer waits for news of it, and would wonder at a mail.
RECENT: Final = timedelta(days=30)
# The latest time zone on earth: a night is not dated later than this after it was recorded.
LATEST_ZONE: Final = timedelta(hours=14)


@dataclass(frozen=True, slots=True)
class InvitationRoom:
    """What the functions of this room are handed first. Links in mails begin with `site_url()`.

    `per_hour` is how many invitations are written in an hour at most.
    """

    pool: asyncpg.Pool = field(repr=False)
    outbox: MailOutbox = field(repr=False)
    site_url: Callable[[], str]
    per_hour: int
    random_bytes: Callable[[int], bytes] = secrets.token_bytes

    def now(self) -> datetime:
        """Return the time by the clock of the outbox."""
        return self.outbox.now()


def is_recent(day: date, recorded_at: datetime, *, now: datetime) -> bool:
    """Return whether a session was both played and recorded lately."""
    return recorded_at >= now - RECENT and day >= oldest_day(now)


def oldest_day(now: datetime) -> date:
    """Return the earliest day that still is recent."""
    return (now - RECENT).date()


def is_behind(day: date, recorded_at: datetime, mark: datetime | None) -> bool:
    """Return whether a session was played or recorded before a mark.

    What was lost in a restore is sent again after it, with the days of before.
    """
    return mark is not None and (recorded_at <= mark or day <= (mark + LATEST_ZONE).date())
