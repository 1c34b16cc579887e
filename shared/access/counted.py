"""Counts the sources of a year."""

from datetime import datetime
from typing import Final, NamedTuple

import asyncpg
from asyncpg.pool import PoolConnectionProxy

COUNT: Final = """
SELECT count(*) FILTER (WHERE created_at >= $1 AND created_at < $2) AS came,
    count(*) FILTER (WHERE is_suspended) AS suspended
FROM mahjic.sources
"""
READ_REGIONS: Final = """
SELECT slug, region FROM mahjic.sources WHERE region IS NOT NULL ORDER BY slug
"""


class SourceCounts(NamedTuple):
    """How many sources came in some time, and how many are suspended now."""

    came: int
    suspended: int


async def count_sources(
    connection: asyncpg.Connection | PoolConnectionProxy, begin: datetime, end: datetime
) -> SourceCounts:
    """Count the sources that came from `begin` on and before `end`, and those suspended now."""
    row = await connection.fetchrow(COUNT, begin, end)
    assert row is not None, "An aggregate has a row."
    return SourceCounts(*row)


async def regions_of_sources(
    connection: asyncpg.Connection | PoolConnectionProxy,
) -> dict[str, str]:
    """Return where each source plays, as far as it said."""
    return {row["slug"]: row["region"] for row in await connection.fetch(READ_REGIONS)}
