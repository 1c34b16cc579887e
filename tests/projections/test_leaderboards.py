"""Boards: who is on them, in which place, page by page, whatever happens in between."""

import random
from collections.abc import Sequence
from typing import Any

import pytest

from services.projections.answering.cursors import read_cursor, write_cursor
from services.projections.leaderboards.queries import COUNT_S_MAX
from tests.projections import by_definition
from tests.projections.conftest import World
from tests.projections.season import Round, Season

BOARDS = {
    "global": "/v1/leaderboard",
    "region:west": "/v1/leaderboard/west",
    "region:midwest": "/v1/leaderboard/midwest",
    "source:club": "/v1/sources/club/leaderboard",
    "source:league": "/v1/sources/league/leaderboard",
}


async def a_ladder(world: World, count: int) -> list[str]:
    """Give players 1 to `count` 10 verified games each; some of them are level."""
    club = await world.season.source("club", region="west")
    people = await world.season.verified(count, source=club)
    for n in range(0, count - 1, 2):
        wins = n % 11
        await world.season.play(club, Round({people[n]: wins, people[n + 1]: 10 - wins}))
    await world.follow()
    return people


async def whole_board(world: World, path: str, **filters: object) -> list[dict[str, Any]]:
    """Walk a board by its cursors."""
    rows: list[dict[str, Any]] = []
    cursor: dict[str, object] = {}
    while True:
        page = await world.get(path, **filters, **cursor)
        assert page["board_moved"] in {None, False}
        rows += page["players"]
        if page["next_cursor"] is None:
            return rows
        cursor = {"cursor": page["next_cursor"]}


def shown(rows: list[dict[str, Any]]) -> list[by_definition.BoardRow]:
    return [
        by_definition.BoardRow(
            row["place"],
            row["player_id"],
            round(row["verified_rating"] * 100),
            row["verified_games"],
            row["last_played"],
        )
        for row in rows
    ]


async def test_equal_ratings_share_a_place_and_are_ordered_by_id(world: World) -> None:
    club = await world.season.source("club")
    a, b, c, d = await world.season.verified(4)
    # By the formula: the middle two gain from the last what they lose to the first.
    await world.season.play(club, Round({d: 6, c: 2, b: 2, a: 0}))
    await world.follow()
    players = (await world.get("/v1/leaderboard"))["players"]
    assert [(row["place"], row["player_id"]) for row in players] == [(1, d), (2, b), (2, c), (4, a)]
    assert players[1]["verified_rating"] == players[2]["verified_rating"] == 1500.0
    for row in players:
        assert (await world.get(f"/v1/players/{row['player_id']}"))["global_rank"] == row["place"]


async def test_whoever_stands_on_the_next_whole_point_is_counted_once(world: World) -> None:
    club = await world.season.source("club")
    half, whole, even, level, less_half, less_whole = await world.season.verified(6)
    # Level in games won, a league moves two by a fiftieth of what lies between their points.
    for winner, loser, points_centi in ((half, less_half, 1_250), (whole, less_whole, 2_500)):
        points = {winner: points_centi, loser: -points_centi}
        await world.season.play(
            club, Round({winner: 5, loser: 5}, points_centi=points), game_type="league"
        )
    await world.season.play(club, Round({even: 5, level: 5}))
    await world.follow()
    board = (await world.get("/v1/leaderboard"))["players"]
    assert [(row["place"], row["verified_rating"]) for row in board] == [
        (1, 1501.0),
        (2, 1500.5),
        (3, 1500.0),
        (3, 1500.0),
        (5, 1499.5),
        (6, 1499.0),
    ]
    for row in board:
        assert (await world.get(f"/v1/players/{row['player_id']}"))["global_rank"] == row["place"]


async def test_the_page_at_offset_50_starts_with_rank_51(world: World) -> None:
    await a_ladder(world, 60)
    everything = (await world.get("/v1/leaderboard", limit=200))["players"]
    page = (await world.get("/v1/leaderboard", offset=50, limit=5))["players"]
    assert len(everything) == 60
    assert page == everything[50:55]
    better = sum(1 for r in everything if r["verified_rating"] > page[0]["verified_rating"])
    assert page[0]["place"] == better + 1
    for offset in range(61):
        page = (await world.get("/v1/leaderboard", offset=offset, limit=3))["players"]
        assert page == everything[offset : offset + 3]
        page = (await world.get("/v1/leaderboard", offset=offset, limit=3, min_games=9))["players"]
        assert page == everything[offset : offset + 3]


async def test_a_board_that_has_not_been_played_on_is_empty(world: World) -> None:
    await world.season.source("club")
    for path in (BOARDS["global"], BOARDS["region:west"], BOARDS["source:club"]):
        page = await world.get(path)
        assert (page["players"], page["next_cursor"]) == ([], None)
        assert (await world.get(path, offset=10))["players"] == []


async def something_wild(
    season: Season,
    chance: random.Random,
    sources: Sequence[str],
    people: Sequence[str],
    erased: set[str],
) -> None:
    """Let somebody be verified, change or be erased, or some play; the last is anonymous."""
    what = chance.random()
    who = chance.choice(people[:-1])
    if what < 0.25:
        await season.verify(who)
    elif what < 0.3:
        await season.end_verification(who)
    elif what < 0.4 and who not in erased:
        is_private = chance.random() < 0.4
        region = chance.choice((None, "west", "midwest"))
        await season.change(who, is_private=is_private, region=region)
    elif what < 0.42:
        erased.add(who)
        await season.erase(who)
    else:
        table = chance.sample([*people, "BOB"], chance.randint(3, 4))
        day = chance.randint(1, 28)
        await season.play(
            chance.choice(sources),
            *(Round({each: chance.randint(0, 3) for each in table}, 1) for _ in range(2)),
            on=f"2026-01-{day:02}",
        )


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_boards_agree_with_their_definition_through_a_wild_season(
    world: World, seed: int
) -> None:
    chance = random.Random(seed)
    season = world.season
    club = await season.source("club", region="west")
    league = await season.source("league", kind="league")
    people = [
        await season.player(
            n,
            source=chance.choice((club, league)),
            is_private=chance.random() < 0.2,
            region=chance.choice((None, None, "midwest")),
        )
        for n in range(1, 16)
    ]
    people.append(await season.anonymous(20, club))
    erased: set[str] = set()
    for step in range(60):
        await something_wild(season, chance, (club, league), people, erased)
        if step % 5 == 0:
            await world.follow()
    await world.follow()
    known = await by_definition.everybody(season.log)
    public = await by_definition.public_people(season.pool)
    most = 0
    for name, path in BOARDS.items():
        expected = by_definition.board(name, known, public)
        most = max(most, len(expected))
        assert shown(await whole_board(world, path, limit=2)) == expected
        assert shown((await world.get(path, limit=200))["players"]) == expected
        for games in (0, 3, 25):
            expected = by_definition.board(name, known, public, min_games=games)
            assert shown(await whole_board(world, path, limit=3, min_games=games)) == expected
        # Today is 2026-02-01 here, so 10 days ago is 2026-01-22.
        expected = by_definition.board(name, known, public, since="2026-01-22")
        assert shown(await whole_board(world, path, limit=2, active_within_days=10)) == expected
    assert most >= 3, "A season without a board proves nothing."
    ranks = {row.player_id: row.place for row in by_definition.board("global", known, public)}
    for who in public:
        assert (await world.get(f"/v1/players/{who}"))["global_rank"] == ranks.get(who)


async def test_a_cursor_tells_that_the_board_moved(world: World) -> None:
    people = await a_ladder(world, 10)
    first = await world.get("/v1/leaderboard", limit=4)
    cursor = first["next_cursor"]
    assert (await world.get("/v1/leaderboard", limit=4, cursor=cursor))["board_moved"] is False
    # Two provisional players play, and the board stands as still as before.
    ann, ben = await world.season.player(50), await world.season.player(51)
    await world.season.play("club", Round({ann: 1, ben: 0}))
    await world.follow()
    still = await world.get("/v1/leaderboard", limit=4, cursor=cursor)
    assert still["board_moved"] is False
    assert still["seq"] > first["seq"]
    await world.season.play("club", Round({people[0]: 4, people[1]: 0}))
    await world.follow()
    assert (await world.get("/v1/leaderboard", limit=4, cursor=cursor))["board_moved"] is True


async def test_who_becomes_private_is_gone_before_the_places_are_counted_again(
    world: World,
) -> None:
    people = await a_ladder(world, 6)
    before = (await world.get("/v1/leaderboard"))["players"]
    gone = before[0]["player_id"]
    await world.season.change(gone, is_private=True)
    at_once = (await world.get("/v1/leaderboard"))["players"]
    assert at_once == before[1:]
    await world.follow()
    after = (await world.get("/v1/leaderboard"))["players"]
    assert [row["player_id"] for row in after] == [row["player_id"] for row in before[1:]]
    assert after[0]["place"] == 1
    assert len(people) == 6


async def test_no_cursor_holds_the_id_of_somebody_who_has_become_private(world: World) -> None:
    await a_ladder(world, 6)
    before = (await world.get("/v1/leaderboard"))["players"]
    for row in (before[0], before[1], before[4]):
        await world.season.change(row["player_id"], is_private=True)
    shown: list[dict[str, Any]] = []
    cursor: dict[str, object] = {}
    while True:
        page = await world.get("/v1/leaderboard", limit=1, **cursor)
        shown += page["players"]
        if page["next_cursor"] is None:
            break
        _, _, _, _, player_id, _ = read_cursor(page["next_cursor"], str, int, _NONE, int, str, int)
        assert player_id == page["players"][-1]["player_id"]
        cursor = {"cursor": page["next_cursor"]}
    assert shown == [before[2], before[3], before[5]]


_NONE = type(None)


async def test_a_region_chosen_later_moves_the_player_to_that_board(world: World) -> None:
    people = await a_ladder(world, 4)
    west = (await world.get("/v1/leaderboard/west"))["players"]
    assert {row["player_id"] for row in west} == set(people)
    await world.season.change(people[0], region="midwest")
    await world.follow()
    west = (await world.get("/v1/leaderboard/west"))["players"]
    assert {row["player_id"] for row in west} == set(people[1:])
    midwest = (await world.get("/v1/leaderboard/midwest"))["players"]
    assert [row["player_id"] for row in midwest] == [people[0]]


async def test_a_page_that_can_not_be_is_refused(world: World) -> None:
    board = "/v1/leaderboard"
    wrong: list[tuple[str, dict[str, object], str]] = [
        (board, {"limit": 0}, "invalid_parameter"),
        (board, {"limit": 201}, "invalid_parameter"),
        (board, {"offset": -1}, "invalid_parameter"),
        (board, {"cursor": "e30"}, "wrong_cursor"),
        (board, {"cursor": "a"}, "wrong_cursor"),
        (board, {"cursor": write_cursor("global", 10, None, 1, "MJ-\0", 1)}, "wrong_cursor"),
        (board, {"cursor": "a", "offset": 1}, "cursor_and_offset"),
        (f"{board}/atlantis", {}, "invalid_parameter"),
    ]
    for path, parameters, code in wrong:
        answer = await world.ask(path, parameters)
        assert (answer.status_code, answer.json()["code"]) == (422, code), (path, parameters)


async def test_a_cursor_of_one_board_is_refused_by_another(world: World) -> None:
    await a_ladder(world, 6)
    cursor = (await world.get("/v1/leaderboard", limit=2))["next_cursor"]
    for path, parameters in (
        ("/v1/leaderboard/west", {}),
        ("/v1/leaderboard", {"min_games": 5}),
        ("/v1/leaderboard", {"active_within_days": 5}),
    ):
        answer = await world.ask(path, {"cursor": cursor, **parameters})
        assert (answer.status_code, answer.json()["code"]) == (422, "wrong_cursor")


async def test_a_filter_that_takes_too_long_is_a_clear_503(world: World) -> None:
    await a_ladder(world, 2)
    schema = await world.pool.fetchval(
        "SELECT live_schema FROM mahjic.views WHERE name = 'leaderboards'"
    )
    async with world.pool.acquire() as connection, connection.transaction():
        # Whoever holds the table makes every count of it wait, as a very large one would.
        await connection.execute(f"LOCK TABLE {schema}.standings IN ACCESS EXCLUSIVE MODE")
        answer = await world.ask("/v1/leaderboard", {"min_games": 3})
    assert (answer.status_code, answer.json()["code"]) == (503, "board_takes_too_long")
    assert int(answer.headers["Retry-After"]) > COUNT_S_MAX


async def test_an_unknown_source_has_no_board(world: World) -> None:
    for slug in ("nobody", "No Slug", "%00"):
        answer = await world.ask(f"/v1/sources/{slug}/leaderboard")
        assert (answer.status_code, answer.json()["code"]) == (404, "unknown_source")
