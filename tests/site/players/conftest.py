"""A season with people of every kind, and readers of the pages about them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from services.site.reads import SiteReads
from tests.conftest import Database
from tests.projections.conftest import ROUNDS_MAX
from tests.projections.told_history import Told, a_told_season
from tests.site.players.reading import PageRead
from tests.site.serving import ORIGIN, serve_site

READER = {"Accept": "text/html,application/xhtml+xml", "Accept-Encoding": "identity"}


@dataclass
class SiteWorld:
    """A season, and a reader of the pages about it."""

    told: Told
    app: FastAPI
    reads: SiteReads
    client: httpx.AsyncClient = field(init=False)

    @property
    def season(self) -> Any:
        return self.told.season

    async def follow(self) -> None:
        await self.told.world.follow()

    async def ask(self, path: str, **headers: str) -> httpx.Response:
        return await self.client.get(path, headers={**READER, **headers})

    async def page(self, path: str, *, status: int = 200) -> PageRead:
        """Read a page that must be there."""
        answer = await self.ask(path)
        assert answer.status_code == status, (path, answer.status_code, answer.text[:2000])
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        return PageRead(answer.text)


@asynccontextmanager
async def reading(told: Told, rounds_max: int = ROUNDS_MAX) -> AsyncIterator[SiteWorld]:
    """Give a reader of the pages about a season."""
    app = serve_site(told.world, rounds_max=rounds_max)
    site = SiteWorld(told, app, app.state.ports[SiteReads])
    transport = httpx.ASGITransport(site.app)
    async with httpx.AsyncClient(transport=transport, base_url=ORIGIN) as client:
        site.client = client
        yield site


@asynccontextmanager
async def a_site(database: Database, *, rounds_max: int = ROUNDS_MAX) -> AsyncIterator[SiteWorld]:
    """Give a season of a club and six players, and a reader of its pages."""
    async with (
        a_told_season(database, rounds_max=rounds_max) as told,
        reading(told, rounds_max) as site,
    ):
        yield site


@pytest.fixture
async def site(database: Database) -> AsyncIterator[SiteWorld]:
    async with a_site(database) as site:
        yield site
