"""The numbers of all advisory locks, and a way to see who holds one without disturbing anyone.

A lock of ours is taken by one number from here, or by two, of which the first is from here. Others
on the same database see them too, so the numbers stay as they are.
"""

from collections.abc import Sequence
from typing import Final, TypeVar

import asyncpg
from asyncpg.pool import PoolConnectionProxy

# Held while the database is migrated or restored: "mahjic" in ASCII.
MIGRATION_LOCK: Final = int.from_bytes(b"mahjic", "big")
# Two programs that start at once on a new database take turns to create its log.
FOUNDING_LOCK: Final = 0x4D4A46
# A living writer of verdicts holds it shared; the second number is its epoch. A writer whose
# connection broke must not wait for the server to notice that.
WRITER_LOCK: Final = 0x4D4A52
# The same for a writer that has caught up with its predecessors, and answers facts.
BEGUN_LOCK: Final = 0x4D4A42
# Held by the builder of a view; the second number comes from its name.
BUILDER_LOCK: Final = 0x4D4A56
# The keeper of a view holds it shared; the second number comes from view and version.
KEEPER_LOCK: Final = 0x4D4A50
# Only one of the relays on a database works at a time.
RELAY_LOCK: Final = 0x4D4A4B
# One process at a time cleans the pages on which people were erased.
CLEANING_LOCK: Final = 0x4D4A43
# Whoever writes into the roster of a source holds it; the second number comes from its slug.
ROSTER_LOCK: Final = 0x4D4A57
# Applications are approved one at a time.
APPROVAL_LOCK: Final = 0x4D4A41
# Whoever begins to correct a session at a desk holds it; the second number comes from its id.
CORRECTING_LOCK: Final = 0x4D4A58
# Whoever asks Stripe how an enrollment stands holds it until that is written down; the second
# number comes from the id of the enrollment.
ENROLLMENT_LOCK: Final = 0x4D4A53
# Whoever makes a source in a sandbox holds it; the second number comes from the visitor.
SANDBOX_LOCK: Final = 0x4D4A54

# A lock with one number shows its halves, and one with two shows both; the last column says which.
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
    """Return whether any session holds the lock of a key (one number or two), shared or not."""
    return bool(await held_of(database, [key]))


async def held_of(database: Database, keys: Sequence[K]) -> set[K]:
    """Return the keys whose locks some session holds, all at one moment."""
    rows = await database.fetch(READ_HELD)
    held = {(row["one"], row["other"], row["kind"]) for row in rows}
    return {key for key in keys if _as_shown(key) in held}


def _as_shown(key: Key) -> tuple[int, int, int]:
    return (*divmod(key % _HALF**2, _HALF), 1) if isinstance(key, int) else (*key, 2)
