"""Builds what the commands run on from the settings; the only module that names an adapter."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal

import asyncpg
from prometheus_client import CollectorRegistry

from services.database import ids_and_times
from services.ingest.record.headway import Headway
from services.ingest.record.ids_and_times import SessionIds
from services.ingest.record.recorder import Recorder
from services.ingest.record.waterline import Waterline
from services.ingest.trials import Ratings, Trials
from services.ingest.waiting import Verdicts
from services.projections.answering.reading import ViewReader
from services.projections.building.rebuild import Rebuilt, rebuild_view
from services.projections.common.tables import AttestedView
from services.projections.profiles.queries import standings_on
from services.projections.sessions.queries import rated_on
from services.projections.views import all_views
from shared.db.bell import Bell
from shared.events.decoded import DecodedVerdicts
from shared.feed.feed import Feed
from shared.feed.views import VIEWS_CHANNEL
from shared.log.kafka.cluster import KafkaCluster
from shared.log.kafka.copier import FactCopier
from shared.log.kafka.logs import KafkaFactLog, KafkaVerdictLog
from shared.log.kafka.topics import check_topics, cluster_id
from shared.log.place import (
    KafkaPlace,
    check_cluster,
    check_in_tables,
    check_on_kafka,
    read_place,
)
from shared.log.port import Log, VerdictLog
from shared.log.postgres import (
    FACTS_CHANNEL,
    VERDICTS_CHANNEL,
    PostgresFactLog,
    PostgresVerdictLog,
)
from shared.log.same_history import check_same_history
from shared.settings import Settings

# Where the logs tell that they have grown, and the views that they have moved.
CHANNELS: Final = (FACTS_CHANNEL, VERDICTS_CHANNEL, VIEWS_CHANNEL)
FACT_CHANNELS: Final = (FACTS_CHANNEL,)
VIEW_CHANNELS: Final = (VIEWS_CHANNEL,)

TopicName = Literal["facts", "verdicts"]


async def rebuild(
    view_name: str,
    *,
    settings: Settings,
    pool: asyncpg.Pool,
    progress: Callable[[str, int, int], None],
) -> Rebuilt:
    """Build a view again from the verdicts, wherever they are, and tell what that found."""
    if await read_place(pool) is None:
        log = PostgresVerdictLog(pool, Bell())
        return await rebuild_view(view_name, pool=pool, log=log, progress=progress)
    async with kafka_service(settings, pool, follows=["verdicts"]) as service:
        verdicts = service.logs.verdicts
        return await rebuild_view(view_name, pool=pool, log=verdicts, progress=progress)


@dataclass(frozen=True, slots=True)
class OnKafka:
    """Where the logs are, by the settings and by what stands in the database."""

    cluster: KafkaCluster
    place: KafkaPlace


@dataclass(frozen=True, slots=True)
class Logs:
    """The logs that a service stands on.

    `recorded` is the table that ingest writes facts into. `facts` is where the rater reads them:
    that table too, or the topic that the relay copies it to. `kafka` is None where all are tables.
    """

    recorded: Log
    facts: Log
    verdicts: VerdictLog
    kafka: OnKafka | None = None


@dataclass(frozen=True, slots=True)
class Service:
    """Everything that Mahjic is made of, on one database; a role runs some of it."""

    settings: Settings
    pool: asyncpg.Pool
    bell: Bell
    logs: Logs
    verdicts: Verdicts
    waterline: Waterline
    recorder: Recorder
    headway: Headway
    session_ids: SessionIds
    trials: Trials
    reader: ViewReader
    views: Sequence[AttestedView]
    feed: Feed
    registry: CollectorRegistry
    # Set once this process may rate.
    is_rating: asyncio.Event
    # Set once it is told to stop.
    stopping: asyncio.Event


def table_service(settings: Settings, pool: asyncpg.Pool) -> Service:
    """Return a service whose logs are tables of its database; nothing runs yet."""
    bell = Bell()
    facts, verdicts = PostgresFactLog(pool, bell), PostgresVerdictLog(pool, bell)
    return _build(settings, pool, bell, Logs(facts, facts, verdicts), all_views())


@asynccontextmanager
async def kafka_service(
    settings: Settings,
    pool: asyncpg.Pool,
    *,
    follows: Sequence[TopicName],
    views: Sequence[AttestedView] | None = None,
) -> AsyncIterator[Service]:
    """Give a service whose logs are on Kafka; the topics that it follows can be read meanwhile.

    Raises KafkaNotInitialised, KafkaMoveUnfinished or WrongPrefix.
    """
    cluster, bell = KafkaCluster(settings), Bell()
    place = await check_on_kafka(pool, cluster.prefix)
    recorded = PostgresFactLog(pool, bell)
    log_id = (await recorded.beginning()).log_id
    facts, verdicts = KafkaFactLog(cluster, log_id), KafkaVerdictLog(cluster, log_id, pool)
    async with AsyncExitStack() as following:
        if "facts" in follows:
            await following.enter_async_context(facts)
        if "verdicts" in follows:
            await following.enter_async_context(verdicts)
        logs = Logs(recorded, facts, verdicts, OnKafka(cluster, place))
        yield _build(settings, pool, bell, logs, views or all_views())


def _build(
    settings: Settings,
    pool: asyncpg.Pool,
    bell: Bell,
    logs: Logs,
    views: Sequence[AttestedView],
) -> Service:
    waterline = Waterline()
    # On Kafka no process both waits for verdicts and shows them.
    decoded = DecodedVerdicts() if logs.kafka is None else None
    reader = ViewReader(pool, all_views(), bell)
    return Service(
        settings=settings,
        pool=pool,
        bell=bell,
        logs=logs,
        verdicts=Verdicts(logs.verdicts, decoded),
        waterline=waterline,
        recorder=Recorder(
            pool,
            ids_and_times(),
            waterline,
            group_max=settings.group_submissions_max,
            queue_max=settings.queue_submissions_max,
            lines_max=settings.queue_lines_max,
            wait_s_max=settings.database_wait_s_max,
            foreign_refusals_max=settings.foreign_refusals_per_day,
        ),
        headway=Headway(waterline, facts_max=settings.batch_ahead_facts_max),
        session_ids=SessionIds(),
        trials=Trials(
            pool,
            Ratings(partial(standings_on, reader), partial(rated_on, reader)),
            limit_per_minute=settings.dry_run_limit_per_minute,
        ),
        reader=reader,
        views=views,
        feed=Feed(pool, logs.verdicts, views, decoded=decoded),
        registry=CollectorRegistry(),
        is_rating=asyncio.Event(),
        stopping=asyncio.Event(),
    )


async def check_place(service: Service) -> None:
    """Check that the logs are where the service looks.

    Raises LogsOnKafka, WrongCluster or LogAway.
    """
    kafka = service.logs.kafka
    if kafka is None:
        await check_in_tables(service.pool)
    else:
        check_cluster(kafka.place, await cluster_id(kafka.cluster))


async def check_topics_safe(service: Service) -> None:
    """Check that the topics keep every record. Raises TopicUnsafe and LogAway."""
    kafka = service.logs.kafka
    assert kafka is not None, "There are no topics without Kafka."
    await check_topics(kafka.cluster)


async def check_copy(service: Service) -> None:
    """Check that the topic of facts is a copy of the table. Raises HistorySplit and LogAway."""
    logs = service.logs
    assert logs.kafka is not None, "Only Kafka holds a copy."
    await check_same_history(
        logs.recorded,
        logs.facts,
        log_name="the table mahjic.facts",
        copy_name=f"The topic {logs.kafka.cluster.facts_topic}",
    )


async def find_end_of_verdicts(service: Service) -> None:
    """Note where the verdicts end: whoever submits from now on misses none. Raises LogAway."""
    await service.verdicts.find_end()


def open_copy(service: Service) -> FactCopier:
    """Return what copies facts to their topic."""
    kafka = service.logs.kafka
    assert kafka is not None, "Only Kafka holds a copy."
    return FactCopier(kafka.cluster)
