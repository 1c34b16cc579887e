"""A season with people of every kind, and readers of the pages about them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from prometheus_client import CollectorRegistry

from services.ports import site_ports
from services.projections.history.reads import Histories
from services.projections.history.replays import Replays
from services.site.kit.origin import Origin
from services.site.kit.pages import SitePages
from services.site.kit.well_known import WELL_KNOWN_ROUTES
from services.site.players.routes import PLAYER_PAGE_ROUTES
from services.site.reads import SiteReads
from shared.http.application import build_application
from shared.http.layers.addresses import ClientAddresses
from shared.http.layers.gate import RequestLimits
from shared.http.routes import add_routes
from shared.settings import Settings
from tests.conftest import Database
from tests.projections.conftest import ROUNDS_MAX, World
from tests.projections.told_history import Told, a_told_season
from tests.site.players.reading import PageRead

ORIGIN = "https://mahjic.test"
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


def site_app(world: World, *, rounds_max: int = ROUNDS_MAX) -> tuple[FastAPI, SiteReads]:
    """Return an application that answers with pages about a world, and what it reads from."""
    pages = SitePages(Origin(ORIGIN, 0))
    app = build_application(
        version="test",
        authenticate=_nobody,
        addresses=ClientAddresses(()),
        limits=RequestLimits(1_000_000, 1_000_000, 1_000_000),
        registry=CollectorRegistry(),
        checks={},
        problem_page=pages.problem,
    )
    histories = Histories(world.reader, Replays(world.season.facts, rounds_max=rounds_max))
    ports = site_ports(Settings(), histories)
    add_routes(app, (*WELL_KNOWN_ROUTES, *PLAYER_PAGE_ROUTES), pages, *ports)
    (reads,) = (each for each in ports if isinstance(each, SiteReads))
    return app, reads


async def _nobody(key: str) -> None:
    del key


@asynccontextmanager
async def reading(told: Told, rounds_max: int = ROUNDS_MAX) -> AsyncIterator[SiteWorld]:
    """Give a reader of the pages about a season."""
    site = SiteWorld(told, *site_app(told.world, rounds_max=rounds_max))
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
