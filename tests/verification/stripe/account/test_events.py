"""What an account tells is signed so that Stripe's own library believes it."""

from datetime import timedelta

import httpx
import pytest
import stripe

from tests.verification.stripe.account.clock import Clock
from tests.verification.stripe.account.events import SECRET, body_of, deliver, signature_of
from tests.verification.stripe.account.people import People
from tests.verification.stripe.account.state import Account

URL = "https://mahjic.example/v1/stripe/events"


@pytest.fixture
def account() -> Account:
    """Return an account at which somebody has paid, had a check and disputed it all."""
    account = Account(Clock())
    people = People(account)
    page = account.open_checkout(
        account.make_customer().id, price="price_1", success_url=URL, cancel_url=URL
    )
    people.pay(page.id)
    check = account.begin_check({"mahjic_check": "key-1"}, return_url=URL)
    people.pass_check(check.id)
    account.redact_check(check.id)
    people.finish_redaction(check.id)
    invoice_id = next(iter(account.invoices))
    people.refund(invoice_id, 100)
    people.open_dispute(invoice_id)
    return account


def test_stripes_own_library_believes_and_reads_every_event(account: Account) -> None:
    client = stripe.StripeClient("sk_test_1")
    for event in account.outbox:
        body = body_of(event)
        header = signature_of(body, event.created, ["whsec_old", SECRET])
        # The clock of the account stands far from ours.
        read = client.construct_event(body, header, SECRET, tolerance=0).to_dict()
        assert (read["id"], read["type"]) == (event.id, event.type)
        assert read["data"]["object"]["id"] == event.object_id
        assert read["created"] == event.created.timestamp()
    assert len(account.outbox) > 10


def test_who_knows_another_secret_is_not_believed(account: Account) -> None:
    body = body_of(account.outbox[0])
    header = signature_of(body, account.now(), ["whsec_of_someone_else"])
    with pytest.raises(stripe.SignatureVerificationError):
        stripe.StripeClient("sk_test_1").construct_event(body, header, SECRET, tolerance=0)


async def test_events_are_sent_in_any_order_and_as_often_as_asked(account: Account) -> None:
    received: list[httpx.Request] = []

    def take(request: httpx.Request) -> httpx.Response:
        received.append(request)
        return httpx.Response(200 if len(received) < 3 else 503)

    first, second = account.outbox[:2]
    late = account.now() + timedelta(days=3)
    async with httpx.AsyncClient(transport=httpx.MockTransport(take)) as http:
        statuses = await deliver(http, URL, [second, first, second], at=late)
    assert statuses == [200, 200, 503]
    assert [each.content for each in received] == [
        body_of(each) for each in (second, first, second)
    ]
    assert {str(each.url) for each in received} == {URL}
    signed_at = f"t={int(late.timestamp())},v1="
    assert all(each.headers["Stripe-Signature"].startswith(signed_at) for each in received)
