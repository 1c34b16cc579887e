"""Topics on which copiers have sent records more than once, and those that are not ours at all."""

import asyncio
import random

import pytest

from shared.log.kafka.copier import FactCopier
from shared.log.kafka.cursor import LOOK_RECORDS, Cursor
from shared.log.kafka.logs import KafkaFactLog
from shared.log.kafka.records import record_of
from shared.log.kafka.tail import KEPT_RECORDS_MAX, beginning_of
from shared.log.port import HistorySplit, LogGap, Position, Record, chained
from tests.log.adapters import LOG_ID
from tests.log.chances import seeded_chance
from tests.log.deadlines import deadline
from tests.log.on_kafka import (
    KafkaLogs,
    Sent,
    a_producer,
    all_of,
    messages_of,
    send_all,
    sent_of,
)

CHAIN = ("chain", b"ab" * 32)


def records_of_facts(count: int, log_id: str = LOG_ID) -> list[Record]:
    beginning = beginning_of(log_id, "facts")
    return chained(beginning, [f"fact {number}".encode() for number in range(1, count + 1)])


def position_of(record: Record) -> Position:
    return Position(LOG_ID, record.seq, record.chain)


async def put(logs: KafkaLogs, *runs: list[Record]) -> None:
    """Send runs of records as copiers do, one run after the other."""
    async with a_producer(logs.cluster) as producer:
        for run in runs:
            await send_all(producer, logs.cluster.facts_topic, sent_of(run))


async def assert_every_seq_once(
    logs: KafkaLogs, records: list[Record], places: list[int] | None = None
) -> None:
    """Check what is read from places on by a reader that starts now, and that it knows the end."""
    async with KafkaFactLog(logs.cluster, LOG_ID) as log:
        assert await log.tail() == position_of(records[-1])
        assert await log.last() == records[-1]
        assert await all_of(log) == records
        for seq in range(1, len(records)) if places is None else places:
            after = position_of(records[seq - 1])
            assert await log.at(seq) == after
            assert await all_of(log, after=after) == records[seq:]


# The same records again.


async def test_two_copiers_at_once_of_which_one_is_far_behind_make_one_log(
    kafka_logs: KafkaLogs,
) -> None:
    chance = seeded_chance()
    records = records_of_facts(60)
    sent_until = 0

    async def copy(copier: FactCopier, copied: int) -> None:
        nonlocal sent_until
        while copied < len(records):
            size = chance.randrange(1, 9)
            await copier.append(records[copied : copied + size])
            copied += size
            sent_until = max(sent_until, copied)

    async with FactCopier(kafka_logs.cluster) as one, FactCopier(kafka_logs.cluster) as other:
        await one.append(records[:20])
        await asyncio.gather(copy(one, 20), copy(other, 0))
    messages = await messages_of(kafka_logs.cluster, kafka_logs.cluster.facts_topic)
    assert len(messages) == 20 + 40 + 60
    assert await all_of(kafka_logs.facts) == records
    await assert_every_seq_once(kafka_logs, records)


async def test_old_records_at_the_very_end_do_not_hide_the_newest(kafka_logs: KafkaLogs) -> None:
    records = records_of_facts(30)
    await put(kafka_logs, records, records[4:9], records[2:4])
    assert await kafka_logs.facts.tail() == position_of(records[-1])
    await assert_every_seq_once(kafka_logs, records)
    more = records_of_facts(33)
    await put(kafka_logs, more[30:], more[:33], more[:5])
    assert await all_of(kafka_logs.facts) == more
    await assert_every_seq_once(kafka_logs, more)


async def test_a_place_within_records_that_came_again_leads_to_what_came_after_the_newest(
    kafka_logs: KafkaLogs,
) -> None:
    # The middle of the topic, where a search begins, is in what was sent again.
    records = records_of_facts(6000)
    await put(kafka_logs, records[:3500], records[:2000], records[3500:])
    places = [1, 100, 1000, 1500, 1999, 2000, 2001, 2500, 3499, 3500, 3501, 5999]
    await assert_every_seq_once(kafka_logs, records, places)


async def test_more_old_records_at_the_end_than_are_looked_at_do_not_hide_the_newest(
    kafka_logs: KafkaLogs,
) -> None:
    records = records_of_facts(8000)
    await put(kafka_logs, records, records[1000 : 1000 + 2 * LOOK_RECORDS])
    await assert_every_seq_once(kafka_logs, records, [1000, 1500, 2999, 3000, 3001, 7000, 7999])


async def test_old_records_that_end_shortly_before_the_newest_do_not_hide_it(
    kafka_logs: KafkaLogs,
) -> None:
    records = records_of_facts(4 * LOOK_RECORDS)
    again = LOOK_RECORDS + LOOK_RECORDS // 10
    await put(kafka_logs, records, records[-again - 100 : -100])
    await assert_every_seq_once(kafka_logs, records, [100, 2800, 2900, 3850, 3900, 3950, 3999])


async def test_repeats_that_fill_exactly_what_is_looked_at_do_not_hide_the_newest(
    kafka_logs: KafkaLogs,
) -> None:
    # What is looked at ends with the last record but one, and the last one stands just before it.
    records = records_of_facts(2 * LOOK_RECORDS)
    await put(kafka_logs, records, records[-1 - LOOK_RECORDS : -1])
    await assert_every_seq_once(kafka_logs, records, [1, LOOK_RECORDS, len(records) - 1])


async def test_what_came_after_the_end_was_asked_for_is_read_next(kafka_logs: KafkaLogs) -> None:
    records = records_of_facts(10)
    await put(kafka_logs, records)
    cursor = await Cursor.open(kafka_logs.cluster, kafka_logs.cluster.facts_topic)
    try:
        last = await cursor.last_before(3)
        assert last is not None
        read = [last, *await cursor.fetch(100, 5.0)]
        assert [record_of(each) for each in read] == records[2:]
    finally:
        await cursor.close()


async def test_a_follower_that_began_among_repeats_reads_on_behind_the_newest(
    kafka_logs: KafkaLogs,
) -> None:
    # All but the last record come again, so nothing at the end tells that there was one more.
    records = records_of_facts(3001)
    await put(kafka_logs, records[:3000], records[:2999])
    async with KafkaFactLog(kafka_logs.cluster, LOG_ID) as log:
        await log.tail()
        await put(kafka_logs, records[3000:])
        async with deadline():
            await log.wait_beyond(3000, 3600)
        assert await log.tail() == position_of(records[3000])
        assert await all_of(log) == records


async def test_copiers_in_any_order_make_one_log(kafka_logs: KafkaLogs) -> None:
    chance = seeded_chance()
    records = records_of_facts(3000)
    runs, copied = [], 0
    while copied < len(records):
        size = chance.choice([1, 5, 50, 500])
        runs.append(records[copied : copied + size])
        copied += len(runs[-1])
        if chance.random() < 0.5:
            begin = chance.randrange(copied)
            runs.append(records[begin : begin + chance.choice([1, 20, 700])][: copied - begin])
    await put(kafka_logs, *runs)
    assert await all_of(kafka_logs.facts) == records
    places = random.Random(chance.random()).sample(range(1, 3000), 12)
    await assert_every_seq_once(kafka_logs, records, places)


# Other records in the place of those that were there.


def others_from(records: list[Record], seq: int, count: int) -> list[Record]:
    before = position_of(records[seq - 2]) if seq > 1 else beginning_of(LOG_ID, "facts")
    return chained(before, [b"of another history"] * count)


@pytest.mark.parametrize("seq", [1, 5, 10])
async def test_another_record_with_a_seq_that_was_read_stops_everybody(
    kafka_logs: KafkaLogs, seq: int
) -> None:
    assert (await kafka_logs.facts.tail()).seq == 0  # It has found its place, and keeps all.
    records = records_of_facts(10)
    await put(kafka_logs, records)
    assert await all_of(kafka_logs.facts) == records
    await put(kafka_logs, others_from(records, seq, 1))
    with pytest.raises(HistorySplit, match=f"Record {seq} came again, and is different"):
        await kafka_logs.facts.tail()
    with pytest.raises(HistorySplit):
        await kafka_logs.facts.read(position_of(records[9]), 10)
    with pytest.raises(HistorySplit):
        await kafka_logs.facts.last()
    async with deadline():
        await kafka_logs.facts.wait_beyond(10, 3600)


async def test_another_history_that_goes_further_stops_everybody(kafka_logs: KafkaLogs) -> None:
    assert (await kafka_logs.facts.tail()).seq == 0
    records = records_of_facts(10)
    await put(kafka_logs, records, others_from(records, 11, 3)[1:])
    with pytest.raises(LogGap):
        await all_of(kafka_logs.facts)
    await put(kafka_logs, others_from(records, 8, 8)[3:])
    with pytest.raises((HistorySplit, LogGap)):
        await kafka_logs.facts.tail()


async def test_what_came_first_stands_where_another_record_comes_long_after_it(
    kafka_logs: KafkaLogs,
) -> None:
    records = records_of_facts(KEPT_RECORDS_MAX + 3000)
    await put(kafka_logs, records[:1000])
    assert (await kafka_logs.facts.tail()).seq == 1000
    await put(kafka_logs, records[1000:])
    await kafka_logs.facts.tail()
    await put(kafka_logs, others_from(records, 5, 1))
    # Nobody holds it anymore, and whoever reads from the beginning has read the true one before.
    assert await kafka_logs.facts.tail() == position_of(records[-1])
    assert await all_of(kafka_logs.facts) == records
    assert await all_of(kafka_logs.facts, after=position_of(records[6000])) == records[6001:]


async def test_a_place_on_another_history_is_not_found(kafka_logs: KafkaLogs) -> None:
    records = records_of_facts(KEPT_RECORDS_MAX + 10)
    await put(kafka_logs, records)
    other = others_from(records, 5, 1)[0]
    with pytest.raises(HistorySplit, match="Record 5 is not the one that was read before"):
        await kafka_logs.facts.read(position_of(other), 10)
    with pytest.raises(HistorySplit, match="Record 9999 was read before and is gone"):
        await kafka_logs.facts.read(Position(LOG_ID, 9999, other.chain), 10)


@pytest.mark.parametrize("more", [0, 3])
async def test_another_record_in_the_place_of_the_last_before_what_is_kept_is_found(
    kafka_logs: KafkaLogs, more: int
) -> None:
    records = records_of_facts(10 + more)
    await put(kafka_logs, records[:10])
    async with KafkaFactLog(kafka_logs.cluster, LOG_ID) as log:
        assert (await log.tail()).seq == 10  # From here on it keeps what comes.
        await put(kafka_logs, records[10:])
        assert (await log.tail()).seq == 10 + more
        with pytest.raises(HistorySplit, match="Record 10 is not the one that was read before"):
            await log.read(position_of(others_from(records, 10, 1)[0]), 10)
        assert await log.read(position_of(records[9]), 10) == records[10:]


async def test_the_topic_of_another_log_is_refused(kafka_logs: KafkaLogs) -> None:
    await put(kafka_logs, records_of_facts(3, log_id="another-log"))
    for _ in range(2):
        with pytest.raises(HistorySplit, match="The chain of record 1 does not fit"):
            await kafka_logs.facts.tail()
    async with KafkaFactLog(kafka_logs.cluster, LOG_ID) as log:
        with pytest.raises(HistorySplit):
            await log.tail()
        with pytest.raises(HistorySplit):
            await log.read(await log.beginning(), 10)


# What no writer of ours has sent.


@pytest.mark.parametrize(
    "sent",
    [
        Sent(b"{}", []),
        Sent(b"{}", [("seq", b"2")]),
        Sent(b"{}", [CHAIN]),
        Sent(b"{}", [("seq", b"two"), CHAIN]),
        Sent(b"{}", [("seq", b"\xff\xfe"), CHAIN]),
        Sent(b"{}", [("seq", b""), CHAIN]),
        Sent(b"{}", [("seq", b"0"), CHAIN]),
        Sent(b"{}", [("seq", b"-2"), CHAIN]),
        Sent(b"{}", [("seq", b"2"), ("chain", b"\xff\xfe")]),
        Sent(b"{}", [("seq", b"2"), ("chain", b"ab")]),
        Sent(b"{}", [("seq", b"2"), ("chain", b"")]),
        Sent(None, [("seq", b"2"), CHAIN]),
        Sent(None, []),
        Sent(b"", []),
    ],
    ids=repr,
)
async def test_what_no_writer_of_ours_has_sent_stops_readers_with_its_place(
    kafka_logs: KafkaLogs, sent: Sent
) -> None:
    records = records_of_facts(3)
    await put(kafka_logs, records)
    assert await all_of(kafka_logs.facts) == records
    async with a_producer(kafka_logs.cluster) as producer:
        await send_all(producer, kafka_logs.cluster.facts_topic, [sent])
    place = f"Offset 3 of the topic {kafka_logs.cluster.facts_topic} has a record without"
    with pytest.raises(HistorySplit, match=place):
        await kafka_logs.facts.tail()
    async with KafkaFactLog(kafka_logs.cluster, LOG_ID) as log:
        with pytest.raises(HistorySplit, match=place):
            await log.tail()


async def test_a_verdict_that_does_not_say_what_it_answers_stops_the_next_writer(
    kafka_logs: KafkaLogs,
) -> None:
    beginning = await kafka_logs.verdicts.beginning()
    topic = kafka_logs.cluster.verdicts_topic
    async with a_producer(kafka_logs.cluster) as producer:
        await send_all(producer, topic, sent_of(chained(beginning, [b"verdict"])))
    with pytest.raises(HistorySplit, match="does not say which facts have been answered"):
        await kafka_logs.verdicts.open_writer("one")
