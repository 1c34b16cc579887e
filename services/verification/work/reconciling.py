"""Asks Stripe for everything that is open, every night: what no event told of is found so."""

from datetime import datetime, time
from typing import Final

import structlog

from services.verification.room import Connection, Database

# While most players sleep.
NIGHT_FROM: Final = time(hour=8)  # 08:00 UTC is 3 in the morning in New York.

CLAIM: Final = """
UPDATE mahjic.verification_place SET reconciled_on = $1
WHERE reconciled_on IS NULL OR reconciled_on < $1 OR reconciled_on > $1 + 1 RETURNING true
"""
# Everything about which Stripe may still have something to say: a dispute comes up to four months
# after its payment.
OPEN: Final = """
FROM mahjic.enrollments AS own
WHERE closing_at IS NULL AND (
    EXISTS (
        SELECT FROM mahjic.subscriptions AS sub WHERE sub.enrollment_id = own.enrollment_id
            AND sub.status NOT IN ('canceled', 'incomplete_expired')
    ) OR EXISTS (
        SELECT FROM mahjic.payments AS paid WHERE paid.enrollment_id = own.enrollment_id
            AND (paid.period_end > $1 OR paid.paid_at > $1 - interval '180 days')
    ) OR EXISTS (
        SELECT FROM mahjic.identity_checks AS checks WHERE checks.enrollment_id = own.enrollment_id
            AND checks.state IN ('asked', 'requires_input', 'processing')
            AND checks.begun_at > $1 - interval '60 days'
    ) OR EXISTS (
        SELECT FROM mahjic.stripe_requests AS asked
        WHERE asked.enrollment_id = own.enrollment_id AND asked.kind = 'checkout'
            AND asked.asked_at > $1 - interval '7 days'
    )
)
"""
LIST_OPEN: Final = f"SELECT own.enrollment_id {OPEN} ORDER BY own.enrollment_id"
LOOK_AT_ALL: Final = f"""
UPDATE mahjic.enrollments SET look_due_at = LEAST(look_due_at, $1), look_tries = 0
WHERE enrollment_id IN (SELECT own.enrollment_id {OPEN})
RETURNING enrollment_id
"""

_log = structlog.get_logger(__name__)


async def reconcile_nightly(database: Database, now: datetime) -> None:
    """Once a day, have everything that is open looked at.

    A clock that is put back a little repeats no day. One that was far ahead skips none.
    """
    if now.time() < NIGHT_FROM or not await database.fetchval(CLAIM, now.date()):
        return
    looked_at = await look_at_all(database, now)
    _log.info("verification_reconciles", enrollments=len(looked_at))


async def look_at_all(database: Connection | Database, now: datetime) -> list[str]:
    """Have everything that is open looked at, and return the enrollments."""
    return [row["enrollment_id"] for row in await database.fetch(LOOK_AT_ALL, now)]


async def list_open(database: Connection | Database, now: datetime) -> list[str]:
    """Return the enrollments about which Stripe may still have something to say."""
    return [row["enrollment_id"] for row in await database.fetch(LIST_OPEN, now)]
