"""Builds what the commands run on from the settings; the only module that names an adapter."""

import asyncio
import secrets
import socket
import time
import uuid
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import partial
from importlib.metadata import version
from typing import Any, Final, Literal

import asyncpg
import structlog
from fastapi import FastAPI
from prometheus_client import CollectorRegistry, Gauge

from services.ingest.admin_api import admin_player_routes
from services.ingest.api import submission_routes
from services.ingest.chances import Chances
from services.ingest.founding import found_log
from services.ingest.janitor import sweep_for_ever
from services.ingest.recorder import Recorder
from services.ingest.submit import Ports, RunningKeys
from services.ingest.waiting import Verdicts
from services.projections.api import read_routes
from services.projections.reading import ViewBeingBuilt, ViewReader
from services.projections.rebuild import Rebuilt, build_missing_views, rebuild_view
from services.projections.sessions.queries import rated_session
from services.projections.views import all_views
from services.rater.engine import engine_digest
from services.rater.worker import Progress, run_rater
from shared.access.lookups import KeyLookups
from shared.db.away import DATABASE_AWAY
from shared.db.bell import Bell, listening
from shared.db.embedded import embedded_server
from shared.db.migrations import migrate
from shared.db.pool import close_pool, open_pool
from shared.events.verdicts import SessionRated
from shared.feed import Feed
from shared.http.addresses import ClientAddresses
from shared.http.application import build_application
from shared.http.gate import Limits
from shared.http.server import serve_until_stopped
from shared.ids import PLAYER_ID_SPACE, session_id
from shared.log.end import tell_end
from shared.log.port import LogAway
from shared.log.postgres import (
    FACTS_CHANNEL,
    VERDICTS_CHANNEL,
    PostgresFactLog,
    PostgresVerdictLog,
)
from shared.settings import Settings

# The latest time zone on earth is 14 hours ahead: its today is the last day that has begun.
LATEST_ZONE: Final = timedelta(hours=14)
# Between two looks whether a database that is away is back.
RETRY_S: Final = 0.5
# Parts that are stopped end at once, unless they wait for a database that does not answer.
PARTS_END_S_MAX: Final = 5.0

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
    app.include_router(read_routes(service.reader, today_utc=lambda: datetime.now(UTC).date()))
    return app


async def serve(settings: Settings, *, on_ready: Callable[[int], None]) -> None:
    """Run the whole service until it is told to stop, and answer what it has accepted.

    Raises the error of a part that failed, after everybody was answered.
    """
    async with open_database(settings, role="serve") as pool:
        bell = Bell()
        service = build_service(settings, pool, bell)
        async with listening(pool, bell, (FACTS_CHANNEL, VERDICTS_CHANNEL)):
            await run_service(service, build_app(service), on_ready)


async def run_service(service: Service, app: FastAPI, on_ready: Callable[[int], None]) -> None:
    """Run the web application and every part beside it until one of them ends."""
    stop, port = asyncio.Event(), asyncio.get_running_loop().create_future()

    def ready(bound_port: int) -> None:
        if not port.cancelled():  # Whoever is told to stop while it starts needs it no more.
            port.set_result(bound_port)
            on_ready(bound_port)

    web = asyncio.create_task(
        serve_until_stopped(
            app,
            service.settings.host,
            service.settings.port,
            grace_s=service.settings.grace_s,
            on_ready=ready,
            stop=stop,
        )
    )
    parts = [asyncio.create_task(part, name=name) for name, part in _parts(service, port).items()]
    try:
        # A part never ends by itself: it fails, or is cancelled at the end.
        await asyncio.wait([web, *parts], return_when=asyncio.FIRST_COMPLETED)
        for part in parts:
            if part.done():
                _log.error("part_failed", part=part.get_name(), exc_info=part.exception())
    finally:
        # Also when we are cancelled: what was accepted is answered before the parts end.
        stop.set()
        await asyncio.wait([web])
        await _end(parts, service.pool)
        ends = await asyncio.gather(web, *parts, return_exceptions=True)
    for end in ends:
        if isinstance(end, Exception):
            raise end


async def _end(parts: Iterable[asyncio.Task[Any]], pool: asyncpg.Pool) -> None:
    """Cancel the parts until all have ended, cutting the database off if it holds one up."""
    running = set(parts)
    while running:
        # Again if need be: one that loses its connection while it is cancelled hears of that only.
        for part in running:
            part.cancel()
        _, running = await asyncio.wait(running, timeout=PARTS_END_S_MAX)
        if running:
            _log.warning("parts_cut_off", parts=sorted(part.get_name() for part in running))
            pool.terminate()


def _parts(service: Service, port: "asyncio.Future[int]") -> dict[str, Coroutine[Any, Any, Any]]:
    """Return what runs beside the web server."""
    is_rating = asyncio.Event()
    end = Gauge(
        "mahjic_log_fact_seq",
        "The last fact on the log; what rater and views are behind it is their lag.",
        registry=service.registry,
    )
    return {
        "recorder": service.recorder.run(),
        "verdicts": service.verdicts.follow(),
        "rater": _rate(service, port, is_rating),
        "views": service.feed.run(),
        "end of the log": tell_end(service.facts, end.set),
        "view builder": _build_views(service, is_rating),
        "janitor": sweep_for_ever(
            service.pool, chances(), kept_days=service.settings.idempotency_days
        ),
    }


async def _stored(reader: ViewReader, session_id: str) -> SessionRated | None:
    """Return the verdict on a session, unless the view is behind or being built."""
    try:
        return await rated_session(reader, session_id)
    except ViewBeingBuilt:
        return None


async def _build_views(service: Service, is_rating: asyncio.Event) -> None:
    """Build the views that this version lacks, however often the database is away meanwhile.

    A service that may not rate leaves them alone: it may be of an older version than the one that
    rates, and would take its views away.
    """
    await is_rating.wait()
    while True:
        try:
            await build_missing_views(all_views(), pool=service.pool, log=service.verdict_log)
        except (LogAway, *DATABASE_AWAY) as error:
            _log.warning("view_builder_waits_for_database", error=type(error).__name__)
            await asyncio.sleep(RETRY_S)
        else:
            await asyncio.Event().wait()  # A part never ends by itself.


async def _rate(service: Service, port: "asyncio.Future[int]", is_rating: asyncio.Event) -> None:
    """Take the rating over once the port is ours, so that a failed start displaces nobody."""
    bound_port = await port
    holder = service.settings.instance or f"{socket.gethostname()}:{bound_port}"
    rated = Gauge(
        "mahjic_rater_fact_seq", "The last fact that was rated.", registry=service.registry
    )
    refused = Gauge(
        "mahjic_rater_facts_refused",
        "Facts that could not be read or be, since the start. Look at the log when it moves.",
        registry=service.registry,
    )

    def tell(progress: Progress) -> None:
        rated.set(progress.fact_seq)
        refused.set(progress.facts_refused)
        is_rating.set()

    await run_rater(
        service.facts, service.verdict_log, holder=holder, engine=engine_digest(), tell=tell
    )
