"""Reads a log from a position to a record, page by page, proving each record by its chain."""

from collections.abc import AsyncIterator
from typing import Final

from shared.log.port import REPAIR, LogGap, LogToRead, Position, Record

PAGE_RECORDS: Final = 500


async def records_of(log: LogToRead, after: Position, seq_max: int) -> AsyncIterator[Record]:
    """Yield the records after a position up to `seq_max`, in order; each is proved by its chain.

    Raises LogGap and HistorySplit.
    """
    async for page in pages_of(log, after, seq_max):
        for record in page:
            yield record


async def pages_of(log: LogToRead, after: Position, seq_max: int) -> AsyncIterator[list[Record]]:
    """Yield the same records a few hundred at a time. Raises LogGap and HistorySplit."""
    while after.seq < seq_max:
        page = await log.read(after, min(PAGE_RECORDS, seq_max - after.seq))
        if not page:
            raise LogGap(
                f"The log should go up to record {seq_max}, but ends at {after.seq}. {REPAIR}"
            )
        yield page
        after = Position(after.log_id, page[-1].seq, page[-1].chain)
