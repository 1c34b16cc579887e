"""Tells whether somebody holds an advisory lock, without asking for it: nobody is disturbed."""

from collections.abc import Sequence
from typing import Final, TypeVar

import asyncpg
from asyncpg.pool import PoolConnectionProxy

# A lock by one number shows its halves, one by two numbers shows them; the last column tells which.
READ_HELD: Final = """
SELECT DISTINCT classid::bigint AS one, objid::bigint AS other, objsubid AS kind
FROM pg_locks
WHERE locktype = 'advisory' AND granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""
_HALF: Final = 1 << 32

Database = asyncpg.Pool | asyncpg.Connection | PoolConnectionProxy
Key = int | tuple[int, int]
K = TypeVar("K", bound=Key)


async def is_held(database: Database, key: Key) -> bool:
    """Tell whether any session holds the lock of a key of one or two numbers, shared or not."""
    return bool(await held_of(database, [key]))


async def held_of(database: Database, keys: Sequence[K]) -> set[K]:
    """Return those of the keys whose locks any session holds, all at one moment."""
    rows = await database.fetch(READ_HELD)
    held = {(row["one"], row["other"], row["kind"]) for row in rows}
    return {key for key in keys if _as_shown(key) in held}


def _as_shown(key: Key) -> tuple[int, int, int]:
    return (*divmod(key % _HALF**2, _HALF), 1) if isinstance(key, int) else (*key, 2)
