"""What is sent about being Verified: by people who pay and are checked, and by staff."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final

from services.verification.documents import DocumentHashes
from services.verification.room import StripeAccount, VerificationRoom
from services.verification.work.attending import attend
from services.wiring import Service
from tests.accounts.people import ALICE
from tests.site.whole.at_staff import player, staff
from tests.site.whole.scene import Scene
from tests.verification.stripe.account.events import SECRET
from tests.verification.stripe.account.memory import StripeInMemory
from tests.verification.stripe.account.odd import ODD
from tests.verification.stripe.account.people import People
from tests.verification.stripe.account.state import Account

READ_ENROLLMENT: Final = "SELECT enrollment_id FROM mahjic.enrollments"
READ_CHECK: Final = "SELECT key FROM mahjic.identity_checks"
Sent = dict[str, Any]


def with_stripe(service: Service) -> Service:
    """Return a service that has an account at Stripe, in memory."""
    account = Account(lambda: datetime.now(UTC))
    account.site = "https://checkout.stripe.com"
    opened = StripeAccount(StripeInMemory(account), (SECRET,), DocumentHashes(b"k" * 32))
    return replace(service, process=replace(service.process, stripe_account=opened))


def room_of(scene: Scene) -> VerificationRoom:
    """Return the room of a scene."""
    room: VerificationRoom = scene.app.state.ports[VerificationRoom]
    return room


def account_of(scene: Scene) -> Account:
    """Return what Stripe holds."""
    stripe = room_of(scene).opened.stripe
    assert isinstance(stripe, StripeInMemory)
    return stripe.account


async def look(scene: Scene) -> None:
    """Have Stripe asked how things stand."""

    async def nothing(_: object) -> None: ...

    await attend(room_of(scene), await scene.pool.fetchval(READ_ENROLLMENT), nothing)


async def at_the_page(scene: Scene) -> Sent:
    await scene.be_welcomed()
    return {"data": {}}


async def has_paid(scene: Scene) -> Sent:
    await scene.be_welcomed()
    assert (await scene.here.send("/me/verified/pay")).status_code == 303
    account = account_of(scene)
    (checkout,) = account.checkouts
    People(account).pay(checkout)
    await look(scene)
    return {"data": {}}


async def held(scene: Scene) -> Sent:
    """Have a check held, since its document has no number."""
    await scene.be_welcomed()
    assert (await scene.here.send("/me/verified/check")).status_code == 303
    account = account_of(scene)
    (check,) = account.checks
    People(account).pass_check(check, replace(ODD, number=""))
    await look(scene)
    await staff(scene, "operator")
    return {
        "data": {"reason": "I have seen the document."},
        "check": await scene.pool.fetchval(READ_CHECK),
    }


async def to_decide(scene: Scene) -> Sent:
    await staff(scene, "operator")
    return {
        "data": {"reason": "Plays in our club."},
        "player_id": await player(scene, ALICE),
        "decision": "verify",
    }


PREPARED: Final[Mapping[str, Callable[[Scene], Awaitable[Sent]]]] = {
    "/me/verified/check": at_the_page,
    "/me/verified/money-back": has_paid,
    "/me/verified/pay": at_the_page,
    "/me/verified/receipts": has_paid,
    "/staff/players/{player_id}/verified/{decision}": to_decide,
    "/staff/verified/checks/{check}": held,
}
