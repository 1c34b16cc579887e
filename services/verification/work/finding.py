"""Finds whose an event is. What Stripe says for that is thrown away, as it may be old when used."""

from typing import Final

from services.verification.room import Connection, VerificationRoom
from services.verification.stripe.inbox import StripeEvent
from services.verification.stripe.port import Whose

# By what is on record already, without asking.
KNOWN: Final = """
SELECT enrollment_id FROM mahjic.enrollments WHERE customer_id = $1
UNION ALL SELECT enrollment_id FROM mahjic.subscriptions WHERE subscription_id = $1
UNION ALL SELECT enrollment_id FROM mahjic.payments
    WHERE invoice_id = $1 AND enrollment_id IS NOT NULL
UNION ALL SELECT enrollment_id FROM mahjic.identity_checks WHERE session_id = $1
UNION ALL SELECT enrollment_id FROM mahjic.stripe_requests
    WHERE kind = 'checkout' AND object_id = $1
LIMIT 1
"""
OF_CUSTOMER: Final = "SELECT enrollment_id FROM mahjic.enrollments WHERE customer_id = $1"
# A process that was killed has not noted which session its key made.
OF_CHECK: Final = """
UPDATE mahjic.identity_checks
SET session_id = COALESCE(session_id, $2),
    state = CASE WHEN state = 'asked' THEN 'requires_input' ELSE state END
WHERE key = $1 RETURNING enrollment_id
"""


async def find_enrollment_of(room: VerificationRoom, event: StripeEvent) -> str | None:
    """Return the enrollment that an event is about, None if it is nobody's here.

    Raises StripeAway or StripeRefused.
    """
    object_id = event.object_id
    if object_id is None:
        return None
    known: str | None = await room.pool.fetchval(KNOWN, object_id)
    if known is not None:
        return known
    whose = await room.opened.stripe.whose(object_id)
    if whose is None:
        return None
    async with room.pool.acquire() as connection:
        return await _by(connection, object_id, whose)


async def _by(connection: Connection, object_id: str, whose: Whose) -> str | None:
    found: str | None
    if whose.check_key is not None:
        found = await connection.fetchval(OF_CHECK, whose.check_key, object_id)
        return found
    found = await connection.fetchval(OF_CUSTOMER, whose.customer_id)
    return found
