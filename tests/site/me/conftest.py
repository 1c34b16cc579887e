"""A whole service with a club, and people who log in to it by real mail and open their pages."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest

from tests.accounts.people import House
from tests.conftest import Database
from tests.ingest.claims import a_round, a_session
from tests.service import RunningService, running_service
from tests.site.login.visiting import Visitor, a_browser
from tests.site.me.living import Living, a_life
from tests.site.players.reading import PageRead
from tests.site.serving import ORIGIN

ADA, BEA, CARA, DORA = (f"{name}@example.com" for name in ("ada", "bea", "cara", "dora"))
# What a form of the choices holds, if nobody changes anything else.
CHOSEN = {"name": "", "region": "", "seen": "visible", "mail": "nothing"}


class Member(Visitor):
    """A browser at the site of a service, that reads pages."""

    async def page(self, path: str, *, status: int = 200) -> PageRead:
        """Read a page that must be there, and that nobody keeps."""
        answer = await self.get(path)
        assert answer.status_code == status, (path, answer.status_code, answer.headers)
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert 'content="noindex"' in answer.text
        return PageRead(answer.text)

    async def leads_to(self, path: str) -> str:
        """Return where a page leads on to."""
        answer = await self.get(path)
        assert answer.status_code == 302, (path, answer.status_code)
        assert answer.headers["cache-control"] == "no-store"
        return answer.headers["location"]

    async def make_stale(self) -> None:
        """Let the login be of an hour ago."""
        await self.house.pool.execute(
            "UPDATE mahjic.logins SET began_at = began_at - interval '1 hour'"
        )


@dataclass
class Town:
    """A running service, its club, and browsers of people."""

    running: RunningService
    house: House
    key: str
    browsers: AsyncExitStack = field(default_factory=AsyncExitStack)
    _networks: int = 0

    async def new_browser(self) -> Member:
        """Return a browser that was never here, in a network of its own."""
        self._networks += 1
        address = f"198.51.100.{self._networks}"
        browser = await self.browsers.enter_async_context(
            a_browser(self.running.app, self.house, ORIGIN, address)
        )
        return Member(browser.client, self.house)

    async def member(self, address: str = ADA) -> Member:
        """Return a browser in which somebody has just logged in."""
        browser = await self.new_browser()
        answer = await browser.press(await browser.ask(address))
        assert answer.status_code == 303
        return browser

    async def welcomed(self, address: str = ADA, **choices: str) -> Member:
        """Return a browser of somebody who has a player and chose."""
        browser = await self.member(address)
        answer = await browser.send("/me/welcome", {**CHOSEN, **choices})
        assert (answer.status_code, answer.headers["location"]) == (303, "/me"), answer.text
        return browser

    async def play(
        self,
        mahjongs: Mapping[str, int],
        *,
        on: str = "2026-01-31",
        key: str | None = None,
        **claim: Any,
    ) -> Mapping[str, Any]:
        """Have a session of one round rated and shown; people are addresses."""
        body = a_session(a_round(mahjongs), on=on, **claim)
        answer = await self.running.submit(body, key or self.key)
        assert answer.status_code == 201, answer.text
        told: dict[str, Any] = answer.json()
        await self.shown(told["seq"])
        return told

    async def shown(self, seq: int) -> None:
        """Wait until the views show a fact."""
        answer = await self.running.client.get("/v1/leaderboard", params={"min_seq": seq})
        assert answer.status_code == 200, answer.text

    async def id_of(self, address: str) -> str:
        """Return the Mahjic ID of an address."""
        found = await self.house.pool.fetchval(
            "SELECT mahjic.survivor(player_id) FROM mahjic.people WHERE email = $1", address
        )
        assert found is not None
        return str(found)

    async def ask(self, path: str) -> httpx.Response:
        """Read a public page, as everyone does."""
        browser = await self.new_browser()
        return await browser.get(path)


@asynccontextmanager
async def a_town(database: Database, **settings: Any) -> AsyncIterator[Town]:
    """Give a running service with a club."""
    usual = {
        "page_limit_per_minute": 1_000_000,
        "public_url": ORIGIN,
        "address_hash_key": "k" * 32,
    }
    async with running_service(database, **{**usual, **settings}) as running:
        key = await running.source_key("a-club", region="west")
        async with AsyncExitStack() as browsers:
            yield Town(running, House(running.pool), key, browsers)


@pytest.fixture
async def town(database: Database) -> AsyncIterator[Town]:
    async with a_town(database) as town:
        yield town


@pytest.fixture
async def life(database: Database) -> AsyncIterator[Living]:
    """Return a service in which people play, log in, and look after what is theirs."""
    async with a_life(database) as living:
        yield living
