"""Finds what a failure has left behind in this process or in the database."""

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg

from tests.log.deadlines import until


@asynccontextmanager
async def no_tasks_left() -> AsyncIterator[None]:
    """Check that what was done inside has ended all its tasks, and has closed what it opened."""
    before = asyncio.all_tasks()
    yield

    async def none_is_left() -> bool:
        # What was not closed complains when it is collected, and pytest makes that an error.
        gc.collect()
        return not asyncio.all_tasks() - before

    await until(none_is_left)


async def assert_nobody_is_writer(pool: asyncpg.Pool) -> None:
    """Check that no lock on the right to write verdicts is held, nor a sign of a writer's life."""
    async with pool.acquire() as connection, connection.transaction():
        await connection.execute("SELECT epoch FROM mahjic.rater FOR UPDATE NOWAIT")
        locks = await connection.fetchval(
            "SELECT count(*) FROM pg_locks JOIN pg_database d ON d.oid = database "
            "WHERE locktype = 'advisory' AND datname = current_database()"
        )
        assert locks == 0
