"""Remembers how far the log of facts has come, so that a log that was put back is never written on.

A database restored from an older copy under a running process would otherwise look whole.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from typing import Final, NoReturn

from shared.events.codec import encode_fact
from shared.events.facts import FactEvent
from shared.log.port import HistorySplit, Log, LogAway, Position, Record
from shared.log.postgres import Connection, Head, append_facts, lock_head

# How soon a process that is not writing learns what others wrote, or that the log was put back.
LOOK_S: Final = 1.0


class Writing:
    """A transaction that holds the lock on the head, and appends facts if it commits."""

    def __init__(self, connection: Connection, head: Head) -> None:
        self._connection = connection
        self.head = head
        self.end = head.position

    @property
    def next_seq(self) -> int:
        """The place of the next fact on the log."""
        return self.end.seq + 1

    async def append(self, bodies: Sequence[bytes]) -> list[Record]:
        """Append facts. Call it once per transaction."""
        records = await append_facts(self._connection, self.head, bodies)
        self.end = Position(self.head.log_id, records[-1].seq, records[-1].chain)
        return records

    async def append_fact(self, event: FactEvent, time: str) -> int:
        """Append one fact, and return its place on the log. Call it once per transaction."""
        seq = self.next_seq
        await self.append([encode_fact(event, log_id=self.head.log_id, seq=seq, time=time)])
        return seq


class Waterline:
    """The last fact that this process has seen committed. All its writers share one."""

    def __init__(self) -> None:
        self._seen: Position | None = None
        self._split: HistorySplit | None = None

    @property
    def seq(self) -> int:
        """The place of that fact on the log, or 0 before any was seen."""
        return 0 if self._seen is None else self._seen.seq

    @contextlib.asynccontextmanager
    async def writing(self, connection: Connection) -> AsyncIterator[Writing]:
        """Run a transaction whose first statement locks the head.

        Raises HistorySplit, and writes nothing, when the log no longer holds what was seen on it.
        """
        async with connection.transaction():
            writing = Writing(connection, await self._locked_head(connection))
            yield writing
        self._rise_to(writing.end)

    async def joining(self, connection: Connection) -> Writing:
        """Lock the head within a transaction of someone else, who may still roll it back.

        So nothing of it counts as seen before `watch` finds it on the log. Ask before anything else
        is locked that whoever holds the head may want. Raises HistorySplit; then nothing may be
        committed.
        """
        assert connection.is_in_transaction()
        return Writing(connection, await self._checked_head(connection))

    async def watch(self, facts: Log) -> NoReturn:
        """Look at the log again and again. Raises HistorySplit, even if a writer found it."""
        while True:
            # Those who need the log report that it is away.
            with contextlib.suppress(LogAway):
                if self._seen is not None:
                    await facts.read(self._seen, 1)
                self._rise_to(await facts.tail())
            if self._split is not None:
                raise self._split
            await asyncio.sleep(LOOK_S)

    async def _locked_head(self, connection: Connection) -> Head:
        head = await self._checked_head(connection)
        self._rise_to(head.position)
        return head

    async def _checked_head(self, connection: Connection) -> Head:
        try:
            return await lock_head(connection, seen=self._seen)
        except HistorySplit as error:
            self._split = error
            raise

    def _rise_to(self, position: Position) -> None:
        """Take note of how far the log has come. Two answers may come in any order."""
        if self._seen is None or position.seq > self._seen.seq:
            self._seen = position
