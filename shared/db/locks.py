"""The numbers of all advisory locks, and who holds one, seen without disturbing anyone.

A lock of ours is taken by one number from here, or by two, of which the first is from here. Others
on the same database see them too, so the numbers stay as they are.
"""

from collections.abc import Sequence
from typing import Final, TypeVar

import asyncpg
from asyncpg.pool import PoolConnectionProxy

# Whoever migrates or restores the database: "mahjic" in ASCII.
MIGRATION_LOCK: Final = int.from_bytes(b"mahjic", "big")
# Two programs that start at once on a new database found its log in turns.
FOUNDING_LOCK: Final = 0x4D4A46
# A living writer of verdicts holds it shared; the second number is its epoch. A writer whose
# connection broke must not wait for the server to notice that.
WRITER_LOCK: Final = 0x4D4A52
# The same for one that has taken in all that was answered before, and answers facts.
BEGUN_LOCK: Final = 0x4D4A42
# Whoever builds a view; the second number is its name's.
BUILDER_LOCK: Final = 0x4D4A56
# Whoever keeps a view holds it shared; the second number is of view and version.
KEEPER_LOCK: Final = 0x4D4A50
# Of all relays on a database one works at a time.
RELAY_LOCK: Final = 0x4D4A4B
# One process at a time cleans the pages on which people were erased.
CLEANING_LOCK: Final = 0x4D4A43

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
    """Return whether any session holds the lock of a key of one or two numbers, shared or not."""
    return bool(await held_of(database, [key]))


async def held_of(database: Database, keys: Sequence[K]) -> set[K]:
    """Return those of the keys whose locks any session holds, all at one moment."""
    rows = await database.fetch(READ_HELD)
    held = {(row["one"], row["other"], row["kind"]) for row in rows}
    return {key for key in keys if _as_shown(key) in held}


def _as_shown(key: Key) -> tuple[int, int, int]:
    return (*divmod(key % _HALF**2, _HALF), 1) if isinstance(key, int) else (*key, 2)
