"""The parts that processes of Mahjic are made of, each to be run beside a web application.

A part is told the port, once that is bound. It never ends by itself: it fails, or is cancelled.
"""

import asyncio
import contextlib
import socket
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Final

import structlog
from prometheus_client import Gauge

from services.database import ids_and_times, rater_folder
from services.ingest.record.erasing import clean_for_ever
from services.ingest.record.janitor import sweep_for_ever
from services.ingest.record.known.refusals import tell_refusals
from services.projections.building.keeping import Kept, look_at_kept, show_keeping, tell_kept
from services.projections.building.rebuild import build_missing_views, without_newer
from services.projections.common.tables import AttestedView
from services.projections.following import follow_views, group_of, verdicts_broker
from services.projections.views import all_views
from services.projections.watched import watching
from services.rater.engine import engine_digest
from services.rater.worker import Progress, run_rater
from services.relay.worker import run_relay
from services.wiring import Service, check_copy, check_place, open_copy
from shared.db.away import DATABASE_AWAY
from shared.db.locks import RELAY_LOCK
from shared.db.turns import in_turn
from shared.feed.feed import Feed
from shared.log.away import told_as_away
from shared.log.delivered import DeliveredLog
from shared.log.end import tell_end
from shared.log.port import LogAway
from shared.log.until_there import until_there

# Between two looks whether a database that is away is back.
RETRY_S: Final = 0.5
# Between two looks whether the topic of facts still is a copy of the table.
LOOK_S: Final = 1.0
# Between two looks at how far the views are: some hundreds of facts of an import.
PACE_S: Final = 0.5

_log = structlog.get_logger(__name__)


async def record(service: Service, _port: int) -> None:
    """Record what is submitted."""
    await service.recorder.run()


async def watch_history(service: Service, _port: int) -> None:
    """End the process when the log of facts was put back to an older state."""
    await service.waterline.watch(service.logs.recorded)


async def watch_copy(service: Service, _port: int) -> None:
    """End the process when the topic tells of facts that the table does not hold.

    Others wrote them, and a database that failed over lost them before this process saw them.
    """
    while True:
        # Without Kafka sessions are accepted all the same.
        with contextlib.suppress(LogAway):
            await check_copy(service)
        await asyncio.sleep(LOOK_S)


async def hand_out_verdicts(service: Service, _port: int) -> None:
    """Give the verdicts to those who wait for them."""
    await service.verdicts.follow()


async def sweep(service: Service, _port: int) -> None:
    """Throw old Idempotency-Keys away."""
    days = service.settings.idempotency_days
    await sweep_for_ever(service.pool, ids_and_times(), kept_days=days)


async def clean_erased(service: Service, _port: int) -> None:
    """Take what was erased out of the files of the database."""
    await clean_for_ever(service.pool, every_s=service.settings.erased_clean_s)


async def tell_foreign_refusals(service: Service, _port: int) -> None:
    """Tell which sources were refused because of what other sources hold, and how often."""
    refused = Gauge(
        "mahjic_foreign_refusals_day",
        "What sources were told in the last day of what others hold, by refusals.",
        ["source"],
        registry=service.registry,
    )

    def tell(refusals: Mapping[str, int]) -> None:
        refused.clear()
        for source, count in refusals.items():
            refused.labels(source).set(count)

    await tell_refusals(service.pool, tell)


async def tell_end_of_facts(service: Service, _port: int) -> None:
    """Tell where the log of facts ends."""
    end = Gauge(
        "mahjic_log_fact_seq",
        "The last fact on the log; what rater and views are behind it is their lag.",
        registry=service.registry,
    )
    await tell_end(service.logs.recorded, end.set)


async def tell_views(service: Service, _port: int) -> None:
    """Tell where each view is and whether it is kept; whoever keeps it need not be there."""
    place = Gauge(
        "mahjic_view_fact_seq",
        "The last fact that a view shows; nought while it has never been built.",
        ["view"],
        registry=service.registry,
    )
    is_kept = Gauge(
        "mahjic_view_is_kept",
        "1 while somebody keeps the view up with the log, and 0 while nobody does.",
        ["view"],
        registry=service.registry,
    )

    def tell(kept: Kept) -> None:
        place.labels(kept.view).set(kept.fact_seq)
        if kept.is_kept is not None:
            is_kept.labels(kept.view).set(kept.is_kept)

    await tell_kept(service.pool, all_views(), tell)


async def pace_batches(service: Service, _port: int) -> None:
    """Let batches run no further ahead of the views than they may."""
    while True:
        with contextlib.suppress(*DATABASE_AWAY):
            views = await look_at_kept(service.pool, all_views())
            places = {each.view: each.fact_seq for each in views if each.is_kept}
            await service.headway.show(places)
        await asyncio.sleep(PACE_S)


async def rate(service: Service, port: int) -> None:
    """Take the rating over: only now that the port is ours, so a failed start displaces nobody."""
    holder = service.settings.instance or f"{socket.gethostname()}:{port}"
    rated = _once_known(
        lambda: Gauge(
            "mahjic_rater_fact_seq", "The last fact that was rated.", registry=service.registry
        )
    )
    refused = Gauge(
        "mahjic_rater_facts_refused",
        "Facts that could not be read or be, since the start. Look at the log when it moves.",
        registry=service.registry,
    )

    def tell(progress: Progress) -> None:
        rated(progress.fact_seq)
        refused.set(progress.facts_refused)
        service.is_rating.set()

    await run_rater(
        service.logs.facts,
        service.logs.verdicts,
        holder=holder,
        engine=engine_digest(),
        folder=rater_folder(service.settings),
        tell=tell,
    )


async def relay(service: Service, _port: int) -> None:
    """Copy facts to their topic, when no other process does."""
    relayed = _once_known(
        lambda: Gauge(
            "mahjic_relay_fact_seq", "The last fact that was relayed.", registry=service.registry
        )
    )
    await run_relay(
        service.logs.recorded,
        service.logs.facts,
        in_turn=partial(in_turn, service.pool, RELAY_LOCK, "relay"),
        open_copy=partial(open_copy, service),
        check=partial(check_copy, service),
        tell=relayed,
    )


async def follow_table(service: Service, _port: int) -> None:
    """Keep the views up with the table of verdicts."""
    await service.feed.run(tell=_views_seq(service))


async def follow_topic(service: Service, _port: int) -> None:
    """Keep the views up with the topic of verdicts."""
    kafka = service.logs.kafka
    assert kafka is not None, "There is no topic without Kafka."
    log = DeliveredLog(service.logs.verdicts)
    # What is delivered has gathered before.
    feed = Feed(service.pool, log, service.views, gather_s=0)
    group_id = group_of(kafka.cluster.prefix, [view.name for view in service.views])
    async with watching(service.registry, service.settings.otlp_endpoint) as middlewares:
        broker = verdicts_broker(kafka.cluster, log, group_id=group_id, middlewares=middlewares)
        await follow_views(feed, broker, tell=_views_seq(service))


def _views_seq(service: Service) -> Callable[[int], None]:
    return _once_known(
        lambda: Gauge(
            "mahjic_views_fact_seq",
            "The last fact that every view shows.",
            registry=service.registry,
        )
    )


def _once_known(register: Callable[[], Gauge]) -> Callable[[int], None]:
    """Return what sets a figure, which is not there before.

    At nought, a process that starts or stands by would look as far behind as can be, and nobody
    would see that the one who should work is missing.
    """
    gauge = cache(register)
    return lambda value: gauge().set(value)


async def show_keeping_views(service: Service, _port: int) -> None:
    """Show others that these views are kept here."""
    await show_keeping(service.pool, service.views)


async def build_views_once_rating(service: Service, _port: int) -> None:
    """Build missing views, but not in a service that may not rate.

    It may be of an older version than the one that rates, and would take its views away.
    """
    await service.is_rating.wait()
    await _build_views(service, service.views)


async def build_views_unless_newer(service: Service, _port: int) -> None:
    """Build missing views, but none in the place of a newer version.

    An old process that starts again would take the views away from a new one, and that from it.
    """
    views = await until_there(partial(_without_newer, service))
    await _build_views(service, views)


async def _without_newer(service: Service) -> Sequence[AttestedView]:
    with told_as_away():
        views = await without_newer(service.views, service.pool)
    if left := {view.name for view in service.views} - {view.name for view in views}:
        _log.warning("newer_views_left_alone", views=sorted(left))
    return views


async def _build_views(service: Service, views: Sequence[AttestedView]) -> None:
    """Build the views that this version lacks, however often the database is away meanwhile."""
    while True:
        try:
            await build_missing_views(views, pool=service.pool, log=service.logs.verdicts)
        except (LogAway, *DATABASE_AWAY) as error:
            _log.warning("view_builder_waits", error=type(error).__name__)
            await asyncio.sleep(RETRY_S)
        else:
            await asyncio.Event().wait()  # A part never ends by itself.


async def check_cluster(service: Service, _port: int) -> None:
    """End the process once it turns out that the cluster is another one; a reader need not wait."""
    await until_there(partial(check_place, service))
    await asyncio.Event().wait()  # A part never ends by itself.
