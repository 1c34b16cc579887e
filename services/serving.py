"""Runs a role: every part beside its web application, until it is told to stop or one fails."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final

import asyncpg
import structlog
from fastapi import FastAPI
from prometheus_client import CollectorRegistry

from services.database import NothingThere, open_database
from services.logs import check_place
from services.projections.common.tables import AttestedView
from services.role import Role, build_app
from services.wiring import Process, Service, kafka_service, table_service
from shared.db.bell import listening
from shared.db.sandbox import sandbox_clock
from shared.http.layers.addresses import ClientAddresses
from shared.http.wire.connections import Connections, bounds_within_files
from shared.http.wire.server import serve_until_stopped
from shared.log.until_there import until_there
from shared.machine.memory import settle_collector
from shared.settings import Settings

# Parts that are stopped end at once, unless they wait for a database that does not answer.
PARTS_END_S_MAX: Final = 5.0

_log = structlog.get_logger(__name__)


async def serve(
    role: Role,
    settings: Settings,
    *,
    on_ready: Callable[[int], None],
    before_made: Callable[[str], None] | None = None,
    is_sandbox: bool = False,
) -> None:
    """Run a role that is a whole service until it is told to stop, and answer what it accepted.

    `before_made` gets the place when a first start makes the database, which is a sandbox if
    `is_sandbox` and live otherwise, for good. Raises the error of a part that failed, after
    everyone was answered.
    """
    async with open_database(
        settings, role="serve", before_made=before_made, is_sandbox=is_sandbox
    ) as pool:
        service = table_service(settings, pool, await sandbox_clock(pool))
        await run_role(role, service, build_app(service, role), on_ready)


async def serve_beside(role: Role, settings: Settings, *, on_ready: Callable[[int], None]) -> None:
    """Run a process beside `mahjic serve`; one that can only read may be on a hot standby."""

    def refuse(place: str) -> None:
        raise NothingThere(place)

    async with open_database(
        settings, role="join", name=role.name, before_made=refuse, only_reads=role.can_only_read
    ) as pool:
        service = table_service(settings, pool, await sandbox_clock(pool))
        # Before it answers anyone: the tables of a service that moved to Kafka have old verdicts.
        await check_place(pool, service.logs)
        await run_role(role, service, build_app(service, role), on_ready)


async def serve_on_kafka(
    role: Role,
    settings: Settings,
    *,
    views: Sequence[AttestedView] | None = None,
    on_ready: Callable[[int], None],
) -> None:
    """Run one of the processes that share the work on Kafka, as `serve` runs them all.

    `views` are those to follow; all of them unless given.
    """
    async with (
        open_database(settings, role="join", name=role.name, only_reads=role.can_only_read) as pool,
        kafka_service(settings, pool, follows=role.follows, views=views) as service,
    ):
        await run_role(role, service, build_app(service, role), on_ready)


async def run_role(
    role: Role, service: Service, app: FastAPI, on_ready: Callable[[int], None]
) -> None:
    """Run a role until it is told to stop or one of its parts fails."""
    process = service.process
    connections = _connections(process.settings, process.registry)
    for check in role.first:
        await until_there(partial(check, service))
    parts: dict[str, Callable[[int], Coroutine[Any, Any, Any]]] = {
        name: partial(part, service) for name, part in role.parts.items()
    }
    clock = process.sandbox
    if clock is not None:
        parts["clock of the sandbox"] = lambda _: clock.follow(process.pool)
    async with listening(process.pool, process.bell, role.channels):
        await _run_parts(parts, process, app, connections, on_ready)


def _connections(settings: Settings, registry: CollectorRegistry) -> Connections:
    """Return the connection counter of this process, within what its system lets it open."""
    wanted = settings.connections_max
    bounds = bounds_within_files(wanted, settings.connections_per_address_max)
    if bounds.in_all < wanted:
        _log.warning("fewer_connections", connections_max=bounds.in_all, wanted=wanted)
    return Connections(ClientAddresses(settings.trusted_proxies), bounds, registry)


async def _run_parts(
    parts: Mapping[str, Callable[[int], Coroutine[Any, Any, Any]]],
    process: Process,
    app: FastAPI,
    connections: Connections,
    on_ready: Callable[[int], None],
) -> None:
    """Run the web application and every part beside it until one of them ends."""
    port: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    web = asyncio.create_task(_serve_web(app, process, connections, port, on_ready))
    running: list[asyncio.Task[Any]] = []
    try:
        await asyncio.wait([web, port], return_when=asyncio.FIRST_COMPLETED)
        if port.done():
            running += [
                asyncio.create_task(part(port.result()), name=name) for name, part in parts.items()
            ]
        await asyncio.wait([web, *running], return_when=asyncio.FIRST_COMPLETED)
        for each in running:
            if each.done():
                _log.error("part_failed", part=each.get_name(), exc_info=each.exception())
    finally:
        # Even when we are canceled, what was accepted is answered before the parts end.
        process.stopping.set()
        port.cancel()
        await asyncio.wait([web])
        await _end(running, process.pool)
        ends = await asyncio.gather(web, *running, return_exceptions=True)
    for end in ends:
        if isinstance(end, Exception):
            raise end


async def _serve_web(
    app: FastAPI,
    process: Process,
    connections: Connections,
    port: asyncio.Future[int],
    on_ready: Callable[[int], None],
) -> None:
    """Serve the web application, and report its port once it is bound."""

    def ready(bound_port: int) -> None:
        if not port.cancelled():  # A process told to stop while it starts no longer needs it.
            settle_collector()
            process.origin.bind(bound_port)
            port.set_result(bound_port)
            on_ready(bound_port)

    await serve_until_stopped(
        app,
        process.settings.host,
        process.settings.port,
        grace_s=process.settings.grace_s,
        connections=connections,
        on_ready=ready,
        stop=process.stopping,
    )


async def _end(parts: Iterable[asyncio.Task[Any]], pool: asyncpg.Pool) -> None:
    """Cancel the parts until all have ended, cutting off the database if it holds one up."""
    running = set(parts)
    while running:
        # Again if needed: a part that loses its connection while canceled notices only that.
        for part in running:
            part.cancel()
        _, running = await asyncio.wait(running, timeout=PARTS_END_S_MAX)
        if running:
            _log.warning("parts_cut_off", parts=sorted(part.get_name() for part in running))
            pool.terminate()
