"""Tells how far each view is and whether anyone keeps it, without asking those who should.

Whoever keeps views shows it in the database for as long as he lives, by view and version: a program
does not keep what a newer or older one reads.
"""

import asyncio
import contextlib
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NoReturn

import asyncpg

from shared.db.away import DATABASE_AWAY
from shared.db.locks import KEEPER_LOCK, held_of
from shared.db.presence import show_presence
from shared.feed.views import View

# Oftener than anyone collects figures.
LOOK_S: Final = 1.0

READ_PLACES: Final = """
SELECT v.name, b.version, b.fact_seq
FROM mahjic.views AS v JOIN mahjic.view_builds AS b ON b.schema_name = v.live_schema
"""


@dataclass(frozen=True, slots=True)
class Kept:
    """The last fact that a view shows, 0 without a build, and whether anyone keeps it.

    On a standby, where the signs of those who keep views are not seen, no one can tell.
    """

    view: str
    fact_seq: int
    is_kept: bool | None


async def show_keeping(pool: asyncpg.Pool, views: Iterable[View]) -> NoReturn:
    """Show until canceled that we keep these views."""
    await show_presence(pool, [_key(view.name, view.version) for view in views])


async def tell_kept(
    pool: asyncpg.Pool,
    views: Sequence[View],
    tell: Callable[[Kept], None],
    *,
    look_s: float = LOOK_S,
) -> NoReturn:
    """Tell of each view forever; while the database is away, what was known last stands."""
    while True:
        with contextlib.suppress(*DATABASE_AWAY):
            for kept in await look_at_kept(pool, views):
                tell(kept)
        await asyncio.sleep(look_s)


async def look_at_kept(pool: asyncpg.Pool, views: Sequence[View]) -> list[Kept]:
    """Return how all the views stand.

    A view is kept by whoever keeps the version that is read, or will build the one that is ours.
    """
    lives = {row["name"]: row for row in await pool.fetch(READ_PLACES)}
    keys_of = {view.name: {_key(view.name, view.version)} for view in views}
    for name, live in lives.items():
        keys_of.setdefault(name, set()).add(_key(name, live["version"]))
    is_standby = await pool.fetchval("SELECT pg_is_in_recovery()")
    held = await held_of(pool, [key for keys in keys_of.values() for key in keys])
    return [
        Kept(
            view=view.name,
            fact_seq=lives[view.name]["fact_seq"] if view.name in lives else 0,
            is_kept=None if is_standby else not held.isdisjoint(keys_of[view.name]),
        )
        for view in views
    ]


def _key(view: str, version: int) -> tuple[int, int]:
    # The second key is a signed number of 32 bits, and is shown as an unsigned one.
    return KEEPER_LOCK, zlib.crc32(f"{view}/{version}".encode()) & 0x7FFFFFFF
