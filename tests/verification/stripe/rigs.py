"""The port on every adapter, each with the account that is behind it."""

from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass

import pytest

from services.verification.stripe.adapter import StripeSdk
from services.verification.stripe.port import CheckNow, Stripe
from tests.verification.stripe.account.clock import Clock
from tests.verification.stripe.account.holdings import Invoice, Subscription
from tests.verification.stripe.account.memory import PRICE, StripeInMemory
from tests.verification.stripe.account.people import People
from tests.verification.stripe.account.state import Account
from tests.verification.stripe.account.switches import Switches
from tests.verification.stripe.over_http.server import running_fake

ADAPTERS = ("rig_in_memory", "rig_over_http")
RESTRICTED_KEY = "rk_test_0123456789"
# Shorter than any answer takes, and long enough to have asked.
IMPATIENCE_S = 0.2

SUCCESS_URL = "https://mahjic.example/me/verified?paid=yes"
CANCEL_URL = "https://mahjic.example/me/verified"


@dataclass(frozen=True, slots=True)
class Rig:
    """The port, and everything that can be done behind its back.

    `impatient` is the same port, by an adapter that hardly waits.
    """

    stripe: Stripe
    impatient: Stripe
    account: Account
    switches: Switches
    clock: Clock

    @property
    def people(self) -> People:
        return People(self.account)

    async def a_customer(self, key: str = "customer-1") -> str:
        return await self.stripe.make_customer(key)

    async def paid(self, customer_id: str, key: str = "checkout-1") -> tuple[Subscription, Invoice]:
        """Pay for a year; return the subscription and its only invoice."""
        page = await self.stripe.open_checkout(
            key, customer_id, success_url=SUCCESS_URL, cancel_url=CANCEL_URL
        )
        subscription = self.people.pay(page.session_id)
        (invoice,) = [
            each
            for each in self.account.invoices.values()
            if each.subscription_id == subscription.id
        ]
        return subscription, invoice

    async def begun(self, key: str = "check-1") -> CheckNow:
        return await self.stripe.begin_check(key, return_url=CANCEL_URL)


@pytest.fixture
def rig_in_memory() -> Rig:
    """Return the port in memory."""
    clock = Clock()
    stripe = StripeInMemory(Account(clock))
    return Rig(stripe, stripe, stripe.account, stripe.switches, clock)


@pytest.fixture
async def rig_over_http(stripe_mock_url: str) -> AsyncIterator[Rig]:
    """Return the port by Stripe's own library, over HTTP and judged by Stripe's own mock."""
    clock = Clock()
    async with (
        running_fake(stripe_mock_url, clock) as fake,
        aclosing(StripeSdk(RESTRICTED_KEY, PRICE, fake.url)) as stripe,
        aclosing(StripeSdk(RESTRICTED_KEY, PRICE, fake.url, IMPATIENCE_S)) as impatient,
    ):
        yield Rig(stripe, impatient, fake.account, fake.switches, clock)


@pytest.fixture(params=ADAPTERS)
def rig(request: pytest.FixtureRequest) -> Rig:
    """Return the port on each adapter in turn."""
    adapter: Rig = request.getfixturevalue(request.param)
    return adapter
