"""Finding a place on long topics, reading far behind their end, and the largest records."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiokafka import ConsumerRecord

from shared.log.kafka.cursor import Cursor
from shared.log.kafka.records import BODY_BYTES_MAX, RecordTooLarge
from shared.log.kafka.tail import KEPT_BYTES_MAX, KEPT_RECORDS_MAX
from shared.log.port import Position, Record
from tests.conftest import Database
from tests.log.adapters import LOG_ID
from tests.log.chances import seeded_chance
from tests.log.deadlines import deadline
from tests.log.kafka.test_kafka_repeats import position_of
from tests.log.on_kafka import KafkaLogs, all_of

# Halving a topic of a hundred thousand offsets until a thousand are left, and reading those.
FETCHES_MAX = 12


class CountedCursor(Cursor):
    """A cursor that counts what it fetches."""

    fetches = 0

    async def fetch(self, records_max: int, wait_s: float) -> list[ConsumerRecord]:
        messages = await super().fetch(records_max, wait_s)
        # What is asked for too early is asked for again, as often as the machine is slow.
        self.fetches += bool(messages)
        return messages


@asynccontextmanager
async def a_counted_cursor(logs: KafkaLogs) -> AsyncIterator[CountedCursor]:
    cursor = await CountedCursor.open(logs.cluster, logs.cluster.verdicts_topic)
    assert isinstance(cursor, CountedCursor)
    try:
        yield cursor
    finally:
        await cursor.close()


async def test_any_place_on_a_long_log_is_found_by_few_fetches(kafka_logs: KafkaLogs) -> None:
    chance = seeded_chance()
    writer = await kafka_logs.verdicts.open_writer("one")
    records: list[Record] = []
    transactions = 0
    while len(records) < 20_000:
        size = chance.choice([1, 1, 2, 10, 100, 1000])
        bodies = [b"%d" % number for number in range(size)]
        transactions += 1
        records += await writer.append(bodies, fact_seq=transactions)
    await writer.close()
    async with a_counted_cursor(kafka_logs) as cursor:
        for held in [records[0], records[-1], *chance.sample(records, 20)]:
            cursor.fetches = 0
            await cursor.go_to(position_of(held))
            assert cursor.fetches <= FETCHES_MAX
            if held != records[-1]:
                assert (await cursor.read(position_of(held), 1))[0] == records[held.seq]
        cursor.fetches = 0
        last = await cursor.last_before(await cursor.end_offset())
        assert last is not None
        assert last.value == records[-1].body
        assert cursor.fetches <= FETCHES_MAX + 1
    assert await all_of(kafka_logs.verdicts) == records


async def test_a_reader_far_behind_catches_up_while_the_log_grows(kafka_logs: KafkaLogs) -> None:
    written: list[Record] = []
    everything = KEPT_RECORDS_MAX + 5000

    async def grow() -> None:
        while len(written) < everything:
            bodies = [b"fact %d" % (len(written) + number) for number in range(500)]
            written.extend(await kafka_logs.facts.append(bodies))

    async def follow(page: int) -> list[Record]:
        position = await kafka_logs.facts.beginning()
        records: list[Record] = []
        while len(records) < everything:
            fresh = await kafka_logs.facts.read(position, page)
            if not fresh:
                await kafka_logs.facts.wait_beyond(position.seq, 0.1)
                continue
            records += fresh
            position = position_of(fresh[-1])
        return records

    async with deadline():
        _, slow, quick, late = await asyncio.gather(grow(), follow(70), follow(900), follow(333))
    assert slow == quick == late == written
    assert await all_of(kafka_logs.facts) == written


async def test_what_is_kept_of_large_records_stays_within_its_limit(kafka_logs: KafkaLogs) -> None:
    log = kafka_logs.facts
    bodies = [bytes([number]) * (3 << 20) for number in range(8)]
    for body in bodies:
        await log.append([body])
    assert (await log.tail()).seq == 8
    assert sum(len(record.body) for record in log._tail._kept) <= KEPT_BYTES_MAX
    assert [record.body for record in await all_of(log)] == bodies


async def test_a_record_of_nearly_16_mib_goes_through_and_a_larger_one_is_refused(
    kafka_logs: KafkaLogs, database: Database
) -> None:
    large, too_large = b"x" * BODY_BYTES_MAX, b"x" * (BODY_BYTES_MAX + 1)
    assert BODY_BYTES_MAX > 0.999 * (16 << 20)
    writer = await kafka_logs.verdicts.open_writer("one")
    await writer.append([b"before", large, b"after"], fact_seq=1)
    with pytest.raises(RecordTooLarge, match="Record 5 has 16776193 bytes"):
        await writer.append([b"left out", too_large], fact_seq=2)
    await writer.append([b"next"], fact_seq=2)
    await writer.close()
    bodies = [record.body for record in await all_of(kafka_logs.verdicts)]
    assert bodies == [b"before", large, b"after", b"next"]
    await kafka_logs.facts.append([b"before", large])
    with pytest.raises(RecordTooLarge):
        await kafka_logs.facts.append([b"left out", too_large])
    await kafka_logs.facts.append([b"next"])
    facts = [record.body for record in await all_of(kafka_logs.facts)]
    assert facts == [b"before", large, b"next"]


async def test_cursors_are_kept_for_a_few_readers_and_closed_with_the_log(
    kafka_logs: KafkaLogs,
) -> None:
    log = kafka_logs.facts
    for _ in range(4):
        await log.append([b"fact"] * 2000)
    positions: list[Position] = [await log.beginning()] * 7
    async with deadline():
        for _ in range(3):
            pages = await asyncio.gather(*(log.read(position, 100) for position in positions))
            assert all(page == pages[0] for page in pages)
            positions = [Position(LOG_ID, page[-1].seq, page[-1].chain) for page in pages]
    assert positions[0].seq == 300
    assert len(log._cursors) <= 4
