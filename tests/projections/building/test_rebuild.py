"""A view can be thrown away and built again: the rows are the same, and readers never notice."""

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import asyncpg
import pytest

from services.projections.answering.reading import ViewReader
from services.projections.building.builds import (
    ViewBeingRebuilt,
    create_build,
    live_build,
    point_readers,
    sole_builder,
)
from services.projections.building.rebuild import (
    UnknownView,
    build_missing_views,
    rebuild_view,
    without_newer,
)
from services.projections.common.tables import AttestedView
from services.projections.common.totals import ControlTotals, ControlTotalsDiffer
from services.projections.leaderboards.project import LeaderboardsView
from services.projections.profiles.project import ProfilesView
from services.projections.profiles.routes import PROFILE_ROUTES
from services.projections.views import all_views
from shared.db.bell import Bell
from shared.events.facts import (
    SeatsReassigned,
    SessionCorrected,
    SessionSubmitted,
    SessionsVoided,
)
from shared.feed.feed import Feed
from shared.http.routes import add_routes
from shared.ids import session_id
from tests.feed.tally import until_it_shows
from tests.projections.conftest import World
from tests.projections.season import Round

VIEWS = [view.name for view in all_views()]
# Nobody waits in it but between the parts of one verdict.
EMPTY_TABLES = {"pending"}


def schema_of(name: str, number: int) -> str:
    """Return the schema of a view's first, second ... build of the version that is kept now."""
    (version,) = [view.version for view in all_views() if view.name == name]
    return f"view_{name}_v{version}_{number}"


async def schemas(pool: asyncpg.Pool) -> list[str]:
    rows = await pool.fetch(
        "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'view\\_%' ORDER BY nspname"
    )
    return [row["nspname"] for row in rows]


async def a_busy_season(world: World) -> None:
    season = world.season
    club = await season.source("club", region="west")
    league = await season.source("league", kind="league")
    people = [await season.player(n, source=club, is_private=n == 3) for n in range(1, 7)]
    people.append(await season.anonymous(7, club))
    for each in people[:5]:
        await season.verify(each)
    nights: list[str] = []
    for night in range(1, 13):
        a, b, c = people[night % 7], people[(night + 2) % 7], people[(night + 3) % 7]
        played = await season.play(club, Round({a: 3, b: 2, c: 1}), Round({a: 0, b: 1, "BOB": 4}))
        nights.append(played[0])
        await world.follow()
        if night == 6:
            await season.change(people[0], is_private=True)
            await season.end_verification(people[1])
            await season.erase(people[4])
    await season.play(
        league,
        Round({people[0]: 1, people[2]: 3}, points_centi={people[0]: -25, people[2]: 25}),
        game_type="league",
        on="2025-12-31",
    )
    await season.change(people[0], is_private=False, name="Ada", region="midwest")
    await season.change(people[2], is_private=False)
    await a_busy_correction(world, nights, people)
    await world.follow()


async def a_busy_correction(world: World, nights: Sequence[str], people: Sequence[str]) -> None:
    """Void some nights, put another in the place of one, merge two, and give a seat to another."""
    season = world.season
    twin = await season.player(8)
    await season.play("club", Round({twin: 3, people[5]: 0}), on="2026-01-30")
    await season.verify(twin)
    await season.tell(SessionsVoided((nights[2], nights[4]), "not_played"))
    instead = Round({people[0]: 2, people[3]: 1}, 1).played()
    new = SessionSubmitted(session_id(0, 1), "club", "2026-01-29", "social", (instead,), ())
    await season.tell(SessionCorrected(nights[3], "wrong_players", new))
    await season.merge(twin, people[1])
    await season.tell(SeatsReassigned(people[3], people[5], (nights[7],)))


async def test_a_rebuilt_view_has_the_rows_of_the_one_that_followed(world: World) -> None:
    await a_busy_season(world)
    for name in VIEWS:
        told: list[tuple[str, int, int]] = []
        rebuilt = await rebuild_view(
            name,
            pool=world.pool,
            log=world.season.log,
            progress=lambda *step, told=told: told.append(step),
        )
        assert rebuilt.rows_equal is True, (name, rebuilt)
        assert rebuilt.new_digest is not None
        empty = {table for table, digest in rebuilt.new_digest.items() if digest.rows == 0}
        assert empty <= EMPTY_TABLES
        assert told[-1] == (name, world.feed.seq, world.feed.seq)
    assert await schemas(world.pool) == sorted(schema_of(name, 2) for name in VIEWS)


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE {}.profiles SET rating_centi = rating_centi + 1 WHERE fact_seq > 0",
        "DELETE FROM {}.profiles WHERE sessions > 3",
    ],
)
async def test_a_rebuild_tells_of_rows_that_were_wrong_and_replaces_them(
    world: World, damage: str
) -> None:
    await a_busy_season(world)
    before = await _profiles(world)
    assert (await world.pool.execute(damage.format(schema_of("profiles", 1))))[-1] != "0"
    assert await _profiles(world) != before
    rebuilt = await rebuild_view("profiles", pool=world.pool, log=world.season.log)
    assert rebuilt.rows_equal is False
    assert await _profiles(world) == before


async def test_a_start_with_every_view_in_place_builds_nothing(world: World) -> None:
    built = await build_missing_views(all_views(), pool=world.pool, log=world.season.log)
    assert built == []
    assert await schemas(world.pool) == sorted(schema_of(name, 1) for name in VIEWS)


@dataclass
class UnderLoad:
    """A world in which people play and read, until it is over."""

    world: World
    club: str
    people: list[str]
    is_over: bool = False
    reads: int = 0

    async def play(self) -> None:
        night = 0
        while not self.is_over:
            night += 1
            a, b = self.people[night % 8], self.people[(night * 3 + 1) % 8]
            if a != b:
                _, fact_seq = await self.world.season.play(self.club, Round({a: 2, b: 1}))
                # A few batches ahead of the views and no more, so that the test ends.
                await until_it_shows(self.world.feed, fact_seq - 30)
            if night % 9 == 0:
                await self.world.season.change(self.people[0], is_private=night % 2 == 0)

    async def read(self) -> None:
        seq = 0
        while not self.is_over:
            page = await self.world.get("/v1/leaderboard", min_games=0)
            assert page["seq"] >= seq
            seq = page["seq"]
            profile = await self.world.get(f"/v1/players/{self.people[1]}")
            path = f"/v1/players/{self.people[1]}/history"
            for change in (await self.world.get(path, limit=1))["changes"]:
                # Both views move in one transaction, also while one of them is swapped.
                assert change["mahjic"]["games_after"] >= profile["games"]
            self.reads += 1


async def test_readers_and_the_feed_go_on_while_views_are_rebuilt_under_load(
    world: World,
) -> None:
    """Sessions are played, followed and read all the time; no read fails or goes back in time."""
    club = await world.season.source("club", region="west")
    people = await world.season.verified(8, source=club)
    load = UnderLoad(world, club, people)
    feeding = asyncio.create_task(world.feed.run())
    others = [asyncio.create_task(load.play()), asyncio.create_task(load.read())]
    try:
        for name in VIEWS:
            rebuilt = await rebuild_view(name, pool=world.pool, log=world.season.log)
            assert rebuilt.rows_equal is not False, rebuilt
    finally:
        load.is_over = True
        await asyncio.gather(*others)
        feeding.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await feeding
    assert load.reads >= len(VIEWS)
    await world.follow()
    for name in VIEWS:
        rebuilt = await rebuild_view(name, pool=world.pool, log=world.season.log)
        assert rebuilt.rows_equal is True, rebuilt
    assert await schemas(world.pool) == sorted(schema_of(name, 3) for name in VIEWS)


async def test_a_reader_moves_at_the_swap_though_the_old_tables_are_still_there(
    world: World,
) -> None:
    await a_busy_season(world)
    who = (await world.get("/v1/leaderboard", min_games=0))["players"][0]["player_id"]
    assert (await world.get(f"/v1/players/{who}"))["games"] > 0
    old = await live_build(world.pool, "profiles")
    assert old is not None
    empty = await create_build(world.pool, ProfilesView(), await world.season.log.beginning())
    async with world.pool.acquire() as connection, connection.transaction():
        await point_readers(connection, empty, old)
    assert old.schema in await schemas(world.pool)
    assert (await world.get(f"/v1/players/{who}"))["games"] == 0
    await world.follow()
    assert (await world.get(f"/v1/players/{who}"))["games"] > 0


async def test_a_rebuild_that_is_killed_leaves_nothing_that_anybody_reads(world: World) -> None:
    await a_busy_season(world)
    before = await _profiles(world)
    # What a killed process leaves: a schema half built, and no live connection of its builder.
    half = await create_build(world.pool, ProfilesView(), await world.season.log.beginning())
    assert half.schema in await schemas(world.pool)
    assert await _profiles(world) == before
    await build_missing_views(all_views(), pool=world.pool, log=world.season.log)
    assert half.schema not in await schemas(world.pool)
    assert await _profiles(world) == before


async def test_a_rebuild_that_is_canceled_can_be_started_again(world: World) -> None:
    await a_busy_season(world)
    reached = asyncio.Event()

    def stop(_view: str, _seq: int, _goal: int) -> None:
        reached.set()
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await rebuild_view("history", pool=world.pool, log=world.season.log, progress=stop)
    assert reached.is_set()
    rebuilt = await rebuild_view("history", pool=world.pool, log=world.season.log)
    assert rebuilt.rows_equal is True
    assert [name for name in await schemas(world.pool) if "history" in name] == [rebuilt.schema]


async def test_two_rebuilds_of_one_view_at_once_are_refused(world: World) -> None:
    async with sole_builder(world.pool, ["profiles"], waits=False):
        with pytest.raises(ViewBeingRebuilt):
            await rebuild_view("profiles", pool=world.pool, log=world.season.log)
    with pytest.raises(UnknownView):
        await rebuild_view("nothing", pool=world.pool, log=world.season.log)


class NewerProfiles(ProfilesView):
    """The profiles of a program that is a version ahead."""

    version: ClassVar[int] = ProfilesView.version + 1


async def test_a_raised_version_is_built_beside_and_read_once_it_is_ready(world: World) -> None:
    await a_busy_season(world)
    who = (await world.get("/v1/leaderboard", min_games=0))["players"][0]["player_id"]
    before = await world.get(f"/v1/players/{who}")
    newer: list[AttestedView] = [NewerProfiles(), LeaderboardsView()]
    world.app.router.routes.clear()
    world.app.state.ports.clear()
    add_routes(world.app, PROFILE_ROUTES, ViewReader(world.pool, newer, Bell()))
    early = await world.ask(f"/v1/players/{who}")
    assert (early.status_code, early.json()["code"]) == (503, "view_being_built")
    assert int(early.headers["Retry-After"]) > 0
    (built,) = await build_missing_views(newer, pool=world.pool, log=world.season.log)
    assert (built.schema, built.rows_equal) == (f"view_profiles_v{NewerProfiles.version}_2", None)
    assert await world.get(f"/v1/players/{who}") == before
    assert schema_of("profiles", 1) not in await schemas(world.pool)
    # The program of the old version no longer touches what it does not understand.
    await world.season.play("club", Round({who: 1, "BOB": 0, "MJ-ZZZZZZZ0": 0}))
    await world.follow()
    assert await world.get(f"/v1/players/{who}") == before
    feed = Feed(world.pool, world.season.log, newer)
    while await feed.step():
        pass
    assert (await world.get(f"/v1/players/{who}"))["games"] == before["games"] + 1


async def test_an_older_program_can_tell_which_views_a_newer_one_keeps(world: World) -> None:
    views = all_views()
    assert await without_newer(views, world.pool) == list(views)
    await world.pool.execute("UPDATE mahjic.view_builds SET version = version + 1")
    assert await without_newer(views, world.pool) == []
    # Whoever has none of a view yet, or an older one, builds it.
    await world.pool.execute("UPDATE mahjic.view_builds SET version = 0 WHERE view = 'history'")
    await world.pool.execute("UPDATE mahjic.views SET live_schema = NULL WHERE name = 'sources'")
    due = await without_newer(views, world.pool)
    assert [view.name for view in due] == ["history", "sources"]


async def test_rows_that_do_not_add_up_are_never_shown(world: World) -> None:
    class Forgetful(ProfilesView):
        async def attest(self, connection: object, schema: str) -> dict[str, int]:
            return {"sessions": 0}

    await a_busy_season(world)
    await world.pool.execute("UPDATE mahjic.views SET live_schema = NULL WHERE name = 'profiles'")
    with pytest.raises(ControlTotalsDiffer, match="14 in the verdicts and 0 in the rows"):
        await build_missing_views([Forgetful()], pool=world.pool, log=world.season.log)
    assert not [name for name in await schemas(world.pool) if "profiles" in name]


async def test_every_total_of_every_view_is_held_against_the_verdicts(world: World) -> None:
    """Every view attests something, and every total can differ."""
    await a_busy_season(world)
    for view in all_views():
        async with world.pool.acquire() as connection:
            attested = await view.attest(connection, schema_of(view.name, 1))
        assert attested
        assert attested.pop("wrong_rows", 0) == 0
        for name, value in attested.items():
            assert value != 0, name
            with pytest.raises(ControlTotalsDiffer):
                ControlTotals().check(view.name, {name: value})


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("profiles", "UPDATE {}.profiles SET sessions = sessions + 1 WHERE games > 20"),
        ("profiles", "UPDATE {}.profiles SET is_verified = NOT is_verified WHERE games > 20"),
        ("profiles", "DELETE FROM {}.merges"),
        ("leaderboards", "UPDATE {}.players SET last_session_date = NULL"),
        ("leaderboards", "DELETE FROM {}.visits WHERE source = 'league'"),
        ("leaderboards", "UPDATE {}.attendances SET source = 'league'"),
        ("sources", "UPDATE {}.sources SET games = games + 1"),
        ("sources", "UPDATE {}.sources SET players = players - 1"),
        ("sources", "DELETE FROM {}.players WHERE NOT is_public"),
    ],
)
async def test_rows_that_contradict_their_definition_are_found_before_they_are_shown(
    world: World, name: str, damage: str
) -> None:
    await a_busy_season(world)
    (view,) = [each for each in all_views() if each.name == name]
    await world.pool.execute(damage.format(schema_of(name, 1)))
    async with world.pool.acquire() as connection:
        attested = await view.attest(connection, schema_of(name, 1))
    assert attested["wrong_rows"] > 0


async def _profiles(world: World) -> list[str]:
    schema = await world.pool.fetchval(
        "SELECT live_schema FROM mahjic.views WHERE name = 'profiles'"
    )
    rows = await world.pool.fetch(f"SELECT p::text AS row FROM {schema}.profiles AS p ORDER BY 1")
    return [row["row"] for row in rows]
