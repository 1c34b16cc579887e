"""After any history, both adapters say the same about the same account."""

import random
from collections.abc import AsyncIterator
from contextlib import aclosing

import pytest

from services.verification.stripe.adapter import StripeSdk
from services.verification.stripe.port import Stripe
from tests.verification.stripe.account.clock import Clock
from tests.verification.stripe.account.histories import History
from tests.verification.stripe.account.memory import PRICE, StripeInMemory
from tests.verification.stripe.account.state import Account
from tests.verification.stripe.over_http.server import FakeStripe

ACTS = 40


async def all_that_is_told(stripe: Stripe, account: Account) -> dict[str, object]:
    """Return every answer of the port about everything that there is."""
    told: dict[str, object] = {}
    for id_ in account.customers:
        told[f"subscriptions of {id_}"] = set(await stripe.subscriptions(id_))
        told[f"payments of {id_}"] = set(await stripe.payments(id_))
    for id_ in account.checkouts:
        told[id_] = await stripe.checkout(id_)
    for id_ in account.checks:
        told[id_] = await stripe.check(id_)
    for id_ in account.reports:
        told[id_] = await stripe.document(id_)
    for id_ in {each.object_id for each in account.outbox}:
        told[f"whose {id_}"] = await stripe.whose(id_)
    return told


@pytest.fixture
async def over_http(fake_stripe: FakeStripe) -> AsyncIterator[StripeSdk]:
    """Return Stripe's own library on the account of the fake."""
    async with aclosing(StripeSdk("rk_test_0123456789", PRICE, fake_stripe.url)) as stripe:
        yield stripe


@pytest.mark.parametrize("seed", range(12))
async def test_both_adapters_agree_after_any_history(
    fake_stripe: FakeStripe, over_http: StripeSdk, seed: int
) -> None:
    clock = Clock()
    fake_stripe.account.clock = clock
    history = History(fake_stripe.account, random.Random(seed))
    for _ in range(ACTS):
        clock.forward(days=1)
        history.act()
    in_memory = StripeInMemory(fake_stripe.account)
    told = await all_that_is_told(in_memory, fake_stripe.account)
    assert len(told) > ACTS / 2
    assert await all_that_is_told(over_http, fake_stripe.account) == told
