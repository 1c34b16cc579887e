"""Whatever becomes of a row that is shown, it is found and named; what is right is never named."""

import asyncio
import contextlib
import itertools
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from services.projections.building.builds import ViewBeingRebuilt, live_build
from services.projections.building.comparing import Difference
from services.projections.building.holding import ROWS_MAX, ViewHeld, hold_view
from services.projections.building.rebuild import rebuild_view, view_named
from services.projections.views import all_views
from shared.events.facts import SessionsVoided
from tests.log.deadlines import deadline
from tests.projections.altering import (
    Table,
    addition_to,
    altered,
    change_of,
    removal_of,
    row_of,
    table_of,
    without_checks,
)
from tests.projections.building.test_rebuild import EMPTY_TABLES, a_busy_season, schemas
from tests.projections.conftest import World
from tests.projections.season import Round

VIEWS = [view.name for view in all_views()]
# Of those who write meanwhile, so that they leave the others their turns.
PACE_S = 0.02


async def held(world: World, name: str) -> ViewHeld:
    return await hold_view(view_named(name), pool=world.pool, log=world.season.log)


async def tables_of(world: World, name: str) -> dict[str, Table]:
    """Return every table in the schema of the live view."""
    live = await live_build(world.pool, name)
    assert live is not None
    names = await world.pool.fetch(
        "SELECT table_name FROM information_schema.tables WHERE table_schema = $1", live.schema
    )
    assert names
    return {row[0]: await table_of(world.pool, f'{live.schema}."{row[0]}"') for row in names}


def named(differences: tuple[Difference, ...]) -> set[tuple[str, str, str | None]]:
    return {(each.table, str(dict(each.row)), each.column or each.what) for each in differences}


@pytest.mark.parametrize("name", VIEWS)
async def test_every_column_of_every_table_that_is_altered_is_found_and_named(
    world: World, name: str
) -> None:
    await a_busy_season(world)
    untouched = await held(world, name)
    assert (untouched.differences, untouched.not_compared) == ((), None)
    assert untouched.seq == world.feed.seq
    assert untouched.rows > 0
    expected = set()
    for short, table in (await tables_of(world, name)).items():
        if short in EMPTY_TABLES:
            continue
        await without_checks(world.pool, table)
        row = await row_of(world.pool, table)
        for column in table.others:
            await altered(world.pool, change_of(table, row, column))
            expected.add((short, str(row), column))
    found = await held(world, name)
    assert named(found.differences) == expected
    told = [each.told() for each in found.differences]
    assert all(text.startswith(f"View {name}, table ") for text in told)
    assert len(set(told)) == len(expected)


@pytest.mark.parametrize("name", VIEWS)
async def test_every_key_that_is_altered_is_a_row_too_few_and_one_too_many(
    world: World, name: str
) -> None:
    await a_busy_season(world)
    for place in itertools.count():
        tables = await tables_of(world, name)
        ours = {
            short: table
            for short, table in tables.items()
            if short not in EMPTY_TABLES and place < len(table.key)
        }
        if not ours:
            break
        rows = {short: await row_of(world.pool, table) for short, table in ours.items()}
        for short, table in ours.items():
            await altered(world.pool, change_of(table, rows[short], table.key[place]))
        found = await held(world, name)
        kinds = {short: [d for d in found.differences if d.table == short] for short in ours}
        for short, differences in kinds.items():
            lost, more = sorted(differences, key=lambda each: each.what)
            assert (lost.what, more.what) == ("the row is missing", "the row is one too many")
            assert dict(lost.row) == rows[short]
        assert sum(map(len, kinds.values())) == len(found.differences)
        await rebuild_view(name, pool=world.pool, log=world.season.log)


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize(
    ("alter", "what"),
    [
        (removal_of, "the row is missing"),
        (lambda table, _: addition_to(table), "the row is one too many"),
    ],
    ids=["deleted", "added"],
)
async def test_a_row_of_every_table_that_was_deleted_or_added_is_found_and_named(
    world: World, name: str, alter: Callable[[Table, dict[str, str]], str], what: str
) -> None:
    await a_busy_season(world)
    expected = set()
    for short, table in (await tables_of(world, name)).items():
        await without_checks(world.pool, table)
        is_removal = what.endswith("missing")
        if is_removal and short in EMPTY_TABLES:
            continue
        row = {} if not is_removal else await row_of(world.pool, table)
        await altered(world.pool, alter(table, row))
        expected.add(short)
    found = await held(world, name)
    assert {each.table for each in found.differences} == expected
    assert {each.what for each in found.differences} == {what}


@pytest.mark.parametrize("name", VIEWS)
async def test_what_else_stands_in_a_schema_or_has_gone_from_it_is_named(
    world: World, name: str
) -> None:
    await a_busy_season(world)
    tables = await tables_of(world, name)
    schema = next(iter(tables.values())).name.partition(".")[0]
    first, *_, last = tables
    await world.pool.execute(f"CREATE TABLE {schema}.leftover (number int PRIMARY KEY)")
    await world.pool.execute(f"ALTER TABLE {tables[first].name} ADD COLUMN more int")
    if last != first:
        await world.pool.execute(f"DROP TABLE {tables[last].name}")
    found = {(each.table, each.what) for each in (await held(world, name)).differences}
    expected = {
        ("leftover", "the table is one too many"),
        (first, "the column more is one too many"),
    }
    assert found == expected | ({(last, "the table is missing")} if last != first else set())


@pytest.mark.parametrize("column", ["seq", "chain", "fact_seq"])
async def test_a_view_that_says_it_stands_elsewhere_is_named(world: World, column: str) -> None:
    await a_busy_season(world)
    table = await table_of(world.pool, "mahjic.view_builds")
    await without_checks(world.pool, table)
    live = await live_build(world.pool, "profiles")
    assert live is not None
    await altered(world.pool, change_of(table, {"schema_name": live.schema}, column))
    async with deadline():
        (found,) = (await held(world, "profiles")).differences
    assert (found.table, dict(found.row)) == ("view_builds", {"schema_name": live.schema})
    assert column == "seq" or "verdict" in found.told() or found.column == column


async def test_of_many_differences_the_first_are_named(world: World) -> None:
    season = world.season
    club = await season.source("club")
    people = [await season.player(n) for n in range(1, ROWS_MAX + 11)]
    for winner, loser in itertools.pairwise(people):
        await season.play(club, Round({winner: 1, loser: 0}))
    await world.follow()
    live = await live_build(world.pool, "profiles")
    assert live is not None
    await world.pool.execute(f"UPDATE {live.schema}.profiles SET games = games + 1")
    found = await held(world, "profiles")
    assert [dict(each.row)["player_id"] for each in found.differences] == sorted(people)[:ROWS_MAX]


@dataclass
class Busy:
    """A world in which people play, change, and are merged and unmerged, until it is over."""

    world: World
    club: str
    people: list[str]
    is_over: bool = False

    async def play(self) -> None:
        season = self.world.season
        for night in itertools.count():
            if self.is_over:
                return
            a, b, c = (self.people[(night + step) % 8] for step in (0, 2, 3))
            session, _ = await season.play(self.club, Round({a: 3, b: 2, c: 1}))
            if night % 5 == 2:
                await season.tell(SessionsVoided((session,), "not_played"))
            if night % 7 == 3:
                await season.change(a, is_private=night % 2 == 0)
            if night % 11 == 4:
                twin = await season.player(100 + night, source=self.club)
                await season.play(self.club, Round({twin: 1, b: 0}))
                await season.merge(twin, b)
                await season.unmerge(twin, b)
            await asyncio.sleep(PACE_S)

    async def follow(self) -> None:
        while not self.is_over:
            await self.world.follow()
            await asyncio.sleep(PACE_S)

    async def rebuild(self) -> None:
        while not self.is_over:
            for name in VIEWS:
                with contextlib.suppress(ViewBeingRebuilt):
                    await rebuild_view(name, pool=self.world.pool, log=self.world.season.log)
                await asyncio.sleep(PACE_S)


async def test_a_live_view_passes_while_all_is_written_and_views_are_rebuilt(
    world: World,
) -> None:
    club = await world.season.source("club", region="west")
    people = await world.season.verified(8, source=club)
    busy = Busy(world, club, people)
    writing = [asyncio.create_task(each()) for each in (busy.play, busy.follow, busy.rebuild)]
    try:
        async with deadline():
            for name in VIEWS:
                found = await held(world, name)
                assert (found.differences, found.not_compared) == ((), None)
    finally:
        busy.is_over = True
        await asyncio.gather(*writing)
    assert len(await schemas(world.pool)) == len(VIEWS)


async def test_a_view_that_lags_behind_people_is_not_called_wrong(world: World) -> None:
    await a_busy_season(world)
    (public, *_) = await world.pool.fetch("SELECT player_id FROM mahjic.public_players")
    await world.season.change(public["player_id"], is_private=True)
    following = asyncio.create_task(held(world, "sources"))
    await asyncio.sleep(0)
    while not following.done():
        await world.follow()
        await asyncio.sleep(0.01)
    assert (await following).differences == ()
