"""A log of facts that was put back under a running process is not written on."""

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg
import pytest

from services.ingest.claim.people import read_person
from services.ingest.players.acts import register
from services.ingest.record.judging.judgment import Accepted
from services.ingest.record.recorder import Recorder
from services.ingest.record.waterline import Waterline
from shared.db.bell import Bell
from shared.errors import MahjicError, ServiceUnavailable
from shared.log.port import HistorySplit, Position
from shared.log.postgres import PostgresFactLog
from tests.ingest.claims import a_round, a_session
from tests.ingest.office import a_submission, ids_and_times_of, record
from tests.ingest.recovery.test_recovery import put_back
from tests.log.deadlines import deadline, until

# The formula is fact 1, and each session one more.
IDS_AND_TIMES = ids_and_times_of(random.Random(7))
LAST_FACT = "SELECT max(seq) FROM mahjic.facts"
PEOPLE = "SELECT count(*) FROM mahjic.people"


@asynccontextmanager
async def recording(pool: asyncpg.Pool) -> AsyncIterator[tuple[Recorder, "asyncio.Task[None]"]]:
    """Run a recorder, and give the task that ends when it cannot go on."""
    recorder = Recorder(
        pool,
        IDS_AND_TIMES,
        Waterline(),
        group_max=10,
        queue_max=10,
        lines_max=10,
        wait_s_max=60.0,
        foreign_refusals_max=9,
    )
    task = asyncio.create_task(recorder.run())
    try:
        yield recorder, task
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError, MahjicError):
            await task


async def play(recorder: Recorder, number: int) -> None:
    who = {f"p{number}": 2, f"q{number}": 1}
    judged = await recorder.record(a_submission(number, a_session(a_round(who))))
    assert isinstance(judged, Accepted)


async def others_play(pool: asyncpg.Pool, number: int) -> None:
    """Record a session as another process does."""
    who = {f"p{number}": 2, f"q{number}": 1}
    (judged,) = await record(pool, [a_submission(number, a_session(a_round(who)))], IDS_AND_TIMES)
    assert isinstance(judged, Accepted)


async def last_fact(pool: asyncpg.Pool) -> int:
    return int(await pool.fetchval(LAST_FACT))


async def test_a_recorder_does_not_write_where_its_own_last_fact_is_gone(
    pool: asyncpg.Pool,
) -> None:
    async with deadline(), recording(pool) as (recorder, task):
        await play(recorder, 1)
        await play(recorder, 2)
        people = await pool.fetchval(PEOPLE)
        await put_back(pool, 2)
        with pytest.raises(ServiceUnavailable):
            await play(recorder, 3)
        with pytest.raises(HistorySplit) as split:
            await task
    assert split.value.exit_code == 1
    assert "Fact 3 was on the log of this database, which now ends at fact 2" in str(split.value)
    assert "docs/operations.md" in str(split.value)
    assert await last_fact(pool) == 2
    assert await pool.fetchval(PEOPLE) == people


async def test_a_recorder_does_not_write_where_others_went_on_after_a_restore(
    pool: asyncpg.Pool,
) -> None:
    async with deadline(), recording(pool) as (recorder, task):
        await play(recorder, 1)
        await put_back(pool, 1)
        for number in (2, 3):
            await others_play(pool, number)
        with pytest.raises(ServiceUnavailable):
            await play(recorder, 4)
        with pytest.raises(HistorySplit):
            await task
    assert await last_fact(pool) == 3


async def test_what_others_write_is_no_split(pool: asyncpg.Pool) -> None:
    async with deadline(), recording(pool) as (recorder, _):
        for number in range(0, 10, 2):
            await play(recorder, number)
            await others_play(pool, number + 1)
    assert await last_fact(pool) == 11


async def test_the_operator_does_not_write_either_and_the_process_ends(
    pool: asyncpg.Pool,
) -> None:
    waterline = Waterline()
    facts = PostgresFactLog(pool, Bell())
    await others_play(pool, 1)
    await register(pool, waterline, read_person("ada@example.com"), IDS_AND_TIMES)
    people = await pool.fetchval(PEOPLE)
    await put_back(pool, 1)
    with pytest.raises(HistorySplit):
        await register(pool, waterline, read_person("bo@example.com"), IDS_AND_TIMES)
    assert await pool.fetchval(PEOPLE) == people
    async with deadline():
        with pytest.raises(HistorySplit):
            await waterline.watch(facts)


async def test_a_process_that_writes_nothing_notices_that_what_others_wrote_is_gone(
    pool: asyncpg.Pool,
) -> None:
    class Watched(PostgresFactLog):
        """A log that tells how far it was read."""

        tail_seq = 0

        async def tail(self) -> Position:
            position = await super().tail()
            self.tail_seq = position.seq
            return position

    facts = Watched(pool, Bell())
    watching = asyncio.create_task(Waterline().watch(facts))
    await others_play(pool, 1)

    async def is_seen() -> bool:
        return facts.tail_seq == 2

    await until(is_seen)
    await put_back(pool, 1)
    async with deadline():
        with pytest.raises(HistorySplit):
            await watching
