"""Whoever sees to an enrollment has its lock for that long, and not a moment longer."""

import asyncio

import pytest

from services.database import ids_and_times
from services.ingest.record.waterline import Waterline
from services.verification.work.attending import BeingSeenToError, locked
from shared.db.locks import ENROLLMENT_LOCK
from tests.conftest import Database
from tests.log.deadlines import until
from tests.verification.deciding import room_on

pytestmark = pytest.mark.starts_servers

HELD = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid = $1"
ONE, OTHER = "enr_1", "enr_2"


async def held(database: Database) -> int:
    return int(await database.pool.fetchval(HELD, ENROLLMENT_LOCK))


async def until_free(database: Database) -> None:
    """Wait until nobody has a lock; a connection that is closed takes a moment to go."""

    async def is_free() -> bool:
        return await held(database) == 0

    await until(is_free)


async def test_a_second_one_waits_until_the_first_is_done(database: Database) -> None:
    room = room_on(database.pool, Waterline(), ids_and_times())
    async with locked(room, ONE):
        with pytest.raises(BeingSeenToError):
            async with locked(room, ONE):
                pass
        async with locked(room, OTHER):
            assert await held(database) == 2
    await until_free(database)
    # Whichever connections of the pool they get.
    async with locked(room, OTHER), locked(room, ONE):
        pass


@pytest.mark.parametrize("error", [ValueError, asyncio.CancelledError])
async def test_it_is_given_back_after_whatever_goes_wrong(
    database: Database, error: type[BaseException]
) -> None:
    room = room_on(database.pool, Waterline(), ids_and_times())
    with pytest.raises(error):
        async with locked(room, ONE) as connection, connection.transaction():
            raise error
    await until_free(database)


async def test_it_is_given_back_by_whoever_is_canceled_while_doing_so(database: Database) -> None:
    room = room_on(database.pool, Waterline(), ids_and_times())
    has_it = asyncio.Event()

    async def hold() -> None:
        async with locked(room, ONE):
            has_it.set()
            await asyncio.Event().wait()

    holding = asyncio.create_task(hold())
    await has_it.wait()
    for _ in range(2):
        holding.cancel()
        await asyncio.sleep(0)
    with pytest.raises(asyncio.CancelledError):
        await holding
    await until_free(database)
    # Nor is the connection lost to all others.
    assert database.pool.get_idle_size() == database.pool.get_size()
