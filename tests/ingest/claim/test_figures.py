"""Points are read exactly as they are written, and days as the calendar has them."""

import json
from datetime import UTC, datetime

import pytest

from services.ingest.record.ids_and_times import LATEST_ZONE
from tests.ingest.claims import a_round, a_session, mistakes_in, read

POINTS = "/rounds/0/players/0/points"


def a_league(points: str, other: str = "0") -> str:
    """Return the text of a league session, with numbers as they are written."""
    text = json.dumps(a_session(a_round(ada=2, bo=1, points=[111, 222]), game_type="league"))
    return text.replace("111", points).replace("222", other)


@pytest.mark.parametrize(
    ("written", "points_centi"),
    [
        ("0", 0),
        ("-0", 0),
        ("-0.0", 0),
        ("125", 12500),
        ("125.0", 12500),
        ("125.000", 12500),
        ("-50.25", -5025),
        ("0.01", 1),
        ("0.29", 29),
        ("1.1", 110),
        ("1e2", 10000),
        ("1.5E1", 1500),
        ("12500e-2", 12500),
        ("0e-999", 0),
        ("1000000", 100000000),
        ("-1000000.00", -100000000),
        ("999999.99", 99999999),
    ],
)
def test_points_are_read_exactly(written: str, points_centi: int) -> None:
    assert read(a_league(written)).rounds[0].seats[0].points_centi == points_centi


@pytest.mark.parametrize(
    ("written", "code"),
    [
        ("0.001", "points_too_precise"),
        ("0.005", "points_too_precise"),
        ("125.333", "points_too_precise"),
        ("0.1000000000000000000001", "points_too_precise"),
        ("0.10000000000000000000000000000000000000000001", "points_too_precise"),
        ("1e-3", "points_too_precise"),
        ("1e-400", "points_too_precise"),
        ("1000000.01", "out_of_range"),
        ("-1000001", "out_of_range"),
        ("1e30", "out_of_range"),
        ("1e999", "out_of_range"),
        ("-1e999", "out_of_range"),
        ("1" * 30, "out_of_range"),
    ],
)
def test_points_beyond_the_rule_are_refused(written: str, code: str) -> None:
    assert mistakes_in(a_league(written)) == {(POINTS, code)}


def test_digits_far_behind_are_found_also_beside_another_mistake() -> None:
    text = a_league("0.1000000000000000000001", other='"x"')
    assert mistakes_in(text) == {
        (POINTS, "points_too_precise"),
        ("/rounds/0/players/1/points", "wrong_type"),
    }


@pytest.mark.parametrize("points", [None, 125, 0.333, 1e30])
def test_social_games_ignore_points(points: float | None) -> None:
    claim = a_session(a_round(ada=2, bo=1))
    claim["rounds"][0]["players"][0]["points"] = points
    assert read(claim).rounds[0].seats[0].points_centi == 0


@pytest.mark.parametrize("day", ["1900-01-01", "2024-02-29", "2000-02-29", "2026-02-28"])
def test_a_date_of_the_calendar_is_taken_as_written(day: str) -> None:
    assert read(a_session(a_round(ada=1, bo=0), on=day)).session_date == day


@pytest.mark.parametrize(
    ("day", "code"),
    [
        ("2026-02-30", "invalid_date"),
        ("2026-02-29", "invalid_date"),
        ("1900-02-29", "invalid_date"),
        ("2026-13-01", "invalid_date"),
        ("2026-00-10", "invalid_date"),
        ("2026-1-5", "invalid_date"),
        ("20260131", "invalid_date"),
        ("2026-W05-6", "invalid_date"),
        ("2026-031", "invalid_date"),
        ("31/1/2026", "invalid_date"),
        ("2026-01-31T20:00:00", "invalid_date"),
        ("2026-01-31T00:00:00Z", "invalid_date"),
        ("2026-01-31 ", "invalid_date"),
        ("2026-01-31\n", "invalid_date"),
        ("+2026-01-31", "invalid_date"),
        ("-2026-01-31", "invalid_date"),
        ("0000-01-01", "invalid_date"),
        ("\u0662\u0660\u0662\u0666-\u0660\u0661-\u0663\u0661", "invalid_date"),
        ("２０２６-01-31", "invalid_date"),  # noqa: RUF001 - digits that look alike are meant.
        ("", "invalid_date"),
        ("today", "invalid_date"),
        ("0001-01-01", "date_too_early"),
        ("1899-12-31", "date_too_early"),
        ("2026-03-02", "date_in_future"),
        ("9999-12-31", "date_in_future"),
    ],
)
def test_any_other_date_is_refused(day: str, code: str) -> None:
    assert mistakes_in(a_session(a_round(ada=1, bo=0), on=day)) == {("/session_date", code)}


def test_a_day_is_taken_once_it_has_begun_in_the_latest_zone_on_earth() -> None:
    claim = a_session(a_round(ada=1, bo=0), on="2026-02-01")
    # Kiribati is 14 hours ahead of UTC: there the first of February begins at 10:00 UTC.
    for minute, expected in ((59, {("/session_date", "date_in_future")}), (60, set())):
        now = datetime(2026, 1, 31, 9 + minute // 60, minute % 60, tzinfo=UTC)
        assert mistakes_in(claim, today_latest=(now + LATEST_ZONE).date()) == expected
