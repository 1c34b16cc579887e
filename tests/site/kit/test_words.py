"""Numbers, dates and changes are written as people in America write them."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.site.kit.origin import Origin
from services.site.kit.words import (
    BANDS,
    band_class,
    direction,
    shown_change,
    shown_day,
    shown_exactly,
    shown_number,
    shown_rating,
)
from shared.rating.bands import BANDS as RATED_BANDS


@pytest.mark.parametrize(
    ("day", "shown"), [(date(2026, 1, 31), "Jan 31, 2026"), (date(1999, 12, 1), "Dec 1, 1999")]
)
def test_a_day(day: date, shown: str) -> None:
    assert shown_day(day) == shown


@pytest.mark.parametrize(
    ("change", "decimals", "shown"),
    [
        (12.4, 0, "+12"),
        (-3.0, 0, "−3"),
        (0.4, 0, "±0"),
        (-0.4, 0, "±0"),
        (0.0, 2, "0.00"),
        (9.4, 2, "+9.40"),
        (-0.05, 2, "−0.05"),
        (1234.5, 2, "+1234.50"),
    ],
)
def test_a_change(change: float, decimals: int, shown: str) -> None:
    assert shown_change(change, decimals) == shown


@given(st.integers(-500_000, 500_000))
def test_a_change_shown_exactly_is_that_change(centi: int) -> None:
    shown = shown_change(centi / 100, 2)
    assert round(float(shown.replace("−", "-")) * 100) == centi
    assert direction(centi / 100) == ("level" if centi == 0 else "up" if centi > 0 else "down")


@pytest.mark.parametrize(("number", "shown"), [(0, "0"), (1234567, "1,234,567"), (-1500, "−1,500")])
def test_a_number(number: int, shown: str) -> None:
    assert shown_number(number) == shown


def test_ratings() -> None:
    assert (shown_rating(1752.5), shown_rating(1753.5), shown_rating(1753.51)) == (
        "1752",
        "1754",
        "1754",
    )
    assert (shown_exactly(1753.5), shown_exactly(-0.1)) == ("1753.50", "−0.10")


def test_every_band_has_a_look() -> None:
    assert {each.name for each in RATED_BANDS} == set(BANDS)
    for each in RATED_BANDS:
        assert band_class(each.name) == f"b-{each.name.lower()}"


def test_the_origin_is_that_of_the_operator_or_this_machine() -> None:
    own = Origin(None, 0)
    own.bind(8123)
    assert own.url == "http://localhost:8123"
    named = Origin("https://mahjic.example.org", 0)
    named.bind(8123)
    assert named.url == "https://mahjic.example.org"
