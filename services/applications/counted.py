"""Counts the applications of a year that were declined; those erased since are among them."""

from datetime import datetime
from typing import Final

import asyncpg
from asyncpg.pool import PoolConnectionProxy

COUNT_DECLINED: Final = """
SELECT count(*) FROM mahjic.application_reviews
WHERE decision = 'declined' AND decided_at >= $1 AND decided_at < $2
"""


async def count_declined(
    connection: asyncpg.Connection | PoolConnectionProxy, begin: datetime, end: datetime
) -> int:
    """Return how many applications were declined from `begin` on and before `end`."""
    declined: int = await connection.fetchval(COUNT_DECLINED, begin, end)
    return declined
