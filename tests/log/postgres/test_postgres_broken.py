"""The Postgres logs when connections break and the server is away: nothing lost, nothing twice."""

import asyncio
import random
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import asyncpg
import pytest

from shared.db.bell import Bell
from shared.db.migrations import migrate
from shared.db.pool import open_pool
from shared.db.server.embedded import embedded_server
from shared.log.port import HistorySplit, LogAway, WriterReplaced
from shared.log.postgres import (
    PostgresFactLog,
    PostgresVerdictLog,
    found_logs,
    lock_head,
)
from shared.log.postgres_writer import PAGE_BYTES, PostgresVerdictWriter
from shared.log.right import RatingTakenOver
from tests.conftest import Database
from tests.log.adapters import LOG_ID, Logs
from tests.log.chances import seeded_chance
from tests.log.deadlines import deadline
from tests.log.postgres.broken_line import BrokenLine, Loss, broken_line
from tests.log.postgres.on_postgres import (
    a_verdict_in_flight,
    bodies_of,
    until_somebody_waits_for_a_lock,
)
from tests.rater.running import all_bodies

VICTIM = "mahjic victim"


@asynccontextmanager
async def verdicts_over_a_broken_line(
    database: Database, folder: Path
) -> AsyncIterator[tuple[BrokenLine, PostgresVerdictLog]]:
    async with broken_line(database.dsn, folder) as (line, dsn):
        pool = await open_pool(dsn, application_name=VICTIM, size_max=5)
        try:
            yield line, PostgresVerdictLog(pool, Bell())
        finally:
            pool.terminate()


@pytest.mark.parametrize("loss", list(Loss))
@pytest.mark.parametrize("messages", [0, 1, 2])
async def test_a_connection_lost_during_an_append_loses_and_doubles_nothing(
    postgres_logs: Logs, database: Database, line_folder: Path, messages: int, loss: Loss
) -> None:
    async with verdicts_over_a_broken_line(database, line_folder) as (line, verdicts):
        writer = await verdicts.open_writer("one")
        line.plan((messages, loss))
        async with deadline():
            await writer.append([b"1", b"2"], fact_seq=1)
            await writer.append([b"3"], fact_seq=2)
            await writer.append([b"4"], fact_seq=3)
        assert line.losses == 1
        assert writer.fact_seq == 3
        assert await bodies_of(postgres_logs.verdicts) == [b"1", b"2", b"3", b"4"]
        await writer.close()


# A page is several chunks of the line, and half a page has no answer to lose.
@pytest.mark.parametrize("loss", [Loss.REQUEST, Loss.NEWS])
@pytest.mark.parametrize("messages", range(0, 12, 3))
async def test_a_connection_lost_between_the_pages_of_an_append_loses_and_doubles_nothing(
    postgres_logs: Logs, database: Database, line_folder: Path, messages: int, loss: Loss
) -> None:
    pages = [bytes([number]) * PAGE_BYTES for number in range(4)]
    async with verdicts_over_a_broken_line(database, line_folder) as (line, verdicts):
        writer = await verdicts.open_writer("one")
        line.plan((messages, loss))
        async with deadline():
            await writer.append(pages, fact_seq=1)
            await writer.append([b"next"], fact_seq=2)
        assert await all_bodies(postgres_logs.verdicts) == [*pages, b"next"]
        await writer.close()


async def test_a_connection_lost_again_and_again_loses_and_doubles_nothing(
    postgres_logs: Logs, database: Database, line_folder: Path
) -> None:
    chance = seeded_chance()
    async with verdicts_over_a_broken_line(database, line_folder) as (line, verdicts):
        writer = await verdicts.open_writer("one")
        written = []
        for fact_seq in range(1, 9):
            planned = [(chance.randrange(9), chance.choice(list(Loss))) for _ in range(2)]
            line.plan((0, chance.choice(list(Loss))), *planned)
            written.append(str(fact_seq).encode())
            async with deadline():
                await writer.append(written[-1:], fact_seq=fact_seq)
        line.plan()
        assert line.losses >= 8
        assert await bodies_of(postgres_logs.verdicts) == written
        await writer.close()


async def test_a_statement_that_comes_through_after_its_connection_broke_is_taken_as_ours(
    postgres_logs: Logs, database: Database
) -> None:
    verdicts = postgres_logs.verdicts
    writer = await verdicts.open_writer("one")
    async with a_verdict_in_flight(database.pool, verdicts, b"verdict") as transaction:
        again = asyncio.create_task(writer.append([b"verdict"], fact_seq=1))
        await until_somebody_waits_for_a_lock(database.pool)
        await transaction.commit()
    async with deadline():
        await again
    await writer.append([b"next"], fact_seq=2)
    assert await bodies_of(verdicts) == [b"verdict", b"next"]
    await writer.close()


async def test_a_writer_that_finds_an_older_database_stops(
    postgres_logs: Logs, database: Database
) -> None:
    writer = await postgres_logs.verdicts.open_writer("one")
    backup = await database.pool.fetchrow("SELECT * FROM mahjic.rater")
    assert backup is not None
    await writer.append([b"1"], fact_seq=1)
    await postgres_logs.harm.cut("verdicts", after_seq=0)
    await database.pool.execute(
        "UPDATE mahjic.rater SET fact_seq = 0, verdict_seq = 0, verdict_chain = $1",
        backup["verdict_chain"],
    )
    async with deadline():
        with pytest.raises(HistorySplit, match=r"docs/operations\.md"):
            await writer.append([b"2"], fact_seq=2)
    assert await bodies_of(postgres_logs.verdicts) == []
    await writer.close()


async def test_a_writer_whose_connection_broke_still_finds_out_that_it_was_replaced(
    postgres_logs: Logs, database: Database, line_folder: Path
) -> None:
    async with verdicts_over_a_broken_line(database, line_folder) as (line, verdicts):
        first = await verdicts.open_writer("one")
        second = await postgres_logs.verdicts.open_writer("two")
        line.plan((0, Loss.REQUEST))
        async with deadline():
            with pytest.raises(WriterReplaced):
                await first.append([b"late"], fact_seq=1)
        assert line.losses == 1
        assert await bodies_of(postgres_logs.verdicts) == []
        await first.close()
        await second.close()


async def test_sessions_ended_at_random_instants_lose_and_double_nothing(
    postgres_logs: Logs, database: Database
) -> None:
    chance = seeded_chance()
    pool = await open_pool(database.dsn, application_name=VICTIM, size_max=6)
    facts, verdicts = PostgresFactLog(pool, Bell()), PostgresVerdictLog(pool, Bell())
    everything = [f"{name} {number}".encode() for name in range(4) for number in range(15)]
    work = asyncio.gather(
        write_one_by_one(verdicts, 25),
        *(append_in_spite_of_all(facts, database.pool, everything[n::4]) for n in range(4)),
    )
    kills = 0
    async with deadline():
        # Not forever: on a busy machine they might come faster than any work is done.
        while not work.done() and kills < 25:
            kills += await end_one_session(database.pool, chance)
            # The instant of the next one is what is random here; nothing is waited for.
            await asyncio.sleep(chance.random() * 0.03)
        await work
    assert kills >= 5
    pool.terminate()
    read = await postgres_logs.facts.read(await postgres_logs.facts.beginning(), 1000)
    assert [record.seq for record in read] == list(range(1, len(everything) + 1))
    assert sorted(record.body for record in read) == sorted(everything)
    assert await bodies_of(postgres_logs.verdicts) == [str(n).encode() for n in range(1, 26)]


async def end_one_session(pool: asyncpg.Pool, chance: random.Random) -> int:
    rows = await pool.fetch(
        "SELECT pid FROM pg_stat_activity "
        "WHERE datname = current_database() AND application_name = $1 ORDER BY pid",
        VICTIM,
    )
    if not rows:
        return 0
    pid = chance.choice(rows)["pid"]
    return int(await pool.fetchval("SELECT pg_terminate_backend($1)", pid))


async def test_an_idle_writer_whose_connection_was_cut_is_not_taken_for_dead(
    postgres_logs: Logs, database: Database
) -> None:
    pool = await open_pool(database.dsn, application_name=VICTIM, size_max=5)
    displaced = await postgres_logs.verdicts.open_writer("one")
    idle = await PostgresVerdictLog(pool, Bell()).open_writer("two")
    await displaced.close()
    assert await end_one_session(database.pool, seeded_chance()) == 1
    async with deadline():
        await until_confirmed(idle)
        with pytest.raises(RatingTakenOver):
            await postgres_logs.verdicts.open_writer("one")
    await idle.append([b"by two"], fact_seq=1)
    assert await bodies_of(postgres_logs.verdicts) == [b"by two"]
    await idle.close()
    pool.terminate()


async def until_confirmed(writer: PostgresVerdictWriter) -> None:
    """Ask again while the log is away, as the rater does."""
    while True:
        try:
            await writer.confirm()
        except LogAway:
            await asyncio.sleep(0)
        else:
            return


async def write_one_by_one(verdicts: PostgresVerdictLog, count: int) -> None:
    while True:
        try:
            writer = await verdicts.open_writer("one")
            break
        except LogAway:
            await asyncio.sleep(0)
    for fact_seq in range(1, count + 1):
        await writer.append([str(fact_seq).encode()], fact_seq=fact_seq)
    await writer.close()


async def append_in_spite_of_all(
    facts: PostgresFactLog, sure: asyncpg.Pool, bodies: list[bytes]
) -> None:
    """Append one by one, and after LogAway look under the lock before sending again."""
    for body in bodies:
        while not await is_on_the_log(sure, body):
            try:
                await facts.append([body])
                break
            except LogAway:
                await asyncio.sleep(0)


async def is_on_the_log(sure: asyncpg.Pool, body: bytes) -> bool:
    async with sure.acquire() as connection, connection.transaction():
        await lock_head(connection)
        found = await connection.fetchval("SELECT count(*) FROM mahjic.facts WHERE body = $1", body)
        return bool(found)


async def test_closing_a_writer_whose_connection_breaks_says_nothing(
    postgres_logs: Logs, database: Database, line_folder: Path
) -> None:
    async with verdicts_over_a_broken_line(database, line_folder) as (line, verdicts):
        writer = await verdicts.open_writer("one")
        line.plan((0, Loss.REQUEST))
        await writer.close()
        assert line.losses == 1


# A server that is away.


@pytest.fixture
def other_server_folder() -> Iterator[Path]:
    parent = Path(tempfile.mkdtemp(prefix="mahjic-away-", dir="/tmp"))
    parent.chmod(0o755)  # PostgreSQL, which is nobody when we are root, must come through.
    yield parent / "data"
    shutil.rmtree(parent)


async def test_everything_says_so_while_the_database_is_away_and_goes_on_afterward(
    other_server_folder: Path,
) -> None:
    async with AsyncExitStack() as cleaning:
        first_run = AsyncExitStack()
        server = await first_run.enter_async_context(
            embedded_server(other_server_folder, role="join")
        )
        pool = await open_pool(server.dsn, application_name=VICTIM, size_max=5)
        cleaning.callback(pool.terminate)
        await migrate(pool)
        async with pool.acquire() as connection:
            await found_logs(connection, LOG_ID)
        facts, verdicts = PostgresFactLog(pool, Bell()), PostgresVerdictLog(pool, Bell())
        (fact,) = await facts.append([b"fact"])
        beginning = await facts.beginning()
        writer = await verdicts.open_writer("one")
        await writer.append([b"1"], fact_seq=1)

        await first_run.aclose()
        for call in (
            facts.beginning,
            facts.tail,
            facts.last,
            lambda: facts.read(beginning, 10),
            lambda: facts.append([b"lost"]),
            lambda: verdicts.open_writer("two"),
        ):
            with pytest.raises(LogAway) as away:
                await call()
            assert (away.value.code, away.value.status) == ("log_away", 503)
        await facts.wait_beyond(0, 0.01)
        patient = asyncio.create_task(writer.append([b"2"], fact_seq=2))
        # A read that fails has taken longer than the writer's first attempt.
        with pytest.raises(LogAway):
            await facts.tail()
        assert not patient.done()

        async with embedded_server(other_server_folder, role="join"), deadline():
            await patient
            assert await facts.read(beginning, 10) == [fact]
            assert await bodies_of(verdicts) == [b"1", b"2"]
            await writer.close()
            await pool.close()
