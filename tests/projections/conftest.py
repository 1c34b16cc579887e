"""A season in a fresh database, every view built and following it, and clients who read."""

import io
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import asyncpg
import httpx
import pytest
from fastapi import FastAPI
from prometheus_client import CollectorRegistry

from services.projections.answering.reading import ViewReader
from services.projections.api import READ_ROUTES
from services.projections.building.rebuild import build_missing_views
from services.projections.common.tables import AttestedView
from services.projections.history.reads import Histories
from services.projections.leaderboards.routes import Boards
from services.projections.log.routes import Logs
from services.projections.sessions.routes import StoredSessions
from services.projections.sessions.told import last_answered_on
from services.projections.views import all_views
from shared.access.acts import OperatorActs
from shared.db.bell import Bell
from shared.feed.feed import Feed
from shared.http.application import build_application
from shared.http.callers import Caller
from shared.http.layers.addresses import ClientAddresses
from shared.http.layers.gate import RequestLimits
from shared.http.logs import configure_logs
from shared.http.routes import add_routes
from tests.conftest import Database
from tests.kafka.broker import Broker
from tests.projections.following.followed import FollowedSeason, a_followed_season
from tests.projections.patience import patient_replays
from tests.projections.season import Season

TODAY = date(2026, 2, 1)
ROUNDS_MAX = 10_000
KEYS = {
    "mjk_" + "C" * 43: Caller("source", "club", "key-1", None),
    "mjk_" + "L" * 43: Caller("source", "league", "key-2", None),
    "mjk_" + "A" * 43: Caller("auditor", None, "key-3", None),
    "mjk_" + "0" * 43: Caller("operator", None, "key-4", None),
}
CLUB, LEAGUE, AUDITOR, OPERATOR = ({"Authorization": f"Bearer {key}"} for key in KEYS)


async def authenticate(key: str) -> Caller | None:
    return KEYS.get(key)


@dataclass
class World:
    """A season, the views that follow it, and an application that reads them."""

    season: Season
    feed: Feed
    reader: ViewReader
    app: FastAPI
    client: httpx.AsyncClient = field(init=False)

    @property
    def pool(self) -> asyncpg.Pool:
        return self.season.pool

    async def follow(self) -> None:
        """Bring the views up to everything that has happened."""
        while await self.feed.step():
            pass

    async def get(self, path: str, **parameters: object) -> Any:
        """Read something that must be there."""
        answer = await self.ask(path, parameters)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def ask(
        self,
        path: str,
        parameters: Mapping[str, object] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> httpx.Response:
        asked = {name: str(value) for name, value in (parameters or {}).items()}
        return await self.client.get(path, params=asked, headers=headers)


async def a_world(
    season: Season,
    *,
    views: Sequence[AttestedView] = all_views(),
    rounds_max: int = ROUNDS_MAX,
) -> World:
    """Open a season, build the views of it, and an application that reads them."""
    pool = season.pool
    await season.open()
    await build_missing_views(views, pool=pool, log=season.log)
    reader = ViewReader(pool, all_views(), Bell())
    app = build_application(
        version="test",
        authenticate=authenticate,
        addresses=ClientAddresses(()),
        limits=RequestLimits(public_per_minute=1_000_000),
        registry=CollectorRegistry(),
        checks={},
    )
    add_routes(
        app,
        READ_ROUTES,
        reader,
        Histories(reader, patient_replays(season.facts, rounds_max=rounds_max)),
        Boards(reader, today_utc=lambda: TODAY),
        StoredSessions(reader, last_answered_on(season.log)),
        Logs(facts=season.facts, verdicts=season.log),
        OperatorActs(_keep_nothing),
    )
    feed = Feed(pool, season.log, views, records_max=7)
    return World(season, feed, reader, app)


async def _keep_nothing(key_id: str, act: str, about: Sequence[str]) -> None:
    """Keep no acts: that they are kept is tried in `tests.accounts`."""


@pytest.fixture(autouse=True)
def quiet_log() -> None:
    configure_logs(stream=io.StringIO())


@pytest.fixture
async def world(database: Database) -> AsyncIterator[World]:
    async with asked(await a_world(Season(database.pool))) as world:
        yield world


@asynccontextmanager
async def asked(world: World) -> AsyncIterator[World]:
    """Give a world clients who read."""
    transport = httpx.ASGITransport(world.app)
    async with httpx.AsyncClient(transport=transport, base_url="http://mahjic.test") as client:
        world.client = client
        yield world


@pytest.fixture
async def followed(database: Database, kafka_broker: Broker, kafka_prefix: str) -> FollowedSeason:
    return await a_followed_season(database, kafka_broker, kafka_prefix)
