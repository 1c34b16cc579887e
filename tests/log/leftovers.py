"""Finds what a failure has left behind in this process or in the database."""

import asyncio
import contextlib
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

    with contextlib.suppress(TimeoutError):
        await until(none_is_left)
    left = [repr(task) for task in asyncio.all_tasks() - before]
    assert not left, "\n".join(left)


async def until_nobody_is_writer(pool: asyncpg.Pool) -> None:
    """Wait until the server has seen that nobody holds the right to write verdicts anymore."""
    await until(lambda: _nobody_is_writer(pool))


async def _nobody_is_writer(pool: asyncpg.Pool) -> bool:
    try:
        async with pool.acquire() as connection, connection.transaction():
            await connection.execute("SELECT epoch FROM mahjic.rater FOR UPDATE NOWAIT")
            lives = await connection.fetchval(
                "SELECT count(*) FROM pg_locks JOIN pg_database d ON d.oid = database "
                "WHERE locktype = 'advisory' AND datname = current_database()"
            )
    except asyncpg.LockNotAvailableError:
        return False
    return bool(lives == 0)
