"""Compares a live view, row by row, with one that is built from the verdicts next to it.

The new build is made by the same code, from the log alone, so this finds whatever happened to the
rows after they were written. The control totals, which are taken from the log without that code,
show that the code itself adds up correctly (totals.py).
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import asyncpg

from services.projections.building.builds import (
    LIST_TABLES,
    live_build,
    remove_dead_builds,
    sole_builder,
)
from services.projections.building.comparing import (
    Difference,
    Tables,
    columns_differ,
    differences_of,
)
from services.projections.building.digest import table_digest
from services.projections.building.fresh import (
    FreshBuilds,
    Progress,
    both_at_one_moment,
    is_proof,
)
from services.projections.building.rebuild import COMPARE_TRIES_MAX
from services.projections.common.tables import AttestedView
from shared.feed.views import Build
from shared.log.port import Log

# Per table. A view is repaired by building it again, which needs no longer list.
ROWS_MAX: Final = 20
# A follower takes in changes of people several times a second.
PEOPLE_S_MAX: Final = 10.0
PEOPLE_LOOK_S: Final = 0.1
# What is checked of a build besides its rows: the place that it says it is at.
PLACE: Final = ("log_id", "seq", "chain", "fact_seq", "correcting_part", "correcting_parts")


@dataclass(frozen=True, slots=True)
class ViewHeld:
    """The result of comparing a view: up to which verdict, how many rows, and what differs.

    `not_compared` says why the view could not be compared.
    """

    view: str
    seq: int = 0
    rows: int = 0
    differences: tuple[Difference, ...] = ()
    not_compared: str | None = None


@dataclass(frozen=True, slots=True)
class _Compared:
    rows: int
    differences: list[Difference]
    people_seq: int
    is_proof: bool


async def hold_view(
    view: AttestedView, *, pool: asyncpg.Pool, log: Log, progress: Progress | None = None
) -> ViewHeld:
    """Compare a live view, while it goes on, with what the verdicts give, and say what differs.

    It takes up to four connections from the pool, as much disk as the view, and the right to build
    the view, which it waits for. Raises ControlTotalsDiffer, LogGap and HistorySplit.
    """
    async with sole_builder(pool, [view.name], waits=True):
        await remove_dead_builds(pool, view.name)
        live = await live_build(pool, view.name)
        if live is None or live.version != view.version:
            why = f"The view {view.name} has no build of version {view.version} yet."
            return ViewHeld(view.name, not_compared=why)
        if lost := await _lost_place(live, log):
            return ViewHeld(view.name, live.position.seq, differences=(lost,))
        fresh = FreshBuilds([view], pool, log, progress)
        try:
            return await _held(live, fresh, pool)
        finally:
            await remove_dead_builds(pool, view.name)


async def _lost_place(live: Build, log: Log) -> Difference | None:
    """Return a difference if a build says it is at a record that the log does not have."""
    place = live.position
    at = await log.at(place.seq) if place.seq else await log.beginning()
    if at is not None and at.chain == place.chain:
        return None
    what = f"it is at verdict {place.seq}, which is not on the log with that chain"
    return Difference(f"View {live.view}", "view_builds", {"schema_name": live.schema}, what)


async def _held(live: Build, fresh: FreshBuilds, pool: asyncpg.Pool) -> ViewHeld:
    async def place_of_live() -> int:
        now = await live_build(pool, live.view)
        assert now is not None, "Only the sole builder of a view removes its builds."
        return now.position.seq

    await fresh.create()
    await fresh.catch_up(place_of_live)
    await fresh.prove()
    compared = await _compare(live, fresh, pool)
    lasting = compared.differences
    for _ in range(COMPARE_TRIES_MAX):
        if not lasting or compared.is_proof:
            break
        # People have changed in the meantime. Differences that are only late go away once that is
        # taken in.
        if not await _has_taken_in(live, compared.people_seq, pool):
            why = (
                f"The view {live.view} does not have the latest changes of people, and no "
                "process keeps it up to date. Start one, and verify again."
            )
            return ViewHeld(live.view, fresh.seq, compared.rows, not_compared=why)
        compared = await _compare(live, fresh, pool)
        places = {each.place for each in compared.differences}
        lasting = [each for each in lasting if each.place in places]
    return ViewHeld(live.view, fresh.seq, compared.rows, tuple(lasting))


async def _compare(live: Build, fresh: FreshBuilds, pool: asyncpg.Pool) -> _Compared:
    """Compare both builds as of one moment, while the live one goes on."""
    new = fresh.builds[0].schema
    async with both_at_one_moment(live, fresh, pool) as (connection, moment):
        builds = {row["schema_name"]: row for row in moment}
        found = _place_differs(live, builds[live.schema], builds[new])
        rows = 0
        names = [await _tables(connection, schema) for schema in (live.schema, new)]
        for table in sorted({*names[0], *names[1]}):
            if table in names[0] and table in names[1]:
                ours, theirs = f'{live.schema}."{table}"', f'{new}."{table}"'
                both = Tables(f"View {live.view}", table, ours, theirs)
                count, differences = await _compare_tables(connection, both)
                rows += count
                found += differences
            else:
                what = "the table is " + ("missing" if table in names[1] else "one too many")
                found.append(Difference(f"View {live.view}", table, {}, what))
    return _Compared(rows, found, moment[0]["people_seq_now"], is_proof(moment))


async def _compare_tables(
    connection: asyncpg.pool.PoolConnectionProxy, tables: Tables
) -> tuple[int, list[Difference]]:
    """Return how many rows a table has, and how it differs. Sums over all rows usually suffice."""
    if found := await columns_differ(connection, tables):
        return 0, found
    digest = await table_digest(connection, tables.found)
    if digest == await table_digest(connection, tables.expected):
        return digest.rows, []
    return digest.rows, await differences_of(connection, tables, ROWS_MAX)


def _place_differs(
    live: Build, found: asyncpg.Record, expected: asyncpg.Record
) -> list[Difference]:
    row = {"schema_name": live.schema}
    return [
        Difference(
            f"View {live.view}",
            "view_builds",
            row,
            "differs",
            name,
            _text(found[name]),
            _text(expected[name]),
        )
        for name in PLACE
        if found[name] != expected[name]
    ]


def _text(value: object) -> str | None:
    if value is None:
        return None
    return value.hex() if isinstance(value, bytes) else str(value)


async def _tables(connection: asyncpg.pool.PoolConnectionProxy, schema: str) -> Sequence[str]:
    return [row["tablename"] for row in await connection.fetch(LIST_TABLES, schema)]


async def _has_taken_in(live: Build, people_seq: int, pool: asyncpg.Pool) -> bool:
    """Wait until a build has taken in changes of people up to this one. Return whether it has."""
    loop = asyncio.get_running_loop()
    deadline_s = loop.time() + PEOPLE_S_MAX
    while loop.time() < deadline_s:
        now = await live_build(pool, live.view)
        if now is None or now.people_seq >= people_seq:
            return True
        await asyncio.sleep(PEOPLE_LOOK_S)
    return False
