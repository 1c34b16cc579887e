"""A town in which people become Verified at a fake of Stripe, and somebody who does."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

import pytest
from playwright.async_api import Browser, Page, expect

from services.verification.own.recalling import LOOKS_APART
from shared.db.server.embedded import EmbeddedServer
from tests.browser.logging_in import ALICE, log_in_by_code, look_at
from tests.browser.town import Town, empty_town
from tests.browser.visitors import Device, Visitor, visiting
from tests.conftest import TEMPLATE, fresh_database
from tests.ingest.claims import a_round, a_session
from tests.verification.served import AtStripe, at_stripe

PATH: Final = "/me/verified"
CLUB: Final = "tuesday-tiles"
BO: Final = "bo@example.com"
LOOKING: Final = "This page looks again by itself"


@dataclass
class PayingTown:
    """A town, and Stripe beside it."""

    town: Town
    stripe: AtStripe

    async def tell(self) -> None:
        """Let Stripe tell what is new, and the town see to it."""
        await self.stripe.tell(self.town.client)

    async def play(self, on: str = "2026-01-31") -> None:
        """Have Alice and Bo play twelve games, and wait until the pages show it."""
        key = await self.town.running.source_key(CLUB)
        night = a_session(a_round({ALICE: 7, BO: 4}, wall_games=1), on=on)
        answer = await self.town.running.submit(night, key)
        assert answer.status_code == 201, answer.text
        shown = await self.town.client.get(
            "/v1/leaderboard", params={"min_seq": answer.json()["seq"]}
        )
        assert shown.status_code == 200


@asynccontextmanager
async def a_paying_town(
    server: EmbeddedServer, mock_url: str, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[PayingTown]:
    """Run a town at localhost, in which Bo is Verified and Alice has played once."""
    async with (
        at_stripe(mock_url, monkeypatch) as stripe,
        fresh_database(server, template=TEMPLATE) as database,
        empty_town(database, **stripe.settings) as town,
    ):
        stripe.serve(town.running.service)
        port = int(town.url.rpartition(":")[2])
        town.running.service.process.origin.bind(port)
        town.url = f"http://localhost:{port}"
        await town.register(BO, is_verified=True)
        paying = PayingTown(town, stripe)
        await paying.play()
        yield paying


@dataclass
class Payer:
    """Alice, with a browser, on the page on which people become Verified."""

    visitor: Visitor
    paying: PayingTown

    @property
    def page(self) -> Page:
        """Her page."""
        return self.visitor.page

    @property
    def people(self) -> AtStripe:
        """Stripe."""
        return self.paying.stripe

    async def press(self, name: str) -> None:
        """Press a button by its name."""
        await self.page.get_by_role("button", name=name, exact=True).click()

    async def reads(self, words: str) -> None:
        """Wait until she reads some words."""
        await expect(self.page.locator("main")).to_contain_text(words)

    async def is_told(self, words: str) -> None:
        """Come back from Stripe before it has told; once it has, the page says so by itself."""
        await self.reads(LOOKING)
        await self.paying.tell()
        # Stripe is asked again only after a while; until it was, the page would go on looking, and
        # be gone in the middle of being looked at.
        await self.paying.stripe.pass_time(seconds=LOOKS_APART.total_seconds())
        await expect(self.page.locator("main")).not_to_contain_text(LOOKING)
        await self.reads(words)
        await look_at(self.visitor)

    async def is_left_waiting(self, words: str) -> None:
        """Come back from Stripe, which has not decided: the page goes on looking."""
        await self.reads(LOOKING)
        await self.paying.tell()
        await self.reads(words)

    async def opens(self, words: str) -> None:
        """Open the page anew, which says some words and is fit for everybody."""
        await self.visitor.go(PATH)
        await self.reads(words)
        await look_at(self.visitor)

    async def logs_in_again(self) -> None:
        """Log in, to the page."""
        await log_in_by_code(self.visitor, self.paying.town, to=PATH)
        await expect(self.page.get_by_role("heading", name="How you stand")).to_be_visible()

    async def pays(self, button: str = "Pay") -> None:
        """Pay for a year at Stripe's page."""
        await self.press(button)
        await self.press("Pay $20.00")

    async def becomes_verified(self) -> None:
        """Pay and pass the check, and read that it is done."""
        await self.pays()
        await self.is_told("the identity check is left")
        await self.press("Start the check")
        await self.press("Pass the check")
        await self.is_told("You are Verified")


@asynccontextmanager
async def a_payer(browser: Browser, paying: PayingTown, device: Device) -> AsyncIterator[Payer]:
    """Let Alice log in, be welcomed, and come to the page by its link."""
    town = paying.town
    async with visiting(browser, town.url, device, beside=paying.stripe.fake.url) as visitor:
        page = visitor.page
        await log_in_by_code(visitor, town, to="")
        await expect(page.get_by_role("heading", level=1)).to_have_text("Welcome")
        await page.get_by_label("The name that others see").fill("Alice Sampson")
        await page.get_by_role("button", name="Save, and go to my page").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("Alice Sampson")
        await page.get_by_role("link", name="Being Verified").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("Become Verified")
        await look_at(visitor)
        yield Payer(visitor, paying)
