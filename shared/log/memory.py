"""The logs in memory, for tests of what reads them: every promise, within one process."""

import asyncio
import bisect
import contextlib
from collections.abc import Sequence

from shared.events.chain import first_chain
from shared.log.port import (
    Position,
    Record,
    WriterReplaced,
    chained,
    check_beginning,
    check_found,
    check_held,
    continued,
)


class _MemoryLog:
    """What both logs have in common: records in a list, and a bell for waiting readers."""

    def __init__(self, log_id: str, name: str) -> None:
        self._log_id = log_id
        self._first_chain = first_chain(log_id, name)
        self._records: list[Record] = []
        self._appended = asyncio.Condition()

    async def beginning(self) -> Position:
        return Position(self._log_id, 0, self._first_chain)

    async def tail(self) -> Position:
        if not self._records:
            return await self.beginning()
        last = self._records[-1]
        return Position(self._log_id, last.seq, last.chain)

    async def last(self) -> Record | None:
        return self._records[-1] if self._records else None

    async def at(self, seq: int) -> Position | None:
        if seq == 0:
            return await self.beginning()
        place = bisect.bisect_left(self._records, seq, key=lambda record: record.seq)
        if place == len(self._records):
            return None
        found = self._records[place]
        check_found(seq, found.seq)
        return Position(self._log_id, seq, found.chain)

    async def read(self, after: Position, records_max: int) -> list[Record]:
        check_beginning(after, await self.beginning())
        rows = self._records[max(after.seq - 1, 0) : after.seq + records_max]
        check_held(after, rows)
        return continued(after, rows)

    async def wait_beyond(self, seq: int, wait_s: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(wait_s), self._appended:
                await self._appended.wait_for(lambda: len(self._records) > seq)

    async def _append(self, bodies: Sequence[bytes]) -> list[Record]:
        records = chained(await self.tail(), bodies)
        self._records += records
        async with self._appended:
            self._appended.notify_all()
        return records


class MemoryFactLog(_MemoryLog):
    """The log of facts, in memory."""

    def __init__(self, log_id: str) -> None:
        super().__init__(log_id, "facts")

    async def append(self, bodies: Sequence[bytes]) -> list[Record]:
        """Append records and return them with seq and chain."""
        return await self._append(bodies)


class MemoryVerdictLog(_MemoryLog):
    """The log of verdicts, in memory, with its one writer."""

    def __init__(self, log_id: str) -> None:
        super().__init__(log_id, "verdicts")
        self._epoch = 0
        self._fact_seq = 0

    async def open_writer(self, holder: str) -> "MemoryVerdictWriter":  # noqa: ARG002 - the port's.
        self._epoch += 1
        return MemoryVerdictWriter(self, self._epoch)

    def confirm(self, epoch: int) -> None:
        """Raise WriterReplaced if the epoch is over."""
        if epoch != self._epoch:
            raise WriterReplaced("Another writer has opened since; nothing was written.")

    async def append_as(self, epoch: int, bodies: Sequence[bytes], fact_seq: int) -> list[Record]:
        """Append for the writer of an epoch. Raises WriterReplaced."""
        self.confirm(epoch)
        assert fact_seq > self._fact_seq, "A fact is answered once."
        self._fact_seq = fact_seq
        return await self._append(bodies)

    @property
    def fact_seq(self) -> int:
        """The last fact that was answered."""
        return self._fact_seq


class MemoryVerdictWriter:
    """The right to append verdicts in memory."""

    def __init__(self, log: MemoryVerdictLog, epoch: int) -> None:
        self._log = log
        self._epoch = epoch

    @property
    def fact_seq(self) -> int:
        """The last fact that was answered."""
        return self._log.fact_seq

    async def append(self, bodies: Sequence[bytes], *, fact_seq: int) -> list[Record]:
        """Append the verdicts on all facts up to `fact_seq`. Raises WriterReplaced."""
        return await self._log.append_as(self._epoch, bodies, fact_seq)

    async def confirm(self) -> None:
        """Raise WriterReplaced if another writer has opened since."""
        self._log.confirm(self._epoch)

    async def show_begun(self) -> None:
        """Show nothing: everyone who could look is in this process."""

    async def close(self) -> None:
        """Give nothing back: in memory there is nothing to hold."""
