"""Builds what the commands run on from the settings; the only module that names an adapter."""

import secrets
import time
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import partial
from importlib.metadata import version
from typing import Final, Literal

import asyncpg
import structlog
from fastapi import FastAPI
from prometheus_client import CollectorRegistry, Gauge

from services.ingest.admin_api import admin_player_routes
from services.ingest.api import submission_routes
from services.ingest.chances import Chances
from services.ingest.founding import found_log
from services.ingest.recorder import Recorder
from services.ingest.submit import Ports, RunningKeys
from services.ingest.waiting import Verdicts
from services.projections.api import read_routes
from services.projections.reading import ViewBeingBuilt, ViewReader
from services.projections.rebuild import Rebuilt, rebuild_view
from services.projections.sessions.queries import rated_session
from services.projections.views import all_views
from shared.access.lookups import KeyLookups
from shared.db.bell import Bell
from shared.db.embedded import embedded_server
from shared.db.migrations import migrate
from shared.db.pool import close_pool, open_pool
from shared.events.verdicts import SessionRated
from shared.feed import Feed
from shared.http.addresses import ClientAddresses
from shared.http.application import build_application
from shared.http.gate import Limits
from shared.ids import PLAYER_ID_SPACE, session_id
from shared.log.postgres import (
    FACTS_CHANNEL,
    VERDICTS_CHANNEL,
    PostgresFactLog,
    PostgresVerdictLog,
)
from shared.settings import Settings

# The latest time zone on earth is 14 hours ahead: its today is the last day that has begun.
LATEST_ZONE: Final = timedelta(hours=14)

# Where the logs tell that they have grown.
CHANNELS: Final = (FACTS_CHANNEL, VERDICTS_CHANNEL)

_log = structlog.get_logger(__name__)


@asynccontextmanager
async def open_database(
    settings: Settings, *, role: Literal["serve", "join"]
) -> AsyncIterator[asyncpg.Pool]:
    """Give a pool on the migrated database: the operator's own, or the one of the data folder.

    `serve` is for the one service of a folder; `join` uses its server, or starts one meanwhile.
    """
    async with open_server(settings, role=role) as dsn:
        pool = await open_pool(
            dsn, application_name=f"mahjic {role}", size_max=settings.database_connections_max
        )
        try:
            await migrate(pool)
            await found_log(pool, str(uuid.uuid4()), chances())
            yield pool
        finally:
            await close_pool(pool)


@asynccontextmanager
async def open_server(settings: Settings, *, role: Literal["serve", "join"]) -> AsyncIterator[str]:
    """Give the URL of the operator's server, or of the embedded one while the context is open."""
    if settings.database_url is not None:
        yield settings.database_url.get_secret_value()
        return
    async with embedded_server(settings.data, role=role, report=_report_server) as server:
        yield server.dsn


def _report_server(sentence: str) -> None:
    """Log what happens to the embedded server."""
    _log.warning("embedded_server", detail=sentence)


async def rebuild(
    view_name: str, *, pool: asyncpg.Pool, progress: Callable[[str, int, int], None]
) -> Rebuilt:
    """Build a view again from the verdicts, and tell what that found."""
    log = PostgresVerdictLog(pool, Bell())
    return await rebuild_view(view_name, pool=pool, log=log, progress=progress)


def chances() -> Chances:
    """Return real randomness and the real clock."""
    return Chances(
        player_number=lambda: secrets.randbelow(PLAYER_ID_SPACE), now=lambda: datetime.now(UTC)
    )


def new_session_id() -> str:
    """Return the id of a session that is submitted now."""
    return session_id(time.time_ns() // 1_000_000, secrets.randbits(80))


def today_latest() -> date:
    """Return today's date in the latest time zone on earth."""
    return (datetime.now(UTC) + LATEST_ZONE).date()


@dataclass(frozen=True, slots=True)
class Service:
    """The parts of a running service, on one database."""

    settings: Settings
    pool: asyncpg.Pool
    bell: Bell
    facts: PostgresFactLog
    verdict_log: PostgresVerdictLog
    verdicts: Verdicts
    recorder: Recorder
    reader: ViewReader
    feed: Feed
    registry: CollectorRegistry


def build_service(settings: Settings, pool: asyncpg.Pool, bell: Bell) -> Service:
    """Put the parts of a service together; nothing runs yet."""
    verdict_log = PostgresVerdictLog(pool, bell)
    feed = Feed(pool, verdict_log, all_views())
    registry = CollectorRegistry()
    Gauge(
        "mahjic_views_fact_seq", "The last fact that every view shows.", registry=registry
    ).set_function(lambda: feed.fact_seq)
    return Service(
        settings=settings,
        pool=pool,
        bell=bell,
        facts=PostgresFactLog(pool, bell),
        verdict_log=verdict_log,
        verdicts=Verdicts(verdict_log),
        recorder=Recorder(
            pool,
            chances(),
            group_max=settings.group_submissions_max,
            queue_max=settings.queue_submissions_max,
            wait_s_max=settings.database_wait_s_max,
        ),
        reader=ViewReader(pool, all_views()),
        feed=feed,
        registry=registry,
    )


def build_app(service: Service) -> FastAPI:
    """Return the web application of a service."""
    settings, pool = service.settings, service.pool
    lookups = KeyLookups(pool, database_wait_s=settings.database_wait_s_max)
    app = build_application(
        version=version("mahjic"),
        authenticate=lookups.authenticate,
        addresses=ClientAddresses(settings.trusted_proxies),
        limits=Limits(settings.public_limit_per_minute, settings.source_limit_per_minute),
        registry=service.registry,
        checks={
            "database": lambda: pool.fetchval("SELECT 1"),
            "log": service.verdict_log.tail,
        },
    )
    ports = Ports(
        recorder=service.recorder,
        verdicts=service.verdicts,
        running=RunningKeys(),
        stored=partial(_stored, service.reader),
        new_session_id=new_session_id,
    )
    app.include_router(submission_routes(ports, settings, today_latest))
    app.include_router(admin_player_routes(pool, settings, chances()))
    app.include_router(
        read_routes(
            service.reader,
            facts=service.facts,
            verdicts=service.verdict_log,
            today_utc=lambda: datetime.now(UTC).date(),
        )
    )
    return app


async def _stored(reader: ViewReader, session_id: str) -> SessionRated | None:
    """Return the verdict on a session, unless the view is behind or being built."""
    try:
        return await rated_session(reader, session_id)
    except ViewBeingBuilt:
        return None
