"""Says how far each view is, and whether anything keeps it, without asking the keepers.

A process that keeps views shows it in the database for as long as it lives, by view and version,
because a program does not keep the views that a newer or older one reads.
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

# More often than anyone collects metrics.
LOOK_S: Final = 1.0

READ_PLACES: Final = """
SELECT v.name, b.version, b.fact_seq
FROM mahjic.views AS v JOIN mahjic.view_builds AS b ON b.schema_name = v.live_schema
"""


@dataclass(frozen=True, slots=True)
class Kept:
    """The last fact that a view shows (0 without a build), and whether any process keeps it.

    On a standby this is unknown, because the keepers' signs are not visible there.
    """

    view: str
    fact_seq: int
    is_kept: bool | None


async def show_keeping(pool: asyncpg.Pool, views: Iterable[View]) -> NoReturn:
    """Show, until canceled, that we keep these views."""
    await show_presence(pool, [_key(view.name, view.version) for view in views])


async def tell_kept(
    pool: asyncpg.Pool,
    views: Sequence[View],
    tell: Callable[[Kept], None],
    *,
    look_s: float = LOOK_S,
) -> NoReturn:
    """Keep reporting on each view. While the database is away, the last report stays valid."""
    while True:
        with contextlib.suppress(*DATABASE_AWAY):
            for kept in await look_at_kept(pool, views):
                tell(kept)
        await asyncio.sleep(look_s)


async def look_at_kept(pool: asyncpg.Pool, views: Sequence[View]) -> list[Kept]:
    """Return how far each view is, and whether it is kept.

    A view is kept by a process that keeps the version being read, or that will build our version.
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
    # The second key is a signed 32-bit number, but is shown as an unsigned one.
    return KEEPER_LOCK, zlib.crc32(f"{view}/{version}".encode()) & 0x7FFFFFFF
