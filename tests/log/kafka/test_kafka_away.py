"""A cluster that goes away and comes back takes no reader and no writer with it."""

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from shared.log.kafka import copier as kafka_copy
from shared.log.kafka import writer as kafka_writer
from shared.log.kafka.copier import FactCopier
from shared.log.kafka.cursor import Cursor
from shared.log.kafka.logs import KafkaFactLog
from shared.log.kafka.producer import stop_producer
from shared.log.kafka.topics import create_topics
from shared.log.port import LogAway, LogWriterLost, Record, chained
from shared.log.postgres import found_logs
from shared.log.until_there import until_there
from tests.conftest import Database
from tests.kafka.broker import Broker
from tests.log.adapters import LOG_ID
from tests.log.deadlines import deadline, until
from tests.log.kafka.test_kafka_repeats import position_of, records_of_facts
from tests.log.leftovers import until_nobody_is_writer
from tests.log.on_kafka import KafkaLogs, a_cluster, all_of, bodies_of, new_kafka_logs

# Longer than a consumer rests after a failed fetch, so it has failed and rests by then.
SILENCE_S = 0.5
# In the place of half a minute, for which a test need not wait.
IMPATIENT_S = 3.0


@pytest.fixture
async def own_logs(
    database: Database, own_broker: Broker, kafka_prefix: str
) -> AsyncIterator[KafkaLogs]:
    async with database.pool.acquire() as connection, connection.transaction():
        await found_logs(connection, LOG_ID)
    cluster = a_cluster(own_broker.address, kafka_prefix)
    async with new_kafka_logs(cluster, LOG_ID, database.pool) as logs:
        yield logs


@asynccontextmanager
async def away(broker: Broker, *, killed: bool) -> AsyncIterator[None]:
    """Kill or freeze a broker for a while."""
    await (broker.kill() if killed else broker.pause())
    try:
        yield
    finally:
        await (broker.start() if killed else broker.resume())


async def test_a_reader_can_be_closed_while_its_cluster_is_away(
    own_broker: Broker, kafka_prefix: str
) -> None:
    cluster = a_cluster(own_broker.address, kafka_prefix)
    await create_topics(cluster)
    cursors = [await Cursor.open(cluster, cluster.facts_topic) for _ in range(3)]
    for cursor in cursors:
        cursor.go_to_offset(0)
        await cursor.fetch(1, SILENCE_S)
    await own_broker.kill()
    for cursor in cursors:
        await cursor.fetch(1, SILENCE_S)
        async with deadline():
            await cursor.close()


@pytest.mark.parametrize("killed", [True, False], ids=["killed", "frozen"])
async def test_every_question_is_told_in_time_that_the_cluster_is_away_and_goes_on_by_itself(
    own_logs: KafkaLogs, own_broker: Broker, killed: bool
) -> None:
    facts = own_logs.facts
    assert (await facts.tail()).seq == 0  # It has found its place, and keeps all that comes.
    appended = await facts.append([b"1", b"2"])
    assert (await facts.tail()).seq == 2
    behind = KafkaFactLog(own_logs.cluster, LOG_ID)  # It follows nothing, so it has to connect.
    async with away(own_broker, killed=killed), deadline():
        waiting = asyncio.create_task(facts.wait_beyond(2, 3600))
        for _ in range(2):
            assert await facts.read(await facts.beginning(), 10) == appended  # It is kept here.
            told = await asyncio.gather(
                facts.tail(),
                facts.last(),
                facts.at(1),
                facts.read(position_of(appended[-1]), 10),
                behind.read(await facts.beginning(), 10),
                return_exceptions=True,
            )
            assert [type(each) for each in told] == [LogAway] * 5
        assert not waiting.done()
    async with deadline():
        await until_come(facts, 2)
        async with FactCopier(own_logs.cluster) as copier:
            await copier.append(chained_after(appended))
        await waiting
        assert await bodies_of(facts) == [b"1", b"2", b"3"]
        assert await bodies_of(behind) == [b"1", b"2", b"3"]


async def test_a_log_is_followed_again_however_often_its_cluster_is_away(
    own_logs: KafkaLogs, own_broker: Broker
) -> None:
    log = own_logs.facts
    records = await log.append([b"first"])
    for number in range(4):
        async with away(own_broker, killed=number % 2 == 0):
            await until(lambda: is_away(log))
        await until_come(log, len(records))
        async with FactCopier(own_logs.cluster) as copier:
            more = chained_after(records)
            await copier.append(more)
        records += more
        await until_come(log, len(records))
    assert await all_of(log) == records


@pytest.mark.parametrize("killed", [True, False], ids=["killed", "frozen"])
async def test_opening_while_the_cluster_is_away_leaves_nothing_behind(
    own_logs: KafkaLogs, own_broker: Broker, database: Database, killed: bool
) -> None:
    cluster, verdicts = own_logs.cluster, own_logs.verdicts
    async with away(own_broker, killed=killed), deadline():
        with pytest.raises(LogAway):
            await verdicts.open_writer("one")
        await until_nobody_is_writer(database.pool)
        with pytest.raises(LogAway):
            async with FactCopier(cluster):
                pass
        with pytest.raises(LogAway):
            await create_topics(cluster)
    gc.collect()  # What was not closed complains now.
    async with deadline():
        writer = await until_there(lambda: verdicts.open_writer("two"))
        await writer.append([b"1"], fact_seq=1)
        await writer.close()


@pytest.mark.parametrize("killed", [True, False], ids=["killed", "frozen"])
async def test_an_append_cut_off_by_its_cluster_is_there_whole_or_not_at_all(
    own_logs: KafkaLogs, own_broker: Broker, monkeypatch: pytest.MonkeyPatch, killed: bool
) -> None:
    monkeypatch.setattr(kafka_writer, "COMMIT_S_MAX", IMPATIENT_S)
    verdicts = own_logs.verdicts
    writer = await verdicts.open_writer("one")
    await writer.append([b"1"], fact_seq=1)
    commit = writer._producer.commit_transaction

    async def lose_the_cluster() -> None:
        await (own_broker.kill() if killed else own_broker.pause())
        await commit()

    writer._producer.commit_transaction = lose_the_cluster
    appending = asyncio.create_task(writer.append([b"2", b"3"], fact_seq=2))
    with pytest.raises(LogWriterLost):
        await appending
    with pytest.raises(LogWriterLost):
        await writer.append([b"another"], fact_seq=2)
    async with deadline():
        await writer.close()
    await (own_broker.start() if killed else own_broker.resume())
    await assert_the_next_writer_agrees(own_logs, [b"1"], [b"2", b"3"])


async def test_an_append_waits_for_a_cluster_that_is_back_in_time(
    own_logs: KafkaLogs, own_broker: Broker
) -> None:
    writer = await own_logs.verdicts.open_writer("one")
    commit = writer._producer.commit_transaction

    async def restart_and_commit() -> None:
        await own_broker.kill()
        await own_broker.start()
        writer._producer.commit_transaction = commit
        await commit()

    writer._producer.commit_transaction = restart_and_commit
    try:
        await writer.append([b"1"], fact_seq=1)
    except LogWriterLost:
        await writer.close()
        await assert_the_next_writer_agrees(own_logs, [], [b"1"])
        return
    await writer.append([b"2"], fact_seq=2)
    assert await bodies_of(own_logs.verdicts) == [b"1", b"2"]
    await writer.close()


async def assert_the_next_writer_agrees(
    logs: KafkaLogs, before: list[bytes], uncertain: list[bytes]
) -> None:
    """Check that the next writer finds what is there, and goes on behind it."""
    async with deadline():
        writer = await until_there(lambda: logs.verdicts.open_writer("one"))
        found = await bodies_of(logs.verdicts)
        assert found in (before, before + uncertain)
        is_found = found != before
        assert writer.fact_seq == len(before) + is_found
        await writer.append([b"next"], fact_seq=9)
        assert await bodies_of(logs.verdicts) == [*found, b"next"]
        await writer.close()


async def test_a_copier_whose_cluster_is_away_says_so_and_can_be_closed(
    own_logs: KafkaLogs, own_broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kafka_copy, "SEND_S_MAX", IMPATIENT_S)
    async with deadline(), FactCopier(own_logs.cluster) as copier:
        await copier.append(records_of_facts(1))
        await own_broker.pause()
        with pytest.raises(LogWriterLost):
            await copier.append(records_of_facts(5)[1:])
    await own_broker.resume()
    async with FactCopier(own_logs.cluster) as copier:
        await copier.append(records_of_facts(5))
    assert await all_of(own_logs.facts) == records_of_facts(5)


async def is_away(log: KafkaFactLog) -> bool:
    try:
        await log.tail()
    except LogAway:
        return True
    return False


async def until_come(log: KafkaFactLog, seq: int) -> None:
    """Wait until a log that may be away has a record at its end."""

    async def has_come() -> bool:
        try:
            return (await log.tail()).seq == seq
        except LogAway:
            return False

    await until(has_come)


def chained_after(records: list[Record]) -> list[Record]:
    """Return one more record after others."""
    return chained(position_of(records[-1]), [b"%d" % (len(records) + 1)])


async def test_a_cluster_that_answers_and_names_no_broker_yet_is_away(
    kafka_broker: Broker,
) -> None:
    """It does for a moment after it comes back; aiokafka takes that for a fault of ours."""
    cluster = a_cluster(kafka_broker.address, "names-no-broker")
    producer = cluster.producer({"transactional_id": "names-no-broker"})

    async def learn_nothing() -> None:
        pass

    producer.client.bootstrap = learn_nothing
    try:
        with pytest.raises(LogAway, match="names no broker yet"):
            await cluster.start(producer)
    finally:
        await stop_producer(producer)
