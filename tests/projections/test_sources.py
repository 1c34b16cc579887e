"""Sources are listed with what they brought in; private players are not in their counts."""

from tests.projections.conftest import World
from tests.projections.season import Round


async def test_a_source_tells_what_it_brought_in(world: World) -> None:
    club = await world.season.source("club", region="west")
    await world.season.source("quiet", kind="platform")
    ada, bo = await world.season.player(1), await world.season.player(2)
    cy = await world.season.player(3, is_private=True)
    nick = await world.season.anonymous(4, club)
    await world.season.play(club, Round({ada: 2, cy: 1, "BOB": 0}, 1), on="2026-01-20")
    await world.season.play(club, Round({ada: 2, bo: 1}), Round({nick: 1, bo: 1}), on="2026-01-10")
    await world.follow()
    expected = {
        "slug": "club",
        "name": "Club",
        "type": "club",
        "region": "west",
        "sessions": 2,
        "sessions_voided": 0,
        "rounds": 3,
        "games": 9,
        "players": 2,
        "last_session": "2026-01-20",
    }
    # Three facts: the formula, and a session each.
    assert await world.get("/v1/sources/club") == {**expected, "seq": 3}
    listed = await world.get("/v1/sources")
    assert listed["sources"][0] == expected
    assert listed["sources"][1] | {"name": ""} == {
        "slug": "quiet",
        "name": "",
        "type": "platform",
        "region": None,
        "sessions": 0,
        "sessions_voided": 0,
        "rounds": 0,
        "games": 0,
        "players": 0,
        "last_session": None,
    }
    assert listed["seq"] == world.feed.fact_seq


async def test_the_count_of_players_follows_their_privacy(world: World) -> None:
    club = await world.season.source("club")
    ada, bo = await world.season.player(1), await world.season.player(2, is_private=True)
    await world.season.play(club, Round({ada: 1, bo: 0}))
    await world.follow()
    assert (await world.get("/v1/sources/club"))["players"] == 1
    await world.season.change(bo, is_private=False)
    await world.follow()
    assert (await world.get("/v1/sources/club"))["players"] == 2
    await world.season.erase(ada)
    await world.season.change(bo, is_private=True)
    await world.follow()
    assert (await world.get("/v1/sources/club"))["players"] == 0


async def test_an_unknown_source_is_404(world: World) -> None:
    for slug in ("nobody", "No Slug", "%00"):
        answer = await world.ask(f"/v1/sources/{slug}")
        assert (answer.status_code, answer.json()["code"]) == (404, "unknown_source")
    assert (await world.get("/v1/sources"))["sources"] == []
