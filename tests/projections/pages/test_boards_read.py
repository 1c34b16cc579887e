"""What pages about boards and sources read: how far players moved, first sessions, and lately."""

from datetime import date, timedelta

import orjson
import pytest

from services.projections.lately.queries import SESSIONS_MAX
from services.projections.leaderboards.reads import CursorAndOffset
from services.projections.pages.board_pages import MOVED_DAYS, BoardPages, UnknownRegion
from services.site.reads import SiteReads
from shared.access.sources import UnknownSource
from tests.conftest import Database
from tests.projections.conftest import TODAY, World
from tests.projections.pages.conftest import reads_of
from tests.projections.season import Round, mj
from tests.projections.told_history import a_told_season


def noon(days_ago: int) -> str:
    return f"{TODAY - timedelta(days=days_ago)}T12:00:00.000000Z"


async def two_verified(world: World) -> tuple[str, str]:
    await world.season.source("club", region="west")
    world.season.time = noon(400)
    ada, bo = await world.season.player(1), await world.season.player(2)
    await world.season.verify(ada)
    await world.season.verify(bo)
    return ada, bo


async def test_what_counts_is_when_a_change_was_rated_and_not_when_it_was_played(
    world: World, pages: SiteReads
) -> None:
    ada, bo = await two_verified(world)
    rated = []
    for days_ago in (200, MOVED_DAYS + 1, MOVED_DAYS, 1, 0):
        world.season.time = noon(days_ago)
        # Played long ago, as when a club brings in its old nights.
        await world.season.play("club", Round({ada: 2, bo: 1}, 1), on="2020-01-31")
        await world.follow()
        rated.append((await world.get(f"/v1/players/{ada}"))["verified_rating"])
    moved = (await pages.boards.leaderboard(min_games=0))["changes"]
    assert moved[ada] == pytest.approx(rated[-1] - rated[1])
    assert moved[ada] == -moved[bo]
    history = (await world.get(f"/v1/players/{ada}/history"))["changes"]
    assert moved[ada] == pytest.approx(
        sum(each["verified"]["rating_change"] for each in history[:3])
    )


async def test_who_did_not_move_lately_moved_by_nothing(world: World) -> None:
    ada, bo = await two_verified(world)
    await world.season.play("club", Round({ada: 2, bo: 1}, 1))
    # Verified, and so on the board, without a game.
    cy = await world.season.player(3)
    await world.season.verify(cy)
    await world.follow()
    later = BoardPages(world.reader, today_utc=lambda: TODAY + timedelta(days=MOVED_DAYS + 1))
    expected = {ada: 0.0, bo: 0.0, cy: 0.0}
    assert (await later.leaderboard(min_games=0))["changes"] == expected
    now = BoardPages(world.reader, today_utc=lambda: TODAY)
    moved = (await now.leaderboard(min_games=0))["changes"]
    assert (moved[ada] > 0, moved[cy]) == (True, 0.0)


async def test_a_merge_moves_the_survivor_by_as_much_as_the_rating_on_the_page(
    database: Database,
) -> None:
    async with a_told_season(database) as told:
        ada, bo, cy = mj(1), mj(2), mj(3)
        pages = reads_of(told.world)
        told.season.time = noon(100)
        for each in (ada, bo, cy):
            await told.season.verify(each)
        await told.season.play("club", *[Round({ada: 2, bo: 1}, 1)] * 3)
        await told.season.play("club", *[Round({cy: 2, bo: 1}, 1)] * 3)
        await told.world.follow()
        before = (await told.world.get(f"/v1/players/{ada}"))["verified_rating"]
        told.season.time = noon(3)
        await told.merge(cy, ada)
        await told.world.follow()
        after = (await told.world.get(f"/v1/players/{ada}"))["verified_rating"]
        assert after != before
        moved = (await pages.boards.leaderboard(min_games=0))["changes"]
        assert moved[ada] == pytest.approx(after - before)
        assert cy not in moved


async def test_a_page_of_a_board_is_that_of_the_interface(world: World, pages: SiteReads) -> None:
    ada, bo = await two_verified(world)
    await world.season.play("club", *[Round({ada: 2, bo: 1}, 1)] * 3)
    await world.follow()
    boards = {
        "/v1/leaderboard": await pages.boards.leaderboard(),
        "/v1/leaderboard/west": await pages.boards.leaderboard(region="west"),
        "/v1/leaderboard/midwest": await pages.boards.leaderboard(region="midwest"),
        "/v1/sources/club/leaderboard": await pages.boards.leaderboard(source="club"),
    }
    for path, board in boards.items():
        assert orjson.loads(orjson.dumps(board["board"])) == await world.get(path)
        assert board["changes"].keys() == {each["player_id"] for each in board["board"]["players"]}
    first = await pages.boards.leaderboard(limit=1)
    second = await pages.boards.leaderboard(limit=1, cursor=first["board"]["next_cursor"])
    assert [each["player_id"] for each in second["board"]["players"]] == [bo]
    assert (await pages.boards.leaderboard(limit=1, offset=1))["changes"] == second["changes"]
    with pytest.raises(UnknownRegion):
        await pages.boards.leaderboard(region="nowhere")
    with pytest.raises(UnknownSource):
        await pages.boards.leaderboard(source="nobody")
    with pytest.raises(CursorAndOffset):
        await pages.boards.leaderboard(cursor="x", offset=1)


async def test_a_source_tells_its_first_session_that_counts(database: Database) -> None:
    async with a_told_season(database) as told:
        pages = reads_of(told.world)
        await told.season.source("league", kind="league")
        table = Round({mj(1): 1, mj(2): 0})
        first, _ = await told.season.play("club", table, on="2020-05-01")
        await told.season.play("club", table, on="2021-05-01")
        await told.world.follow()
        sources = (await pages.boards.sources())["sources"]
        assert [(each["slug"], each["first_session"]) for each in sources] == [
            ("club", date(2020, 5, 1)),
            ("league", None),
        ]
        await told.void(first)
        await told.world.follow()
        club = await pages.boards.source("club")
        assert club["first_session"] == date(2021, 5, 1)
        told_by_v1 = await told.world.get("/v1/sources/club")
        only_here = {"first_session": "2021-05-01", "about": None, "site": None}
        assert orjson.loads(orjson.dumps(club)) == told_by_v1 | only_here
        with pytest.raises(UnknownSource):
            await pages.boards.source("no such source")


async def test_lately_is_empty_on_a_new_installation(world: World, pages: SiteReads) -> None:
    answer = await pages.boards.lately()
    assert (answer["sessions"], answer["players"], answer["sources"]) == ([], [], [])


async def test_lately_tells_the_newest_session_of_each_source_and_day(
    world: World, pages: SiteReads
) -> None:
    ada, bo = await two_verified(world)
    await world.season.source("league", kind="league")
    await world.season.play("league", Round({ada: 3, bo: 1}, 1), on="2026-01-02")
    for day in range(1, SESSIONS_MAX):
        for _ in range(20):
            await world.season.play("club", Round({ada: 3, bo: 1}, 1), on=f"2026-01-{day:02}")
    await world.follow()
    answer = await pages.boards.lately()
    told = [(each["source"]["slug"], each["session_date"].day) for each in answer["sessions"]]
    # The newest sixty are looked through, so that one source cannot make the page slow.
    assert told == [("club", SESSIONS_MAX - 1 - each) for each in range(3)]
    assert [each["player_id"] for each in answer["players"]] == [ada, bo]
    begun = [(each["source"]["slug"], each["first_session"].day) for each in answer["sources"]]
    assert begun == [("league", 2), ("club", 1)]


async def test_lately_is_the_same_whether_hidden_players_play_or_not(
    world: World, pages: SiteReads
) -> None:
    ada, bo = await two_verified(world)
    private = await world.season.player(3, is_private=True, name="Private")
    erased = await world.season.player(4, name="Erased")
    nick = await world.season.anonymous(5, "club")
    for each in (private, erased):
        await world.season.verify(each)
    await world.season.play("club", *[Round({ada: 3, bo: 1}, 1)] * 3)
    await world.follow()
    before = await pages.boards.lately()
    await world.season.erase(erased)
    for table in (
        {private: 3, erased: 3, nick: 3},
        {ada: 3, private: 3},
        {bo: 3, nick: 3, "BOB": 0},
        {private: 3, nick: 1},
    ):
        await world.season.play("club", Round(table), on="2026-01-30")
    await world.follow()
    after = await pages.boards.lately()
    assert after["sessions"] == before["sessions"]
    assert {each["player_id"] for each in after["players"]} == {ada, bo}
    text = orjson.dumps(after).decode()
    assert not [each for each in (private, erased, nick, "Private", "Erased") if each in text]
    # Someone who turns private takes the session along, since it names one player no longer.
    await world.season.change(bo, is_private=True)
    await world.follow()
    assert (await pages.boards.lately())["sessions"] == []
