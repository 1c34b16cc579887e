"""What is said to Stripe, word by word: no more than it has to know."""

from collections.abc import AsyncIterator
from contextlib import aclosing

import pytest

from services.verification.stripe.adapter import StripeSdk
from tests.verification.stripe.over_http.server import FakeStripe

RETURN = "https://mahjic.example/me/verified"


@pytest.fixture
async def stripe(fake_stripe: FakeStripe) -> AsyncIterator[StripeSdk]:
    """Return a client of the fake."""
    async with aclosing(StripeSdk("rk_test_0123456789", "price_77", fake_stripe.url)) as client:
        yield client


async def test_a_customer_has_no_name_and_no_address(
    stripe: StripeSdk, fake_stripe: FakeStripe
) -> None:
    await stripe.make_customer("key-1")
    (request,) = fake_stripe.requests
    assert (request.method, request.path, request.form) == ("POST", "/v1/customers", {})
    assert request.headers["idempotency-key"] == "key-1"
    assert request.headers["authorization"] == "Bearer rk_test_0123456789"


async def test_a_page_to_pay_on_is_for_one_price_and_names_nobody(
    stripe: StripeSdk, fake_stripe: FakeStripe
) -> None:
    customer_id = await stripe.make_customer("key-1")
    await stripe.open_checkout("key-2", customer_id, success_url=RETURN, cancel_url=f"{RETURN}?no")
    request = fake_stripe.requests[-1]
    assert (request.method, request.path) == ("POST", "/v1/checkout/sessions")
    assert request.headers["idempotency-key"] == "key-2"
    assert request.form == {
        "mode": "subscription",
        "customer": customer_id,
        "line_items[0][price]": "price_77",
        "line_items[0][quantity]": "1",
        "success_url": RETURN,
        "cancel_url": f"{RETURN}?no",
    }


async def test_a_check_wants_a_document_with_a_face_and_names_nobody(
    stripe: StripeSdk, fake_stripe: FakeStripe
) -> None:
    await stripe.begin_check("key-3", return_url=RETURN)
    (request,) = fake_stripe.requests
    assert (request.method, request.path) == ("POST", "/v1/identity/verification_sessions")
    assert request.headers["idempotency-key"] == "key-3"
    assert request.form == {
        "type": "document",
        "options[document][require_matching_selfie]": "true",
        "metadata[mahjic_check]": "key-3",
        "return_url": RETURN,
    }


async def test_a_page_of_receipts_comes_back_to_us(
    stripe: StripeSdk, fake_stripe: FakeStripe
) -> None:
    customer_id = await stripe.make_customer("key-1")
    await stripe.open_portal("key-4", customer_id, return_url=RETURN)
    request = fake_stripe.requests[-1]
    assert (request.method, request.path) == ("POST", "/v1/billing_portal/sessions")
    assert request.headers["idempotency-key"] == "key-4"
    assert request.form == {"customer": customer_id, "return_url": RETURN}


async def test_every_change_has_a_key_that_begins_with_ours(
    stripe: StripeSdk, fake_stripe: FakeStripe
) -> None:
    customer_id = await stripe.make_customer("ours-1")
    page = await stripe.open_checkout("ours-2", customer_id, success_url=RETURN, cancel_url=RETURN)
    subscription = fake_stripe.people.pay(page.session_id)
    await stripe.refund("ours-3", next(iter(fake_stripe.account.invoices)))
    await stripe.cancel_subscription("ours-4", subscription.id)
    check = await stripe.begin_check("ours-5", return_url=RETURN)
    await stripe.redact_check("ours-6", check.session_id)
    posts = [each for each in fake_stripe.requests if each.method == "POST"]
    assert len(posts) == 5
    keys = [each.headers["idempotency-key"] for each in posts]
    assert [key[:6] for key in keys] == [f"ours-{n}" for n in (1, 2, 3, 5, 6)]


async def test_money_that_stayed_is_not_asked_about_further(
    stripe: StripeSdk, fake_stripe: FakeStripe
) -> None:
    customer_id = await stripe.make_customer("key-1")
    page = await stripe.open_checkout("key-2", customer_id, success_url=RETURN, cancel_url=RETURN)
    fake_stripe.people.pay(page.session_id)
    fake_stripe.requests.clear()
    await stripe.payments(customer_id)
    assert [each.path for each in fake_stripe.requests] == ["/v1/invoices", "/v1/charges"]


async def test_what_a_document_says_is_asked_for_by_name(
    stripe: StripeSdk, fake_stripe: FakeStripe
) -> None:
    check = await stripe.begin_check("key-1", return_url=RETURN)
    fake_stripe.people.pass_check(check.session_id)
    report_id = next(iter(fake_stripe.account.reports))
    await stripe.document(report_id)
    request = fake_stripe.requests[-1]
    assert request.path == f"/v1/identity/verification_reports/{report_id}"
    assert set(request.query.values()) == {"document.number", "document.dob"}


async def test_the_machine_is_not_told_about(stripe: StripeSdk, fake_stripe: FakeStripe) -> None:
    for key in ("key-1", "key-2"):
        await stripe.make_customer(key)
    for request in fake_stripe.requests:
        assert "telemetry_id" not in request.headers["x-stripe-client-user-agent"]
        assert "platform" not in request.headers["x-stripe-client-user-agent"]
        assert "x-stripe-client-telemetry" not in request.headers
