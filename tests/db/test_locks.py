"""Who holds an advisory lock is seen without taking it."""

import pytest

from shared.db.locks import is_held
from tests.conftest import Database


@pytest.mark.parametrize("key", [0x4D4A46, 2**40 + 3, -5])
async def test_a_lock_by_one_number_is_seen_while_it_is_held(database: Database, key: int) -> None:
    assert not await is_held(database.pool, key)
    async with database.pool.acquire() as holder:
        await holder.execute("SELECT pg_advisory_lock($1)", key)
        assert await is_held(database.pool, key)
        assert not await is_held(database.pool, key + 1)
        await holder.execute("SELECT pg_advisory_unlock($1)", key)
        assert not await is_held(database.pool, key)


async def test_a_shared_lock_by_two_numbers_is_seen_and_can_still_be_taken(
    database: Database,
) -> None:
    async with database.pool.acquire() as holder:
        await holder.execute("SELECT pg_advisory_lock_shared(77, 3)")
        assert await is_held(database.pool, (77, 3))
        assert not await is_held(database.pool, (77, 4))
        assert not await is_held(database.pool, 77 * 2**32 + 3)
        await holder.execute("SELECT pg_advisory_unlock_all()")
    assert not await is_held(database.pool, (77, 3))
