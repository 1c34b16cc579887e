"""A whole service that takes payments at a fake of Stripe, under a clock that can be wound."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from services import wiring
from services.database import ids_and_times
from services.ports import verification_of
from services.verification.room import VerificationRoom
from services.verification.stripe.adapter import StripeSdk
from services.verification.work.clock import tick
from services.verification.work.worker import VerificationWorker, WorkTally
from services.wiring import Service
from tests.verification.stripe.account.events import SECRET
from tests.verification.stripe.account.holdings import Check, Event, Invoice, Subscription
from tests.verification.stripe.account.people import People
from tests.verification.stripe.over_http.server import FakeStripe, running_fake

EVENTS_PATH = "/v1/stripe/events"


@dataclass
class WoundClock:
    """The real clock, as far ahead as it was wound."""

    ahead: timedelta = timedelta()

    def now(self) -> datetime:
        """Return the time that everybody goes by."""
        return datetime.now(UTC) + self.ahead


@dataclass
class AtStripe:
    """The fake, what it has told, and the clock. It works once `serve` has named the service."""

    fake: FakeStripe
    clock: WoundClock
    _services: list[Service] = field(default_factory=list)
    _told: int = 0

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of a service that takes payments here."""
        return stripe_settings(stripe_api_base=self.fake.url)

    def serve(self, service: Service) -> None:
        """Say which service it is that is told."""
        self._services.append(service)

    @property
    def room(self) -> VerificationRoom:
        """The room of the service."""
        (service,) = self._services
        return verification_of(service.process, service.recording)

    @property
    def people(self) -> People:
        """What people do at Stripe, other than on its pages."""
        return self.fake.people

    @property
    def subscription(self) -> Subscription:
        """The newest subscription."""
        return list(self.fake.account.subscriptions.values())[-1]

    @property
    def invoice(self) -> Invoice:
        """The newest invoice."""
        return list(self.fake.account.invoices.values())[-1]

    @property
    def check(self) -> Check:
        """The newest check."""
        return list(self.fake.account.checks.values())[-1]

    async def tell(self, client: Any) -> None:
        """Let Stripe tell what is new, and see to all of it."""
        await self.send(client, self._new())
        await self.work()

    def _new(self) -> list[Event]:
        news = self.fake.account.outbox[self._told :]
        self._told += len(news)
        return news

    async def send(self, client: Any, events: list[Event]) -> None:
        """Send events, which must be taken."""
        assert set(await self.fake.deliver(client, EVENTS_PATH, events)) <= {200}

    async def work(self) -> None:
        """See to everything that is due now."""
        (service,) = self._services
        tally = WorkTally(event=lambda _: None, refused=lambda: None, failed=lambda: None)
        worker = VerificationWorker(self.room, service.process.bell, tally)
        while await worker.step():
            pass

    async def hang_up(self) -> None:
        """Close the connections of the service to Stripe, which last as long as its process."""
        for service in self._services:
            account = service.process.stripe_account
            assert account is not None
            assert isinstance(account.stripe, StripeSdk)
            await account.stripe.aclose()

    async def pass_time(self, **span: float) -> None:
        """Let time pass, as in `pass_time(days=30)`, and do what it brings."""
        self.clock.ahead += timedelta(**span)
        await tick(self.room)
        await self.work()


def stripe_settings(**more: Any) -> dict[str, Any]:
    """Return the settings of a service that has an account at Stripe."""
    return {
        "stripe_key": "rk_test_0123456789",
        "stripe_webhook_secrets": [SECRET],
        "stripe_price": "price_ofayear",
        "identity_hash_key": "the key of documents, 32 letters or more",
        **more,
    }


@asynccontextmanager
async def at_stripe(mock_url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[AtStripe]:
    """Run the fake; services that are made meanwhile go by its clock."""
    clock = WoundClock()
    monkeypatch.setattr(wiring, "ids_and_times", lambda: replace(ids_and_times(), now=clock.now))
    async with running_fake(mock_url, clock.now) as fake:
        stripe = AtStripe(fake, clock)
        yield stripe
        await stripe.hang_up()
