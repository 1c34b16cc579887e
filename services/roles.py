"""Says what each process of Mahjic answers, and which parts run in it beside that."""

import asyncio
import socket
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from typing import Any, Final

import structlog
from fastapi import APIRouter, FastAPI
from prometheus_client import Gauge

from services.ingest.admin_api import admin_player_routes
from services.ingest.api import submission_routes
from services.ingest.janitor import sweep_for_ever
from services.ingest.submit import Ports, RunningKeys
from services.projections.api import read_routes
from services.projections.reading import ViewBeingBuilt, ViewReader
from services.projections.rebuild import build_missing_views
from services.projections.sessions.queries import rated_session
from services.projections.views import all_views
from services.rater.engine import engine_digest
from services.rater.worker import Progress, run_rater
from services.wiring import Service, chances, new_session_id, today_latest
from shared.access.lookups import KeyLookups
from shared.db.away import DATABASE_AWAY
from shared.events.verdicts import SessionRated
from shared.http.addresses import ClientAddresses
from shared.http.application import build_application
from shared.http.gate import Limits
from shared.http.health import Check
from shared.log.end import tell_end
from shared.log.port import LogAway

# Between two looks whether a database that is away is back.
RETRY_S: Final = 0.5

Part = Callable[[Service, int], Coroutine[Any, Any, Any]]

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Role:
    """What one process does.

    A part is told the port, once that is bound. It never ends by itself: it fails, or is cancelled.
    """

    name: str
    routes: Sequence[Callable[[Service], APIRouter]]
    checks: Mapping[str, Callable[[Service], Check]]
    parts: Mapping[str, Part]


def build_app(service: Service, role: Role) -> FastAPI:
    """Return the web application of a role."""
    settings = service.settings
    lookups = KeyLookups(service.pool, database_wait_s=settings.database_wait_s_max)
    app = build_application(
        version=version("mahjic"),
        authenticate=lookups.authenticate,
        addresses=ClientAddresses(settings.trusted_proxies),
        limits=Limits(settings.public_limit_per_minute, settings.source_limit_per_minute),
        registry=service.registry,
        checks={name: check(service) for name, check in role.checks.items()},
    )
    for routes in role.routes:
        app.include_router(routes(service))
    return app


def _submissions(service: Service) -> APIRouter:
    ports = Ports(
        recorder=service.recorder,
        verdicts=service.verdicts,
        running=RunningKeys(),
        stored=partial(_stored, service.reader),
        new_session_id=new_session_id,
    )
    return submission_routes(ports, service.settings, today_latest)


async def _stored(reader: ViewReader, session_id: str) -> SessionRated | None:
    """Return the verdict on a session, unless the view is behind or being built."""
    try:
        return await rated_session(reader, session_id)
    except ViewBeingBuilt:
        return None


def _players(service: Service) -> APIRouter:
    return admin_player_routes(service.pool, service.settings, chances())


def _reads(service: Service) -> APIRouter:
    return read_routes(
        service.reader,
        facts=service.logs.recorded,
        verdicts=service.logs.verdicts,
        today_utc=lambda: datetime.now(UTC).date(),
    )


def _database(service: Service) -> Check:
    return lambda: service.pool.fetchval("SELECT 1")


def _verdict_log(service: Service) -> Check:
    return service.logs.verdicts.tail


async def _record(service: Service, _port: int) -> None:
    await service.recorder.run()


async def _hand_out_verdicts(service: Service, _port: int) -> None:
    await service.verdicts.follow()


async def _sweep(service: Service, _port: int) -> None:
    days = service.settings.idempotency_days
    await sweep_for_ever(service.pool, chances(), kept_days=days)


async def _tell_end(service: Service, _port: int) -> None:
    end = Gauge(
        "mahjic_log_fact_seq",
        "The last fact on the log; what rater and views are behind it is their lag.",
        registry=service.registry,
    )
    await tell_end(service.logs.recorded, end.set)


async def _rate(service: Service, port: int) -> None:
    """Take the rating over: only now that the port is ours, so a failed start displaces nobody."""
    holder = service.settings.instance or f"{socket.gethostname()}:{port}"
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
        service.is_rating.set()

    logs = service.logs
    await run_rater(logs.facts, logs.verdicts, holder=holder, engine=engine_digest(), tell=tell)


async def _follow_views(service: Service, _port: int) -> None:
    Gauge(
        "mahjic_views_fact_seq", "The last fact that every view shows.", registry=service.registry
    ).set_function(lambda: service.feed.fact_seq)
    await service.feed.run()


async def _build_views_once_rating(service: Service, port: int) -> None:
    """Build missing views, but not in a service that may not rate.

    It may be of an older version than the one that rates, and would take its views away.
    """
    await service.is_rating.wait()
    await _build_views(service, port)


async def _build_views(service: Service, _port: int) -> None:
    """Build the views that this version lacks, however often the database is away meanwhile."""
    while True:
        try:
            await build_missing_views(all_views(), pool=service.pool, log=service.logs.verdicts)
        except (LogAway, *DATABASE_AWAY) as error:
            _log.warning("view_builder_waits_for_database", error=type(error).__name__)
            await asyncio.sleep(RETRY_S)
        else:
            await asyncio.Event().wait()  # A part never ends by itself.


SERVE: Final = Role(
    name="serve",
    routes=(_submissions, _players, _reads),
    checks={"database": _database, "log": _verdict_log},
    parts={
        "recorder": _record,
        "verdicts": _hand_out_verdicts,
        "rater": _rate,
        "views": _follow_views,
        "end of the log": _tell_end,
        "view builder": _build_views_once_rating,
        "janitor": _sweep,
    },
)
