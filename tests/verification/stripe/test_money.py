"""What is told about subscriptions and payments, on every adapter."""

from datetime import UTC, datetime

import pytest

from services.verification.stripe.port import (
    PaymentNow,
    StripeAway,
    StripeRefused,
    SubscriptionNow,
    Whose,
)
from tests.verification.stripe.rigs import CANCEL_URL, SUCCESS_URL, Rig

# Rigs begin at noon of this day.
PAID_AT = datetime(2027, 3, 1, 12, tzinfo=UTC)
YEARS = [datetime(year, 3, 1, 12, tzinfo=UTC) for year in range(2028, 2040)]


async def only_payment(rig: Rig, customer_id: str) -> PaymentNow:
    (payment,) = await rig.stripe.payments(customer_id)
    return payment


async def only_subscription(rig: Rig, customer_id: str) -> SubscriptionNow:
    (subscription,) = await rig.stripe.subscriptions(customer_id)
    return subscription


async def test_a_year_that_was_paid(rig: Rig) -> None:
    customer_id = await rig.a_customer()
    subscription, invoice = await rig.paid(customer_id)
    assert await only_subscription(rig, customer_id) == SubscriptionNow(
        subscription_id=subscription.id, status="active", renews=True, period_end=YEARS[0]
    )
    assert await only_payment(rig, customer_id) == PaymentNow(
        invoice_id=invoice.id,
        subscription_id=subscription.id,
        amount_cents=2000,
        currency="usd",
        paid_at=PAID_AT,
        period_end=YEARS[0],
        refunded_cents=0,
        dispute="none",
    )


async def test_a_page_on_which_the_card_was_declined_stays_open(rig: Rig) -> None:
    customer_id = await rig.a_customer()
    page = await rig.stripe.open_checkout(
        "key-1", customer_id, success_url=SUCCESS_URL, cancel_url=CANCEL_URL
    )
    rig.people.decline(page.session_id)
    assert await rig.stripe.checkout(page.session_id) == page
    assert await rig.stripe.subscriptions(customer_id) == []
    assert await rig.stripe.payments(customer_id) == []


async def test_a_page_that_was_left_alone_expires(rig: Rig) -> None:
    page = await rig.stripe.open_checkout(
        "key-1", await rig.a_customer(), success_url=SUCCESS_URL, cancel_url=CANCEL_URL
    )
    rig.people.expire(page.session_id)
    expired = await rig.stripe.checkout(page.session_id)
    assert expired is not None
    assert (expired.state, expired.url) == ("expired", None)


async def test_the_period_runs_ahead_of_the_money(rig: Rig) -> None:
    customer_id = await rig.a_customer()
    subscription, _ = await rig.paid(customer_id)
    rig.clock.forward(days=366)
    rig.people.draft_renewal(subscription.id)
    now = await only_subscription(rig, customer_id)
    assert (now.status, now.renews, now.period_end) == ("active", True, YEARS[1])
    assert (await only_payment(rig, customer_id)).period_end == YEARS[0]
    rig.people.fail_renewal(subscription.id)
    now = await only_subscription(rig, customer_id)
    assert (now.status, now.renews, now.period_end) == ("past_due", True, YEARS[1])
    assert (await only_payment(rig, customer_id)).period_end == YEARS[0]
    rig.clock.forward(days=3)
    rig.people.renew(subscription.id)
    assert (await only_subscription(rig, customer_id)).status == "active"
    payments = await rig.stripe.payments(customer_id)
    assert {each.period_end: each.paid_at for each in payments} == {
        YEARS[0]: PAID_AT,
        YEARS[1]: datetime(2028, 3, 4, 12, tzinfo=UTC),
    }


async def test_who_cancels_renews_no_more_and_keeps_the_year(rig: Rig) -> None:
    customer_id = await rig.a_customer()
    subscription, _ = await rig.paid(customer_id)
    rig.people.cancel_at_period_end(subscription.id)
    now = await only_subscription(rig, customer_id)
    assert (now.status, now.renews, now.period_end) == ("active", False, YEARS[0])
    rig.people.renew_after_all(subscription.id)
    assert (await only_subscription(rig, customer_id)).renews
    rig.account.subscriptions[subscription.id].cancel_at = YEARS[0]
    assert not (await only_subscription(rig, customer_id)).renews


async def test_what_has_ended_is_told_too(rig: Rig) -> None:
    customer_id = await rig.a_customer()
    first, _ = await rig.paid(customer_id)
    rig.people.end(first.id)
    second, _ = await rig.paid(customer_id, "checkout-2")
    found = await rig.stripe.subscriptions(customer_id)
    assert {each.subscription_id: each.status for each in found} == {
        first.id: "canceled",
        second.id: "active",
    }
    assert len(await rig.stripe.payments(customer_id)) == 2


async def test_what_others_pay_is_not_told(rig: Rig) -> None:
    ada, bo = await rig.a_customer("key-ada"), await rig.a_customer("key-bo")
    await rig.paid(ada)
    assert await rig.stripe.subscriptions(bo) == []
    assert await rig.stripe.payments(bo) == []


async def test_money_that_was_given_back_in_parts(rig: Rig) -> None:
    customer_id = await rig.a_customer()
    _, invoice = await rig.paid(customer_id)
    rig.people.refund(invoice.id, 500)
    assert (await only_payment(rig, customer_id)).refunded_cents == 500
    await rig.stripe.refund("key-1", invoice.id)
    assert (await only_payment(rig, customer_id)).refunded_cents == 2000
    assert [each.amount_cents for each in rig.account.refunds.values()] == [500, 1500]


async def test_a_refund_tells_of_its_own_year_only(rig: Rig) -> None:
    customer_id = await rig.a_customer()
    subscription, first = await rig.paid(customer_id)
    rig.clock.forward(days=366)
    second = rig.people.renew(subscription.id)
    await rig.stripe.refund("key-1", second.id)
    found = await rig.stripe.payments(customer_id)
    assert {each.invoice_id: each.refunded_cents for each in found} == {
        first.id: 0,
        second.id: 2000,
    }


async def test_a_year_that_was_paid_in_two_parts_is_given_back_whole(rig: Rig) -> None:
    customer_id = await rig.a_customer()
    subscription, first = await rig.paid(customer_id)
    second = rig.people.renew(subscription.id, parts=2)
    rig.people.open_dispute(second.id, "needs_response")
    rig.people.close_dispute(second.id, "won")
    rig.switches.lose = 1
    with pytest.raises(StripeAway):
        await rig.stripe.refund("key-1", second.id)
    found = {each.invoice_id: each for each in await rig.stripe.payments(customer_id)}
    assert (found[first.id].refunded_cents, found[second.id].refunded_cents) == (0, 1000)
    await rig.stripe.refund("key-1", second.id)
    found = {each.invoice_id: each for each in await rig.stripe.payments(customer_id)}
    assert (found[first.id].refunded_cents, found[second.id].refunded_cents) == (0, 2000)
    assert found[second.id].dispute == "none"


@pytest.mark.parametrize(
    ("status", "told"),
    [
        ("warning_needs_response", "open"),
        ("warning_under_review", "open"),
        ("warning_closed", "none"),
        ("needs_response", "open"),
        ("under_review", "open"),
        ("won", "none"),
        ("lost", "lost"),
        ("prevented", "none"),
        # Stripe appeals after it has lost.
        ("appeal_needs_response", "lost"),
        ("appeal_under_review", "lost"),
    ],
)
async def test_what_a_bank_says(rig: Rig, status: str, told: str) -> None:
    customer_id = await rig.a_customer()
    _, invoice = await rig.paid(customer_id)
    rig.people.open_dispute(invoice.id)
    assert (await only_payment(rig, customer_id)).dispute == "open"
    rig.people.change_dispute(invoice.id, status)
    now = await only_payment(rig, customer_id)
    assert (now.dispute, now.refunded_cents) == (told, 0)


async def test_one_lost_dispute_is_lost_whatever_became_of_the_others(rig: Rig) -> None:
    customer_id = await rig.a_customer()
    _, invoice = await rig.paid(customer_id)
    for status in ("won", "lost", "needs_response"):
        rig.people.open_dispute(invoice.id, status)
    assert (await only_payment(rig, customer_id)).dispute == "lost"


async def test_a_dispute_keeps_the_money_from_being_given_back(rig: Rig) -> None:
    _, invoice = await rig.paid(await rig.a_customer())
    rig.people.open_dispute(invoice.id)
    with pytest.raises(StripeRefused, match="charge_disputed"):
        await rig.stripe.refund("key-1", invoice.id)
    rig.people.close_dispute(invoice.id, "won")
    await rig.stripe.refund("key-2", invoice.id)


async def test_everything_is_told_however_much_there_is(rig: Rig) -> None:
    customer_id = await rig.a_customer()
    subscription, first = await rig.paid(customer_id)
    for _ in range(230):
        rig.people.renew(subscription.id)
    rig.people.refund(first.id)
    found = await rig.stripe.payments(customer_id)
    assert len({each.invoice_id for each in found}) == len(found) == 231
    assert max(each.period_end for each in found).year == 2028 + 230
    assert [each.invoice_id for each in found if each.refunded_cents] == [first.id]


async def test_an_invoice_pays_up_to_the_end_of_its_last_line(rig: Rig) -> None:
    customer_id = await rig.a_customer()
    _, invoice = await rig.paid(customer_id)
    # The latest is not among the ten that Stripe shows at once.
    invoice.line_ends[:] = YEARS
    assert (await only_payment(rig, customer_id)).period_end == YEARS[-1]


async def test_an_invoice_for_something_else_is_no_payment_of_a_year(rig: Rig) -> None:
    customer_id = await rig.a_customer()
    _, invoice = await rig.paid(customer_id)
    invoice.subscription_id = None
    assert await rig.stripe.payments(customer_id) == []


async def test_whatever_an_event_is_about_leads_to_the_customer(rig: Rig) -> None:
    ada = await rig.a_customer("key-ada")
    bo = await rig.a_customer("key-bo")
    await rig.paid(bo, "key-1")
    subscription, invoice = await rig.paid(ada, "key-2")
    rig.people.decline(
        (
            await rig.stripe.open_checkout(
                "key-3", ada, success_url=SUCCESS_URL, cancel_url=CANCEL_URL
            )
        ).session_id
    )
    rig.people.refund(invoice.id, 100)
    rig.people.open_dispute(invoice.id)
    rig.people.cancel_at_period_end(subscription.id)
    about = {
        each.object_id: each.type
        for each in rig.account.outbox
        if not each.type.startswith("customer.created")
    }
    kinds = {each.partition("_")[0] for each in about}
    assert kinds == {"sub", "in", "inpay", "pi", "ch", "cs", "re", "du"}
    owners = {each: await rig.stripe.whose(each) for each in about}
    assert set(owners.values()) == {Whose(customer_id=ada), Whose(customer_id=bo)}
    assert owners[subscription.id] == owners[invoice.id] == Whose(customer_id=ada)
    assert {owners[each] for each in rig.account.refunds} == {Whose(customer_id=ada)}
    assert {owners[each] for each in rig.account.disputes} == {Whose(customer_id=ada)}


async def test_a_page_of_receipts_has_an_address(rig: Rig) -> None:
    customer_id = await rig.a_customer()
    url = await rig.stripe.open_portal("key-1", customer_id, return_url=CANCEL_URL)
    assert url.startswith(rig.account.site)
    assert [each.return_url for each in rig.account.portals.values()] == [CANCEL_URL]


async def test_a_customer_who_is_deleted_pays_no_more(rig: Rig) -> None:
    customer_id = await rig.a_customer()
    await rig.paid(customer_id)
    await rig.stripe.delete_customer(customer_id)
    assert (await only_subscription(rig, customer_id)).status == "canceled"
