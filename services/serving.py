"""Runs a service: every part beside the web application, until it is told to stop or one fails."""

import asyncio
import gc
import socket
from collections.abc import Callable, Coroutine, Iterable
from typing import Any, Final

import asyncpg
import structlog
from fastapi import FastAPI
from prometheus_client import Gauge

from services.ingest.janitor import sweep_for_ever
from services.projections.rebuild import build_missing_views
from services.projections.views import all_views
from services.rater.engine import engine_digest
from services.rater.worker import Progress, run_rater
from services.wiring import CHANNELS, Service, build_app, build_service, chances, open_database
from shared.db.away import DATABASE_AWAY
from shared.db.bell import Bell, listening
from shared.http.server import serve_until_stopped
from shared.log.end import tell_end
from shared.log.port import LogAway
from shared.settings import Settings

# Between two looks whether a database that is away is back.
RETRY_S: Final = 0.5
# Parts that are stopped end at once, unless they wait for a database that does not answer.
PARTS_END_S_MAX: Final = 5.0

_log = structlog.get_logger(__name__)


async def serve(settings: Settings, *, on_ready: Callable[[int], None]) -> None:
    """Run the whole service until it is told to stop, and answer what it has accepted.

    Raises the error of a part that failed, after everybody was answered.
    """
    async with open_database(settings, role="serve") as pool:
        service = build_service(settings, pool, Bell())
        await run_service(service, build_app(service), on_ready)


async def run_service(service: Service, app: FastAPI, on_ready: Callable[[int], None]) -> None:
    """Run the web application and every part beside it until one of them ends."""
    async with listening(service.pool, service.bell, CHANNELS):
        await _run_parts(service, app, on_ready)


async def _run_parts(service: Service, app: FastAPI, on_ready: Callable[[int], None]) -> None:
    stop, port = asyncio.Event(), asyncio.get_running_loop().create_future()

    def ready(bound_port: int) -> None:
        if not port.cancelled():  # Whoever is told to stop while it starts needs it no more.
            _settle_memory()
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


def _settle_memory() -> None:
    """Keep the collector from looking through what the start has made, which stays for good.

    Each full collection would stop the service for 40 ms and find nothing there.
    """
    gc.collect()
    gc.freeze()


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
