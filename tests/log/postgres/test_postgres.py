"""What the Postgres logs keep by locks, triggers and the epoch in the table mahjic.rater."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg
import pytest

from shared.log.port import Position, VerdictLog, VerdictWriter, WriterReplaced
from shared.log.postgres import (
    READ_BYTES_MAX,
    append_facts,
    found_logs,
    lock_head,
)
from shared.log.postgres_writer import PAGE_BYTES
from shared.log.right import RatingTakenOver
from tests.conftest import Database
from tests.log.adapters import LOG_ID, Logs
from tests.log.deadlines import deadline
from tests.log.postgres.on_postgres import (
    a_verdict_in_flight,
    bodies_of,
    until_somebody_waits_for_a_lock,
)
from tests.rater.running import all_bodies

# Immutability.


@pytest.mark.parametrize("table", ["facts", "verdicts"])
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE mahjic.{} SET body = 'better'",
        "UPDATE mahjic.{} SET seq = seq WHERE false",
        "DELETE FROM mahjic.{}",
        "TRUNCATE mahjic.{}",
    ],
)
async def test_a_record_cannot_be_changed(
    postgres_logs: Logs, database: Database, table: str, statement: str
) -> None:
    await postgres_logs.facts.append([b"fact"])
    writer = await postgres_logs.verdicts.open_writer("one")
    await writer.append([b"verdict"], fact_seq=1)
    await writer.close()
    with pytest.raises(asyncpg.RaiseError, match="appended and never changed"):
        await database.pool.execute(statement.format(table))
    assert await database.pool.fetchval(f"SELECT body FROM mahjic.{table}") in {
        b"fact",
        b"verdict",
    }


async def test_logs_are_founded_once(postgres_logs: Logs, database: Database) -> None:
    async with database.pool.acquire() as connection:
        with pytest.raises(asyncpg.UniqueViolationError):
            await found_logs(connection, "another-log")
    assert (await postgres_logs.facts.beginning()).log_id == LOG_ID


# Facts that commit late.


@asynccontextmanager
async def an_append_in_flight(
    pool: asyncpg.Pool, body: bytes
) -> AsyncIterator[asyncpg.transaction.Transaction]:
    """Give the transaction of a fact that is appended and neither committed nor rolled back."""
    async with pool.acquire() as connection:
        transaction = connection.transaction()
        await transaction.start()
        await append_facts(connection, await lock_head(connection), [body])
        yield transaction


async def test_a_fact_that_commits_late_is_never_skipped(
    postgres_logs: Logs, database: Database
) -> None:
    facts = postgres_logs.facts
    async with an_append_in_flight(database.pool, b"slow") as transaction:
        quick = asyncio.create_task(facts.append([b"quick"]))
        await until_somebody_waits_for_a_lock(database.pool)
        assert await facts.read(await facts.beginning(), 10) == []
        assert (await facts.tail()).seq == 0
        await transaction.commit()
    async with deadline():
        await quick
    read = await facts.read(await facts.beginning(), 10)
    assert [(record.seq, record.body) for record in read] == [(1, b"slow"), (2, b"quick")]


async def test_a_fact_that_is_rolled_back_leaves_no_gap(
    postgres_logs: Logs, database: Database
) -> None:
    facts = postgres_logs.facts
    async with an_append_in_flight(database.pool, b"never") as transaction:
        quick = asyncio.create_task(facts.append([b"quick"]))
        await until_somebody_waits_for_a_lock(database.pool)
        await transaction.rollback()
    async with deadline():
        assert [record.seq for record in await quick] == [1]
    read = await facts.read(await facts.beginning(), 10)
    assert [record.body for record in read] == [b"quick"]


# Large records.


async def test_a_read_of_large_records_holds_a_few_and_goes_on_where_it_stopped(
    postgres_logs: Logs,
) -> None:
    sizes = [10, 900_000, 900_000, 900_000, 900_000, 900_000, READ_BYTES_MAX + 1, 10, 10]
    facts = postgres_logs.facts
    for size in sizes:
        await facts.append([b"f" * size])
    position, read = await facts.beginning(), []
    while records := await facts.read(position, 100):
        assert len(records) == 1 or sum(len(each.body) for each in records) <= READ_BYTES_MAX
        read += [len(record.body) for record in records]
        position = Position(LOG_ID, records[-1].seq, records[-1].chain)
    assert read == sizes


# One writer takes over from another.


async def test_an_append_of_many_pages_is_seen_as_a_whole_or_not_at_all(
    postgres_logs: Logs, database: Database
) -> None:
    writer = await postgres_logs.verdicts.open_writer("one")
    await writer.append([b"first"], fact_seq=1)
    pages = [bytes([number]) * PAGE_BYTES for number in range(8)]
    appending, seen = asyncio.create_task(writer.append(pages, fact_seq=2)), set()
    async with deadline():
        while not appending.done():
            seen.add(await database.pool.fetchval("SELECT count(*) FROM mahjic.verdicts"))
            seen.add((await postgres_logs.verdicts.tail()).seq)
    await appending
    assert seen <= {1, 9}
    assert await all_bodies(postgres_logs.verdicts) == [b"first", *pages]
    await writer.close()


async def one_then_two(verdicts: VerdictLog) -> tuple[VerdictWriter, VerdictWriter]:
    """Return the writer of an instance, and that of the one that took over from it."""
    return await verdicts.open_writer("one"), await verdicts.open_writer("two")


@pytest.mark.parametrize("pages", [1, 3])
async def test_a_replaced_writer_writes_nothing_of_however_many_pages(
    postgres_logs: Logs, pages: int
) -> None:
    verdicts = postgres_logs.verdicts
    replaced, holder = await one_then_two(verdicts)
    with pytest.raises(WriterReplaced):
        await replaced.append([b"x" * PAGE_BYTES] * pages, fact_seq=1)
    assert await bodies_of(verdicts) == []
    await holder.append([b"by two"], fact_seq=1)
    assert await bodies_of(verdicts) == [b"by two"]
    await replaced.close()
    await holder.close()


async def test_a_new_writer_waits_for_a_commit_in_flight(
    postgres_logs: Logs, database: Database
) -> None:
    verdicts = postgres_logs.verdicts
    first = await verdicts.open_writer("one")
    async with a_verdict_in_flight(database.pool, verdicts, b"in flight") as transaction:
        opening = asyncio.create_task(verdicts.open_writer("two"))
        await until_somebody_waits_for_a_lock(database.pool)
        assert not opening.done()
        await transaction.commit()
    async with deadline():
        second = await opening
    assert second.fact_seq == 1
    await second.append([b"by two"], fact_seq=2)
    assert await bodies_of(verdicts) == [b"in flight", b"by two"]
    await first.close()
    await second.close()


async def test_a_displaced_instance_does_not_take_the_rating_back(postgres_logs: Logs) -> None:
    verdicts = postgres_logs.verdicts
    displaced, holder = await one_then_two(verdicts)
    await displaced.close()
    for _ in range(2):
        with pytest.raises(RatingTakenOver, match="two has taken over the rating from one") as no:
            await verdicts.open_writer("one")
        assert (no.value.code, no.value.exit_code) == ("rating_taken_over", 3)
    await holder.append([b"by two"], fact_seq=1)
    assert await bodies_of(verdicts) == [b"by two"]
    await holder.close()


async def test_a_displaced_instance_may_take_over_from_a_dead_one(postgres_logs: Logs) -> None:
    verdicts = postgres_logs.verdicts
    displaced, holder = await one_then_two(verdicts)
    await displaced.close()
    await holder.close()
    again = await verdicts.open_writer("one")
    await again.append([b"by one"], fact_seq=1)
    with pytest.raises(WriterReplaced):
        await holder.append([b"by two"], fact_seq=1)
    assert await bodies_of(verdicts) == [b"by one"]
    await again.close()
    await holder.close()


async def test_an_instance_that_restarts_is_not_displaced_by_itself(postgres_logs: Logs) -> None:
    verdicts = postgres_logs.verdicts
    # Three times without closing: the connections of the ones before still show signs of life.
    opened = [await verdicts.open_writer("one") for _ in range(3)]
    await opened[-1].append([b"by one"], fact_seq=1)
    for writer in opened:
        await writer.close()


async def test_a_third_instance_may_take_over_from_one_that_displaced(postgres_logs: Logs) -> None:
    verdicts = postgres_logs.verdicts
    opened = [await verdicts.open_writer(holder) for holder in ("one", "two", "three")]
    await opened[-1].append([b"by three"], fact_seq=1)
    with pytest.raises(RatingTakenOver):
        await verdicts.open_writer("two")
    for writer in opened:
        await writer.close()
