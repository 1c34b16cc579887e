"""Writers whose connection breaks at the worst moment, and work that is canceled at any."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import ClassVar

import pytest
from aiokafka import ConsumerRecord

from shared.log.kafka import copier as kafka_copy
from shared.log.kafka import tail as kafka_tail
from shared.log.kafka import writer as kafka_writer
from shared.log.kafka.cluster import KafkaCluster
from shared.log.kafka.copier import FactCopier
from shared.log.kafka.cursor import Cursor
from shared.log.kafka.logs import KafkaFactLog, KafkaVerdictLog
from shared.log.kafka.topics import create_topics
from shared.log.port import HistorySplit, LogAway, LogWriterLost
from shared.log.postgres import found_logs
from tests.conftest import Database
from tests.kafka.broker import Broker
from tests.log.adapters import LOG_ID
from tests.log.chances import seeded_chance
from tests.log.deadlines import deadline, until
from tests.log.kafka.line import KafkaLine, Request, a_broker_behind_a_line
from tests.log.kafka.test_kafka_repeats import position_of, put, records_of_facts
from tests.log.leftovers import no_tasks_left, until_nobody_is_writer
from tests.log.on_kafka import KafkaLogs, a_cluster, all_of, bodies_of
from tests.log.postgres.broken_line import Loss

# In the place of half a minute, for which a test need not wait.
IMPATIENT_S = 2.0

LOSSES = [
    (request, loss)
    for request in (Request.ADD_PARTITIONS, Request.PRODUCE, Request.END_TRANSACTION)
    for loss in (Loss.REQUEST, Loss.ANSWER)
]


@pytest.fixture(scope="module")
async def lined() -> AsyncIterator[tuple[Broker, KafkaLine, str]]:
    async with a_broker_behind_a_line() as lined:
        yield lined


@pytest.fixture
async def verdicts(database: Database, kafka_broker: Broker, kafka_prefix: str) -> KafkaVerdictLog:
    """Return a log of verdicts that nobody follows, so that nothing runs beside the test."""
    return await found_verdicts(database, kafka_broker.address, kafka_prefix)


LinedVerdicts = tuple[KafkaLine, KafkaVerdictLog, KafkaVerdictLog]


@pytest.fixture
async def lined_verdicts(
    database: Database, lined: tuple[Broker, KafkaLine, str], kafka_prefix: str
) -> LinedVerdicts:
    """Return a line, the log of verdicts as it is, and as it looks over the line."""
    broker, line, address = lined
    line.mend()
    truth = await found_verdicts(database, broker.address, kafka_prefix)
    return line, truth, KafkaVerdictLog(a_cluster(address, kafka_prefix), LOG_ID, database.pool)


async def found_verdicts(database: Database, address: str, prefix: str) -> KafkaVerdictLog:
    async with database.pool.acquire() as connection, connection.transaction():
        await found_logs(connection, LOG_ID)
    cluster = a_cluster(address, prefix)
    await create_topics(cluster)
    return KafkaVerdictLog(cluster, LOG_ID, database.pool)


@pytest.mark.parametrize("is_mended", [True, False], ids=["for a moment", "for good"])
@pytest.mark.parametrize("lost", LOSSES, ids=lambda lost: f"{lost[1].name} of {lost[0].name}")
async def test_verdicts_sent_over_a_line_that_breaks_are_there_once_or_not_at_all(
    lined_verdicts: LinedVerdicts,
    monkeypatch: pytest.MonkeyPatch,
    lost: tuple[Request, Loss],
    is_mended: bool,
) -> None:
    line, truth, victim = lined_verdicts
    losses = line.losses
    writer = await victim.open_writer("one")
    await writer.append([b"1"], fact_seq=1)
    if not is_mended:
        monkeypatch.setattr(kafka_writer, "COMMIT_S_MAX", IMPATIENT_S)
    line.plan(*lost)
    appending = asyncio.create_task(writer.append([b"2", b"3"], fact_seq=2))
    await until(lambda: has_lost(line, losses + 1))
    if is_mended:
        line.mend()
    try:
        async with deadline():
            await appending
        is_certain = True
    except LogWriterLost:
        is_certain = False
    async with deadline():
        await writer.close()
    assert is_mended or not is_certain
    monkeypatch.undo()
    again = await truth.open_writer("one")
    found = await bodies_of(truth)
    assert found in ([b"1"], [b"1", b"2", b"3"])
    assert len(found) == 3 or not is_certain
    assert again.fact_seq == (1 if found == [b"1"] else 2)
    appended = await again.append([b"next"], fact_seq=3)
    assert appended[0].seq == len(found) + 1
    assert await bodies_of(truth) == [*found, b"next"]
    await again.close()


@pytest.mark.parametrize("loss", [Loss.REQUEST, Loss.ANSWER])
async def test_facts_sent_over_a_line_that_breaks_can_be_sent_again(
    lined: tuple[Broker, KafkaLine, str],
    kafka_prefix: str,
    monkeypatch: pytest.MonkeyPatch,
    loss: Loss,
) -> None:
    broker, line, address = lined
    cluster = a_cluster(broker.address, kafka_prefix)
    await create_topics(cluster)
    monkeypatch.setattr(kafka_copy, "SEND_S_MAX", IMPATIENT_S)
    records = records_of_facts(9)
    line.mend()
    async with FactCopier(a_cluster(address, kafka_prefix)) as copier:
        await copier.append(records[:3])
        line.plan(Request.PRODUCE, loss)
        with pytest.raises(LogWriterLost):
            await copier.append(records[3:6])
    async with KafkaFactLog(cluster, LOG_ID) as log, FactCopier(cluster) as copier:
        held = await log.tail()
        assert held.seq in (3, 6)
        await copier.append(records[held.seq :])
        assert await all_of(log) == records


class DeafCursor(Cursor):
    """A cursor that may no longer hear anything, like a consumer of which a part has died."""

    opened: ClassVar[list["DeafCursor"]] = []
    is_deaf = False

    @classmethod
    async def open(cls, cluster: KafkaCluster, topic: str) -> "DeafCursor":
        cursor = await super().open(cluster, topic)
        assert isinstance(cursor, cls)
        cls.opened.append(cursor)
        return cursor

    async def fetch(self, records_max: int, wait_s: float) -> list[ConsumerRecord]:
        messages = await super().fetch(records_max, wait_s)
        if not self.is_deaf:
            return messages
        if messages:
            self.go_to_offset(messages[0].offset)
        return []


async def test_a_consumer_that_gives_nothing_though_the_end_is_ahead_is_given_up(
    kafka_logs: KafkaLogs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(DeafCursor, "opened", [])
    monkeypatch.setattr(kafka_tail, "Cursor", DeafCursor)
    records = records_of_facts(6)
    async with KafkaFactLog(kafka_logs.cluster, LOG_ID) as log, deadline():
        await put(kafka_logs, records[:3])
        assert (await log.tail()).seq == 3
        (first,) = DeafCursor.opened
        first.is_deaf = True
        await put(kafka_logs, records[3:])
        await log.wait_beyond(5, 3600)
        assert await log.tail() == position_of(records[-1])
        assert await all_of(log) == records
    assert len(DeafCursor.opened) == 2


async def has_lost(line: KafkaLine, losses: int) -> bool:
    return line.losses == losses


# Canceled at any moment.


async def test_a_writer_canceled_at_any_moment_leaves_the_right_and_the_log_whole(
    verdicts: KafkaVerdictLog, database: Database
) -> None:
    chance = seeded_chance()

    async def write() -> None:
        writer = await verdicts.open_writer("one")
        try:
            while True:
                fact_seq = writer.fact_seq + 1
                bodies = [b"%d/%d" % (fact_seq, part) for part in range(3)]
                await writer.append(bodies, fact_seq=fact_seq)
                await writer.confirm()
        finally:
            await writer.close()

    async with no_tasks_left(), deadline():
        for _ in range(25):
            writing = asyncio.create_task(write())
            await asyncio.wait([writing], timeout=chance.choice([0.001, 0.01, 0.03, 0.1]))
            assert not writing.done()
            writing.cancel()
            await asyncio.wait([writing])
            await until_nobody_is_writer(database.pool)
    writer = await verdicts.open_writer("one")
    found = await bodies_of(verdicts)
    facts = len(found) // 3
    assert found == [b"%d/%d" % (fact, part) for fact in range(1, facts + 1) for part in range(3)]
    assert writer.fact_seq == facts
    await writer.close()


async def test_readers_canceled_at_any_moment_leave_the_log_readable(
    kafka_broker: Broker, kafka_prefix: str
) -> None:
    chance = seeded_chance()
    cluster = a_cluster(kafka_broker.address, kafka_prefix)
    await create_topics(cluster)
    records = records_of_facts(9000)
    async with FactCopier(cluster) as copier:
        await copier.append(records)
    async with no_tasks_left(), deadline():
        for _ in range(6):
            async with KafkaFactLog(cluster, LOG_ID) as log:
                for _ in range(5):
                    held = chance.choice(records[:-1])
                    reading = [
                        asyncio.create_task(log.read(position_of(held), 700)),
                        asyncio.create_task(log.at(held.seq)),
                        asyncio.create_task(log.tail()),
                    ]
                    await asyncio.wait(reading, timeout=chance.choice([0.001, 0.01, 0.05]))
                    for task in reading:
                        task.cancel()
                    await asyncio.wait(reading)
                after = position_of(held)
                assert await all_of(log, after=after) == records[held.seq :]


# Topics that are deleted, and writers and logs that are closed in any state.


async def test_a_topic_that_was_deleted_and_created_again_stops_its_readers(
    kafka_logs: KafkaLogs,
) -> None:
    facts = kafka_logs.facts
    records = await facts.append([b"1", b"2", b"3"])
    assert (await facts.tail()).seq == 3
    async with kafka_logs.cluster.admin() as admin:
        await admin.delete_topics([kafka_logs.cluster.facts_topic])
    await until(lambda: is_created(kafka_logs))
    async with deadline():
        await until(lambda: is_split(facts))
    with pytest.raises(HistorySplit):
        await facts.read(position_of(records[0]), 10)
    async with KafkaFactLog(kafka_logs.cluster, LOG_ID) as log:
        with pytest.raises(HistorySplit, match="Record 2 was read before and is gone"):
            await log.read(position_of(records[1]), 10)


async def is_created(logs: KafkaLogs) -> bool:
    with contextlib.suppress(Exception):
        await create_topics(logs.cluster)
        async with logs.cluster.admin() as admin:
            (topic,) = await admin.describe_topics([logs.cluster.facts_topic])
        return len(topic["partitions"]) == 1
    return False


async def is_split(log: KafkaFactLog) -> bool:
    try:
        await log.tail()
    except HistorySplit:
        return True
    except LogAway:
        return False
    return False


async def test_writers_and_logs_can_be_closed_twice_and_unused(
    verdicts: KafkaVerdictLog, database: Database
) -> None:
    async with no_tasks_left(), deadline():
        async with verdicts:
            pass
        async with verdicts:
            assert await verdicts.tail() == await verdicts.beginning()
            writer = await verdicts.open_writer("one")
            await writer.append([b"1"], fact_seq=1)
            await writer.close()
            await writer.close()
        with pytest.raises(LogAway):
            await verdicts.tail()
    async with verdicts:
        assert await bodies_of(verdicts) == [b"1"]
    await until_nobody_is_writer(database.pool)
