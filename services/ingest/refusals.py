"""Counts the refusals that told a source what others hold, by hour; tells how many there were.

Under the lock on the head, so that all processes count together. Of whatever was asked nothing is
kept but that it was.
"""

import asyncio
import contextlib
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Final, NoReturn

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from services.ingest.on_record import DAY_S
from shared.db.away import DATABASE_AWAY

READ_REFUSALS: Final = """
SELECT source, sum(refusals)::int AS refusals, min(hour) AS first
FROM mahjic.foreign_refusals WHERE source = ANY($1) AND hour > $2 GROUP BY source
"""
# Of all sources, on the clock of the database: it is for those who watch.
READ_LAST_DAY: Final = """
SELECT source, sum(refusals)::int AS refusals FROM mahjic.foreign_refusals
WHERE hour > now() - interval '1 day' GROUP BY source ORDER BY source
"""
# What is older tells nobody anything any more.
DELETE_OLD: Final = "DELETE FROM mahjic.foreign_refusals WHERE hour < now() - interval '90 days'"
LOOK_S: Final = 10.0
COUNT_REFUSALS: Final = """
INSERT INTO mahjic.foreign_refusals AS counted (source, hour, refusals)
SELECT n.source, $3, n.refusals FROM unnest($1::text[], $2::int[]) AS n (source, refusals)
ON CONFLICT (source, hour) DO UPDATE SET refusals = counted.refusals + excluded.refusals
"""

Connection = asyncpg.Connection | PoolConnectionProxy


async def refused_lately(
    connection: Connection, sources: Iterable[str], *, now: datetime
) -> dict[str, tuple[int, int]]:
    """Return for each source how often it was refused in the last day, if it was.

    Beside it stands in how many seconds the first of these hours is a day old.
    """
    since = now - timedelta(seconds=DAY_S)
    rows = await connection.fetch(READ_REFUSALS, sorted(sources), since)
    return {
        row["source"]: (row["refusals"], max(1, -(-(row["first"] - since) // timedelta(seconds=1))))
        for row in rows
    }


async def count_refusals(
    connection: Connection, refusals: Mapping[str, int], *, now: datetime
) -> None:
    """Count refusals of now, by source."""
    if refusals:
        hour = now.replace(minute=0, second=0, microsecond=0)
        sources, counts = zip(*sorted(refusals.items()), strict=True)
        await connection.execute(COUNT_REFUSALS, sources, counts, hour)


async def tell_refusals(pool: asyncpg.Pool, tell: Callable[[Mapping[str, int]], None]) -> NoReturn:
    """Tell for ever how often each source was refused in the last day; old counts are deleted."""
    while True:
        with contextlib.suppress(*DATABASE_AWAY):
            rows = await pool.fetch(READ_LAST_DAY)
            tell({row["source"]: row["refusals"] for row in rows})
            await pool.execute(DELETE_OLD)
        await asyncio.sleep(LOOK_S)
