"""Makes lines of points for charts."""

import random
from collections.abc import Sequence
from datetime import date, timedelta

from hypothesis import strategies as st

from services.site.charts.points import ChartLine, ChartPoint

FIRST_DAY = date(2025, 2, 3)


def line_of(ratings: Sequence[int], *, began: int | None = 150_000, name: str = "Ada") -> ChartLine:
    """Return a line of sessions, one a week, with the best of them marked."""
    points = [
        ChartPoint(place, FIRST_DAY + timedelta(days=7 * place), rating)
        for place, rating in enumerate(ratings)
    ]
    best = max(points, key=lambda point: point.rating_centi, default=None)
    return ChartLine(name, points, began, best)


def walk_of(length: int, *, seed: int = 1) -> list[int]:
    """Return ratings that go up and down."""
    dice, ratings = random.Random(seed), [150_000]
    for _ in range(length):
        ratings.append(ratings[-1] + dice.randint(-2_500, 2_500))
    return ratings[1:]


RATINGS = st.one_of(st.integers(-99_999, 3_000_000), st.integers(149_900, 150_100))


@st.composite
def some_lines(draw: st.DrawFn, *, most: int = 2) -> list[ChartLine]:
    """Return one line or two with any points, some of them shared."""
    return [draw(some_line(f"Line {at}")) for at in range(draw(st.integers(1, most)))]


@st.composite
def some_line(draw: st.DrawFn, name: str) -> ChartLine:
    """Return a line with any points."""
    places = sorted(draw(st.sets(st.integers(1, 60), min_size=1)))
    points = [
        ChartPoint(
            place,
            draw(st.dates(date(1990, 1, 1), date(2100, 1, 1))),
            draw(RATINGS),
            is_correction=draw(st.booleans()),
            is_superseded=draw(st.booleans()),
        )
        for place in places
    ]
    best = draw(st.none() | st.sampled_from(points))
    return ChartLine(name, points, draw(st.none() | RATINGS), best)
