"""Readers and writers of a topic on which transactions were aborted, left open or cut off."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from shared.log.kafka.cluster import KafkaCluster
from shared.log.kafka.logs import KafkaVerdictLog
from shared.log.port import LogWriterLost, Position, VerdictLog, VerdictWriter, WriterReplaced
from tests.conftest import Database
from tests.log.adapters import LOG_ID
from tests.log.deadlines import deadline, until
from tests.log.on_kafka import (
    KafkaLogs,
    Sent,
    a_producer,
    all_of,
    bodies_of,
    messages_of,
    send_all,
)

SOMEBODY = "somebody-else"
FOREIGN = [Sent(b"nobody's", [])] * 3


@asynccontextmanager
async def a_new_reader(cluster: KafkaCluster, database: Database) -> AsyncIterator[VerdictLog]:
    async with KafkaVerdictLog(cluster, LOG_ID, database.pool) as log:
        yield log


async def assert_reads(logs: KafkaLogs, database: Database, bodies: list[bytes]) -> None:
    """Check what is read by whoever has followed, and by whoever starts from anywhere now."""
    assert await bodies_of(logs.verdicts) == bodies
    async with a_new_reader(logs.cluster, database) as log:
        tail = await log.tail()
        assert tail.seq == len(bodies)
        last = await log.last()
        assert (None if last is None else last.body) == (bodies[-1] if bodies else None)
        records = await all_of(log)
        assert [record.body for record in records] == bodies
        for held in records:
            after = Position(LOG_ID, held.seq, held.chain)
            assert await all_of(log, page=2, after=after) == records[held.seq :]
            assert await log.at(held.seq) == after
        assert await log.at(len(bodies) + 1) is None


async def somebody_sends_and_aborts(cluster: KafkaCluster, sent: list[Sent] = FOREIGN) -> None:
    """Leave an aborted transaction of somebody else's on the topic."""
    async with a_producer(cluster, SOMEBODY) as somebody:
        await somebody.begin_transaction()
        await send_all(somebody, cluster.verdicts_topic, sent)
        await somebody.abort_transaction()


async def until_there(logs: KafkaLogs, count: int) -> None:
    """Wait until the end of somebody else's transaction has come to the topic."""

    async def is_there() -> bool:
        return (await logs.verdicts.tail()).seq == count

    await until(is_there)


async def test_records_of_somebody_elses_aborted_transactions_are_never_seen(
    kafka_logs: KafkaLogs, database: Database
) -> None:
    cluster, verdicts = kafka_logs.cluster, kafka_logs.verdicts
    writer = await verdicts.open_writer("one")
    for number in range(1, 4):
        await writer.append([str(number).encode()], fact_seq=number)
        await somebody_sends_and_aborts(cluster)
    await assert_reads(kafka_logs, database, [b"1", b"2", b"3"])
    await writer.append([b"4"], fact_seq=4)
    await assert_reads(kafka_logs, database, [b"1", b"2", b"3", b"4"])
    await writer.close()


async def test_a_topic_with_nothing_but_an_aborted_transaction_is_an_empty_log(
    kafka_logs: KafkaLogs, database: Database
) -> None:
    await somebody_sends_and_aborts(kafka_logs.cluster)
    await assert_reads(kafka_logs, database, [])
    writer = await kafka_logs.verdicts.open_writer("one")
    assert writer.fact_seq == 0
    await writer.append([b"1"], fact_seq=1)
    await assert_reads(kafka_logs, database, [b"1"])
    await writer.close()


async def test_the_last_record_is_found_far_before_the_end_of_aborted_ones(
    kafka_logs: KafkaLogs, database: Database
) -> None:
    writer = await kafka_logs.verdicts.open_writer("one")
    await writer.append([b"1", b"2"], fact_seq=7)
    await writer.close()
    await somebody_sends_and_aborts(kafka_logs.cluster, FOREIGN * 1500)
    writer = await kafka_logs.verdicts.open_writer("one")
    assert writer.fact_seq == 7
    await assert_reads(kafka_logs, database, [b"1", b"2"])
    await writer.append([b"3"], fact_seq=8)
    await assert_reads(kafka_logs, database, [b"1", b"2", b"3"])
    await writer.close()


async def test_nothing_of_an_open_transaction_is_seen_and_nobody_waits_for_it(
    kafka_logs: KafkaLogs, database: Database
) -> None:
    writer = await kafka_logs.verdicts.open_writer("one")
    await writer.append([b"1"], fact_seq=1)
    async with a_producer(kafka_logs.cluster, SOMEBODY) as somebody:
        await somebody.begin_transaction()
        await send_all(somebody, kafka_logs.cluster.verdicts_topic, FOREIGN)
        await assert_reads(kafka_logs, database, [b"1"])
        appended = await writer.append([b"2"], fact_seq=2)
        assert [record.seq for record in appended] == [2]
        # Behind the open one: not there for good as long as that may still come to an end.
        await assert_reads(kafka_logs, database, [b"1"])
        await somebody.abort_transaction()
    await until_there(kafka_logs, 2)
    await assert_reads(kafka_logs, database, [b"1", b"2"])
    await writer.close()


async def test_an_append_that_was_canceled_writes_nothing_and_the_next_writer_goes_on(
    kafka_logs: KafkaLogs, database: Database
) -> None:
    writer = await kafka_logs.verdicts.open_writer("one")
    await writer.append([b"1"], fact_seq=1)
    is_sent, commit = asyncio.Event(), writer._producer.commit_transaction

    async def wait_forever() -> None:
        is_sent.set()
        await asyncio.Event().wait()

    writer._producer.commit_transaction = wait_forever
    appending = asyncio.create_task(writer.append([b"2"], fact_seq=2))
    async with deadline():
        await is_sent.wait()
    appending.cancel()
    await asyncio.wait([appending])
    writer._producer.commit_transaction = commit
    with pytest.raises(LogWriterLost):
        await writer.append([b"2"], fact_seq=2)
    await writer.close()
    # It was aborted: nobody has to wait until the broker gives it up.
    await somebody_sends_and_aborts(kafka_logs.cluster)
    await assert_reads(kafka_logs, database, [b"1"])
    writer = await kafka_logs.verdicts.open_writer("one")
    assert writer.fact_seq == 1
    await writer.append([b"another 2"], fact_seq=2)
    await assert_reads(kafka_logs, database, [b"1", b"another 2"])
    await writer.close()


async def test_a_transaction_of_many_batches_is_there_whole(
    kafka_logs: KafkaLogs, database: Database
) -> None:
    writer = await kafka_logs.verdicts.open_writer("one")
    bodies = [str(number).encode() * 1000 for number in range(3000)]
    appended = await writer.append(bodies, fact_seq=9)
    assert await all_of(kafka_logs.verdicts) == appended
    assert [record.body for record in appended] == bodies
    await writer.close()
    again = await kafka_logs.verdicts.open_writer("one")
    assert again.fact_seq == 9
    await again.close()


async def test_offsets_have_holes_and_seqs_have_none(
    kafka_logs: KafkaLogs, database: Database
) -> None:
    writer = await kafka_logs.verdicts.open_writer("one")
    for number in range(1, 6):
        await writer.append([str(number).encode()], fact_seq=number)
    await writer.close()
    messages = await messages_of(kafka_logs.cluster, kafka_logs.cluster.verdicts_topic)
    assert [message.offset for message in messages] == [0, 2, 4, 6, 8]
    await assert_reads(kafka_logs, database, [b"1", b"2", b"3", b"4", b"5"])


# Predecessors that are stopped or killed in the middle of a transaction.


@asynccontextmanager
async def a_stopped_writer(logs: KafkaLogs, database: Database) -> AsyncIterator[Process]:
    """Give a process that has been stopped when its transaction was sent and not committed."""
    arguments = [str(logs.cluster.servers), logs.cluster.prefix, database.dsn]
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.log.postgres.stopped_writer", *arguments, stdout=PIPE
    )
    try:
        state = await asyncio.to_thread(
            os.waitid, os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT
        )
        assert state is not None
        assert state.si_status == signal.SIGSTOP, "It has ended before its transaction."
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def the_next_writer(logs: KafkaLogs, database: Database) -> VerdictWriter:
    """Return a writer that goes on behind what the stopped one committed, and wrote one more."""
    await assert_reads(logs, database, [b"1"])
    writer = await logs.verdicts.open_writer("two")
    assert writer.fact_seq == 1
    await writer.append([b"2"], fact_seq=2)
    await assert_reads(logs, database, [b"1", b"2"])
    return writer


async def test_a_stopped_predecessor_writes_nothing_and_leaves_once_it_goes_on(
    kafka_logs: KafkaLogs, database: Database
) -> None:
    async with a_stopped_writer(kafka_logs, database) as stopped:
        second = await the_next_writer(kafka_logs, database)
        stopped.send_signal(signal.SIGCONT)
        told, _ = await stopped.communicate()
        assert told.splitlines()[-1] == b"writer_replaced"
        assert stopped.returncode == WriterReplaced.exit_code
        await second.append([b"3"], fact_seq=3)
        await assert_reads(kafka_logs, database, [b"1", b"2", b"3"])
        await second.close()


async def test_a_killed_predecessor_has_written_nothing_of_its_transaction(
    kafka_logs: KafkaLogs, database: Database
) -> None:
    async with a_stopped_writer(kafka_logs, database) as stopped:
        stopped.kill()
        await stopped.wait()
        second = await the_next_writer(kafka_logs, database)
        await second.close()
