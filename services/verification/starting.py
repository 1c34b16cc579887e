"""What people press on the page where they become Verified: pay, be checked, see receipts, undo.

Each is written down with its key before Stripe is asked, so a press that is repeated, or whose
answer was lost, makes nothing twice. Nothing is held in the database while Stripe thinks.
"""

from collections.abc import Awaitable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal, TypeVar

import asyncpg

from services.accounts.logging_in.logins import Login, check_fresh
from services.verification.enrolling import (
    ANSWERED,
    SET_CUSTOMER,
    SETTLE_REQUEST,
    Enrollment,
    ask,
    enroll,
    find_enrollment,
    look_soon,
)
from services.verification.returning import PASSED, returnable
from services.verification.room import Connection, VerificationRoom
from services.verification.stripe.port import CheckNow, CheckoutNow, StripeFailed, StripeRefused
from services.verification.telling import VERIFIED_PATH
from shared.errors import MahjicError, NotFound

# Stripe remembers a key for a day; its pages for paying are open for as long.
KEY_GOOD_FOR: Final = timedelta(hours=23)
# Each check costs us something, also one that fails.
CHECKS_MAX: Final = 5
CHECKS_WITHIN: Final = timedelta(days=30)

# Back from Stripe, the page asks at once how things stand.
BACK_PATH: Final = f"{VERIFIED_PATH}?from=stripe"

# While a subscription stands in any other way, no second one begins.
NOT_LIVE: Final = ("canceled", "incomplete", "incomplete_expired")
LIVE: Final = f"""
SELECT EXISTS (
    SELECT FROM mahjic.subscriptions JOIN mahjic.enrollments USING (enrollment_id)
    WHERE account_id = $1 AND status NOT IN {NOT_LIVE}
)
"""
OPEN_REQUEST: Final = """
SELECT key, object_id FROM mahjic.stripe_requests
WHERE enrollment_id = $1 AND kind = $2 AND done_at IS NULL AND due_at IS NULL AND asked_at > $3
ORDER BY asked_at DESC, key LIMIT 1
"""
LATEST_CHECK: Final = """
SELECT key, session_id, state, begun_at FROM mahjic.identity_checks
WHERE enrollment_id = $1 ORDER BY begun_at DESC, key LIMIT 1
"""
IS_PROCESSING: Final = """
SELECT EXISTS (
    SELECT FROM mahjic.identity_checks JOIN mahjic.enrollments USING (enrollment_id)
    WHERE account_id = $1 AND state = 'processing'
)
"""
COUNT_CHECKS: Final = """
SELECT count(*) FROM mahjic.identity_checks AS checks
JOIN mahjic.enrollments USING (enrollment_id) WHERE account_id = $1 AND checks.begun_at > $2
"""
ADD_CHECK: Final = """
INSERT INTO mahjic.identity_checks (key, enrollment_id, state, begun_at, changed_at)
VALUES ($1, $2, 'asked', $3, $3)
"""
BEGUN_CHECK: Final = """
UPDATE mahjic.identity_checks
SET session_id = $2, state = CASE WHEN state = 'asked' THEN 'requires_input' ELSE state END
WHERE key = $1
"""

DROP_CHECK: Final = "DELETE FROM mahjic.identity_checks WHERE key = $1 AND session_id IS NULL"

Made = TypeVar("Made")
NotNowReason = Literal["paid", "checked", "checking", "checks", "nothing"]
_WHY: Final = {
    "paid": "You have paid already. Load your page again.",
    "checked": "Your identity is checked already. You need not do it again.",
    "checking": "Stripe is still looking at what you sent. Wait for that first.",
    "checks": "You have tried often in the last 30 days. Write to us, and a person will help.",
    "nothing": "There is no payment that can be given back by itself. Write to us.",
}


class NotNow(MahjicError):
    """What was pressed makes no sense as things stand. Nothing was done."""

    code = "not_now"
    title = "That can’t be done now"
    status = 409

    def __init__(self, reason: NotNowReason) -> None:
        super().__init__(_WHY[reason])
        self.reason = reason


@dataclass(frozen=True, slots=True)
class _Asked:
    """The key with which Stripe is asked, and what came of it if it has answered already."""

    own: Enrollment
    key: str
    object_id: str | None


async def pay(room: VerificationRoom, login: Login, own_ids: tuple[str, ...]) -> str:
    """Return the address of Stripe's page on which the person of a login can pay.

    `own_ids` are the players of the account, the first one first. One page is open at a time,
    however often it is pressed. Raises LoginNotFresh, VerificationNotOpen, NotNow, StripeAway or
    StripeRefused.
    """
    check_fresh(room.accounts, login)
    for _ in range(2):  # A page that has run out is replaced once.
        asked = await room.settled(lambda c: _ask_to_pay(room, c, login, own_ids))
        now = await _page(room, asked)
        if now.state == "open" and now.url is not None:
            return now.url
    raise NotNow("paid")


async def _page(room: VerificationRoom, asked: _Asked) -> CheckoutNow:
    """Return the page of a key, which is opened or looked at; note it if it is over."""
    stripe, session_id = room.opened.stripe, asked.object_id
    if session_id is None:
        await _check_unpaid(room, asked.own)
        now = await _unless_refused(room, asked.key, _open(room, asked))
        await room.settled(lambda c: c.execute(ANSWERED, asked.key, now.session_id))
        return now
    seen = await stripe.checkout(session_id) or CheckoutNow(session_id, "expired", None)
    if seen.state != "open":
        await room.settled(lambda c: _page_over(room, c, asked, seen))
    return seen


async def _ask_to_pay(
    room: VerificationRoom, connection: Connection, login: Login, own_ids: tuple[str, ...]
) -> _Asked:
    """Return what to ask with: a new key, or that of the page which is open."""
    own = await enroll(room, connection, login.account_id, own_ids)
    if await connection.fetchval(LIVE, login.account_id):
        raise NotNow("paid")
    since = room.now() - KEY_GOOD_FOR
    found = await connection.fetchrow(OPEN_REQUEST, own.enrollment_id, "checkout", since)
    if found is not None:
        return _Asked(own, found["key"], found["object_id"])
    return _Asked(own, await ask(room, connection, own.enrollment_id, "checkout"), None)


async def _check_unpaid(room: VerificationRoom, own: Enrollment) -> None:
    """Check that nothing goes on at Stripe of which we were not told yet. Raises NotNow."""
    if own.customer_id is None:
        return
    known = await room.opened.stripe.subscriptions(own.customer_id)
    if any(each.status not in NOT_LIVE for each in known):
        await room.settled(lambda c: look_soon(c, own.enrollment_id, room.now()))
        raise NotNow("paid")


async def _customer(room: VerificationRoom, asked: _Asked) -> str:
    """Return the customer of an enrollment, and have Stripe make one first if there is none."""
    own = asked.own
    if own.customer_id is not None:
        return own.customer_id
    made = await room.opened.stripe.make_customer(f"{asked.key}-customer")
    kept = await room.settled(lambda c: c.fetchval(SET_CUSTOMER, own.enrollment_id, made))
    if kept is None:
        raise NotFound("Your account is gone. Log in again.")
    return str(kept)


async def _open(room: VerificationRoom, asked: _Asked) -> CheckoutNow:
    customer_id, site = await _customer(room, asked), room.accounts.site_url()
    return await room.opened.stripe.open_checkout(
        asked.key,
        customer_id,
        success_url=f"{site}{BACK_PATH}",
        cancel_url=f"{site}{VERIFIED_PATH}",
    )


async def _unless_refused(room: VerificationRoom, key: str, asked: Awaitable[Made]) -> Made:
    """Return what Stripe makes with a key.

    What it refused, or failed at, is asked for with another key the next time: with the same one it
    would say the same for a day, whatever was mended.
    """

    async def drop(connection: Connection) -> None:
        await connection.execute(SETTLE_REQUEST, key, room.now(), "refused")
        await connection.execute(DROP_CHECK, key)

    try:
        return await asked
    except (StripeRefused, StripeFailed):
        await room.settled(drop)
        raise


async def _page_over(
    room: VerificationRoom, connection: Connection, asked: _Asked, now: CheckoutNow
) -> None:
    await look_soon(connection, asked.own.enrollment_id, room.now())
    await connection.execute(SETTLE_REQUEST, asked.key, room.now(), now.state)


async def be_checked(room: VerificationRoom, login: Login, own_ids: tuple[str, ...]) -> str:
    """Return the address of Stripe's page on which the person of a login shows a document.

    Whoever has begun goes on with the same check. Raises LoginNotFresh, VerificationNotOpen,
    NotNow, StripeAway or StripeRefused.
    """
    stripe = room.opened.stripe
    check_fresh(room.accounts, login)
    asked = await room.settled(lambda c: _ask_to_check(room, c, login, own_ids, is_new=False))
    if asked.object_id is not None:
        seen = await stripe.check(asked.object_id)
        if seen is not None and seen.state == "requires_input" and seen.url is not None:
            return seen.url
        own_id = asked.own.enrollment_id
        await room.settled(lambda c: look_soon(c, own_id, room.now()))
        if seen is not None and seen.state in {"processing", "verified"}:
            raise NotNow("checking" if seen.state == "processing" else "checked")
        asked = await room.settled(lambda c: _ask_to_check(room, c, login, own_ids, is_new=True))
    key, back = asked.key, f"{room.accounts.site_url()}{BACK_PATH}"
    now = await _unless_refused(room, key, stripe.begin_check(key, return_url=back))
    await room.settled(lambda c: c.execute(BEGUN_CHECK, key, now.session_id))
    return _address(now)


def _address(now: CheckNow) -> str:
    if now.url is None:
        raise NotNow("checking")
    return now.url


async def _ask_to_check(
    room: VerificationRoom,
    connection: Connection,
    login: Login,
    own_ids: tuple[str, ...],
    *,
    is_new: bool,
) -> _Asked:
    """Return what to ask with: a new key, or that of the check which can be gone on with."""
    own = await enroll(room, connection, login.account_id, own_ids)
    if await connection.fetchval(PASSED, login.account_id, own.enrollment_id):
        raise NotNow("checked")
    if await connection.fetchval(IS_PROCESSING, login.account_id):
        raise NotNow("checking")
    now, latest = room.now(), await connection.fetchrow(LATEST_CHECK, own.enrollment_id)
    if latest is not None and not is_new and _can_go_on(latest, now):
        return _Asked(own, latest["key"], latest["session_id"])
    begun = await connection.fetchval(COUNT_CHECKS, login.account_id, now - CHECKS_WITHIN)
    if begun >= CHECKS_MAX:
        raise NotNow("checks")
    key = await ask(room, connection, own.enrollment_id, "check")
    await connection.execute(ADD_CHECK, key, own.enrollment_id, now)
    return _Asked(own, key, None)


def _can_go_on(latest: asyncpg.Record, now: datetime) -> bool:
    """Return whether a check still waits for the person, or for Stripe's first answer."""
    if latest["session_id"] is None:
        return bool(latest["begun_at"] > now - KEY_GOOD_FOR)
    return latest["state"] in {"asked", "requires_input"}


async def see_receipts(room: VerificationRoom, login: Login) -> str:
    """Return the address of Stripe's page with receipts, cards, and the button to cancel.

    Raises LoginNotFresh, VerificationNotOpen, NotNow, StripeAway or StripeRefused.
    """
    stripe = room.opened.stripe
    check_fresh(room.accounts, login)

    async def ask_for_page(connection: Connection) -> tuple[str, str]:
        own = await find_enrollment(connection, login.account_id)
        if own is None or own.customer_id is None:
            raise NotNow("nothing")
        return own.customer_id, await ask(room, connection, own.enrollment_id, "portal")

    customer_id, key = await room.settled(ask_for_page)
    back = f"{room.accounts.site_url()}{BACK_PATH}"
    url = await stripe.open_portal(key, customer_id, return_url=back)
    await room.settled(lambda c: c.execute(SETTLE_REQUEST, key, room.now(), "opened"))
    return url


async def get_money_back(room: VerificationRoom, login: Login) -> None:
    """Have the money of a new payment given back, and the subscription ended with it.

    A worker does it, unless a check has passed by then. Raises LoginNotFresh, VerificationNotOpen
    or NotNow.
    """
    _ = room.opened
    check_fresh(room.accounts, login)

    async def ask_for_it(connection: Connection) -> None:
        own, now = await find_enrollment(connection, login.account_id), room.now()
        if own is None:
            raise NotNow("nothing")
        invoice_id = await returnable(connection, own.account_id, own.enrollment_id, now)
        if invoice_id is None:
            raise NotNow("nothing")
        await ask(room, connection, own.enrollment_id, "refund", invoice_id, due_at=now)

    await room.settled(ask_for_it)
