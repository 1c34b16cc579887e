"""Takes what is due beside events: requests, and looks at whole enrollments.

What was taken is due again some minutes later, in case its worker is killed.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from services.verification.room import Database
from services.verification.work.attending import StripeRequest

TAKEN_FOR: Final = timedelta(minutes=2)
REQUESTS_KEPT_FOR: Final = timedelta(days=90)

TAKE_REQUEST: Final = """
UPDATE mahjic.stripe_requests SET due_at = $2, tries = tries + 1
WHERE key = (
    SELECT key FROM mahjic.stripe_requests
    WHERE done_at IS NULL AND due_at <= $1 AND object_id IS NOT NULL
    ORDER BY due_at, key LIMIT 1 FOR UPDATE SKIP LOCKED
)
RETURNING key, kind, enrollment_id, object_id, tries
"""
PUT_OFF_REQUEST: Final = """
UPDATE mahjic.stripe_requests SET due_at = $2 WHERE key = $1 AND done_at IS NULL
"""
TAKE_LOOK: Final = """
UPDATE mahjic.enrollments SET look_taken = $2, look_tries = look_tries + 1
WHERE enrollment_id = (
    SELECT enrollment_id FROM mahjic.enrollments
    WHERE look_due_at <= $1 AND (look_taken IS NULL OR look_taken <= $1)
    ORDER BY look_due_at, enrollment_id LIMIT 1 FOR UPDATE SKIP LOCKED
)
RETURNING enrollment_id, look_tries, look_taken
"""
# Unless somebody wants it sooner, or it was done meanwhile.
PUT_OFF_LOOK: Final = """
UPDATE mahjic.enrollments SET look_taken = $2 WHERE enrollment_id = $1 AND look_taken = $3
"""
# What nobody waited to have done in the background, and nobody asks about anymore.
SWEEP_REQUESTS: Final = """
DELETE FROM mahjic.stripe_requests
WHERE due_at IS NULL AND kind <> 'check' AND asked_at < $1
"""
AWAY: Final = """
UPDATE mahjic.verification_place SET away_since = $1 WHERE away_since IS NULL RETURNING true
"""
BACK: Final = """
UPDATE mahjic.verification_place SET away_since = NULL WHERE away_since IS NOT NULL RETURNING true
"""


@dataclass(frozen=True, slots=True)
class TakenLook:
    """An enrollment that is to be looked at, and until when no other worker takes it."""

    enrollment_id: str
    tries: int
    taken_until: datetime


async def take_request(database: Database, now: datetime) -> StripeRequest | None:
    """Take the request that has been due the longest; None if none is."""
    row = await database.fetchrow(TAKE_REQUEST, now, now + TAKEN_FOR)
    return None if row is None else StripeRequest(*row)


async def put_off_request(database: Database, request: StripeRequest, until: datetime) -> None:
    """Have a request taken again later."""
    await database.execute(PUT_OFF_REQUEST, request.key, until)


async def take_look(database: Database, now: datetime) -> TakenLook | None:
    """Take the enrollment whose look has been due the longest; None if none is."""
    row = await database.fetchrow(TAKE_LOOK, now, now + TAKEN_FOR)
    return None if row is None else TakenLook(*row)


async def put_off_look(database: Database, look: TakenLook, until: datetime) -> None:
    """Have an enrollment looked at again later."""
    await database.execute(PUT_OFF_LOOK, look.enrollment_id, until, look.taken_until)


async def sweep_requests(database: Database, now: datetime) -> None:
    """Forget old pages of Stripe, on which somebody paid or saw receipts."""
    await database.execute(SWEEP_REQUESTS, now - REQUESTS_KEPT_FOR)


async def note_away(database: Database, now: datetime) -> bool:
    """Note that Stripe gives no answer; return whether that is new."""
    return await database.fetchval(AWAY, now) is not None


async def note_back(database: Database) -> bool:
    """Note that Stripe answers; return whether that is new."""
    return await database.fetchval(BACK) is not None
