"""People pay, cancel and show a document on pages, and come back from each."""

import re
from collections.abc import AsyncIterator

import httpx
import pytest

from tests.verification.stripe.account.holdings import Check, Checkout
from tests.verification.stripe.over_http.pages import (
    CANCEL,
    DECLINE,
    FAIL,
    LEAVE,
    PASS,
    PAY,
    RENEW,
)
from tests.verification.stripe.over_http.server import FakeStripe

OURS = "https://mahjic.example/me/verified"


@pytest.fixture
async def browser(fake_stripe: FakeStripe) -> AsyncIterator[httpx.AsyncClient]:
    """Return what people visit pages with; it says where it is sent, and does not go there."""
    async with httpx.AsyncClient(base_url=fake_stripe.url) as client:
        yield client


def buttons_on(page: httpx.Response) -> list[str]:
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert 'lang="en"' in page.text
    return re.findall(r"<button [^>]*>([^<]+)</button>", page.text)


def a_checkout(fake: FakeStripe) -> Checkout:
    customer = fake.account.make_customer()
    return fake.account.open_checkout(
        customer.id,
        price="price_1",
        success_url=f"{OURS}?paid={{CHECKOUT_SESSION_ID}}",
        cancel_url=f"{OURS}?paid=no&again=yes",
    )


def a_check(fake: FakeStripe) -> Check:
    return fake.account.begin_check({"mahjic_check": "key-1"}, return_url=OURS)


async def test_who_pays_comes_back_and_has_paid(
    browser: httpx.AsyncClient, fake_stripe: FakeStripe
) -> None:
    checkout = a_checkout(fake_stripe)
    address = fake_stripe.account.address("pay", checkout.id)
    page = await browser.get(address)
    assert buttons_on(page) == ["Pay $20.00", "Decline the card"]
    assert f'<a href="{OURS}?paid=no&amp;again=yes">Back</a>' in page.text
    declined = await browser.post(address, data={"pressed": DECLINE})
    assert "Your card was declined." in declined.text
    assert fake_stripe.account.subscriptions == {}
    paid = await browser.post(address, data={"pressed": PAY})
    assert (paid.status_code, paid.headers["Location"]) == (303, f"{OURS}?paid={checkout.id}")
    assert checkout.state == "complete"
    again = await browser.post(address, data={"pressed": PAY})
    assert buttons_on(again) == []
    assert len(fake_stripe.account.subscriptions) == 1


async def test_who_cancels_can_renew_after_all_and_sees_receipts(
    browser: httpx.AsyncClient, fake_stripe: FakeStripe
) -> None:
    checkout = a_checkout(fake_stripe)
    subscription = fake_stripe.people.pay(checkout.id)
    portal = fake_stripe.account.open_portal(checkout.customer_id, return_url=OURS)
    address = fake_stripe.account.address("portal", portal.id)
    page = await browser.get(address)
    assert buttons_on(page) == [CANCEL]
    assert re.search(r"<li>\d{4}-\d\d-\d\d: \$20\.00</li>", page.text)
    assert f'<a href="{OURS}">Back</a>' in page.text
    assert buttons_on(await browser.post(address, data={"pressed": CANCEL})) == [RENEW]
    assert subscription.cancel_at_period_end
    assert buttons_on(await browser.post(address, data={"pressed": RENEW})) == [CANCEL]
    assert not subscription.cancel_at_period_end


@pytest.mark.parametrize(
    ("pressed", "state"), [(PASS, "verified"), (FAIL, "requires_input"), (LEAVE, "processing")]
)
async def test_who_shows_a_document_comes_back(
    browser: httpx.AsyncClient, fake_stripe: FakeStripe, pressed: str, state: str
) -> None:
    check = a_check(fake_stripe)
    address = fake_stripe.account.address("check", check.id)
    assert buttons_on(await browser.get(address)) == [PASS, FAIL, LEAVE]
    done = await browser.post(address, data={"pressed": pressed})
    assert (done.status_code, done.headers["Location"]) == (303, OURS)
    assert check.state == state
    assert check.error_code == ("selfie_face_mismatch" if pressed == FAIL else None)
    buttons = buttons_on(await browser.get(address))
    assert bool(buttons) is (pressed == FAIL)


@pytest.mark.parametrize("path", ["/", "/pay/cs_9", "/portal/bps_9", "/check/vs_9", "/elsewhere/1"])
async def test_a_page_that_is_not_there(browser: httpx.AsyncClient, path: str) -> None:
    assert (await browser.get(path)).status_code == 404
