"""Follows the end of one topic for everyone in the process, and keeps its last records.

Readers that keep up with the log read from here, so each record comes over the network once.
"""

import asyncio
import contextlib
import itertools
from collections import deque
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Final

import structlog
from aiokafka import ConsumerRecord

from shared.events.chain import first_chain
from shared.log.kafka.cluster import KafkaCluster
from shared.log.kafka.cursor import FETCH_RECORDS_MAX, Cursor, unbroken
from shared.log.kafka.errors import KafkaRefused
from shared.log.kafka.records import record_of
from shared.log.port import (
    REPAIR,
    HistorySplit,
    LogAway,
    LogGap,
    Position,
    Record,
    check_held,
    continued,
)

# How far behind a reader may be and still find its records here: seconds at the highest rate.
KEPT_RECORDS_MAX: Final = 5000
KEPT_BYTES_MAX: Final = 16 << 20
# How long to wait for a cluster before it counts as away.
SYNC_S_MAX: Final = 6.0
RETRY_S: Final = 0.2
WAIT_S: Final = 1.0
LOOK_S: Final = 0.01
# A reader that waits for more follows the topic, and waits again within this time.
FOLLOWED_S: Final = 2.0
# A topic that no reader follows is fetched no more often than this: each fetch costs the broker and
# us nearly the same for one record as for fifty.
GATHER_S: Final = 0.5
# A consumer with a dead task returns nothing forever, without saying so.
VAIN_FETCHES_MAX: Final = 3

_log = structlog.get_logger(__name__)


class Tail:
    """The last records of a topic, as far as they have come."""

    def __init__(self, cluster: KafkaCluster, topic: str, beginning: Position) -> None:
        self._cluster = cluster
        self._topic = topic
        self._beginning = beginning
        self._last: Record | None = None
        self._before_kept: Position | None = None
        self._kept: deque[Record] = deque()
        self._kept_bytes = 0
        self._cursor: Cursor | None = None
        self._is_away = False
        self._failure: HistorySplit | LogGap | KafkaRefused | None = None
        self._moved = asyncio.Event()
        self._asking = 0
        self._is_asked = asyncio.Event()
        self._followed_until_s = 0.0
        self._task: asyncio.Task[None] | None = None

    @contextlib.asynccontextmanager
    async def following(self) -> AsyncIterator[None]:
        """Follow the topic while the context is open."""
        task = asyncio.create_task(self._follow(), name=f"tail of {self._topic}")
        task.add_done_callback(lambda _task: self._tell())
        self._task = task
        try:
            yield
        finally:
            task.cancel()
            await asyncio.wait([task])
            if not task.cancelled():
                task.result()

    async def synced(self) -> Position:
        """Return the last position that existed when this was called, or a later one.

        Raises LogAway when the cluster does not answer in time, KafkaRefused, HistorySplit and
        LogGap.
        """
        try:
            with self._asked():
                async with asyncio.timeout(SYNC_S_MAX):
                    while not await self._is_abreast():
                        pass
        except TimeoutError:
            raise LogAway(f"The topic {self._topic} does not answer.") from None
        self._check()
        return self.position

    async def _is_abreast(self) -> bool:
        """Wait until everything there is now has come; false if the cursor was lost meanwhile."""
        while (cursor := self._cursor) is None:
            self._check()
            await self._next_move()
        try:
            end = await cursor.end_offset()
        except LogAway:
            if self._cursor is cursor:
                raise
            return False
        while self._cursor is cursor:
            if await cursor.offset() >= end:
                return True
            # Offsets may pass without a record, which wakes no waiter.
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LOOK_S):
                    await self._next_move()
        return False

    @property
    def position(self) -> Position:
        """The position of the last record that has come."""
        if self._last is None:
            return self._beginning
        return Position(self._beginning.log_id, self._last.seq, self._last.chain)

    @property
    def last(self) -> Record | None:
        """The last record that has come."""
        return self._last

    def after(self, held: Position, records_max: int) -> list[Record] | None:
        """Return what follows a record, as far as it has come; None if it is not kept here.

        Raises HistorySplit when another record is in its place.
        """
        self._check()
        before = self._before_kept
        if before is None or not before.seq <= held.seq <= before.seq + len(self._kept):
            return None
        skipped = held.seq - before.seq
        if skipped == 0:
            check_held(held, [Record(before.seq, before.chain, b"")])
        else:
            check_held(held, [self._kept[skipped - 1]])
        return list(itertools.islice(self._kept, skipped, skipped + records_max))

    async def wait_beyond(self, seq: int, wait_s: float) -> None:
        """Return as soon as a record after `seq` has come, the log is broken, or the time is up."""
        with self._asked(), contextlib.suppress(TimeoutError):
            async with asyncio.timeout(wait_s):
                while not self._is_over() and self.position.seq <= seq:
                    await self._next_move()
        self._followed_until_s = _now() + FOLLOWED_S

    @contextlib.contextmanager
    def _asked(self) -> Iterator[None]:
        """Count a reader that waits for what comes next."""
        self._asking += 1
        self._is_asked.set()
        try:
            yield
        finally:
            self._asking -= 1
            if not self._asking:
                self._is_asked.clear()

    def _check(self) -> None:
        if self._failure is not None:
            raise type(self._failure)(self._failure.detail) from self._failure
        if self._task is not None and self._task.done():
            if self._task.cancelled():
                raise LogAway(f"The topic {self._topic} is no longer being followed.")
            self._task.result()

    def _is_over(self) -> bool:
        return self._task is not None and self._task.done()

    async def _next_move(self) -> None:
        await self._moved.wait()

    def _tell(self) -> None:
        moved, self._moved = self._moved, asyncio.Event()
        moved.set()

    async def _follow(self) -> None:
        """Follow the topic until its history differs; reconnect as often as needed."""
        while True:
            try:
                await self._follow_once()
            except LogAway as error:
                if not self._is_away:  # Once is enough, however often we try.
                    _log.warning("log_away", topic=self._topic, detail=error.detail)
                self._is_away = True
            except (HistorySplit, LogGap, KafkaRefused) as error:
                self._failure = error
                return
            await asyncio.sleep(RETRY_S)

    async def _follow_once(self) -> None:
        cursor = await Cursor.open(self._cluster, self._topic)
        try:
            await self._find_place(cursor)
            self._show(cursor)
            vain = 0
            while True:
                messages = await cursor.fetch(FETCH_RECORDS_MAX, WAIT_S)
                # Nothing may be awaited before they are kept: the offset has already moved.
                taken = self._take(messages)
                if taken < len(messages):
                    self._cursor = None  # It is in other places for a while.
                    await cursor.go_around(self.position.seq, messages[taken])
                    self._show(cursor)
                vain = 0 if messages or await _is_at_end(cursor) else vain + 1
                if vain > VAIN_FETCHES_MAX:
                    raise LogAway("A consumer gives nothing, though there is something.")
                if 0 < len(messages) < FETCH_RECORDS_MAX:
                    await self._gather()
        finally:
            self._cursor = None
            await cursor.close()

    async def _gather(self) -> None:
        """Let more records gather, unless a reader follows the topic, until one asks."""
        if _now() < self._followed_until_s:
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(GATHER_S):
                await self._is_asked.wait()

    def _show(self, cursor: Cursor) -> None:
        """Show how far this cursor is to readers that ask for the end."""
        self._cursor = cursor
        self._is_away = False
        self._tell()

    def _take(self, messages: Sequence[ConsumerRecord]) -> int:
        """Keep what continues from the last record; return how many have no gap before them."""
        records = unbroken(self.position.seq, messages)
        self._check_repeats(records)
        if fresh := continued(self.position, records):
            self._keep(fresh)
        return len(records)

    async def _find_place(self, cursor: Cursor) -> None:
        """Go just after the last record that has come; at first, after the last one there is."""
        if self._before_kept is not None:
            await cursor.go_to(self.position)
            return
        await cursor.go_to(self._beginning)
        if await cursor.read(self._beginning, 1):  # Or the log is wrong or cut.
            end = await cursor.end_offset()
            last = await cursor.last_before(end)
            assert last is not None, "There is a first record, so there is a last one."
            self._last = record_of(last)
            cursor.go_to_offset(end)
        self._before_kept = self.position

    def _check_repeats(self, records: Sequence[Record]) -> None:
        """Check that a record that comes again is the same as before, as far as it is kept."""
        before = self._before_kept
        assert before is not None, "The place was found before anything is fetched."
        for record in records:
            place = record.seq - before.seq - 1
            held = self._kept[place] if 0 <= place < len(self._kept) else before
            if held.seq == record.seq and held.chain != record.chain:
                raise HistorySplit(f"Record {record.seq} came again, and is different. {REPAIR}")

    def _keep(self, fresh: Sequence[Record]) -> None:
        self._last = fresh[-1]
        self._kept.extend(fresh)
        self._kept_bytes += sum(len(record.body) for record in fresh)
        while len(self._kept) > KEPT_RECORDS_MAX or self._kept_bytes > KEPT_BYTES_MAX:
            gone = self._kept.popleft()
            self._kept_bytes -= len(gone.body)
            self._before_kept = Position(self._beginning.log_id, gone.seq, gone.chain)
        self._tell()


def _now() -> float:
    return asyncio.get_running_loop().time()


async def _is_at_end(cursor: Cursor) -> bool:
    return await cursor.offset() >= await cursor.end_offset()


def beginning_of(log_id: str, log_name: str) -> Position:
    """Return the position before the first record of a log."""
    return Position(log_id, 0, first_chain(log_id, log_name))
