"""Looks into the Postgres logs, and does on a connection of the test what programs do on theirs."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg

from shared.log.port import VerdictLog, chained
from shared.log.postgres_writer import APPEND_VERDICTS
from tests.log.deadlines import until


async def bodies_of(log: VerdictLog) -> list[bytes]:
    return [record.body for record in await log.read(await log.beginning(), 10_000)]


async def sessions_that_wait_for_a_lock(pool: asyncpg.Pool) -> int:
    count: int = await pool.fetchval(
        "SELECT count(*) FROM pg_stat_activity "
        "WHERE datname = current_database() AND wait_event_type = 'Lock'"
    )
    return count


async def until_somebody_waits_for_a_lock(pool: asyncpg.Pool, sessions: int = 1) -> None:
    async def waits() -> bool:
        return await sessions_that_wait_for_a_lock(pool) == sessions

    await until(waits)


async def write_as(connection: Any, log: VerdictLog, epoch: int, body: bytes) -> None:
    """Send what the writer of an epoch sends for fact 1, on a connection of the test."""
    (record,) = chained(await log.beginning(), [body])
    moved = await connection.fetchval(
        APPEND_VERDICTS, epoch, 0, 1, 1, record.chain, [1], [record.chain], [body]
    )
    assert moved == 1


@asynccontextmanager
async def a_verdict_in_flight(
    pool: asyncpg.Pool, log: VerdictLog, body: bytes
) -> AsyncIterator[asyncpg.transaction.Transaction]:
    """Give the transaction of a verdict on fact 1 that the first writer has not committed yet."""
    async with pool.acquire() as connection:
        transaction = connection.transaction()
        await transaction.start()
        await write_as(connection, log, 1, body)
        yield transaction
