"""Builds what the commands run on from the settings; the only module that names an adapter."""

import asyncio
import secrets
import time
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Final, Literal

import asyncpg
import structlog
from prometheus_client import CollectorRegistry

from services.ingest.chances import Chances
from services.ingest.founding import found_log
from services.ingest.recorder import Recorder
from services.ingest.waiting import Verdicts
from services.projections.reading import ViewReader
from services.projections.rebuild import Rebuilt, rebuild_view
from services.projections.views import all_views
from shared.db.bell import Bell
from shared.db.embedded import embedded_server
from shared.db.migrations import migrate
from shared.db.pool import close_pool, open_pool
from shared.feed import Feed
from shared.ids import PLAYER_ID_SPACE, session_id
from shared.log.port import FactLog, VerdictLog
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
class Logs:
    """The logs that a service stands on.

    `recorded` is the table that ingest writes facts into, and `facts` is where the rater reads
    them.
    """

    recorded: FactLog
    facts: FactLog
    verdicts: VerdictLog


def table_logs(pool: asyncpg.Pool, bell: Bell) -> Logs:
    """Return the logs as tables of a database; the bell tells when they have grown."""
    facts = PostgresFactLog(pool, bell)
    return Logs(recorded=facts, facts=facts, verdicts=PostgresVerdictLog(pool, bell))


@dataclass(frozen=True, slots=True)
class Service:
    """Everything that Mahjic is made of, on one database; a role runs some of it."""

    settings: Settings
    pool: asyncpg.Pool
    logs: Logs
    verdicts: Verdicts
    recorder: Recorder
    reader: ViewReader
    feed: Feed
    registry: CollectorRegistry
    # Set once this process may rate.
    is_rating: asyncio.Event


def build_service(settings: Settings, pool: asyncpg.Pool, logs: Logs) -> Service:
    """Put a service together; nothing runs yet."""
    return Service(
        settings=settings,
        pool=pool,
        logs=logs,
        verdicts=Verdicts(logs.verdicts),
        recorder=Recorder(
            pool,
            chances(),
            group_max=settings.group_submissions_max,
            queue_max=settings.queue_submissions_max,
            wait_s_max=settings.database_wait_s_max,
        ),
        reader=ViewReader(pool, all_views()),
        feed=Feed(pool, logs.verdicts, all_views()),
        registry=CollectorRegistry(),
        is_rating=asyncio.Event(),
    )
