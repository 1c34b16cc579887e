"""What a report says is what plain SQL and a second counting say of the same log."""

import math
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest

from services.report.shapes import CountsTold, PredictedList, VolumesTold
from shared.events.facts import PlayersMerged, SessionCorrected, SessionsVoided, session_of
from shared.rating.bands import BANDS
from tests.log.adapters import Logs, new_memory_logs
from tests.rater.stories import ADOPTED, a_round, a_session
from tests.report import by_hand
from tests.report.by_hand import Forecast
from tests.report.conftest import MadeUpYears
from tests.report.made_up import REGIONS, YEAR, bodies_of, let_rate
from tests.report.years import NEXT_YEAR, report_of

# The whole history as of the end of the year, and what counts of it, from the facts alone.
COUNTING = """
WITH fact AS (
    SELECT seq, convert_from(body, 'UTF8')::jsonb AS body FROM mahjic.facts
), until AS (
    SELECT seq, body ->> 'type' AS type, (body ->> 'time')::timestamptz AS at,
        body -> 'data' AS data
    FROM fact WHERE (body ->> 'time')::timestamptz < '2025-01-01T00:00Z'
), ended AS (
    SELECT jsonb_array_elements_text(data -> 'session_ids') AS id, at, 'voided' AS kind
    FROM until WHERE type = 'sessions-voided.v1'
    UNION ALL
    SELECT data ->> 'corrects', at, 'corrected' FROM until WHERE type = 'session-corrected.v1'
), sent AS (
    SELECT data ->> 'session_id' AS id, at, at AS place_at, data AS session
    FROM until WHERE type = 'session-submitted.v1'
    UNION ALL
    SELECT later.data #>> '{session,session_id}', later.at, first.at, later.data -> 'session'
    FROM until AS later
    JOIN until AS first ON first.data ->> 'session_id' = later.data ->> 'corrects'
    WHERE later.type = 'session-corrected.v1'
), counts AS (
    SELECT * FROM sent WHERE place_at >= '2024-01-01T00:00Z'
        AND id NOT IN (SELECT id FROM ended)
)
"""
VOLUMES = f"""
{COUNTING} SELECT session ->> $1::text AS name, count(*) AS sessions,
    sum(jsonb_array_length(session -> 'rounds'))::int AS rounds,
    sum((SELECT sum((played ->> 'games_played')::int)
         FROM jsonb_array_elements(session -> 'rounds') AS played))::int AS games
FROM counts GROUP BY 1
"""
WAITS = f"""
{COUNTING} SELECT ended.kind, ended.at - sent.at AS wait FROM ended JOIN sent USING (id)
WHERE ended.at >= '2024-01-01T00:00Z'
"""
DAYS = {
    "within a day": 1,
    "within a week": 7,
    "within a month": 30,
    "within a year": 365,
    "later": 10_000,
}


async def test_what_was_played_is_what_sql_counts(years: MadeUpYears) -> None:
    told = (await report_of(years.logs))["figures"]["played"]
    for column, found, name_of in (
        ("game_type", told["by_type"], lambda name: name),
        ("source", told["by_region"], lambda source: REGIONS.get(source, "no region")),
    ):
        counted: dict[str, Counter[str]] = {}
        for row in await years.database.pool.fetch(VOLUMES, column):
            of = counted.setdefault(name_of(row["name"]), Counter())
            of.update({name: row[name] for name in ("sessions", "rounds", "games")})
        assert_volumes(found, counted)
    total = told["total"]
    assert total is not None
    sessions = by_hand.counting(years.facts, years.first)
    assert (total["sessions"], total["rounds"], total["games"]) == by_hand.volume(sessions)
    # Three tournaments are too few to be told, and with the leagues they are not.
    assert told["by_type"]["together"] is not None
    assert told["by_type"]["together"]["names"] == ["league", "tournament"]


def assert_volumes(told: VolumesTold, counted: dict[str, Counter[str]]) -> None:
    """Fail if a list is not what was counted."""
    each = [*told["each"], *([told["together"]] if told["together"] else [])]
    for volume in each:
        expected: Counter[str] = Counter()
        for name in volume["names"]:
            expected += counted.get(name, Counter())
        told_numbers = (volume["sessions"], volume["rounds"], volume["games"])
        assert told_numbers == (expected["sessions"], expected["rounds"], expected["games"])
    assert {name for volume in each for name in volume["names"]} >= counted.keys()


async def test_what_was_put_right_is_what_sql_counts(years: MadeUpYears) -> None:
    told = (await report_of(years.logs))["figures"]["changes"]
    rows = await years.database.pool.fetch(WAITS)
    for kind, found in (("voided", told["voided"]), ("corrected", told["corrected"])):
        waits = [row["wait"] for row in rows if row["kind"] == kind]
        assert_counts(found, Counter(map(bin_of, waits)))
    came: dict[str, datetime] = {}
    waits = []
    for when, event in years.dated:
        session = session_of(event)
        for player_id in {each for r in session.rounds for each in r.players} if session else ():
            came.setdefault(player_id, when)
        if isinstance(event, PlayersMerged):
            waits.append(when - max(came[event.player_id], came[event.into]))
    assert_counts(told["merged"], Counter(map(bin_of, waits)))
    assert [each["names"] for each in told["merged"]["each"]] == [["within a week"]]
    assert (told["unmerged"], told["reseated"]) == (None, None)


def bin_of(wait: timedelta) -> str:
    return next(name for name, days in DAYS.items() if wait < timedelta(days=days))


def assert_counts(told: CountsTold, counted: Counter[str]) -> None:
    """Fail if a list of counts is not what was counted."""
    each = [*told["each"], *([told["together"]] if told["together"] else [])]
    assert each
    assert told["total"] == counted.total()
    for count in each:
        assert count["count"] == sum(counted[name] for name in count["names"])


async def test_the_players_are_those_of_a_replay_by_hand(years: MadeUpYears) -> None:
    told = (await report_of(years.logs))["figures"]["players"]
    by_tier = by_hand.tiers(years.facts)
    assert_counts(told["by_tier"], by_tier)
    assert by_tier["verified"] == 12
    before = by_hand.who_played(years.until(0), 1)
    played = by_hand.who_played(years.facts, years.first)
    rated = by_hand.who_played(years.facts, 1)
    assert told["played_in_year"] == len(played)
    assert told["new_in_year"] == len(rated - before)


async def test_the_mean_is_that_of_a_replay_as_of_each_month(years: MadeUpYears) -> None:
    means = (await report_of(years.logs))["figures"]["mean_ratings"]
    assert [each["month"] for each in means] == [*range(13)]
    for month in (0, 1, 6, 9, 12):
        players, mean = by_hand.mean(years.until(month))
        assert 100 <= players < 1_000
        assert means[month]["mean_centi"] == 100 * round(mean)


async def test_the_forecasts_are_those_of_a_second_calculation(years: MadeUpYears) -> None:
    told = (await report_of(years.logs))["figures"]["forecasts"]
    every = by_hand.forecasts(years.facts, years.first, years.verdicts)
    total = told["total"]
    assert total is not None
    assert_measures(total, every)
    assert_list(told["by_expected_score"], every, by_score)
    assert_list(told["by_band"], every, by_band)
    assert_list(told["by_games"], every, by_games)
    assert len(told["by_expected_score"]["each"]) > 8


def by_score(forecast: Forecast) -> str:
    low = 5 * int(20 * forecast.expected)
    return f"{low}% to {low + 5}%"


def by_band(forecast: Forecast) -> str:
    return next(
        band.name
        for band in BANDS
        if band.rating_centi_min is None or forecast.rating * 100 >= band.rating_centi_min - 1e-6
    )


def by_games(forecast: Forecast) -> str:
    if forecast.games < 30:
        return "up to 29 games"
    return "30 to 100 games" if forecast.games <= 100 else "more than 100 games"


def assert_list(told: PredictedList, every: Sequence[Forecast], group: Any) -> None:
    """Fail if a group of forecasts is not as calculated."""
    each = [*told["each"], *([told["together"]] if told["together"] else [])]
    assert sum(found["forecasts"] for found in each) == len(every)
    for found in each:
        assert_measures(found, [one for one in every if group(one) in found["names"]])


def assert_measures(told: Any, of: Sequence[Forecast]) -> None:
    assert told["forecasts"] == len(of)
    for name, value in by_hand.measures(of).items():
        assert told[name] == pytest.approx(value, abs=1), name


async def test_two_rounds_are_calculated_by_hand() -> None:
    """Six people, none of whom has played. In each pair of the first round the rating is even."""
    people = ["MJ-A", "MJ-B", "MJ-C", "MJ-D"]
    rounds = [
        a_round(dict(zip(people, (3, 1, 1, 0), strict=True))),
        a_round({"MJ-A": 1, "MJ-E": 0}),
    ]
    sessions = [a_session(each, name=f"s-{at}") for at, each in enumerate(rounds)]
    logs = await logs_with(sessions)
    # A beat three people who were even: 3 x 16 points. E is new. Nobody else is as few as five.
    ahead = 48
    expected = 1 / (1 + 10 ** (-ahead / 400))
    told = (await report_of(logs))["figures"]["forecasts"]["total"]
    assert told is not None
    assert told["forecasts"] == 14
    even, tied = 10 * math.log(2), 2 * math.log(2)
    assert told["log_loss_micro"] == round(1e6 * (even + tied - 2 * math.log(expected)) / 14)
    assert told["brier_micro"] == round(1e6 * (10 * 0.25 + 2 * (1 - expected) ** 2) / 14)
    assert told["even_brier_micro"] == round(1e6 * (10 + 2) * 0.25 / 14)
    assert told["expected_micro"] == told["actual_micro"] == 500_000


async def logs_with(events: Sequence[Any]) -> Logs:
    logs = new_memory_logs()
    day = NEXT_YEAR - timedelta(days=200)
    bodies = bodies_of([(day + timedelta(hours=at), e) for at, e in enumerate([ADOPTED, *events])])
    await let_rate(logs, bodies, len(bodies))
    return logs


async def test_what_comes_after_the_year_changes_nothing(years: MadeUpYears) -> None:
    bodies = bodies_of(years.dated)
    logs = new_memory_logs()
    last = max(seq for seq, (when, _) in enumerate(years.dated, 1) if when.year == YEAR)
    await let_rate(logs, bodies[:last], last)
    assert await report_of(logs) == await report_of(years.logs)
    later = [event for when, event in years.dated if when.year > YEAR]
    assert any(isinstance(each, SessionsVoided) for each in later)


async def test_a_session_corrected_twice_counts_once_and_where_it_was() -> None:
    people = [a_round({f"MJ-{at}": 1, f"MJ-{at + 1}": 0}) for at in range(8)]
    sessions = [a_session(each, name=f"s-{at}") for at, each in enumerate(people)]
    again = [a_session(people[0], people[1], name="s-0-again")]
    again.append(a_session(people[0], people[1], people[2], name="s-0-at-last"))
    corrections = [
        SessionCorrected("s-0", "wrong_result", again[0]),
        SessionCorrected("s-0-again", "wrong_result", again[1]),
    ]
    told = (await report_of(await logs_with([*sessions, *corrections])))["figures"]
    assert told["played"]["total"] == {"names": [], "sessions": 8, "rounds": 10, "games": 10}
