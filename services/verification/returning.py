"""Says which money goes back by one press: a new payment of somebody whom no check has passed."""

from datetime import datetime, timedelta
from typing import Final

from services.verification.room import Connection

MONEY_BACK_FOR: Final = timedelta(days=30)

PASSED: Final = """
SELECT EXISTS (
    SELECT FROM mahjic.identity_checks JOIN mahjic.enrollments USING (enrollment_id)
    WHERE (account_id = $1 OR enrollment_id = $2) AND state = 'verified'
)
"""
# A check that is held for staff has not passed here.
COUNTS: Final = """
SELECT EXISTS (
    SELECT FROM mahjic.identity_checks JOIN mahjic.enrollments USING (enrollment_id)
    WHERE (account_id = $1 OR enrollment_id = $2) AND state = 'verified' AND held_for IS NULL
)
"""
RETURNABLE: Final = """
SELECT invoice_id, paid_at FROM mahjic.payments
WHERE enrollment_id = $1 AND dispute = 'none' AND refunded_cents = 0 AND amount_cents > 0
ORDER BY paid_at DESC LIMIT 1
"""


async def returnable(
    connection: Connection, account_id: str | None, enrollment_id: str, now: datetime
) -> str | None:
    """Return the invoice of an enrollment whose money can still be given back by one press."""
    row = await connection.fetchrow(RETURNABLE, enrollment_id)
    if row is None or row["paid_at"] < now - MONEY_BACK_FOR:
        return None
    has_passed = await connection.fetchval(COUNTS, account_id, enrollment_id)
    return None if has_passed else str(row["invoice_id"])
