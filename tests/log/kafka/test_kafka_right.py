"""The right to write to a topic while the database that holds it is away."""

import asyncio
from pathlib import Path

import pytest

from shared.db.pool import open_pool
from shared.log.kafka.logs import KafkaVerdictLog
from shared.log.kafka.topics import create_topics
from shared.log.port import LogAway, WriterReplaced
from shared.log.postgres import found_logs
from tests.conftest import Database
from tests.kafka.broker import Broker
from tests.log.adapters import LOG_ID
from tests.log.deadlines import deadline, until
from tests.log.leftovers import no_tasks_left, until_nobody_is_writer
from tests.log.on_kafka import a_cluster, a_producer, bodies_of
from tests.log.postgres.broken_line import broken_line
from tests.log.postgres.on_postgres import until_somebody_waits_for_a_lock


@pytest.fixture
async def verdicts(database: Database, kafka_broker: Broker, kafka_prefix: str) -> KafkaVerdictLog:
    """Return a log of verdicts that nobody follows, so that nothing runs beside the test."""
    async with database.pool.acquire() as connection, connection.transaction():
        await found_logs(connection, LOG_ID)
    cluster = a_cluster(kafka_broker.address, kafka_prefix)
    await create_topics(cluster)
    return KafkaVerdictLog(cluster, LOG_ID, database.pool)


async def test_a_database_that_is_away_is_told_and_leaves_no_producer_behind(
    verdicts: KafkaVerdictLog, database: Database, line_folder: Path
) -> None:
    async with broken_line(database.dsn, line_folder) as (_, dsn):
        pool = await open_pool(dsn, application_name="mahjic victim", size_max=3)
        victim = KafkaVerdictLog(verdicts._cluster, LOG_ID, pool)
        writer = await victim.open_writer("one")
    await database.pool.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1",
        "mahjic victim",
    )
    with pytest.raises(LogAway):
        await writer.confirm()
    # Its verdicts need no database: the producer alone can be fenced.
    await writer.append([b"1"], fact_seq=1)
    async with no_tasks_left(), deadline():
        with pytest.raises(LogAway):
            await victim.open_writer("two")
    await writer.close()
    pool.terminate()
    await until_nobody_is_writer(database.pool)
    assert await bodies_of(verdicts) == [b"1"]
    again = await verdicts.open_writer("two")
    assert again.fact_seq == 1
    await again.close()


async def test_a_database_that_goes_away_while_a_writer_opens_leaves_the_right_to_the_next(
    verdicts: KafkaVerdictLog, database: Database
) -> None:
    holder = await database.pool.acquire()
    transaction = holder.transaction()
    await transaction.start()
    await holder.execute("SELECT epoch FROM mahjic.rater FOR UPDATE")
    async with no_tasks_left(), deadline():
        opening = asyncio.create_task(verdicts.open_writer("one"))
        await until(lambda: end_who_waits_for_the_right(database))
        with pytest.raises(LogAway):
            await opening
    await transaction.rollback()
    await database.pool.release(holder)
    await until_nobody_is_writer(database.pool)
    writer = await verdicts.open_writer("one")
    await writer.append([b"1"], fact_seq=1)
    await writer.close()


async def end_who_waits_for_the_right(database: Database) -> bool:
    ended = await database.pool.fetchval(
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
        "WHERE datname = current_database() AND wait_event_type = 'Lock'"
    )
    return bool(ended)


async def test_a_writer_fenced_by_one_that_is_still_opening_is_told_that_it_was_replaced(
    verdicts: KafkaVerdictLog, database: Database
) -> None:
    first = await verdicts.open_writer("one")
    await first.append([b"1"], fact_seq=1)
    async with database.pool.acquire() as opening, deadline():
        # What an opening writer does, one step after the other.
        transaction = opening.transaction()
        await transaction.start()
        await opening.execute("SELECT epoch FROM mahjic.rater FOR UPDATE")
        async with a_producer(verdicts._cluster, verdicts._cluster.writer_id):
            appending = asyncio.create_task(first.append([b"2"], fact_seq=2))
            await until_somebody_waits_for_a_lock(database.pool)
            await opening.execute("UPDATE mahjic.rater SET epoch = epoch + 1")
            await transaction.commit()
            with pytest.raises(WriterReplaced):
                await appending
    await first.close()
    assert await bodies_of(verdicts) == [b"1"]
