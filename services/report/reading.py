"""Reads the verdicts up to the end of a year, twice, a page at a time in a thread."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Protocol

from services.report.changes import Changes
from services.report.tally import People, YearTally
from shared.errors import MahjicError
from shared.log.pages import pages_of
from shared.log.port import Log, Record
from shared.replay.files import StoredColumns

Progress = Callable[[str, int, int], None]


class NothingInYear(MahjicError):
    """Nothing was accepted in the year, or nothing of it is rated yet."""

    code = "nothing_in_year"
    title = "There is nothing to report of that year"

    def __init__(self, year: int) -> None:
        super().__init__(
            f"The log has no rated session that was accepted in {year}. Choose another year."
        )


class _Reading(Protocol):
    def take_in(self, seq: int, body: bytes) -> None: ...


async def read_changes(verdicts: Log, year: int, seq_max: int, progress: Progress) -> Changes:
    """Read what became of sessions and players up to the end of a year.

    Raises NothingInYear, LogGap, HistorySplit and LogAway.
    """
    changes = Changes(year)
    async for page in pages_of(verdicts, await verdicts.beginning(), seq_max):
        await asyncio.to_thread(_take_in, changes, page)
        progress("what was changed", page[-1].seq, 2 * seq_max)
        if changes.is_over:
            break
    if changes.first == 0:
        raise NothingInYear(year)
    return changes


async def read_tally(
    verdicts: Log, changes: Changes, progress: Progress, *, is_whole: bool
) -> YearTally:
    """Count the year, once it is known what counts in it."""
    tally, last = YearTally(changes, People(StoredColumns())), changes.last
    async for page in pages_of(verdicts, await verdicts.beginning(), last):
        await asyncio.to_thread(_take_in, tally, page)
        progress("what was played", last + page[-1].seq, 2 * last)
    tally.finish(is_whole=is_whole)
    return tally


def _take_in(reading: _Reading, page: Sequence[Record]) -> None:
    for record in page:
        reading.take_in(record.seq, record.body)
