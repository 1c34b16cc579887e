"""One process at a time does a piece of work, for as long as its connection lives."""

import asyncio
import contextlib
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

import pytest

from shared.db.pool import open_pool
from shared.db.turns import in_turn
from tests.conftest import Database
from tests.log.deadlines import deadline
from tests.log.postgres.broken_line import Loss, broken_line

KEY = 4711
KILL = """
SELECT pg_terminate_backend(pid) FROM pg_locks
WHERE locktype = 'advisory' AND granted AND objid = 4711
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


class WorkFailed(Exception):
    """What the work of these tests fails with."""


@dataclass
class Worker:
    """Works forever in its turn, and tells when it does."""

    at_work: list["Worker"]
    is_working: asyncio.Event = field(default_factory=asyncio.Event)
    fails: asyncio.Event = field(default_factory=asyncio.Event)

    async def work(self) -> NoReturn:
        self.at_work.append(self)
        assert self.at_work == [self], "Two work at once."
        self.is_working.set()
        try:
            await self.fails.wait()
            raise WorkFailed
        finally:
            await asyncio.sleep(0)
            self.at_work.remove(self)
            self.is_working.clear()


@asynccontextmanager
async def a_process(database: Database, worker: Worker) -> AsyncIterator["asyncio.Task[None]"]:
    """Let a worker wait for its turn, on connections of its own."""
    pool = await open_pool(database.dsn, application_name="mahjic test", size_max=2)
    task = asyncio.create_task(in_turn(pool, KEY, "test", worker.work))
    try:
        yield task
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError, WorkFailed):
            await task
        pool.terminate()


async def test_the_second_waits_until_the_first_has_ended(database: Database) -> None:
    at_work: list[Worker] = []
    first, second = Worker(at_work), Worker(at_work)
    async with deadline(), a_process(database, first) as one:
        await first.is_working.wait()
        async with a_process(database, second):
            # Nobody else is let in, as often as they ask.
            assert not await database.pool.fetchval("SELECT pg_try_advisory_lock($1)", KEY)
            assert at_work == [first]
            one.cancel()
            await second.is_working.wait()
            assert at_work == [second]


async def test_whoever_loses_the_connection_stops_before_anything_else(
    database: Database,
) -> None:
    at_work: list[Worker] = []
    first, second = Worker(at_work), Worker(at_work)
    async with deadline(), a_process(database, first) as one:
        await first.is_working.wait()
        assert await database.pool.fetchval(KILL)
        await one
        assert at_work == []
        # Only now: the server gives the turn away before the first can have heard of it.
        async with a_process(database, second):
            await second.is_working.wait()
            assert at_work == [second]


async def test_the_failure_of_the_work_is_raised_and_the_turn_given_back(
    database: Database,
) -> None:
    at_work: list[Worker] = []
    first, second = Worker(at_work), Worker(at_work)
    async with deadline(), a_process(database, first) as one:
        await first.is_working.wait()
        first.fails.set()
        with pytest.raises(WorkFailed):
            await one
        async with a_process(database, second):
            await second.is_working.wait()


async def test_while_the_database_is_away_it_returns_for_whoever_tries_again(
    database: Database,
) -> None:
    worker = Worker([])
    with tempfile.TemporaryDirectory(prefix="mahjic-", dir="/tmp") as folder:
        async with broken_line(database.dsn, Path(folder)) as (line, dsn), deadline():
            pool = await open_pool(dsn, application_name="mahjic test", size_max=1)
            await pool.expire_connections()
            line.plan(*[(0, Loss.REQUEST)] * 1000)
            for _ in range(2):
                await in_turn(pool, KEY, "test", worker.work)
                assert not worker.is_working.is_set()
            line.plan()
            task = asyncio.create_task(in_turn(pool, KEY, "test", worker.work))
            await worker.is_working.wait()
            task.cancel()
            await asyncio.wait([task])
            pool.terminate()
