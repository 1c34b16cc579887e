"""Tells whether somebody holds an advisory lock, without asking for it: nobody is disturbed."""

from typing import Final

import asyncpg
from asyncpg.pool import PoolConnectionProxy

# A lock by one number shows its halves, one by two numbers shows them; the last column tells which.
IS_HELD: Final = """
SELECT EXISTS (
    SELECT FROM pg_locks
    WHERE locktype = 'advisory' AND granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND classid::bigint = $1::bigint AND objid::bigint = $2::bigint AND objsubid = $3
)
"""
_HALF: Final = 1 << 32

Database = asyncpg.Pool | asyncpg.Connection | PoolConnectionProxy


async def is_held(database: Database, key: int | tuple[int, int]) -> bool:
    """Tell whether any session holds the lock of a key of one or two numbers, shared or not."""
    one, other, kind = (*divmod(key % _HALF**2, _HALF), 1) if isinstance(key, int) else (*key, 2)
    return bool(await database.fetchval(IS_HELD, one, other, kind))
