"""Serves the records of a log as they are delivered, and reads the log itself when they do not fit.

Deliveries may repeat, skip or reorder records; the reader sees what the log holds (promise 3).
"""

import asyncio
import contextlib
from collections.abc import Sequence
from typing import Final

from shared.log.port import HistorySplit, Log, LogGap, Position, Record, continued

# After this long without a delivery, the log itself is read. So a standby, which gets none, stays
# near the end, and a delivery that was silently lost is found.
LOOK_S: Final = 2.0


class DeliveredLog:
    """A log that holds one delivery at a time, for one reader, in front of the whole log.

    After the last record delivered it may say for `look_s` that there are no more.
    """

    def __init__(self, log: Log, *, look_s: float = LOOK_S) -> None:
        self._log = log
        self._look_s = look_s
        self._look_at = 0.0
        self._delivered: list[Record] = []  # Consecutive, and chained to each other.
        self._last_seq = 0
        self._came = asyncio.Event()
        self._is_taken_in = asyncio.Event()

    async def give(self, records: Sequence[Record]) -> None:
        """Take a delivery, and return once the reader comes back from its end.

        A reader reads from what it has committed, and so shows what may be acknowledged. If it
        does not read, this waits forever.
        """
        assert records, "A delivery holds at least one record."
        first = records[0]
        try:
            held = Position("", first.seq, first.chain)
            self._delivered = [first, *continued(held, records[1:])]
        except (LogGap, HistorySplit):
            self.distrust()
        self._last_seq = max(record.seq for record in records)
        self._is_taken_in.clear()
        self._came.set()
        await self._is_taken_in.wait()

    def distrust(self) -> None:
        """Forget what was delivered, because some of it can't be read; the log itself decides."""
        self._delivered = []
        self._look_at = 0.0
        self._came.set()

    async def read(self, after: Position, records_max: int) -> list[Record]:
        """Return the next records in order. Raises LogGap or HistorySplit (promise 3)."""
        if after.seq >= self._last_seq:
            self._is_taken_in.set()
        records = self._read_delivered(after, records_max)
        if not records and _now() >= self._look_at:
            # Set first: while the log is away, the reader gets turns between two attempts.
            self._look_at = _now() + self._look_s
            records = await self._log.read(after, records_max)
            if len(records) == records_max:
                self._look_at = 0.0  # There is more, and perhaps no delivery ever brings it.
        return records

    async def wait_beyond(self, seq: int, wait_s: float) -> None:  # noqa: ARG002 - the port's.
        """Return at the next delivery, or after `wait_s` seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(wait_s):
                await self._came.wait()
        self._came.clear()

    async def beginning(self) -> Position:
        return await self._log.beginning()

    async def tail(self) -> Position:
        """Return the position of the last record that is durable, delivered or not."""
        return await self._log.tail()

    async def last(self) -> Record | None:
        """Return the last record that is durable, delivered or not."""
        return await self._log.last()

    async def at(self, seq: int) -> Position | None:
        """Return the position of a record; None when the log does not reach that far."""
        return await self._log.at(seq)

    def _read_delivered(self, after: Position, records_max: int) -> list[Record]:
        if not self._delivered or after.seq > self._delivered[-1].seq:
            return []
        place = max(0, after.seq - self._delivered[0].seq)
        try:
            # The first one may be the record held, so there may be one more than asked for.
            rows = self._delivered[place : place + records_max + 1]
            records = continued(after, rows)[:records_max]
        except (LogGap, HistorySplit):
            # The delivery may be wrong, or the reader's place, or the log.
            self.distrust()
            return []
        if records:
            self._look_at = _now() + self._look_s
        return records


def _now() -> float:
    return asyncio.get_running_loop().time()
