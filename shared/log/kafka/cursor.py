"""Reads one topic from any record on; offsets only find the place, and seq and chain prove it.

A topic has more offsets than records: transactions leave markers, and a copier may have sent a
record twice. So a place is looked for by seq, and an offset only shows that there is no more to
come.
"""

import asyncio
from collections.abc import Sequence
from typing import Final

from aiokafka import AIOKafkaConsumer, ConsumerRecord, TopicPartition
from aiokafka.errors import OffsetOutOfRangeError

from shared.log.kafka.asker import Asker
from shared.log.kafka.cluster import REQUEST_S_MAX, KafkaCluster, stop_consumer
from shared.log.kafka.errors import to_its_end, told_as_away
from shared.log.kafka.records import record_of
from shared.log.port import REPAIR, HistorySplit, LogGap, Position, Record, continued

# How many offsets are read at once while looking for a place.
LOOK_RECORDS: Final = 1000
# Where there are records to read, they come within a moment.
FETCH_S: Final = 0.2
CLOSE_S_MAX: Final = 10.0
# Decoding this many records takes a few milliseconds, in which nothing else in the process runs.
FETCH_RECORDS_MAX: Final = 1000


class Cursor:
    """A place on a topic, and a consumer that reads on from it."""

    def __init__(
        self, consumer: AIOKafkaConsumer, asker: Asker, topic: str, *, may_repeat: bool
    ) -> None:
        self._consumer = consumer
        self._asker = asker
        self._may_repeat = may_repeat
        self._place = TopicPartition(topic, 0)

    @classmethod
    async def open(cls, cluster: KafkaCluster, topic: str) -> "Cursor":
        """Connect to the cluster, at no place yet.

        Raises LogAway and KafkaRefused, like everything that asks the cluster.
        """
        asker, consumer = await Asker.open(cluster, topic), cluster.consumer()
        # A writer that uses transactions never sends a record again.
        cursor = cls(consumer, asker, topic, may_repeat=topic == cluster.facts_topic)
        try:
            await cluster.start(consumer)
        except BaseException:
            await cursor.close()
            raise
        consumer.assign([cursor._place])
        return cursor

    async def close(self) -> None:
        """Leave the cluster; questions still open raise LogAway."""
        await to_its_end(self._close(), CLOSE_S_MAX)

    async def _close(self) -> None:
        await self._asker.close()
        await stop_consumer(self._consumer)

    async def go_to(self, held: Position) -> None:
        """Go just after a record that was read before. Raises HistorySplit, LogGap and LogAway."""
        offset = await self.first_offset()
        if held.seq > 0:
            found = await self._find(held.seq)
            if found is None:
                raise HistorySplit(f"Record {held.seq} was read before and is gone. {REPAIR}")
            offset, record = found[0] + 1, found[1]
            continued(held, [record])
        self.go_to_offset(offset)

    async def position_of(self, seq: int, log_id: str) -> Position | None:
        """Return the position of a record; None beyond the end. Raises LogGap and LogAway."""
        found = await self._find(seq)
        if found is not None:
            return Position(log_id, seq, found[1].chain)
        last = await self.last_before(await self.end_offset())
        if last is not None and record_of(last).seq > seq:
            raise LogGap(f"Record {seq} is missing before record {record_of(last).seq}. {REPAIR}")
        return None

    async def first_offset(self) -> int:
        return await self._asker.first_offset()

    async def end_offset(self) -> int:
        """Return the last stable offset: everything before it is durable and complete."""
        return await self._asker.end_offset()

    async def offset(self) -> int:
        with told_as_away():
            return int(await self._consumer.position(self._place))

    def go_to_offset(self, offset: int) -> None:
        self._consumer.seek(self._place, offset)

    async def fetch(self, records_max: int, wait_s: float) -> list[ConsumerRecord]:
        """Wait for what comes next and return it; perhaps nothing. Raises HistorySplit, LogAway."""
        with told_as_away():
            try:
                messages = await self._consumer.getmany(
                    self._place, timeout_ms=int(wait_s * 1000), max_records=records_max
                )
            except OffsetOutOfRangeError:
                raise HistorySplit(
                    f"The topic {self._place.topic} is shorter than it was before. {REPAIR}"
                ) from None
        return list(messages.get(self._place, ()))

    async def read(self, held: Position, records_max: int) -> list[Record]:
        """Return the next records after the one held; none only if there are none for now."""
        wanted = min(records_max, FETCH_RECORDS_MAX)
        if fresh := await self._next(held, await self.fetch(wanted, 0)):
            return fresh
        end = await self.end_offset()
        while messages := await self._onward(wanted, end):
            if fresh := await self._next(held, messages):
                return fresh
        return []

    async def _next(self, held: Position, messages: Sequence[ConsumerRecord]) -> list[Record]:
        records = unbroken(held.seq, messages)
        fresh = continued(held, records)
        if len(records) < len(messages):
            last_seq = fresh[-1].seq if fresh else held.seq
            await self.go_around(last_seq, messages[len(records)])
        return fresh

    async def go_around(self, held_seq: int, beyond: ConsumerRecord) -> None:
        """Go to the record after the one held, which must come before a message beyond it.

        If a copier sent old records again after newer ones, the continuation is after those newer
        ones. Raises LogGap when there is no continuation anywhere.
        """
        found = await self._find(held_seq + 1, beyond.offset)
        if found is None:
            seq = record_of(beyond).seq
            raise LogGap(f"Record {seq} follows record {held_seq}. {REPAIR}")
        self.go_to_offset(found[0])

    async def last_before(self, end: int) -> ConsumerRecord | None:
        """Return the message with the highest seq before an offset.

        A copier that stalled for a while may have sent old records again, after newer ones. So this
        reads back as far as anything was ever sent again.
        """
        first, begin, size = await self.first_offset(), end, LOOK_RECORDS
        last = None
        while last is None and begin > first:
            before, begin = begin, max(first, end - size)
            last = await self._highest(begin, before)
            size *= 2
        # Before the stretch there is no room for a record with a higher seq than its offset.
        while self._may_repeat and last is not None and record_of(last).seq < begin:
            before, begin = begin, max(first, end - size)
            last = await self._highest(begin, before, last)
            size *= 2
        return last

    async def _seq_at(self, offset: int, end: int) -> int:
        """Return the seq of the first message from an offset on; 0 if there is none."""
        self.go_to_offset(offset)
        messages = await self._onward(1, end)
        return record_of(messages[0]).seq if messages else 0

    async def _highest(
        self, begin: int, end: int, last: ConsumerRecord | None = None
    ) -> ConsumerRecord | None:
        """Return the message with the highest seq: in a stretch, or the one known before."""
        self.go_to_offset(begin)
        while messages := await self._onward(LOOK_RECORDS, end):
            candidates = messages if last is None else [last, *messages]
            last = max(candidates, key=lambda message: record_of(message).seq)
        return last

    async def _find(self, seq: int, end: int | None = None) -> tuple[int, Record] | None:
        """Find a record by its seq, and its offset; None if it is not there before an offset."""
        first = await self.first_offset()
        end = await self.end_offset() if end is None else end
        if not self._may_repeat:
            return await self._scan(seq, await self._near(seq, first, end), end)
        # Everything that followed a record comes after the place where it first appeared, which is
        # not so after a repeat. There is no room for it further ahead, unless records are missing.
        low = max(first, seq - 1)
        found = await self._scan(seq, low, end) if low < end else None
        return found or await self._scan(seq, first, end)

    async def _near(self, seq: int, low: int, high: int) -> int:
        """Halve the stretch that holds a record until it is short; return where it begins."""
        while high - low > LOOK_RECORDS:
            middle = (low + high) // 2
            if not 0 < await self._seq_at(middle, high) <= seq:
                high = middle
            else:
                low = middle
        return low

    async def _scan(self, seq: int, begin: int, end: int) -> tuple[int, Record] | None:
        """Return the first record with that seq from an offset on; stop at one beyond it."""
        self.go_to_offset(begin)
        while messages := await self._onward(LOOK_RECORDS, end):
            for message in messages:
                record = record_of(message)
                if record.seq >= seq:
                    return (message.offset, record) if record.seq == seq else None
        return None

    async def _onward(self, records_max: int, end: int) -> list[ConsumerRecord]:
        """Return the next messages before an offset; none only when there are no more.

        Raises LogAway when the cluster does not give them in time.
        """
        with told_as_away():
            async with asyncio.timeout(REQUEST_S_MAX):
                while await self.offset() < end:
                    if messages := await self.fetch(records_max, FETCH_S):
                        wanted = [message for message in messages if message.offset < end]
                        if len(wanted) < len(messages):
                            self.go_to_offset(messages[len(wanted)].offset)
                        return wanted
        return []


def unbroken(held_seq: int, messages: Sequence[ConsumerRecord]) -> list[Record]:
    """Return the records in messages from the one held on, up to the first gap."""
    records: list[Record] = []
    for message in messages:
        record = record_of(message)
        if record.seq > held_seq + 1:
            break
        held_seq = max(held_seq, record.seq)
        records.append(record)
    return records
