"""Asks Stripe how everything of one enrollment stands, and writes it down.

Whoever looks holds the lock of the enrollment from before the first question until it is written.
So what is written is never older than what was, however many look.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from services.ingest.record.waterline import Writing
from services.verification.documents import DocumentHash
from services.verification.enrolling import ask
from services.verification.room import Connection, VerificationRoom
from services.verification.settling import Settled, settle
from services.verification.stripe.port import (
    CheckNow,
    PaymentNow,
    StripeRefused,
    SubscriptionNow,
)
from services.verification.work.checked import CheckSeen, keep_check
from services.verification.work.rows import KeptEnrollment, read_enrollment

KEEP_SUBSCRIPTION: Final = """
INSERT INTO mahjic.subscriptions (subscription_id, enrollment_id, status, renews, period_end)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (subscription_id) DO UPDATE SET
    status = excluded.status, renews = excluded.renews, period_end = excluded.period_end
"""
KEEP_PAYMENT: Final = """
INSERT INTO mahjic.payments (
    invoice_id, enrollment_id, subscription_id, amount_cents, currency, paid_at, period_end,
    refunded_cents, dispute
) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT (invoice_id) DO UPDATE SET
    refunded_cents = excluded.refunded_cents, dispute = excluded.dispute,
    period_end = excluded.period_end
"""
# Whoever has had their bank take the money back is not asked for more next year.
LOST: Final = """
SELECT DISTINCT sub.subscription_id FROM mahjic.subscriptions AS sub
JOIN mahjic.payments AS paid USING (subscription_id)
WHERE sub.enrollment_id = $1 AND paid.dispute = 'lost'
    AND sub.status NOT IN ('canceled', 'incomplete_expired')
"""
LOOKED: Final = """
UPDATE mahjic.enrollments SET looked_at = $2, look_taken = NULL, look_tries = 0,
    look_due_at = CASE WHEN look_due_at > $2 THEN look_due_at END
WHERE enrollment_id = $1
"""


@dataclass(frozen=True, slots=True)
class Seen:
    """How everything of an enrollment stands at Stripe. `asked_at` is before the first question.

    `unread` is why Stripe did not show a document, of a check that is not among the `checks` then.
    """

    asked_at: datetime
    subscriptions: Sequence[SubscriptionNow]
    payments: Sequence[PaymentNow]
    checks: Sequence[CheckSeen]
    unread: StripeRefused | None = None


async def see(room: VerificationRoom, own: KeptEnrollment) -> Seen:
    """Ask Stripe how everything stands. Raises StripeAway or StripeRefused."""
    stripe, asked_at = room.opened.stripe, room.now()
    subscriptions: Sequence[SubscriptionNow] = ()
    payments: Sequence[PaymentNow] = ()
    if own.customer_id is not None:
        subscriptions = await stripe.subscriptions(own.customer_id)
        payments = await stripe.payments(own.customer_id)
    checks: list[CheckSeen] = []
    unread: StripeRefused | None = None
    for session_id in own.open_checks:
        check = await stripe.check(session_id)
        if check is None:
            continue
        try:
            checks.append(await _see_check(room, check))
        except StripeRefused as refused:
            # A key that may not see documents must not keep the money from being seen.
            unread = refused
    return Seen(asked_at, subscriptions, payments, checks, unread)


async def _see_check(room: VerificationRoom, now: CheckNow) -> CheckSeen:
    """Return how a check stands, and the hashes of its document once it has passed."""
    found: DocumentHash | None = None
    if now.state == "verified" and now.report_id is not None and not now.is_redacted:
        read = await room.opened.stripe.document(now.report_id)
        found = None if read is None else room.opened.hashes.of(read)
    return CheckSeen(now, found)


async def keep(
    room: VerificationRoom,
    connection: Connection,
    writing: Writing,
    own: KeptEnrollment,
    seen: Seen,
) -> Settled | None:
    """Write down what was seen, and settle what follows; in a transaction that holds the head.

    None if the enrollment was closed and erased meanwhile.
    """
    now = await read_enrollment(connection, own.enrollment_id, is_to_change=True)
    if now is None:
        return None
    for payment in seen.payments:
        await _keep_payment(connection, now, payment)
    for sub in seen.subscriptions:
        await connection.execute(
            KEEP_SUBSCRIPTION,
            sub.subscription_id,
            now.enrollment_id,
            sub.status,
            sub.renews,
            sub.period_end,
        )
    for row in await connection.fetch(LOST, now.enrollment_id):
        await ask(
            room,
            connection,
            now.enrollment_id,
            "cancel_subscription",
            row["subscription_id"],
            due_at=room.now(),
        )
    for check in seen.checks:
        await keep_check(room, connection, now, check)
    await connection.execute(LOOKED, now.enrollment_id, seen.asked_at)
    return await settle(room, connection, writing, now.player_id)


async def _keep_payment(connection: Connection, own: KeptEnrollment, paid: PaymentNow) -> None:
    await connection.execute(
        KEEP_PAYMENT,
        paid.invoice_id,
        own.enrollment_id,
        paid.subscription_id,
        paid.amount_cents,
        paid.currency,
        paid.paid_at,
        paid.period_end,
        paid.refunded_cents,
        paid.dispute,
    )
