"""Counts, by hour, the refusals that told a source what others hold, and reports the counts.

This happens under the lock on the head, so that all processes count together. Nothing is kept of
what was asked, only that something was.
"""

import asyncio
import contextlib
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Final, NoReturn

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from services.ingest.record.judging.on_record import DAY_S
from shared.db.away import DATABASE_AWAY

READ_REFUSALS: Final = """
SELECT source, sum(refusals)::int AS refusals, min(hour) AS first
FROM mahjic.foreign_refusals WHERE source = ANY($1) AND hour > $2 GROUP BY source
"""
# For all sources, by the database's clock. It is for monitoring.
READ_LAST_DAY: Final = """
SELECT source, sum(refusals)::int AS refusals FROM mahjic.foreign_refusals
WHERE hour > now() - interval '1 day' GROUP BY source ORDER BY source
"""
# Older counts are no longer of use to anyone.
DELETE_OLD: Final = "DELETE FROM mahjic.foreign_refusals WHERE hour < now() - interval '90 days'"
LOOK_S: Final = 10.0
COUNT_REFUSALS: Final = """
INSERT INTO mahjic.foreign_refusals AS counted (source, hour, refusals)
SELECT n.source, $3, n.refusals FROM unnest($1::text[], $2::int[]) AS n (source, refusals)
ON CONFLICT (source, hour) DO UPDATE SET refusals = counted.refusals + excluded.refusals
"""

Connection = asyncpg.Connection | PoolConnectionProxy


class ForeignRefusals:
    """How often each source was refused in the last day, as far as this process needs to know.

    It knows its own counts at once. It may learn those of other processes some seconds later, so
    that most submissions need no query here.
    """

    def __init__(self, per_day_max: int) -> None:
        self.per_day_max = per_day_max
        # By source: when it was read, and the counts.
        self._known: dict[str, tuple[datetime, tuple[int, int]]] = {}

    async def lately(
        self, connection: Connection, sources: Iterable[str], *, now: datetime
    ) -> dict[str, tuple[int, int]]:
        """Return for each source how often it was refused in the last day.

        With it comes the number of seconds until the first of these hours is a day old.
        """
        asked = set(sources)
        if stale := [each for each in asked if not self._is_fresh(each, now)]:
            since = now - timedelta(seconds=DAY_S)
            rows = await connection.fetch(READ_REFUSALS, stale, since)
            read = {row["source"]: (row["refusals"], _wait_s(row["first"] - since)) for row in rows}
            self._known.update((each, (now, read.get(each, (0, DAY_S)))) for each in stale)
        return {each: self._known[each][1] for each in asked}

    async def count(
        self, connection: Connection, refusals: Mapping[str, int], *, now: datetime
    ) -> None:
        """Count new refusals, by source."""
        if refusals:
            hour = now.replace(minute=0, second=0, microsecond=0)
            sources, counts = zip(*sorted(refusals.items()), strict=True)
            await connection.execute(COUNT_REFUSALS, sources, counts, hour)
            for each in sources:
                self._known.pop(each, None)

    def _is_fresh(self, source: str, now: datetime) -> bool:
        known = self._known.get(source)
        return known is not None and timedelta(0) <= now - known[0] < timedelta(seconds=LOOK_S)


def _wait_s(until_a_day_old: timedelta) -> int:
    return max(1, -(-until_a_day_old // timedelta(seconds=1)))


async def tell_refusals(pool: asyncpg.Pool, tell: Callable[[Mapping[str, int]], None]) -> NoReturn:
    """Keep reporting how often each source was refused in the last day, and delete old counts."""
    while True:
        with contextlib.suppress(*DATABASE_AWAY):
            rows = await pool.fetch(READ_LAST_DAY)
            tell({row["source"]: row["refusals"] for row in rows})
            await pool.execute(DELETE_OLD)
        await asyncio.sleep(LOOK_S)
