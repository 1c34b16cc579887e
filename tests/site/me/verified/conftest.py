"""A service that takes payments, with a player who has just logged in."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

import httpx
import pytest

from tests.conftest import Database
from tests.site.me.conftest import ADA, Member, Town, a_town
from tests.site.players.reading import PageRead
from tests.verification.served import AtStripe, at_stripe

PATH = "/me/verified"
BACK = f"{PATH}?from=stripe"


@dataclass
class Ada:
    """A player with a browser, at a service that takes payments at a fake of Stripe."""

    town: Town
    member: Member
    stripe: AtStripe

    async def page(self, path: str = PATH, *, status: int = 200) -> PageRead:
        """Read the page."""
        return await self.member.page(path, status=status)

    async def words(self, path: str = PATH) -> str:
        """Return what the page says."""
        return (await self.page(path)).main.text

    async def press(self, what: str) -> httpx.Response:
        """Press a button of the page."""
        return await self.member.send(f"{PATH}/{what}")

    async def at(self, what: str) -> str:
        """Press a button that leads to Stripe, and return the id of what is there."""
        answer = await self.press(what)
        assert answer.status_code == 303, answer.text
        location = answer.headers["location"]
        assert location.startswith(f"{self.stripe.fake.url}/")
        return str(location.rpartition("/")[2])

    async def tell(self) -> None:
        """Let Stripe tell everything, and see to it."""
        await self.stripe.tell(self.town.running.client)

    async def pay(self) -> None:
        """Pay for a year."""
        self.stripe.people.pay(await self.at("pay"))
        await self.tell()

    async def pass_check(self) -> None:
        """Pass the identity check."""
        self.stripe.people.pass_check(await self.at("check"))
        await self.tell()


@pytest.fixture
async def stripe(stripe_mock_url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[AtStripe]:
    async with at_stripe(stripe_mock_url, monkeypatch) as stripe:
        yield stripe


@pytest.fixture
async def ada(database: Database, stripe: AtStripe) -> AsyncIterator[Ada]:
    async with a_town(database, **stripe.settings) as town:
        stripe.serve(town.running.service)
        await town.play({ADA: 2, "bea@example.com": 1})
        yield Ada(town, await town.welcomed(), stripe)
