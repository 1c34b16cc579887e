"""The mock's judgment comes first, and what goes wrong on the way goes wrong as it was set."""

import asyncio
from collections.abc import AsyncIterator

import httpx
import pytest

from tests.verification.stripe.account.odd import ODD_WORDS
from tests.verification.stripe.over_http.server import FakeStripe


@pytest.fixture
async def http(fake_stripe: FakeStripe) -> AsyncIterator[httpx.AsyncClient]:
    """Return a client with a restricted key."""
    headers = {"Authorization": "Bearer rk_test_0123456789"}
    async with httpx.AsyncClient(base_url=fake_stripe.url, headers=headers) as client:
        yield client


async def test_what_the_mock_refuses_changes_nothing_and_spends_no_key(
    http: httpx.AsyncClient, fake_stripe: FakeStripe
) -> None:
    key = {"Idempotency-Key": "key-1"}
    form = {"descriptoin": "misspelled"}
    wrong = await http.post("/v1/customers", data=form, headers=key)
    assert wrong.status_code == 400
    assert "additional properties are not allowed" in wrong.json()["error"]["message"]
    assert fake_stripe.account.customers == {}
    right = await http.post("/v1/customers", data={"description": "right"}, headers=key)
    assert right.status_code == 200
    assert list(fake_stripe.account.customers) == [right.json()["id"]]


async def test_the_mock_wants_a_key_of_stripes_shape(
    http: httpx.AsyncClient, fake_stripe: FakeStripe
) -> None:
    answer = await http.get("/v1/customers/cus_1", headers={"Authorization": "Bearer mine"})
    assert answer.status_code == 401


async def test_an_answer_has_every_field_that_stripe_has(
    http: httpx.AsyncClient, fake_stripe: FakeStripe
) -> None:
    customer = fake_stripe.account.make_customer()
    answer = (await http.get(f"/v1/customers/{customer.id}")).json()
    assert answer["id"] == customer.id
    assert {"object", "created", "livemode", "invoice_settings"} <= answer.keys()


async def test_number_and_birth_date_are_for_who_asks_for_them_with_a_restricted_key(
    http: httpx.AsyncClient, fake_stripe: FakeStripe
) -> None:
    check = fake_stripe.account.begin_check({}, return_url="https://mahjic.example")
    fake_stripe.people.pass_check(check.id)
    path = f"/v1/identity/verification_reports/{check.report_id}"
    plain = await http.get(path)
    assert not {"number", "dob"} & plain.json()["document"].keys()
    asked = {"expand[]": "document.number"}
    assert (await http.get(path, params=asked)).json()["document"]["number"] in ODD_WORDS
    secret = {"Authorization": "Bearer sk_test_0123456789"}
    assert (await http.get(path, params=asked, headers=secret)).status_code == 403


async def test_a_list_comes_in_pages_the_newest_first(
    http: httpx.AsyncClient, fake_stripe: FakeStripe
) -> None:
    account = fake_stripe.account
    page = account.open_checkout(
        account.make_customer().id, price="price_1", success_url="https://a", cancel_url="https://a"
    )
    subscription = fake_stripe.people.pay(page.id)
    for _ in range(11):
        fake_stripe.people.renew(subscription.id)
    asked = {"customer": subscription.customer_id}
    first = (await http.get("/v1/invoices", params=asked)).json()
    after = {"starting_after": first["data"][-1]["id"]}
    second = (await http.get("/v1/invoices", params=asked | after)).json()
    assert [first["has_more"], second["has_more"]] == [True, False]
    found = [each["id"] for each in first["data"] + second["data"]]
    assert found == list(account.invoices)[::-1]


async def test_an_answer_that_was_lost_is_given_to_who_asks_again(
    http: httpx.AsyncClient, fake_stripe: FakeStripe
) -> None:
    fake_stripe.switches.lose = 1
    key = {"Idempotency-Key": "key-1"}
    form = {"description": "A player"}
    with pytest.raises(httpx.RemoteProtocolError):
        await http.post("/v1/customers", data=form, headers=key)
    again = await http.post("/v1/customers", data=form, headers=key)
    assert list(fake_stripe.account.customers) == [again.json()["id"]]


async def test_while_it_travels_an_answer_grows_old(
    http: httpx.AsyncClient, fake_stripe: FakeStripe
) -> None:
    check = fake_stripe.account.begin_check({}, return_url="https://mahjic.example")
    is_read, may_arrive = asyncio.Event(), asyncio.Event()

    async def travel() -> None:
        is_read.set()
        await may_arrive.wait()

    fake_stripe.switches.travel = travel
    asked = asyncio.create_task(http.get(f"/v1/identity/verification_sessions/{check.id}"))
    await is_read.wait()
    fake_stripe.people.pass_check(check.id)
    may_arrive.set()
    assert (await asked).json()["status"] == "requires_input"
    assert check.state == "verified"
