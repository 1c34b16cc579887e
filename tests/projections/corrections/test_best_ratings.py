"""Best ratings after corrections, merges and voids, however the verdicts come."""

import random
from collections import Counter
from collections.abc import Mapping
from typing import Any

import asyncpg
import pytest

from services.projections.history.project import HistoryView
from shared.events.codec import decode_verdict
from shared.feed.advancing import advance
from tests.corrections.histories import a_long_history
from tests.projections.charts.charts_by_definition import Charts
from tests.projections.corrections.test_corrected_views import History, a_build, taken_in
from tests.replay_by_hand.history import Sessions
from tests.replay_by_hand.replay import played_through

Bests = dict[str, tuple[int, int]]


def bests_of(charts: Charts) -> Bests:
    return {who: best for who in charts.points if (best := charts.best(who)) is not None}


async def bests_in(pool: asyncpg.Pool, schema: str) -> Bests:
    rows = await pool.fetch(
        f"""SELECT DISTINCT ON (player_id) player_id, rating_centi, fact_seq
        FROM {schema}.peaks ORDER BY player_id, fact_seq DESC"""
    )
    return {row["player_id"]: (row["rating_centi"], row["fact_seq"]) for row in rows}


async def charts_after(history: History, seq_max: int) -> Charts:
    charts = Charts()
    for record in await history.log.read(await history.log.beginning(), seq_max):
        charts.take_in(decode_verdict(record.body))
    return charts


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
@pytest.mark.parametrize("players_in_part", [1, 3, 50])
async def test_after_every_record_the_best_rating_is_that_of_a_chart_by_definition(
    database: Any, seed: int, players_in_part: int
) -> None:
    history = History(a_long_history(random.Random(seed), 90))
    await history.tell(players_in_part)
    pool: asyncpg.Pool = database.pool
    build = await a_build(pool, HistoryView(), history)
    charts, has_fallen = Charts(), Counter[bool]()
    before: Bests = {}
    for record in await history.log.read(await history.log.beginning(), 1_000_000):
        done = await advance(pool, history.log, [build], {"history": HistoryView()}, records_max=1)
        (build,) = done.builds
        charts.take_in(decode_verdict(record.body))
        shown = await bests_in(pool, build.schema)
        assert shown == bests_of(charts), record.seq
        has_fallen[is_lower(before, shown)] += 1
        before = shown
    assert has_fallen[True] > 3, "A history in which no best rating falls proves nothing."


def is_lower(before: Mapping[str, tuple[int, int]], after: Bests) -> bool:
    return any(who not in after or after[who] < best for who, best in before.items())


@pytest.mark.parametrize("seed", [1, 2, 3, 4, 5, 6])
async def test_every_point_that_counts_is_the_rating_in_the_history_as_it_now_is(
    database: Any, seed: int
) -> None:
    """By a full replay of what is left, and for those who have no games left there is none."""
    history = History(a_long_history(random.Random(seed), 80))
    await history.tell(50)
    build = await taken_in(database.pool, HistoryView(), history, seq_max=1_000_000)
    charts = await charts_after(history, 1_000_000)
    assert await bests_in(database.pool, build.schema) == bests_of(charts)
    standings, rated = played_through(history.so_far[-1])
    places = Sessions(history.so_far[-1]).place
    held = Counter[bool]()
    for who, points in charts.points.items():
        if standings[who].games == 0:
            assert charts.best(who) is None
        for point in points:
            then = 150_000
            for session in sorted(rated, key=places.__getitem__):
                if places[session] <= point.fact_seq:
                    seats = (seat for rounds in rated[session] for seat in rounds)
                    for seat in seats:
                        then = seat.after.rating_centi if seat.player == who else then
            held[point.is_untrue] += 1
            assert point.is_untrue or point.rating == then, (who, point)
    assert min(held[True], held[False]) > 10


PEAK_IS_WRONG = (
    "DELETE FROM {0}.peaks WHERE fact_seq = (SELECT max(fact_seq) FROM {0}.peaks)",
    "UPDATE {0}.peaks SET rating_centi = rating_centi + 1",
    "INSERT INTO {0}.peaks VALUES ('MJ-NOBODY', 3, 150100)",
    "UPDATE {0}.corrections SET from_seq = fact_seq",
)


@pytest.mark.parametrize("statement", PEAK_IS_WRONG)
async def test_a_build_counts_the_peaks_that_are_not_those_of_its_changes(
    database: Any, statement: str
) -> None:
    history = History(a_long_history(random.Random(1), 60))
    await history.tell(2)
    view = HistoryView()
    build = await taken_in(database.pool, view, history, seq_max=1_000_000)
    await database.pool.execute(statement.format(build.schema))
    async with database.pool.acquire() as connection:
        assert (await view.attest(connection, build.schema))["wrong_rows"] > 0
