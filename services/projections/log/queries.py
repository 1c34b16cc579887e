"""Finds stretches of a log, and reads them byte for byte."""

import contextlib
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Final

from shared.errors import LogUnavailable
from shared.log.port import Log, LogAway, Position, Record

# A few hundred records at a time keep memory use small, however long the answer is.
CHUNK_RECORDS: Final = 200


@dataclass(frozen=True, slots=True)
class LogStretch:
    """Some records of a log, given by the positions before the first and of the last one.

    Both ends are the same if there are none yet, and None if the log does not reach that far.
    """

    log_id: str
    ends: tuple[Position, Position] | None


async def find_stretch(log: Log, first_seq: int, limit: int) -> LogStretch:
    """Find the stretch of at most `limit` records from a seq on. Raises LogUnavailable."""
    with told_as_unavailable():
        tail = await log.tail()
        last_seq = first_seq + limit - 1
        before = await log.at(first_seq - 1) if first_seq - 1 <= tail.seq else None
        after = await log.at(last_seq) if last_seq < tail.seq else tail
    if before is None or after is None:
        return LogStretch(tail.log_id, None)
    return LogStretch(tail.log_id, (before, after))


async def read_records(log: Log, stretch: LogStretch) -> AsyncIterator[Record]:
    """Yield every record of a stretch. Raises LogUnavailable, LogGap or HistorySplit."""
    if stretch.ends is None:
        return
    held, end = stretch.ends
    while held.seq < end.seq:
        with told_as_unavailable():
            records = await log.read(held, min(CHUNK_RECORDS, end.seq - held.seq))
        for record in records:
            yield record
        held = Position(held.log_id, records[-1].seq, records[-1].chain)


@contextlib.contextmanager
def told_as_unavailable() -> Iterator[None]:
    """Tell a log that is away as what callers are told. Raises LogUnavailable."""
    try:
        yield
    except LogAway:
        raise LogUnavailable from None
