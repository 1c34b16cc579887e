"""Builds what the commands run on, from the settings; the only module that names an adapter."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, Literal

import asyncpg
from prometheus_client import CollectorRegistry

from services.database import address_hashes, ids_and_times, mail_way
from services.ingest.record.headway import Headway
from services.ingest.record.ids_and_times import IdsAndTimes, SessionIds
from services.ingest.record.recorder import Recorder
from services.ingest.record.waterline import Waterline
from services.ingest.sheets.reader import SheetReader
from services.ingest.trials import Ratings, Trials
from services.ingest.waiting import Verdicts
from services.logs import OnKafka, ServiceLogs
from services.mail.ways import MailWay
from services.projections.answering.reading import ViewReader
from services.projections.building.rebuild import Rebuilt, rebuild_view
from services.projections.common.tables import AttestedView
from services.projections.profiles.queries import standings_on
from services.projections.sessions.queries import rated_on
from services.projections.views import all_views
from services.site.kit.lateness import Lateness
from services.site.kit.origin import Origin
from services.site.previews.painter import PreviewPainter
from services.transparency.folder import TransparencyFolder
from services.transparency.public_logs import PublicLogs
from services.verification.documents import DocumentHashes
from services.verification.room import StripeAccount
from services.verification.stripe.inbox import STRIPE_CHANNEL
from shared.db.bell import Bell
from shared.db.sandbox import SandboxClock
from shared.events.decoded import DecodedVerdicts
from shared.feed.feed import Feed
from shared.feed.views import VIEWS_CHANNEL
from shared.log.kafka.cluster import KafkaCluster
from shared.log.kafka.copier import FactCopier
from shared.log.kafka.logs import KafkaFactLog, KafkaVerdictLog
from shared.log.place import check_on_kafka, read_place
from shared.log.postgres import (
    FACTS_CHANNEL,
    VERDICTS_CHANNEL,
    PostgresFactLog,
    PostgresVerdictLog,
)
from shared.mail.outbox import MAIL_CHANNEL, MailOutbox
from shared.notices.writing import NOTICES_CHANNEL
from shared.settings import Settings

# The channels on which logs and the outbox say that they grew, and views that they moved.
CHANNELS: Final = (
    FACTS_CHANNEL,
    VERDICTS_CHANNEL,
    VIEWS_CHANNEL,
    MAIL_CHANNEL,
    NOTICES_CHANNEL,
    STRIPE_CHANNEL,
)
FACT_CHANNELS: Final = (FACTS_CHANNEL,)
VIEW_CHANNELS: Final = (VIEWS_CHANNEL,)
VERIFICATION_CHANNELS: Final = (STRIPE_CHANNEL, VERDICTS_CHANNEL)
SITE_CHANNELS: Final = (VIEWS_CHANNEL, VERDICTS_CHANNEL)

TopicName = Literal["facts", "verdicts"]


async def rebuild(
    view_name: str,
    *,
    settings: Settings,
    pool: asyncpg.Pool,
    progress: Callable[[str, int, int], None],
) -> Rebuilt:
    """Build a view again from the verdicts, wherever they are, and return what that found."""
    if await read_place(pool) is None:
        log = PostgresVerdictLog(pool, Bell())
        return await rebuild_view(view_name, pool=pool, log=log, progress=progress)
    async with kafka_service(settings, pool, follows=["verdicts"]) as service:
        verdicts = service.logs.verdicts
        return await rebuild_view(view_name, pool=pool, log=verdicts, progress=progress)


@dataclass(frozen=True, slots=True)
class Process:
    """What every process has, whatever it does."""

    settings: Settings
    pool: asyncpg.Pool
    bell: Bell
    registry: CollectorRegistry
    # Where people find the site.
    origin: Origin
    # Whether the site shows what is on record.
    lateness: Lateness
    # What causes a mail writes it there, and how it leaves from there.
    outbox: MailOutbox
    mail_way: MailWay
    # Where people pay to be Verified; nowhere, unless the settings say where.
    stripe_account: StripeAccount | None
    # The public logs, as they are read.
    public_logs: PublicLogs
    # The clock of a sandbox; None if this is a live service.
    sandbox: SandboxClock | None
    # Set once it may rate.
    is_rating: asyncio.Event
    # Set once what people who log in change can be written.
    is_open: asyncio.Event
    # Set once it is told to stop.
    stopping: asyncio.Event


@dataclass(frozen=True, slots=True)
class Recording:
    """What takes claims: it reads, tries or records them, and waits for their verdicts."""

    recorder: Recorder
    waterline: Waterline
    headway: Headway
    trials: Trials
    verdicts: Verdicts
    ids_and_times: IdsAndTimes
    session_ids: SessionIds
    sheets: SheetReader


@dataclass(frozen=True, slots=True)
class Views:
    """What shows the views, and what keeps some of them up with the verdicts."""

    reader: ViewReader
    kept: Sequence[AttestedView]
    feed: Feed


@dataclass(frozen=True, slots=True)
class Service:
    """Everything Mahjic is made of, on one database; a role runs some of it."""

    process: Process
    logs: ServiceLogs
    recording: Recording
    views: Views
    painter: PreviewPainter

    def with_figures_apart(self) -> "Service":
        """Return the same for a second application, whose metrics would have the same names."""
        return replace(self, process=replace(self.process, registry=CollectorRegistry()))


def table_service(
    settings: Settings, pool: asyncpg.Pool, sandbox: SandboxClock | None = None
) -> Service:
    """Return a service whose logs are tables of its database; nothing runs yet.

    It is live, unless it is given the clock of a sandbox.
    """
    bell = Bell()
    facts, verdicts = PostgresFactLog(pool, bell), PostgresVerdictLog(pool, bell)
    return _build(
        settings, pool, bell, ServiceLogs(facts, facts, verdicts), all_views(), sandbox=sandbox
    )


@asynccontextmanager
async def kafka_service(
    settings: Settings,
    pool: asyncpg.Pool,
    *,
    follows: Sequence[TopicName],
    views: Sequence[AttestedView] | None = None,
) -> AsyncIterator[Service]:
    """Give a service whose logs are on Kafka; the topics that it follows can be read meanwhile.

    Raises KafkaNotInitialized, KafkaMoveUnfinished or WrongPrefix.
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
        logs = ServiceLogs(recorded, facts, verdicts, OnKafka(cluster, place))
        yield _build(settings, pool, bell, logs, views or all_views())


def _build(
    settings: Settings,
    pool: asyncpg.Pool,
    bell: Bell,
    logs: ServiceLogs,
    kept: Sequence[AttestedView],
    *,
    sandbox: SandboxClock | None = None,
) -> Service:
    # On Kafka, no process both waits for verdicts and shows them.
    decoded = DecodedVerdicts() if logs.kafka is None else None
    made = ids_and_times()
    if sandbox is not None:
        made = replace(made, now=sandbox.now)
    reader = ViewReader(pool, all_views(), bell)
    return Service(
        process=Process(
            settings,
            pool,
            bell,
            CollectorRegistry(),
            Origin(settings.public_url, settings.port),
            Lateness(),
            MailOutbox(address_hashes(settings), made.now, keeps_causes=sandbox is not None),
            mail_way(settings, is_sandbox=sandbox is not None),
            # Nobody pays, or shows a document, to try something out.
            None if sandbox is not None else _stripe_account(settings),
            _public_logs(settings),
            sandbox,
            asyncio.Event(),
            asyncio.Event(),
            asyncio.Event(),
        ),
        logs=logs,
        recording=_recording(settings, pool, made, reader, Verdicts(logs.verdicts, decoded)),
        views=Views(reader, kept, Feed(pool, logs.verdicts, kept, decoded=decoded)),
        painter=PreviewPainter(),
    )


def _public_logs(settings: Settings) -> PublicLogs:
    path = settings.transparency
    folder = None if path is None else TransparencyFolder(path.expanduser())
    return PublicLogs(folder, settings.witnesses)


def _stripe_account(settings: Settings) -> StripeAccount | None:
    key, secrets = settings.stripe_key, settings.stripe_webhook_secrets
    price, hash_key = settings.stripe_price, settings.identity_hash_key
    if key is None or secrets is None or price is None or hash_key is None:
        return None
    # Stripe's library takes 0.1 s to import, and few services are paid.
    from services.verification.stripe.adapter import StripeSdk  # noqa: PLC0415

    return StripeAccount(
        StripeSdk(key.get_secret_value(), price, settings.stripe_api_base),
        tuple(each.get_secret_value() for each in secrets),
        DocumentHashes(hash_key.get_secret_value().encode()),
    )


def _recording(
    settings: Settings,
    pool: asyncpg.Pool,
    made: IdsAndTimes,
    reader: ViewReader,
    verdicts: Verdicts,
) -> Recording:
    waterline = Waterline()
    return Recording(
        recorder=Recorder(
            pool,
            made,
            waterline,
            group_max=settings.group_submissions_max,
            queue_max=settings.queue_submissions_max,
            lines_max=settings.queue_lines_max,
            wait_s_max=settings.database_wait_s_max,
            foreign_refusals_max=settings.foreign_refusals_per_day,
        ),
        waterline=waterline,
        headway=Headway(waterline, facts_max=settings.batch_ahead_facts_max),
        trials=Trials(
            pool,
            Ratings(partial(standings_on, reader), partial(rated_on, reader)),
            limit_per_minute=settings.dry_run_limit_per_minute,
        ),
        verdicts=verdicts,
        ids_and_times=made,
        session_ids=SessionIds(),
        sheets=SheetReader(settings),
    )


def open_copy(logs: ServiceLogs) -> FactCopier:
    """Return a copier of facts to their topic."""
    return FactCopier(logs.on_kafka.cluster)
