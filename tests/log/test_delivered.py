"""What a reader sees of a log whose records are delivered well, badly, or not at all."""

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.log.delivered import DeliveredLog
from shared.log.memory import MemoryVerdictLog
from shared.log.port import HistorySplit, LogAway, LogGap, Position, Record
from tests.log.deadlines import DEADLINE_S, deadline

LOG_ID = "log"
# Longer than any test: what comes in time did not come by a look at the log itself.
NEVER_S = 10 * DEADLINE_S


class AskedLog(MemoryVerdictLog):
    """Counts how often the log itself is read."""

    def __init__(self) -> None:
        super().__init__(LOG_ID)
        self.reads = 0

    async def read(self, after: Position, records_max: int) -> list[Record]:
        self.reads += 1
        return await super().read(after, records_max)


async def filled(count: int) -> tuple[AskedLog, list[Record]]:
    """Return a log of so many records, and these."""
    log = AskedLog()
    writer = await log.open_writer("test")
    return log, await writer.append([b"%d" % place for place in range(count)], fact_seq=1)


async def after_a_first_look(log: AskedLog) -> DeliveredLog:
    """Return a delivered log whose reader found nothing new at its start."""
    delivered = DeliveredLog(log, look_s=NEVER_S)
    assert await delivered.read(await log.tail(), 10) == []
    log.reads = 0
    return delivered


def position_of(record: Record) -> Position:
    return Position(LOG_ID, record.seq, record.chain)


@dataclass
class Reader:
    """Reads as the feed does: from what it has committed, and waits when there is nothing."""

    log: DeliveredLog
    position: Position
    read: list[Record] = field(default_factory=list)
    records_max: int = 3

    async def run(self) -> None:
        while True:
            records = await self.log.read(self.position, self.records_max)
            if records:
                self.read += records
                self.position = position_of(records[-1])
            else:
                await self.log.wait_beyond(self.position.seq, NEVER_S)


@contextlib.asynccontextmanager
async def reading(delivered: DeliveredLog, after: Position) -> AsyncIterator[Reader]:
    reader = Reader(delivered, after)
    task = asyncio.create_task(reader.run())
    try:
        async with deadline():
            yield reader
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def test_deliveries_reach_the_reader_without_a_read_of_the_log() -> None:
    log, records = await filled(20)
    delivered = DeliveredLog(log, look_s=NEVER_S)
    empty = DeliveredLog(MemoryVerdictLog(LOG_ID), look_s=NEVER_S)
    for each in (delivered, empty):
        assert await each.beginning() == await log.beginning()
    assert (await delivered.tail(), await delivered.last()) == (
        position_of(records[-1]),
        records[-1],
    )
    delivered = await after_a_first_look(log)
    async with reading(delivered, await log.beginning()) as reader:
        await delivered.give(records[:13])
        assert reader.read == records[:13]
        await delivered.give(records[13:])
        assert reader.read == records
    assert log.reads == 0


async def test_a_delivery_is_done_only_when_the_reader_comes_back_from_its_end() -> None:
    log, records = await filled(4)
    delivered = await after_a_first_look(log)
    giving = asyncio.create_task(delivered.give(records))
    await delivered.wait_beyond(0, NEVER_S)
    assert await delivered.read(await log.beginning(), 10) == records
    # Read is not committed: the reader may fail, and then reads the same again.
    assert await delivered.read(await log.beginning(), 10) == records
    assert await delivered.read(position_of(records[2]), 10) == records[3:]
    assert not giving.done()
    assert await delivered.read(position_of(records[3]), 10) == []
    async with deadline():
        await giving


async def test_what_was_delivered_before_is_done_at_once_and_read_once() -> None:
    log, records = await filled(9)
    delivered = await after_a_first_look(log)
    async with reading(delivered, await log.beginning()) as reader:
        await delivered.give(records)
        await delivered.give(records[:4])
        await delivered.give(records[3:])
        assert reader.read == records
    assert log.reads == 0


async def test_a_reader_that_starts_behind_or_ahead_of_the_deliveries_misses_nothing() -> None:
    log, records = await filled(12)
    for start in range(13):
        after = position_of(records[start - 1]) if start else await log.beginning()
        delivered = DeliveredLog(log, look_s=NEVER_S)
        async with reading(delivered, after) as reader:
            await delivered.give(records[5:8])
            await delivered.give(records[8:])
            assert reader.read == records[start:]


async def test_the_log_is_asked_when_nothing_is_delivered() -> None:
    log, records = await filled(3)
    delivered = DeliveredLog(log, look_s=0.01)
    assert await delivered.read(await log.beginning(), 10) == records
    writer = await log.open_writer("another")
    more = await writer.append([b"more"], fact_seq=2)
    read: list[Record] = []
    async with deadline():
        while not read:
            await delivered.wait_beyond(3, 0.01)
            read = await delivered.read(position_of(records[-1]), 10)
    assert read == more


async def test_a_log_that_holds_more_than_one_batch_is_read_on_without_a_delivery() -> None:
    log, records = await filled(20)
    delivered = DeliveredLog(log, look_s=NEVER_S)
    position, read = await log.beginning(), list[Record]()
    while more := await delivered.read(position, 6):
        read += more
        position = position_of(more[-1])
    assert read == records


async def test_the_reader_has_its_turns_while_the_log_is_away() -> None:
    class AwayLog(AskedLog):
        async def read(self, after: Position, records_max: int) -> list[Record]:
            self.reads += 1
            raise LogAway("Away for now.")

    log = AwayLog()
    delivered = DeliveredLog(log, look_s=NEVER_S)
    with pytest.raises(LogAway):
        await delivered.read(await log.beginning(), 10)
    assert await delivered.read(await log.beginning(), 10) == []
    assert log.reads == 1


def skipped(records: Sequence[Record]) -> list[Record]:
    return [*records[:2], *records[3:]]


def swapped(records: Sequence[Record]) -> list[Record]:
    return [records[0], records[2], records[1], *records[3:]]


def rewritten(records: Sequence[Record]) -> list[Record]:
    return [records[0], Record(records[1].seq, records[1].chain, b"another"), *records[2:]]


def of_another_chain(records: Sequence[Record]) -> list[Record]:
    return [Record(each.seq, bytes(32), each.body) for each in records]


@pytest.mark.parametrize("harm", [skipped, swapped, rewritten, of_another_chain])
async def test_the_log_itself_decides_on_a_delivery_that_does_not_fit(
    harm: Callable[[Sequence[Record]], list[Record]],
) -> None:
    log, records = await filled(8)
    delivered = await after_a_first_look(log)
    async with reading(delivered, await log.beginning()) as reader:
        await delivered.give(harm(records))
        assert reader.read == records
    assert log.reads > 0


async def test_the_log_itself_decides_on_a_delivery_that_cannot_be_read() -> None:
    log, records = await filled(2)
    delivered = await after_a_first_look(log)
    assert await delivered.read(await log.beginning(), 10) == []
    delivered.distrust()
    await delivered.wait_beyond(0, NEVER_S)
    assert await delivered.read(await log.beginning(), 10) == records


async def test_a_log_that_has_lost_or_changed_records_stops_the_reader() -> None:
    log, records = await filled(8)
    del log._records[4]
    torn = DeliveredLog(log, look_s=NEVER_S)
    with pytest.raises((LogGap, HistorySplit)):
        await torn.read(await log.beginning(), 10)
    with pytest.raises(HistorySplit):
        await DeliveredLog(log).read(position_of(records[-1]), 10)
    with pytest.raises(HistorySplit):
        await DeliveredLog(log).read(Position("another", 0, bytes(32)), 10)


async def test_a_place_of_another_history_stops_the_reader_at_the_next_delivery() -> None:
    log, records = await filled(8)
    for seq in (2, 3, 8):
        delivered = await after_a_first_look(log)
        giving = asyncio.create_task(delivered.give(records[2:]))
        await delivered.wait_beyond(0, NEVER_S)
        with pytest.raises(HistorySplit):
            await delivered.read(Position(LOG_ID, seq, bytes(32)), 10)
        giving.cancel()


@given(st.integers(0, 2**32))
def test_whatever_is_delivered_the_reader_sees_the_log(seed: int) -> None:
    """Deliveries start anywhere, again and again, and one in four is spoiled."""
    asyncio.run(deliver_at_random(random.Random(seed)))


async def deliver_at_random(chance: random.Random) -> None:
    log, records = await filled(30)
    delivered = DeliveredLog(log, look_s=chance.choice([0.0, NEVER_S]))
    start = chance.randint(0, 30)
    after = position_of(records[start - 1]) if start else await log.beginning()
    async with reading(delivered, after) as reader:
        for _ in range(6):
            place = chance.randrange(30)
            delivery = records[place : place + chance.randint(1, 12)]
            if chance.random() < 0.25:
                chance.shuffle(delivery)
            await delivered.give(delivery)
        await delivered.give(records[-1:])
    assert reader.read == records[start:]
