"""The parts that Mahjic's processes are made of, each run beside a web application.

A part never ends by itself: it fails, or is canceled.
"""

import asyncio
import contextlib
import socket
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from functools import cache, partial
from typing import Final

import asyncpg
import structlog
from prometheus_client import CollectorRegistry, Gauge

from services.database import rater_folder
from services.ingest.people.disputes import count_with_staff
from services.ingest.record.headway import Headway
from services.ingest.record.known.refusals import tell_refusals
from services.logs import ServiceLogs, check_copy, check_place
from services.projections.building.keeping import Kept, look_at_kept, tell_kept
from services.projections.building.lagging import tell_lag
from services.projections.building.rebuild import build_missing_views, without_newer
from services.projections.common.tables import AttestedView
from services.projections.views import all_views
from services.rater.engine import engine_digest
from services.rater.worker import Progress, run_rater
from services.relay.worker import run_relay
from services.site.kit.lateness import Lateness
from shared.db.away import DATABASE_AWAY
from shared.db.locks import RELAY_LOCK
from shared.db.turns import in_turn
from shared.feed.feed import Feed
from shared.log.away import told_as_away
from shared.log.delivered import DeliveredLog
from shared.log.end import tell_end
from shared.log.port import FactCopy, Log, LogAway
from shared.log.until_there import until_there
from shared.settings import Settings

# Time between two checks whether a database that is away is back.
RETRY_S: Final = 0.5
# Time between two checks that the topic of facts is still a copy of the table, and whether a
# standby is promoted.
LOOK_S: Final = 1.0
IS_STANDBY: Final = "SELECT pg_is_in_recovery()"
# Time between two checks of how far the views are: a few hundred facts of an import.
PACE_S: Final = 0.5
# Time between two counts of the disputes that staff have to answer, which took two weeks to come.
DISPUTES_S: Final = 60.0

_log = structlog.get_logger(__name__)


async def watch_copy(logs: ServiceLogs) -> None:
    """End the process when the topic has facts that the table does not.

    Others wrote them, and a database that failed over lost them before this process saw them.
    """
    while True:
        # Without Kafka, sessions are still accepted.
        with contextlib.suppress(LogAway):
            await check_copy(logs)
        await asyncio.sleep(LOOK_S)


async def let_people_in(
    pool: asyncpg.Pool,
    checks: Sequence[Callable[[], Awaitable[None]]],
    is_open: asyncio.Event,
    registry: CollectorRegistry,
) -> None:
    """Let people log in once all is checked that a writer of facts checks before it serves.

    Pages are shown meanwhile: on a standby, until it is promoted, and while Kafka is away. A check
    that finds a fault ends the process.
    """
    while await until_there(partial(_is_standby, pool)):
        await asyncio.sleep(LOOK_S)
    # Nobody misses it on a standby, which tells no such figure.
    can_log_in = Gauge(
        "mahjic_people_can_log_in",
        "1 once people can log in at this site, 0 while it has yet to look at the logs.",
        registry=registry,
    )
    for check in checks:
        await until_there(partial(_told_as_away, check))
    is_open.set()
    can_log_in.set(1)
    _log.info("people_can_log_in")
    await asyncio.Event().wait()  # A part never ends by itself.


async def once_open(is_open: asyncio.Event, watch: Callable[[], Awaitable[None]]) -> None:
    """Watch what matters to those who write, from when they may."""
    await is_open.wait()
    await watch()


async def _is_standby(pool: asyncpg.Pool) -> bool:
    with told_as_away():
        return bool(await pool.fetchval(IS_STANDBY))


async def _told_as_away(check: Callable[[], Awaitable[None]]) -> None:
    with told_as_away():
        await check()


async def tell_foreign_refusals(pool: asyncpg.Pool, registry: CollectorRegistry) -> None:
    """Report which sources were refused because of what other sources hold, and how often."""
    refused = Gauge(
        "mahjic_foreign_refusals_day",
        "Refusals in the last day that told sources what others have on record.",
        ["source"],
        registry=registry,
    )

    def tell(refusals: Mapping[str, int]) -> None:
        refused.clear()
        for source, count in refusals.items():
            refused.labels(source).set(count)

    await tell_refusals(pool, tell)


async def tell_disputes(
    pool: asyncpg.Pool, now: Callable[[], datetime], registry: CollectorRegistry
) -> None:
    """Report how many players wait for staff to answer what they said about a session."""
    waiting = _once_known(
        lambda: Gauge(
            "mahjic_disputes_with_staff",
            "Disputes that their source has not answered in 14 days, so that staff have to.",
            registry=registry,
        )
    )
    while True:
        with contextlib.suppress(*DATABASE_AWAY):
            async with pool.acquire() as connection:
                waiting(await count_with_staff(connection, now=now()))
        await asyncio.sleep(DISPUTES_S)


async def tell_end_of_facts(facts: Log, registry: CollectorRegistry) -> None:
    """Report where the log of facts ends."""
    end = Gauge(
        "mahjic_log_fact_seq",
        "The last fact on the log; the lag of the rater and the views is how far they are "
        "behind it.",
        registry=registry,
    )
    await tell_end(facts, end.set)


async def tell_views(pool: asyncpg.Pool, registry: CollectorRegistry) -> None:
    """Report where each view is and whether it is kept, even when its keeper is gone."""
    place = Gauge(
        "mahjic_view_fact_seq",
        "The last fact that a view shows; 0 if it has never been built.",
        ["view"],
        registry=registry,
    )
    is_kept = Gauge(
        "mahjic_view_is_kept",
        "1 while a process keeps the view up to date, 0 while none does.",
        ["view"],
        registry=registry,
    )

    def tell(kept: Kept) -> None:
        place.labels(kept.view).set(kept.fact_seq)
        if kept.is_kept is not None:
            is_kept.labels(kept.view).set(kept.is_kept)

    await tell_kept(pool, all_views(), tell)


async def tell_lateness(pool: asyncpg.Pool, lateness: Lateness) -> None:
    """Let pages know whether they show what is on record."""
    await tell_lag(pool, all_views(), lateness.look)


async def pace_batches(pool: asyncpg.Pool, headway: Headway) -> None:
    """Let batches run no further ahead of the views than they may."""
    while True:
        with contextlib.suppress(*DATABASE_AWAY):
            views = await look_at_kept(pool, all_views())
            places = {each.view: each.fact_seq for each in views if each.is_kept}
            await headway.show(places)
        await asyncio.sleep(PACE_S)


async def rate(
    logs: ServiceLogs,
    settings: Settings,
    registry: CollectorRegistry,
    *,
    is_rating: asyncio.Event,
    port: int,
) -> None:
    """Take over the rating: only now that we have the port, so a failed start displaces no one."""
    rated = _once_known(
        lambda: Gauge("mahjic_rater_fact_seq", "The last fact that was rated.", registry=registry)
    )
    refused = Gauge(
        "mahjic_rater_facts_refused",
        "Facts since the start that could not be read, or could not be true. Look at the log "
        "if it moves.",
        registry=registry,
    )

    def tell(progress: Progress) -> None:
        rated(progress.fact_seq)
        refused.set(progress.facts_refused)
        is_rating.set()

    await run_rater(
        logs.facts,
        logs.verdicts,
        holder=settings.instance or f"{socket.gethostname()}:{port}",
        engine=engine_digest(),
        folder=rater_folder(settings),
        tell=tell,
    )


async def relay(
    logs: ServiceLogs,
    pool: asyncpg.Pool,
    registry: CollectorRegistry,
    *,
    open_copy: Callable[[], contextlib.AbstractAsyncContextManager[FactCopy]],
) -> None:
    """Copy facts to their topic when no other process does."""
    relayed = _once_known(
        lambda: Gauge("mahjic_relay_fact_seq", "The last fact that was relayed.", registry=registry)
    )
    await run_relay(
        logs.recorded,
        logs.facts,
        in_turn=partial(in_turn, pool, RELAY_LOCK, "relay"),
        open_copy=open_copy,
        check=partial(check_copy, logs),
        tell=relayed,
    )


async def follow_table(feed: Feed, registry: CollectorRegistry) -> None:
    """Keep the views up with the table of verdicts."""
    await feed.run(tell=_views_seq(registry))


async def follow_topic(
    logs: ServiceLogs,
    views: Sequence[AttestedView],
    pool: asyncpg.Pool,
    registry: CollectorRegistry,
    *,
    otlp_endpoint: str | None,
) -> None:
    """Keep the views up with the topic of verdicts."""
    # FastStream takes 0.2 s to import, and no other part needs it.
    from services.projections.following import (  # noqa: PLC0415
        follow_views,
        group_of,
        verdicts_broker,
    )
    from services.projections.watched import watching  # noqa: PLC0415

    cluster, log = logs.on_kafka.cluster, DeliveredLog(logs.verdicts)
    # Deliveries have already been gathered.
    feed = Feed(pool, log, views, gather_s=0)
    group_id = group_of(cluster.prefix, [view.name for view in views])
    async with watching(registry, otlp_endpoint) as middlewares:
        broker = verdicts_broker(cluster, log, group_id=group_id, middlewares=middlewares)
        await follow_views(feed, broker, tell=_views_seq(registry))


def _views_seq(registry: CollectorRegistry) -> Callable[[int], None]:
    return _once_known(
        lambda: Gauge(
            "mahjic_views_fact_seq", "The last fact that every view shows.", registry=registry
        )
    )


def _once_known(register: Callable[[], Gauge]) -> Callable[[int], None]:
    """Return a function that sets a figure, which does not exist before it is called.

    At zero, a process that starts or stands by would look as far behind as possible, and it would
    not show that the process that should work is missing.
    """
    gauge = cache(register)
    return lambda value: gauge().set(value)


async def build_views_once_rating(
    views: Sequence[AttestedView], verdicts: Log, pool: asyncpg.Pool, is_rating: asyncio.Event
) -> None:
    """Build missing views, but not in a service that may not rate.

    It may be an older version than the one that rates, and would take away its views.
    """
    await is_rating.wait()
    await _build_views(views, verdicts, pool)


async def build_views_unless_newer(
    views: Sequence[AttestedView], verdicts: Log, pool: asyncpg.Pool
) -> None:
    """Build missing views, but do not replace those of a newer version.

    Otherwise an old process that restarts and a new one would take the views from each other.
    """
    ours = await until_there(partial(_without_newer, views, pool))
    await _build_views(ours, verdicts, pool)


async def _without_newer(
    views: Sequence[AttestedView], pool: asyncpg.Pool
) -> Sequence[AttestedView]:
    with told_as_away():
        ours = await without_newer(views, pool)
    if left := {view.name for view in views} - {view.name for view in ours}:
        _log.warning("newer_views_left_alone", views=sorted(left))
    return ours


async def _build_views(views: Sequence[AttestedView], verdicts: Log, pool: asyncpg.Pool) -> None:
    """Build the views that this version lacks, even if the database is away now and then."""
    while True:
        try:
            await build_missing_views(views, pool=pool, log=verdicts)
        except (LogAway, *DATABASE_AWAY) as error:
            _log.warning("view_builder_waits", error=type(error).__name__)
            await asyncio.sleep(RETRY_S)
        else:
            await asyncio.Event().wait()  # A part never ends by itself.


async def check_cluster(pool: asyncpg.Pool, logs: ServiceLogs) -> None:
    """End the process once the cluster turns out to be a different one; a reader need not wait."""
    await until_there(partial(check_place, pool, logs))
    await asyncio.Event().wait()  # A part never ends by itself.
