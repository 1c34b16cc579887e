"""A chart shows every session and correction, what became of them, and the best of its points."""

import random
from typing import Any

import pytest

from services.projections.answering.people import NoPublicPlayer
from services.projections.answering.reading import ViewReader
from services.projections.building.rebuild import build_missing_views
from services.projections.charts.points import shown_chart
from services.projections.charts.queries import POINTS_MAX, READ_CHART
from services.projections.charts.reads import answer_chart
from services.projections.history.project import HistoryView
from services.projections.profiles.project import ProfilesView
from shared.db.bell import Bell
from shared.events.codec import decode_verdict
from shared.feed.feed import Feed
from tests.conftest import Database
from tests.corrections.histories import a_long_history
from tests.projections.charts.charts_by_definition import Charts
from tests.projections.conftest import World
from tests.projections.corrections.test_corrected_views import History, register
from tests.projections.season import Round, mj
from tests.projections.told_history import Told, a_told_season

VIEWS = (HistoryView(), ProfilesView())


def shown_points(charts: Charts, player: str) -> list[dict[str, Any]]:
    return [
        {
            "type": "correction" if each.session is None else "session",
            "fact_seq": each.fact_seq,
            "session_id": each.session,
            "rating": each.rating / 100,
            "verified_rating": each.verified_rating / 100,
            "verified_moved": each.has_verified_moved,
            "ended": charts.ended.get(each.session or ""),
            "superseded": each.is_untrue,
        }
        for each in charts.points[player]
    ]


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
@pytest.mark.parametrize("batch", [1, 5, 500])
async def test_charts_are_those_by_definition_after_every_batch(
    database: Database, seed: int, batch: int
) -> None:
    history = History(a_long_history(random.Random(seed), 60))
    await build_missing_views(VIEWS, pool=database.pool, log=history.log)
    await history.tell(2)
    public = await register(database.pool, history)
    feed = Feed(database.pool, history.log, VIEWS, records_max=batch)
    reader = ViewReader(database.pool, VIEWS, Bell())
    records = await history.log.read(await history.log.beginning(), 1_000_000)
    charts, taken, looks = Charts(), 0, 0
    while await feed.step():
        for record in records[taken : feed.seq]:
            charts.take_in(decode_verdict(record.body))
        taken = feed.seq
        is_between = decode_verdict(records[taken - 1].body).answers
        for who in public:
            chart: Any = await answer_chart(reader, who)
            expected = charts.best(who)
            best = chart["record"]["best"]
            assert (best and (best["rating"] * 100, best["fact_seq"])) == expected, who
            if is_between.part < is_between.parts:
                continue  # What became of sessions is shown to each with the part that names them.
            shown = [
                {name: each[name] for name in each.keys() - {"on_date", "cause"}}
                for each in chart["points"]
            ]
            assert shown == shown_points(charts, who)
            assert best is None or best["fact_seq"] in {each["fact_seq"] for each in shown}
            looks += len(shown)
    assert looks > 50


async def test_a_chart_tells_of_a_night_that_was_voided_and_of_what_came_before_it(
    database: Database,
) -> None:
    async with a_told_season(database) as told:
        ada, bo = mj(1), mj(2)
        season, reader = told.season, told.world.reader
        low, low_seq = await season.play("club", Round({ada: 0, bo: 1}, 2), on="2026-01-09")
        high, high_seq = await season.play("club", Round({ada: 5, bo: 1}, 1), on="2026-01-10")
        await told.world.follow()
        # 1500 against 1500 with K 32, lost; then 1484 against 1516, won.
        chart = await answer_chart(reader, ada)
        assert [each["rating"] for each in chart["points"]] == [1484.0, 1501.47]
        assert chart["record"] == {
            "sessions": 2,
            "games": 10,
            "mahjongs": 5,
            "wall_games": 3,
            "best": {
                "rating": 1501.47,
                "fact_seq": high_seq,
                "on_date": chart["points"][1]["on_date"],
            },
        }
        void_seq = await told.void(high)
        await told.world.follow()
        chart = await answer_chart(reader, ada)
        assert [(each["type"], each["cause"], each["ended"]) for each in chart["points"]] == [
            ("session", None, None),
            ("session", None, "void"),
            ("correction", "void", None),
        ]
        assert [each["superseded"] for each in chart["points"]] == [False, True, False]
        # The correction leaves what the first night left. The earliest of equals is the best.
        assert [each["rating"] for each in chart["points"]] == [1484.0, 1501.47, 1484.0]
        best = chart["record"]["best"]
        assert best is not None
        assert (best["fact_seq"], best["rating"]) == (low_seq, 1484.0)
        assert (chart["record"]["wall_games"], chart["record"]["sessions"]) == (2, 1)
        assert await told.void(low) > void_seq
        await told.world.follow()
        assert_nothing_counts(await answer_chart(reader, ada))


def assert_nothing_counts(chart: Any) -> None:
    """Check the chart of someone all of whose nights were voided."""
    assert chart["points"][-1]["rating"] == 1500.0
    assert [each["superseded"] for each in chart["points"]] == [True, True, True, False]
    nothing = dict.fromkeys(("sessions", "games", "mahjongs", "wall_games"), 0)
    assert chart["record"] == {**nothing, "best": None}


@pytest.fixture
async def told(database: Database) -> Any:
    async with a_told_season(database) as told:
        yield told


async def test_a_correction_lowers_the_peak_of_those_who_were_not_there(told: Told) -> None:
    """The night that was replaced changed whom the others met, and the nights before it stand."""
    ada, bo, cy = mj(1), mj(2), mj(3)
    season, reader = told.season, told.world.reader
    _, first = await season.play("club", Round({cy: 3, ada: 0}))
    wrong, _ = await season.play("club", Round({ada: 0, bo: 9}))
    _, peak = await season.play("club", Round({cy: 9, bo: 0}))
    await told.world.follow()
    before = (await answer_chart(reader, cy))["record"]["best"]
    assert before is not None
    assert before["fact_seq"] == peak
    _, corrected = await told.correct(wrong, Round({ada: 9, bo: 0}))
    await told.world.follow()
    chart = await answer_chart(reader, cy)
    assert [each["superseded"] for each in chart["points"]] == [False, True, False]
    assert [each["ended"] for each in chart["points"]] == [None, None, None]
    best = chart["record"]["best"]
    assert best is not None
    assert (best["fact_seq"], best["rating"]) == (corrected, chart["points"][-1]["rating"])
    assert best["rating"] < before["rating"]
    assert chart["points"][0]["fact_seq"] == first


async def test_a_merge_touches_the_nights_that_a_correction_gave_the_player(told: Told) -> None:
    """Ada was at the first night only by a correction, and is merged into Eve, who met Fay next."""
    cy, dee, eve, fay, ada, gus = (mj(number) for number in range(1, 7))
    season, reader = told.season, told.world.reader
    first, _ = await season.play("club", Round({cy: 0, dee: 1}))
    _, met = await season.play("club", Round({eve: 0, fay: 1}))
    await season.play("club", Round({ada: 1, gus: 0}))
    await told.correct(first, Round({ada: 0, dee: 1}))
    await told.world.follow()
    best = (await answer_chart(reader, fay))["record"]["best"]
    assert best is not None
    assert (best["fact_seq"], best["rating"]) == (met, 1516.0)
    # By now Eve had lost before they met, so that less was to be won against her.
    merged = await told.merge(ada, eve)
    await told.world.follow()
    chart = await answer_chart(reader, fay)
    assert [each["superseded"] for each in chart["points"]] == [True, False]
    best = chart["record"]["best"]
    assert best is not None
    assert best["fact_seq"] == merged
    assert 1515.0 < best["rating"] < 1516.0
    # The end of the merge makes the same nights untrue again.
    ended = await told.unmerge(ada, eve)
    await told.world.follow()
    chart = await answer_chart(reader, fay)
    assert [each["superseded"] for each in chart["points"]] == [True, True, False]
    best = chart["record"]["best"]
    assert best is not None
    assert (best["fact_seq"], best["rating"]) == (ended, 1516.0)


async def test_a_player_who_has_not_played_has_an_empty_chart(world: World) -> None:
    who = await world.season.player(1)
    await world.follow()
    chart = await answer_chart(world.reader, who)
    assert (chart["points"], chart["is_whole"]) == ([], True)
    assert (chart["rating_before"], chart["verified_rating_before"]) == (1500.0, 1500.0)
    assert chart["record"]["best"] is None


async def test_hidden_merged_and_unknown_players_have_no_chart(world: World) -> None:
    season = world.season
    club = await season.source("club")
    private = await season.player(1, is_private=True)
    erased, into, merged = [await season.player(number) for number in (2, 3, 4)]
    nick = await season.anonymous(5, club)
    await season.play(club, Round({private: 1, erased: 0, into: 2, nick: 3}))
    await season.erase(erased)
    await season.merge(merged, into)
    await world.follow()
    for who in (private, erased, nick, merged, mj(99), "BOB"):
        with pytest.raises(NoPublicPlayer):
            await answer_chart(world.reader, who)
    assert (await answer_chart(world.reader, into))["points"]


async def test_a_member_who_is_hidden_by_now_hides_the_chart_as_it_hides_the_history(
    told: Told,
) -> None:
    """The tables of ingest may have split a pair that the view still reads as one."""
    ada, twin = mj(1), mj(2)
    await told.season.play("club", Round({ada: 1, mj(3): 0}))
    await told.merge(twin, ada)
    await told.world.follow()
    assert (await answer_chart(told.world.reader, ada))["points"]
    await told.season.change(twin, is_private=True)
    await told.unmerge(twin, ada)  # The view does not know yet.
    with pytest.raises(NoPublicPlayer):
        await answer_chart(told.world.reader, ada)
    await told.world.follow()
    assert (await answer_chart(told.world.reader, ada))["points"]


@pytest.mark.parametrize("sessions", [1, POINTS_MAX, POINTS_MAX + 1])
async def test_a_chart_has_the_newest_points_and_says_when_there_are_older_ones(
    world: World, sessions: int
) -> None:
    """The best rating is there all the same."""
    ada, bo = await world.season.player(1), await world.season.player(2)
    # The first night is won and the others are lost.
    facts = [
        (await world.season.play("club", Round({ada: 5 * (number == 0), bo: 3})))[1]
        for number in range(sessions)
    ]
    world.feed = Feed(world.pool, world.season.log, VIEWS)
    await world.follow()
    chart = await answer_chart(world.reader, ada)
    assert [each["fact_seq"] for each in chart["points"]] == facts[-POINTS_MAX:]
    assert chart["is_whole"] is (sessions <= POINTS_MAX)
    assert chart["rating_before"] == (1500.0 if chart["is_whole"] else 1516.0)
    best = chart["record"]["best"]
    assert best is not None
    assert (best["fact_seq"], best["rating"]) == (facts[0], 1516.0)
    row = dict(await world.reader.fetchrow(READ_CHART, ada))
    few = shown_chart(row, ada, 1)
    assert few["points"] == chart["points"][-1:]
    assert few["is_whole"] is (sessions == 1)


async def test_of_equal_peaks_the_earliest_is_the_best(told: Told) -> None:
    """Two pairs play alike, and the second night of each is undone and played alike again."""
    ada, bo, cy, dee = (mj(number) for number in range(1, 5))
    _, first = await told.season.play("club", Round({ada: 1, bo: 0}))
    again, second = await told.season.play("club", Round({cy: 1, dee: 0}))
    await told.world.follow()
    for who, fact_seq in ((ada, first), (cy, second)):
        best = (await answer_chart(told.world.reader, who))["record"]["best"]
        assert best is not None
        assert (best["rating"], best["fact_seq"]) == (1516.0, fact_seq)
    draw, _ = await told.season.play("club", Round({ada: 0, cy: 0}, 1))
    await told.void(draw)
    await told.world.follow()
    # The draw and its void leave both at 1516 again, and neither is above what was before.
    assert [each["rating"] for each in (await answer_chart(told.world.reader, ada))["points"]] == [
        1516.0
    ] * 3
    best = (await answer_chart(told.world.reader, ada))["record"]["best"]
    assert best is not None
    assert best["fact_seq"] == first
    _, replaced = await told.correct(again, Round({cy: 1, dee: 0}, 1))
    await told.world.follow()
    best = (await answer_chart(told.world.reader, cy))["record"]["best"]
    assert best is not None
    assert best["fact_seq"] == replaced
