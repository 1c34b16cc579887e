"""The numbered promises of the port, on every adapter."""

from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias

import pytest

from services.verification.stripe.port import Stripe, StripeAway, StripeRefused
from tests.verification.stripe.account.switches import Away
from tests.verification.stripe.rigs import CANCEL_URL, SUCCESS_URL, Rig

# The port, a key, and the id of whatever it is about.
Call: TypeAlias = Callable[[Stripe, str, str], Awaitable[object]]

READS: Final[dict[str, Call]] = {
    "whose": lambda stripe, _, id_: stripe.whose(id_),
    "checkout": lambda stripe, _, id_: stripe.checkout(id_),
    "subscriptions": lambda stripe, _, id_: stripe.subscriptions(id_),
    "payments": lambda stripe, _, id_: stripe.payments(id_),
    "check": lambda stripe, _, id_: stripe.check(id_),
    "document": lambda stripe, _, id_: stripe.document(id_),
}
MAKES: Final[dict[str, Call]] = {
    "make_customer": lambda stripe, key, _: stripe.make_customer(key),
    "open_checkout": lambda stripe, key, id_: stripe.open_checkout(
        key, id_, success_url=SUCCESS_URL, cancel_url=CANCEL_URL
    ),
    "open_portal": lambda stripe, key, id_: stripe.open_portal(key, id_, return_url=CANCEL_URL),
    "begin_check": lambda stripe, key, _: stripe.begin_check(key, return_url=CANCEL_URL),
}
UNDOES: Final[dict[str, Call]] = {
    "refund": lambda stripe, key, id_: stripe.refund(key, id_),
    "cancel_subscription": lambda stripe, key, id_: stripe.cancel_subscription(key, id_),
    "redact_check": lambda stripe, key, id_: stripe.redact_check(key, id_),
    "delete_customer": lambda stripe, _, id_: stripe.delete_customer(id_),
}
CALLS: Final = READS | MAKES | UNDOES

UNKNOWN_IDS: Final = ("sub_9", "in_9", "inpay_9", "ch_9", "du_9", "re_9", "pi_9", "cs_9", "vs_9")


async def an_id_for(rig: Rig, name: str) -> str:
    """Return the id of something that a call of the port can be about."""
    customer_id = await rig.a_customer()
    if name in {"refund", "cancel_subscription", "whose", "checkout"}:
        subscription, invoice = await rig.paid(customer_id)
        if name == "checkout":
            return next(iter(rig.account.checkouts))
        return invoice.id if name == "refund" else subscription.id
    if name in {"check", "redact_check", "document"}:
        check = await rig.begun()
        if name in {"redact_check", "document"}:
            rig.people.pass_check(check.session_id)
        return next(iter(rig.account.reports)) if name == "document" else check.session_id
    return customer_id


def held(rig: Rig) -> list[int]:
    """Return how many there are of whatever can be made."""
    made = (
        rig.account.customers,
        rig.account.checkouts,
        rig.account.portals,
        rig.account.checks,
        rig.account.refunds,
    )
    return [len(each) for each in made]


async def test_1_what_is_read_is_as_it_is_now_whatever_was_told(rig: Rig) -> None:
    customer_id = await rig.a_customer()
    page = await rig.stripe.open_checkout(
        "checkout-1", customer_id, success_url=SUCCESS_URL, cancel_url=CANCEL_URL
    )
    assert page.state == "open"
    subscription = rig.people.pay(page.session_id)
    paid = await rig.stripe.checkout(page.session_id)
    assert paid is not None
    assert (paid.state, paid.url) == ("complete", None)
    rig.people.cancel_at_period_end(subscription.id)
    (now,) = await rig.stripe.subscriptions(customer_id)
    assert not now.renews
    rig.people.renew_after_all(subscription.id)
    (now,) = await rig.stripe.subscriptions(customer_id)
    assert now.renews


@pytest.mark.parametrize("name", MAKES)
async def test_2_the_same_key_gives_the_same_thing_and_another_one_another(
    rig: Rig, name: str
) -> None:
    id_ = await an_id_for(rig, name)
    first = await MAKES[name](rig.stripe, "key-1", id_)
    after_first = held(rig)
    assert await MAKES[name](rig.stripe, "key-1", id_) == first
    assert held(rig) == after_first
    assert await MAKES[name](rig.stripe, "key-2", id_) != first
    assert sum(held(rig)) == sum(after_first) + 1


@pytest.mark.parametrize("name", MAKES)
async def test_2_what_was_made_is_found_again_after_its_answer_was_lost(
    rig: Rig, name: str
) -> None:
    id_ = await an_id_for(rig, name)
    before = sum(held(rig))
    rig.switches.lose = 2
    for _ in range(2):
        with pytest.raises(StripeAway):
            await MAKES[name](rig.stripe, "key-1", id_)
    assert await MAKES[name](rig.stripe, "key-1", id_)
    assert sum(held(rig)) == before + 1


@pytest.mark.parametrize("name", MAKES)
async def test_2_a_key_is_good_for_one_thing_only(rig: Rig, name: str) -> None:
    id_ = await an_id_for(rig, name)
    other = "make_customer" if name != "make_customer" else "begin_check"
    await MAKES[other](rig.stripe, "key-1", id_)
    with pytest.raises(StripeRefused) as refused:
        await MAKES[name](rig.stripe, "key-1", id_)
    assert refused.value.code == "idempotency_error"


async def test_2_a_key_is_remembered_for_a_day(rig: Rig) -> None:
    first = await rig.stripe.make_customer("key-1")
    rig.clock.forward(hours=23)
    assert await rig.stripe.make_customer("key-1") == first
    rig.clock.forward(hours=1)
    assert await rig.stripe.make_customer("key-1") != first


@pytest.mark.parametrize("name", UNDOES)
@pytest.mark.parametrize("second_key", ["key-1", "key-2"])
async def test_2_undoing_what_is_undone_changes_nothing(
    rig: Rig, name: str, second_key: str
) -> None:
    id_ = await an_id_for(rig, name)
    await UNDOES[name](rig.stripe, "key-1", id_)
    told = list(rig.account.outbox)
    await UNDOES[name](rig.stripe, second_key, id_)
    assert rig.account.outbox == told


@pytest.mark.parametrize("name", UNDOES)
@pytest.mark.parametrize("second_key", ["key-1", "key-2"])
async def test_2_what_was_undone_is_undone_once_when_its_answer_was_lost(
    rig: Rig, name: str, second_key: str
) -> None:
    id_ = await an_id_for(rig, name)
    before = len(rig.account.outbox)
    rig.switches.lose = 1
    with pytest.raises(StripeAway):
        await UNDOES[name](rig.stripe, "key-1", id_)
    told = list(rig.account.outbox)
    # That a check is erased is told later.
    assert (len(told) > before) is (name != "redact_check")
    await UNDOES[name](rig.stripe, second_key, id_)
    assert rig.account.outbox == told


@pytest.mark.parametrize("id_", [*UNKNOWN_IDS, "evt_9", "acct_9", "nonsense"])
async def test_3_what_is_unknown_is_nobodys(rig: Rig, id_: str) -> None:
    assert await rig.stripe.whose(id_) is None


@pytest.mark.parametrize("name", READS | UNDOES)
async def test_3_to_ask_about_what_is_unknown_is_no_error(rig: Rig, name: str) -> None:
    assert not await CALLS[name](rig.stripe, "key-1", "vs_9")


async def test_3_a_customer_who_was_deleted_is_no_error_and_makes_nothing_more(rig: Rig) -> None:
    customer_id = await rig.a_customer()
    await rig.paid(customer_id)
    await rig.stripe.delete_customer(customer_id)
    (subscription,) = await rig.stripe.subscriptions(customer_id)
    assert (subscription.status, subscription.renews) == ("canceled", False)
    assert len(await rig.stripe.payments(customer_id)) == 1
    for name in ("open_checkout", "open_portal"):
        with pytest.raises(StripeRefused) as refused:
            await MAKES[name](rig.stripe, f"key-{name}", customer_id)
        assert refused.value.code == "resource_missing"


@pytest.mark.parametrize("away", ["hangs_up", "fails", "hangs"])
@pytest.mark.parametrize("name", CALLS)
async def test_4_while_stripe_is_away_nothing_is_done_and_asking_again_is_safe(
    rig: Rig, name: str, away: Away
) -> None:
    id_ = await an_id_for(rig, name)
    before, told = held(rig), list(rig.account.outbox)
    rig.switches.away = away
    with pytest.raises(StripeAway):
        await CALLS[name](rig.impatient, "key-1", id_)
    assert (held(rig), rig.account.outbox) == (before, told)
    rig.switches.away = None
    await CALLS[name](rig.stripe, "key-1", id_)


async def test_4_what_is_refused_stays_refused(rig: Rig) -> None:
    customer_id = await rig.a_customer()
    _, invoice = await rig.paid(customer_id)
    rig.people.open_dispute(invoice.id)
    for key in ("key-1", "key-1", "key-2"):
        with pytest.raises(StripeRefused) as refused:
            await rig.stripe.refund(key, invoice.id)
        assert refused.value.code == "charge_disputed"
