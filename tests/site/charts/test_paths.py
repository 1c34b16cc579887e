"""A line of many points takes few bytes and little time, and looks as it did."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterable

from hypothesis import given
from hypothesis import strategies as st

from services.site.charts.drawing import rating_figure
from services.site.charts.paths import Dot, apart, number, path, thinned
from services.site.charts.points import ChartLine
from services.site.charts.rows import chart_table
from tests.site.charts.making import line_of, walk_of
from tests.site.charts.reading import drawn, walked

# What a stroke covers: extremes that are closer together than this can't be told apart.
COLUMN = 3


@st.composite
def some_dots(draw: st.DrawFn) -> list[Dot]:
    xs = sorted(draw(st.lists(st.integers(0, 900), min_size=1, max_size=200)))
    return [Dot(x, draw(st.integers(0, 3400)), draw(st.booleans())) for x in xs]


def extremes(spots: Iterable[tuple[float, float]]) -> dict[int, tuple[float, float]]:
    """Return the lowest and the highest point of each column."""
    columns: dict[int, list[float]] = defaultdict(list)
    for x, y in spots:
        columns[int(x // COLUMN)].append(y)
    return {at: (min(ys), max(ys)) for at, ys in columns.items()}


@given(some_dots())
def test_the_extremes_of_each_column_and_both_ends_survive(dots: list[Dot]) -> None:
    kept = thinned(dots)
    assert extremes((dot.x / 10, dot.y / 10) for dot in kept) == extremes(
        (dot.x / 10, dot.y / 10) for dot in dots
    )
    assert kept[0] is dots[0]
    assert kept[-1] is dots[-1]
    remaining = iter(dots)
    assert all(any(dot is other for other in remaining) for dot in kept), "In their order."


def test_a_night_that_stood_out_is_still_seen_among_2000() -> None:
    ratings = walk_of(2_000)
    ratings[777] = 230_000
    wide, narrow = drawn(rating_figure([line_of(ratings)], figure_id="c"))
    for chart in (wide, narrow):
        (peak,) = chart.circles("peak")
        assert min(chart.spots("line"), key=lambda spot: spot[1]) == peak


def test_2000_points_take_few_bytes_and_20000_hardly_more() -> None:
    assert len(figure([line_of(walk_of(2_000))])) < 12_000
    assert len(figure([line_of(walk_of(20_000))])) < 12_000


def test_the_time_grows_with_the_points_and_no_faster() -> None:
    short, long = [line_of(walk_of(5_000))], [line_of(walk_of(10_000))]
    assert time_of(figure, long) < 3.5 * time_of(figure, short)
    assert time_of(table, long) < 3.5 * time_of(table, short)


def figure(lines: list[ChartLine]) -> str:
    return rating_figure(lines, figure_id="c")


def table(lines: list[ChartLine]) -> str:
    return chart_table(lines, figure_id="c", caption="x")


def time_of(work: Callable[[list[ChartLine]], str], lines: list[ChartLine]) -> float:
    """Return the best of several times."""

    def once() -> float:
        start = time.process_time()
        work(lines)
        return time.process_time() - start

    return min(once() for _ in range(5))


@given(some_dots())
def test_a_path_goes_through_its_dots(dots: list[Dot]) -> None:
    spots = [(dot.x / 10, dot.y / 10) for dot in dots]
    assert list(walked(path(dots))) == (spots if len(spots) > 1 else [])
    both = [*walked(path(dots, superseded=True)), *walked(path(dots, superseded=False))]
    assert set(both) == (set(spots) if len(spots) > 1 else set())


@given(st.integers(-10_000, 10_000))
def test_a_coordinate_is_short_and_exact(tenths: int) -> None:
    assert float(number(tenths)) * 10 == tenths or abs(float(number(tenths)) * 10 - tenths) < 1e-9
    assert len(number(tenths)) <= len(str(tenths)) + 1


def test_marks_that_would_cover_each_other_are_one() -> None:
    dots = [Dot(x, 0) for x in (0, 10, 79, 80, 100, 300)]
    assert [dot.x for dot in apart(dots)] == [0, 80, 300]
