"""Sees to one enrollment: its lock first, then Stripe is asked, then one transaction.

The lock belongs to the connection on which the transaction runs. If that connection breaks while
Stripe thinks, nothing is written.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Final, TypeAlias

from services.verification.enrolling import SETTLE_REQUEST, ask, look_soon
from services.verification.returning import returnable
from services.verification.room import Connection, VerificationRoom
from services.verification.work.looking import keep, see
from services.verification.work.rows import KeptEnrollment, read_enrollment, try_lock
from shared.db.turns import own_connection

# What is done with what was seen, in the same transaction.
Then: TypeAlias = Callable[[Connection], Awaitable[object]]

IS_UNDECIDED: Final = """
SELECT EXISTS (
    SELECT FROM mahjic.identity_checks JOIN mahjic.enrollments USING (enrollment_id)
    WHERE session_id = $1 AND passed_at IS NULL AND held_for IS NULL AND account_id IS NOT NULL
)
"""
NOTE_REDACTED: Final = """
UPDATE mahjic.identity_checks SET is_redacted = true WHERE session_id = $1
"""
IS_BEGUN: Final = "SELECT outcome = 'begun' FROM mahjic.stripe_requests WHERE key = $1"
BEGUN: Final = "UPDATE mahjic.stripe_requests SET outcome = 'begun' WHERE key = $1"
PAYMENT: Final = """
SELECT subscription_id, refunded_cents >= amount_cents AS is_refunded
FROM mahjic.payments WHERE invoice_id = $1
"""


class BeingSeenToError(Exception):
    """Another worker has the lock of the enrollment; it is tried again in a moment."""


@dataclass(frozen=True, slots=True)
class StripeRequest:
    """Something that Stripe is asked for in the background."""

    key: str
    kind: str
    enrollment_id: str
    object_id: str
    tries: int


@asynccontextmanager
async def locked(room: VerificationRoom, enrollment_id: str) -> AsyncIterator[Connection]:
    """Give a connection that holds the lock of an enrollment. Raises BeingSeenToError."""
    # It is closed afterward, and the lock goes with it, whatever happens.
    async with own_connection(room.pool) as connection:
        if not await try_lock(connection, enrollment_id):
            raise BeingSeenToError
        yield connection


async def attend(room: VerificationRoom, enrollment_id: str, then: Then) -> bool:
    """Look how everything of an enrollment stands, and write it down with what follows.

    Return whether Stripe had to be asked. Raises BeingSeenToError, StripeAway or StripeRefused.
    """
    async with locked(room, enrollment_id) as connection:
        own = await _look(room, connection, enrollment_id, then)
        return own is not None and own.is_at_stripe


async def _look(
    room: VerificationRoom, connection: Connection, enrollment_id: str, then: Then
) -> KeptEnrollment | None:
    own = await read_enrollment(connection, enrollment_id)
    if own is None:
        async with connection.transaction():
            await then(connection)
        return None
    seen = await see(room, own)
    async with room.waterline.writing(connection) as writing:
        await keep(room, connection, writing, own, seen)
        if seen.unread is None:
            await then(connection)
    if seen.unread is not None:
        raise seen.unread
    return own


async def fulfill(room: VerificationRoom, request: StripeRequest) -> bool:
    """Ask Stripe for what was asked for in the background, and return whether it had to be asked.

    Raises BeingSeenToError, StripeAway or StripeRefused.
    """
    async with locked(room, request.enrollment_id) as connection:
        if request.kind == "refund":
            return await _refund(room, connection, request)
        if await connection.fetchval(IS_UNDECIDED, request.object_id):
            # It may have passed without our being told, and then the document is read first.
            await _look(room, connection, request.enrollment_id, _nothing)
        await _ask_stripe(room, request)
        async with connection.transaction():
            await _done(connection, request, "done", room.now())
            if request.kind == "redact_check":
                await connection.execute(NOTE_REDACTED, request.object_id)
        return True


async def _ask_stripe(room: VerificationRoom, request: StripeRequest) -> None:
    stripe = room.opened.stripe
    match request.kind:
        case "cancel_subscription":
            await stripe.cancel_subscription(request.key, request.object_id)
        case "redact_check":
            await stripe.redact_check(request.key, request.object_id)
        case "delete_customer":
            await stripe.delete_customer(request.object_id)
        case _:
            raise AssertionError(f"Nobody does {request.kind} in the background.")


async def _refund(room: VerificationRoom, connection: Connection, request: StripeRequest) -> bool:
    """Give the money back, unless a check has passed since it was asked for."""
    own = await _look(room, connection, request.enrollment_id, _nothing)
    if own is None:
        return False
    paid = await connection.fetchrow(PAYMENT, request.object_id)
    assert paid is not None, "Only a payment on record can be asked back, and none is ever erased."
    if not paid["is_refunded"]:
        # Unless Stripe was asked before: an answer was lost, perhaps after a part of the money.
        is_begun = await connection.fetchval(IS_BEGUN, request.key)
        can_be = await returnable(connection, own.account_id, own.enrollment_id, room.now())
        if not is_begun and can_be != request.object_id:
            await _done(connection, request, "not_returnable", room.now())
            return True
        await connection.execute(BEGUN, request.key)
        await room.opened.stripe.refund(request.key, request.object_id)
    async with connection.transaction():
        now = room.now()
        await ask(
            room,
            connection,
            own.enrollment_id,
            "cancel_subscription",
            paid["subscription_id"],
            due_at=now,
        )
        await _done(connection, request, "done", now)
    return True


async def _nothing(_: Connection) -> None:
    """Do no more than look."""


async def _done(
    connection: Connection, request: StripeRequest, outcome: str, now: datetime
) -> None:
    await look_soon(connection, request.enrollment_id, now)
    await connection.execute(SETTLE_REQUEST, request.key, now, outcome)
