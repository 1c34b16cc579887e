"""The logs as Kafka topics of one partition each.

Facts are copied there from the table of the database (copier.py); verdicts are written there in
transactions, by the one writer that has the right to (writer.py). Readers see what is
committed, and prove with seq and chain that it is complete.
"""

import contextlib
from types import TracebackType
from typing import Final, Self

import asyncpg

from shared.log.kafka.cluster import KafkaCluster
from shared.log.kafka.cursor import Cursor
from shared.log.kafka.tail import Tail, beginning_of
from shared.log.kafka.writer import KafkaVerdictWriter, open_writer
from shared.log.port import Position, Record, check_beginning

# Each reader that is behind has its own consumer: views being built, and auditors.
CURSORS_KEPT_MAX: Final = 4


class _KafkaLog:
    """What both logs have in common. As a context manager it follows the end of its log."""

    def __init__(self, cluster: KafkaCluster, topic: str, beginning: Position) -> None:
        self._cluster = cluster
        self._topic = topic
        self._beginning = beginning
        self._tail = Tail(cluster, topic, beginning)
        self._cursors: list[tuple[Position, Cursor]] = []
        self._following = contextlib.AsyncExitStack()
        self._is_open = False

    async def __aenter__(self) -> Self:
        self._tail = Tail(self._cluster, self._topic, self._beginning)
        await self._following.enter_async_context(self._tail.following())
        self._is_open = True
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._is_open = False
        try:
            await self._following.aclose()
        finally:
            await self._drop_cursors(0)

    async def beginning(self) -> Position:
        return self._beginning

    async def tail(self) -> Position:
        return await self._tail.synced()

    async def last(self) -> Record | None:
        await self._tail.synced()
        return self._tail.last

    async def at(self, seq: int) -> Position | None:
        if seq == 0:
            return self._beginning
        if seq > (await self._tail.synced()).seq:
            return None
        cursor = await Cursor.open(self._cluster, self._topic)
        try:
            return await cursor.position_of(seq, self._beginning.log_id)
        finally:
            await cursor.close()

    async def read(self, after: Position, records_max: int) -> list[Record]:
        check_beginning(after, self._beginning)
        records = self._tail.after(after, records_max)
        if records == []:
            await self._tail.synced()
            records = self._tail.after(after, records_max)
        if records is None:
            return await self._read_behind(after, records_max)
        if records:
            await self._let_go(after)
        return records

    async def wait_beyond(self, seq: int, wait_s: float) -> None:
        await self._tail.wait_beyond(seq, wait_s)

    async def _read_behind(self, after: Position, records_max: int) -> list[Record]:
        """Read what the tail does not keep, with the cursor at that place if there is one."""
        cursor = self._taken(after)
        async with contextlib.AsyncExitStack() as on_failure:
            if cursor is None:
                cursor = await Cursor.open(self._cluster, self._topic)
                on_failure.push_async_callback(cursor.close)
                await cursor.go_to(after)
            else:
                on_failure.push_async_callback(cursor.close)
            records = await cursor.read(after, records_max)
            on_failure.pop_all()
        await self._keep(cursor, records[-1] if records else after, after.log_id)
        return records

    def _taken(self, position: Position) -> Cursor | None:
        """Take the cursor at a position out of those that are kept."""
        for place, (held, cursor) in enumerate(self._cursors):
            if held == position:
                del self._cursors[place]
                return cursor
        return None

    async def _keep(self, cursor: Cursor, last: Record | Position, log_id: str) -> None:
        self._cursors.append((Position(log_id, last.seq, last.chain), cursor))
        await self._drop_cursors(CURSORS_KEPT_MAX if self._is_open else 0)

    async def _drop_cursors(self, kept_max: int) -> None:
        """Close the cursors that have not been used for the longest time."""
        while len(self._cursors) > kept_max:
            await self._cursors.pop(0)[1].close()

    async def _let_go(self, position: Position) -> None:
        """Close the cursor of a reader who has caught up."""
        cursor = self._taken(position)
        if cursor is not None:
            await cursor.close()


class KafkaFactLog(_KafkaLog):
    """The log of facts, as far as it has been copied to its topic."""

    def __init__(self, cluster: KafkaCluster, log_id: str) -> None:
        super().__init__(cluster, cluster.facts_topic, beginning_of(log_id, "facts"))


class KafkaVerdictLog(_KafkaLog):
    def __init__(self, cluster: KafkaCluster, log_id: str, pool: asyncpg.Pool) -> None:
        super().__init__(cluster, cluster.verdicts_topic, beginning_of(log_id, "verdicts"))
        self._pool = pool

    async def open_writer(self, holder: str) -> KafkaVerdictWriter:
        """Become the one writer, once whatever the previous one had in flight has settled.

        Raises RatingTakenOver if a living instance has already displaced `holder`.
        """
        return await open_writer(self._cluster, self._beginning, self._pool, holder)
