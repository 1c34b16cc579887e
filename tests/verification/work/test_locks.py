"""Whoever sees to an enrollment has its lock for that long, and not a moment longer."""

import asyncio

import pytest

from services.database import ids_and_times
from services.ingest.record.waterline import Waterline
from services.verification.work.attending import BeingSeenToError, locked
from tests.conftest import Database
from tests.verification.deciding import room_on

pytestmark = pytest.mark.starts_servers

HELD = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2"
ONE, OTHER = "enr_1", "enr_2"


async def test_a_second_one_waits_until_the_first_is_done(database: Database) -> None:
    room = room_on(database.pool, Waterline(), ids_and_times())
    async with locked(room, ONE):
        with pytest.raises(BeingSeenToError):
            async with locked(room, ONE):
                pass
        async with locked(room, OTHER):
            assert await database.pool.fetchval(HELD) == 2
    assert await database.pool.fetchval(HELD) == 0
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
    assert await database.pool.fetchval(HELD) == 0
