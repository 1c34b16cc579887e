"""Who is at work is seen for as long as that lasts, and by nobody else's doing."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

import asyncpg

from shared.db.locks import held_of
from shared.db.presence import show_presence
from tests.conftest import Database
from tests.log.deadlines import until

KEYS = [(77, 1), (77, 2**31 - 1)]
READ_HOLDERS = """
SELECT DISTINCT pid FROM pg_locks
WHERE locktype = 'advisory' AND classid = 77
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


@contextlib.asynccontextmanager
async def at_work(pool: asyncpg.Pool, keys: list[tuple[int, int]]) -> AsyncIterator[None]:
    working = asyncio.create_task(show_presence(pool, keys))
    try:
        yield
    finally:
        working.cancel()
        await asyncio.wait([working])


async def until_shown(database: Database, keys: list[tuple[int, int]]) -> None:
    async def is_so() -> bool:
        return await held_of(database.pool, KEYS) == set(keys)

    await until(is_so)


async def test_each_is_seen_while_anybody_shows_it(database: Database) -> None:
    async with at_work(database.pool, KEYS):
        await until_shown(database, KEYS)
        async with at_work(database.pool, KEYS[:1]):
            await until_shown(database, KEYS)
    assert await held_of(database.pool, KEYS) == set()


async def test_one_of_two_who_leaves_takes_no_sign_of_the_other_away(database: Database) -> None:
    async with at_work(database.pool, KEYS[:1]):
        await until_shown(database, KEYS[:1])
        async with at_work(database.pool, KEYS):
            await until_shown(database, KEYS)
        assert await held_of(database.pool, KEYS) == set(KEYS[:1])


async def test_a_sign_whose_connection_was_cut_comes_back(database: Database) -> None:
    async with at_work(database.pool, KEYS):
        await until_shown(database, KEYS)
        cut_off = await database.pool.fetchval(READ_HOLDERS)
        await database.pool.execute("SELECT pg_terminate_backend($1)", cut_off)

        async def is_held_anew() -> bool:
            return await database.pool.fetchval(READ_HOLDERS) not in (None, cut_off)

        await until(is_held_anew)
        await until_shown(database, KEYS)
