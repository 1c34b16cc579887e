"""The inbox of events: each is kept once, by its id, until a worker has seen to it.

Of an event only the id, the type and the id of its object are kept. How that object stands is
always asked for, since events come late, twice, in any order, or never.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal, TypeAlias

from services.verification.room import Database

STRIPE_CHANNEL: Final = "mahjic_stripe"
# How long a worker that was killed keeps others from its event.
TAKEN_FOR: Final = timedelta(minutes=2)
# Stripe sends an event again for three days, and a signature is good for minutes.
KEPT_FOR: Final = timedelta(days=90)
SWEPT_MAX: Final = 1_000

ADD: Final = """
WITH added AS (
    INSERT INTO mahjic.stripe_events (event_id, type, object_id, received_at, due_at)
    VALUES ($1, $2, $3, $4, $4)
    ON CONFLICT (event_id) DO NOTHING RETURNING number
)
SELECT number, pg_notify('mahjic_stripe', number::text) FROM added
"""
NEWEST: Final = "SELECT coalesce(max(number), 0) FROM mahjic.stripe_events"
TAKE: Final = """
UPDATE mahjic.stripe_events SET due_at = $2, tries = tries + 1
WHERE number = (
    SELECT number FROM mahjic.stripe_events WHERE done_at IS NULL AND due_at <= $1
    ORDER BY due_at, number LIMIT 1 FOR UPDATE SKIP LOCKED
)
RETURNING number, type, object_id, tries
"""
DONE: Final = """
UPDATE mahjic.stripe_events SET done_at = $2, outcome = $3 WHERE number = $1 AND done_at IS NULL
RETURNING number
"""
PUT_OFF: Final = """
UPDATE mahjic.stripe_events SET due_at = $2 WHERE number = $1 AND done_at IS NULL
"""
SWEEP: Final = """
DELETE FROM mahjic.stripe_events WHERE number IN (
    SELECT number FROM mahjic.stripe_events WHERE done_at < $1 LIMIT $2
)
"""

EventOutcome: TypeAlias = Literal["seen_to", "not_ours"]


@dataclass(frozen=True, slots=True)
class StripeEvent:
    """An event that was taken: what kind of thing has happened to which object."""

    number: int
    type: str
    object_id: str | None
    tries: int


async def add_event(
    database: Database, event_id: str, event_type: str, object_id: str | None, now: datetime
) -> bool:
    """Keep an event, and return whether it is new."""
    return await database.fetchrow(ADD, event_id, event_type, object_id, now) is not None


async def newest_event(database: Database) -> int:
    """Return the number of the newest event, as the bell rings it."""
    return int(await database.fetchval(NEWEST))


async def take_event(database: Database, now: datetime) -> StripeEvent | None:
    """Take the event that has been due the longest; None if none is."""
    row = await database.fetchrow(TAKE, now, now + TAKEN_FOR)
    return None if row is None else StripeEvent(*row)


async def event_done(
    database: Database, event: StripeEvent, outcome: EventOutcome, now: datetime
) -> bool:
    """Note that an event is done, and return whether it was not before."""
    return await database.fetchval(DONE, event.number, now, outcome) is not None


async def put_off_event(database: Database, event: StripeEvent, until: datetime) -> None:
    """Have an event taken again later."""
    await database.execute(PUT_OFF, event.number, until)


async def sweep_events(database: Database, now: datetime) -> None:
    """Forget events that were done long ago."""
    await database.execute(SWEEP, now - KEPT_FOR, SWEPT_MAX)
