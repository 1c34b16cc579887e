"""Opens what there is, for looking only: nothing is created, nothing is migrated."""

import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass

import asyncpg

from services.database import NothingThere, folder_without_database, open_server
from services.operating.kafka.needed import check_cluster_named
from services.operating.kafka.pairs import open_pairs
from shared.db.bell import Bell
from shared.db.pool import close_pool, open_pool
from shared.log.kafka.cluster import KafkaCluster
from shared.log.kafka.topics import cluster_id
from shared.log.place import check_cluster, check_prefix, read_place
from shared.log.port import Log, LogToRead, Position
from shared.log.postgres import PostgresFactLog, PostgresVerdictLog
from shared.settings import Settings

CONNECTIONS_MAX = 4


@dataclass(frozen=True, slots=True)
class LogsToRead:
    """Both logs from their beginnings on, and the positions where they end."""

    facts: LogToRead
    verdicts: LogToRead
    facts_end: Position
    verdicts_end: Position


@dataclass(frozen=True, slots=True)
class BothLogs(LogsToRead):
    """Both logs of a service, and the positions where they ended when they were opened."""

    facts: Log
    verdicts: Log


@contextlib.asynccontextmanager
async def open_as_it_is(settings: Settings, command: str) -> AsyncIterator[asyncpg.Pool]:
    """Give connections to the database for a command. Raises NothingThere."""
    if (folder := folder_without_database(settings)) is not None:
        raise NothingThere(f"The folder {folder}")
    async with open_server(settings, role="join") as dsn:
        pool = await open_pool(dsn, application_name=f"mahjic {command}", size_max=CONNECTIONS_MAX)
        try:
            yield pool
        finally:
            await close_pool(pool)


@contextlib.asynccontextmanager
async def open_logs(settings: Settings, command: str) -> AsyncIterator[BothLogs]:
    """Give both logs, wherever they are, for a command to read.

    Raises NothingThere, errors about the cluster that they are on, and LogAway.
    """
    async with open_as_it_is(settings, command) as pool, open_logs_on(settings, pool) as logs:
        yield logs


@contextlib.asynccontextmanager
async def open_logs_on(settings: Settings, pool: asyncpg.Pool) -> AsyncIterator[BothLogs]:
    """Give both logs of an opened database, wherever they are. Raises what `open_logs` does."""
    try:
        place = await read_place(pool)
        is_founded = await pool.fetchval("SELECT count(*) FROM mahjic.head")
    except (asyncpg.UndefinedTableError, asyncpg.InvalidSchemaNameError):
        raise NothingThere("The database") from None
    if not is_founded:
        raise NothingThere("The database")
    facts, verdicts = PostgresFactLog(pool, Bell()), PostgresVerdictLog(pool, Bell())
    if place is None or not place.is_moved:
        yield await _both(facts, verdicts)
        return
    check_cluster_named(settings)
    cluster = KafkaCluster(settings)
    check_prefix(place, cluster.prefix)
    check_cluster(place, await cluster_id(cluster))
    async with open_pairs(pool, cluster) as pairs:
        yield await _both(facts, pairs.verdict_topic)


async def _both(facts: Log, verdicts: Log) -> BothLogs:
    """Read first where the verdicts end: the facts they answer are then on the log of facts."""
    verdicts_end = await verdicts.tail()
    return BothLogs(facts, verdicts, await facts.tail(), verdicts_end)
