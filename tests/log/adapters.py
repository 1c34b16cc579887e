"""The logs that every promise is held against; a new adapter is one more fixture and one name."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Literal, Protocol

import asyncpg
import pytest

from shared.db.bell import Bell, listening
from shared.log.memory import MemoryFactLog, MemoryVerdictLog
from shared.log.port import FactLog, Record, VerdictLog
from shared.log.postgres import (
    FACTS_CHANNEL,
    VERDICTS_CHANNEL,
    PostgresFactLog,
    PostgresVerdictLog,
    found_logs,
)
from tests.conftest import Database
from tests.kafka.broker import Broker
from tests.log.deadlines import until
from tests.log.on_kafka import KafkaLogs, a_cluster, new_kafka_logs

LOG_ID = "log-of-a-test"
ADAPTERS = ("memory_logs", "postgres_logs", "kafka_logs")

LogName = Literal["facts", "verdicts"]


class Harm(Protocol):
    """What no program of ours does to a log, but a bad disk, backup or hand may."""

    async def alter(self, log: LogName, seq: int, body: bytes) -> None:
        """Put other bytes in the place of a record's; the chain stays."""

    async def remove(self, log: LogName, seq: int) -> None:
        """Take one record out."""

    async def cut(self, log: LogName, after_seq: int) -> None:
        """Take out all records after `after_seq`."""


class Logs(Protocol):
    """Both logs of one system, new and empty, and the harm that can be done to them."""

    @property
    def facts(self) -> FactLog: ...
    @property
    def verdicts(self) -> VerdictLog: ...
    @property
    def harm(self) -> Harm: ...


@dataclass(frozen=True, slots=True)
class TheseLogs:
    """Both logs, and the harm."""

    facts: FactLog
    verdicts: VerdictLog
    harm: Harm


class MemoryHarm:
    """Harm to the lists of the memory logs."""

    def __init__(self, facts: MemoryFactLog, verdicts: MemoryVerdictLog) -> None:
        self._records = {"facts": facts._records, "verdicts": verdicts._records}

    async def alter(self, log: LogName, seq: int, body: bytes) -> None:
        held = self._records[log][seq - 1]
        self._records[log][seq - 1] = Record(seq, held.chain, body)

    async def remove(self, log: LogName, seq: int) -> None:
        del self._records[log][seq - 1]

    async def cut(self, log: LogName, after_seq: int) -> None:
        del self._records[log][after_seq:]


class PostgresHarm:
    """Harm by a superuser who goes around the triggers."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool

    async def alter(self, log: LogName, seq: int, body: bytes) -> None:
        await self._do(f"UPDATE mahjic.{log} SET body = $2 WHERE seq = $1", seq, body)

    async def remove(self, log: LogName, seq: int) -> None:
        await self._do(f"DELETE FROM mahjic.{log} WHERE seq = $1", seq)

    async def cut(self, log: LogName, after_seq: int) -> None:
        await self._do(f"DELETE FROM mahjic.{log} WHERE seq > $1", after_seq)

    async def _do(self, statement: str, *values: object) -> None:
        async with self._pool.acquire() as connection, connection.transaction():
            await connection.execute("SET LOCAL session_replication_role = replica")
            await connection.execute(statement, *values)


def new_memory_logs(log_id: str = LOG_ID) -> Logs:
    facts, verdicts = MemoryFactLog(log_id), MemoryVerdictLog(log_id)
    return TheseLogs(facts, verdicts, MemoryHarm(facts, verdicts))


@asynccontextmanager
async def new_postgres_logs(pool: asyncpg.Pool, log_id: str = LOG_ID) -> AsyncIterator[Logs]:
    async with pool.acquire() as connection, connection.transaction():
        await found_logs(connection, log_id)
    bell = Bell()
    async with listening(pool, bell, (FACTS_CHANNEL, VERDICTS_CHANNEL)):
        await until(lambda: _listens(pool))
        yield TheseLogs(
            PostgresFactLog(pool, bell), PostgresVerdictLog(pool, bell), PostgresHarm(pool)
        )


async def _listens(pool: asyncpg.Pool) -> bool:
    """Tell whether the bell's connection has said LISTEN for its last channel."""
    return bool(
        await pool.fetchval(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
            "AND state = 'idle' AND query LIKE 'LISTEN%' || $1 || '%'",
            VERDICTS_CHANNEL,
        )
    )


@pytest.fixture
def memory_logs() -> Logs:
    return new_memory_logs()


@pytest.fixture
async def postgres_logs(database: Database) -> AsyncIterator[Logs]:
    async with new_postgres_logs(database.pool) as logs:
        yield logs


@pytest.fixture
async def kafka_logs(
    database: Database, kafka_broker: Broker, kafka_prefix: str
) -> AsyncIterator[KafkaLogs]:
    async with database.pool.acquire() as connection, connection.transaction():
        await found_logs(connection, LOG_ID)  # The right to write verdicts is held there.
    cluster = a_cluster(kafka_broker.address, kafka_prefix)
    async with new_kafka_logs(cluster, LOG_ID, database.pool) as logs:
        yield logs


@pytest.fixture(params=ADAPTERS)
def logs(request: pytest.FixtureRequest) -> Logs:
    adapter: Logs = request.getfixturevalue(request.param)
    return adapter
