"""A view can be thrown away and built again: the rows are the same, and readers never notice."""

from services.projections.rebuild import build_missing_views, rebuild_view
from services.projections.views import all_views
from tests.projections.conftest import World
from tests.projections.season import Round

VIEWS = [view.name for view in all_views()]


async def a_busy_season(world: World) -> None:
    season = world.season
    club = await season.source("club", region="west")
    league = await season.source("league", kind="league")
    people = [await season.player(n, source=club, is_private=n == 3) for n in range(1, 7)]
    people.append(await season.anonymous(7, club))
    for each in people[:5]:
        await season.verify(each)
    for night in range(1, 13):
        a, b, c = people[night % 7], people[(night + 2) % 7], people[(night + 3) % 7]
        await season.play(club, Round({a: 3, b: 2, c: 1}), Round({a: 0, b: 1, "BOB": 4}))
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
    await world.follow()


async def test_a_rebuilt_view_has_the_rows_of_the_one_that_followed(world: World) -> None:
    await a_busy_season(world)
    for name in VIEWS:
        told: list[tuple[str, int, int]] = []
        rebuilt = await rebuild_view(
            name,
            pool=world.season.pool,
            log=world.season.log,
            progress=lambda *step, told=told: told.append(step),
        )
        assert rebuilt.rows_equal is True, (name, rebuilt)
        assert rebuilt.new_digest is not None
        assert any(table.rows > 0 for table in rebuilt.new_digest.values())
        assert told[-1] == (name, world.feed.seq, world.feed.seq)
    schemas = await world.season.pool.fetch(
        "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'view_%' ORDER BY 1"
    )
    assert [row["nspname"] for row in schemas] == sorted(f"view_{name}_v1_2" for name in VIEWS)


async def test_a_start_with_every_view_in_place_builds_nothing(world: World) -> None:
    built = await build_missing_views(all_views(), pool=world.season.pool, log=world.season.log)
    assert built == []
