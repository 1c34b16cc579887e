"""A rating chart shows every point in its box, with labels that can be read."""

import dataclasses
from datetime import date
from itertools import combinations, pairwise
from math import isfinite
from xml.etree import ElementTree as Xml

import pytest
from hypothesis import given

from services.site.charts.drawing import rating_figure
from services.site.charts.points import ChartLine, ChartPoint
from tests.site.charts.making import line_of, some_lines
from tests.site.charts.reading import SVG, Drawn, drawn

# The widest figures of Source Sans 3, in bold, take this part of their size.
FIGURE = 0.55
# What a browser makes of an attribute that could run or load something.
FORBIDDEN = {"style", "href", "onload", "onclick", "src"}

Box = tuple[float, float, float, float]


def boxes(chart: Drawn) -> list[Box]:
    """Return about what each text covers: left, top, right, bottom."""
    found = []
    for text in chart.all("text"):
        size = float(text.attrib.get("font-size", chart.root.attrib["font-size"]))
        width = len(text.text or "") * size * FIGURE
        x, y = float(text.attrib["x"]), float(text.attrib["y"])
        left = x - {"end": 1, "middle": 0.5}.get(text.attrib.get("text-anchor", ""), 0) * width
        found.append((left, y - 0.7 * size, left + width, y))
    return found


def meet(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


@given(some_lines())
def test_every_point_and_every_word_is_inside_the_picture(lines: list[ChartLine]) -> None:
    for chart in drawn(rating_figure(lines, figure_id="c")):
        spots = [
            *chart.spots(),
            *chart.circles(),
            *(spot for box in boxes(chart) for spot in (box[:2], box[2:])),
        ]
        for x, y in spots:
            assert isfinite(x), (x, y)
            assert isfinite(y), (x, y)
            assert 0 <= x <= chart.width, (x, y)
            assert 0 <= y <= chart.height, (x, y)


@given(some_lines())
def test_no_label_is_on_top_of_another(lines: list[ChartLine]) -> None:
    for chart in drawn(rating_figure(lines, figure_id="c")):
        marks = {id(each) for each in chart.all("text", "mark")}
        found = list(zip(chart.all("text"), boxes(chart), strict=True))
        for (one, box), (other, other_box) in combinations(found, 2):
            # The label of a best rating may cross the line of another, never another label of one.
            if (id(one) in marks) == (id(other) in marks):
                assert not meet(box, other_box), (one.text, other.text)


def test_ratings_and_sessions_stand_where_they_belong() -> None:
    wide, _ = drawn(rating_figure([line_of([160_000, 150_000, 155_000])], figure_id="c"))
    assert wide.texts("tick")[:3] == ["1500", "1550", "1600"]
    heights = {
        text.text: float(grid.attrib["d"].partition(" ")[2].partition("H")[0])
        for text, grid in zip(wide.all("text", "tick"), wide.all("path", "grid"), strict=False)
    }
    spots = wide.spots("line")
    assert [y for _, y in spots] == [
        heights["1500"],
        heights["1600"],
        heights["1500"],
        (heights["1500"] + heights["1600"]) / 2,
    ]
    steps = {round(right[0] - left[0], 1) for left, right in pairwise(spots)}
    assert max(steps) - min(steps) <= 0.11
    assert wide.circles("now") == [spots[-1]]


def test_points_stand_in_the_order_of_the_log_whatever_their_dates() -> None:
    sent_late = [
        ChartPoint(1, date(2026, 3, 1), 150_000),
        ChartPoint(2, date(2025, 1, 1), 152_000),
        ChartPoint(9, date(2026, 3, 2), 151_000),
    ]
    wide, _ = drawn(rating_figure([ChartLine("Ada", sent_late)], figure_id="c"))
    xs = [x for x, _ in wide.spots("line")]
    assert xs == sorted(xs)
    assert abs((xs[0] + xs[2]) / 2 - xs[1]) <= 0.1
    assert wide.texts("tick")[-3:] == ["Mar 2026", "Jan 2025", "Mar 2026"]


def test_dates_that_are_close_are_told_by_day_and_others_by_month() -> None:
    close = line_of([150_000, 151_000])
    wide, narrow = drawn(rating_figure([close], figure_id="c"))
    assert wide.texts("tick")[-2:] == ["Feb 3, 2025", "Feb 10, 2025"]
    assert narrow.texts("tick")[-1] == "Feb 10, 2025"
    wide, narrow = drawn(rating_figure([line_of([150_000] * 60)], figure_id="c"))
    assert wide.texts("tick")[-6:] == [
        "Feb 2025", "Apr 2025", "Jul 2025", "Oct 2025", "Jan 2026", "Mar 2026",
    ]  # fmt: skip
    assert narrow.texts("tick")[-3:] == ["Feb 2025", "Sep 2025", "Mar 2026"]


def test_equal_ratings_run_through_the_middle() -> None:
    for chart in drawn(rating_figure([line_of([150_000] * 60)], figure_id="c")):
        assert {y for _, y in chart.spots("line")} == {
            round(sum(y for _, y in chart.spots("grid")[::2]) / len(chart.all("path", "grid")), 1)
        }


def test_the_only_point_stands_at_the_right_with_its_label_inside() -> None:
    for began in (None, 150_000):
        for chart in drawn(rating_figure([line_of([175_312], began=began)], figure_id="c")):
            ((x, _),) = chart.circles("now")
            assert chart.texts("mark", "now") == ["1753"]
            assert x > chart.width * 0.75
            assert max(box[2] for box in boxes(chart)) <= chart.width


def test_the_best_rating_is_the_one_that_was_handed_in() -> None:
    line = line_of([150_000, 180_600, 170_000, 175_300])
    wide, _ = drawn(rating_figure([line], figure_id="c"))
    assert wide.texts("mark") == ["best 1806"]
    assert wide.circles("peak") == [wide.spots("line")[2]]
    other = dataclasses.replace(line, best=line.points[2])
    wide, _ = drawn(rating_figure([other], figure_id="c"))
    assert wide.texts("mark") == ["best 1700"]
    nowhere = dataclasses.replace(line, best=ChartPoint(99, date(2026, 1, 1), 190_000))
    wide, _ = drawn(rating_figure([nowhere], figure_id="c"))
    assert wide.texts("mark") == []


@pytest.mark.parametrize("higher", [0, 1], ids=["the first", "the second"])
@pytest.mark.parametrize("by_centi", [0, 50, *range(500, 6_000, 500)])
def test_two_best_ratings_of_one_night_are_both_readable_each_at_its_mark(
    higher: int, by_centi: int
) -> None:
    peaks = [170_000, 170_000]
    peaks[higher] += by_centi
    lines = [line_of([150_000, peak, 150_000]) for peak in peaks]
    for chart in drawn(rating_figure(lines, figure_id="c")):
        found = zip(chart.all("text"), boxes(chart), strict=True)
        labels = [box for text, box in found if text.attrib["class"] == "mark"]
        assert not meet(*labels)
        rings = [(x - 4, y - 4, x + 4, y + 4) for x, y in chart.circles("peak")]
        assert not any(meet(label, ring) for label in labels for ring in rings)
        if by_centi:
            assert labels[higher][1] < labels[1 - higher][1]
            assert labels[higher][3] < rings[higher][1]


@pytest.mark.parametrize("peak", [0, 1, 2, 3, 20, 39])
@pytest.mark.parametrize("gain", range(20_000, 50_000, 1_000))
def test_the_label_of_a_best_rating_stands_on_no_number_of_the_grid(peak: int, gain: int) -> None:
    line = line_of([150_000 + (gain if at == peak else 0) for at in range(40)])
    for chart in drawn(rating_figure([line], figure_id="c")):
        found = list(zip(chart.all("text"), boxes(chart), strict=True))
        (best,) = (box for text, box in found if text.attrib["class"] == "mark")
        for text, box in found:
            if text.attrib["class"] == "tick":
                assert not meet(best, box), text.text


def test_what_was_taken_back_and_what_corrected_it_are_marked_by_more_than_color() -> None:
    line = line_of([150_000, 152_000, 154_000, 151_000])
    points = list(line.points)
    points[2] = dataclasses.replace(points[2], is_superseded=True)
    points[3] = dataclasses.replace(points[3], is_correction=True)
    figure = rating_figure([dataclasses.replace(line, points=points)], figure_id="c")
    wide, _ = drawn(figure)
    (superseded,) = wide.all("path", "line", "superseded")
    assert "stroke-dasharray" in superseded.attrib
    plain, taken_back = wide.spots("line"), wide.spots("line", "superseded")
    whole_line = drawn(rating_figure([line], figure_id="c"))[0].spots("line")
    assert taken_back == whole_line[2:4]
    assert plain == [*whole_line[:3], *whole_line[3:]]
    (diamond,) = wide.all("path", "corrected")
    xs = [x for x, _ in wide.spots("corrected")]
    assert (min(xs) + max(xs)) / 2 == whole_line[4][0]
    assert key_of(figure) == ["A correction", "Taken back by a correction"]
    assert key_of(rating_figure([line], figure_id="c")) == []
    assert diamond.attrib["d"]


def test_two_lines_are_told_apart_by_dashes_and_named_in_words() -> None:
    lines = [line_of([160_000]), line_of([159_000], name="Verified <games>")]
    figure = rating_figure(lines, figure_id="c")
    assert key_of(figure) == ["Ada, now 1600", "Verified <games>, now 1590"]
    wide, _ = drawn(figure)
    dashes = [each.attrib.get("stroke-dasharray") for each in wide.all("path", "line")]
    assert len(set(dashes)) == 2
    assert wide.all("path", "area") == []


def test_a_rating_stays_until_it_moves_again() -> None:
    """The lines of two players end at the same place: now."""
    early = ChartLine("Ada", [ChartPoint(1, date(2026, 1, 1), 152_000)], 150_000)
    late = ChartLine("Bea", [ChartPoint(7, date(2026, 1, 9), 151_000)], 150_000)
    wide, _ = drawn(rating_figure([early, late], figure_id="c"))
    (one, other) = wide.circles("now")
    assert one[0] == other[0]
    assert wide.spots("line")[1][1] == wide.spots("line")[2][1]


def test_a_chart_says_in_words_what_it_shows() -> None:
    line = line_of([150_000, 180_600, 170_000, 175_312])
    wide, narrow = drawn(rating_figure([line], figure_id="c"))
    assert wide.text("title") == "Ada: rating from Feb 3, 2025 to Feb 24, 2025."
    assert wide.text("desc") == "Ada: began at 1500, best 1806, lowest 1500, now 1753."
    for chart in (wide, narrow):
        assert chart.root.attrib["role"] == "img"
        by_id = {each.attrib.get("id"): each.tag for each in chart.root.iter()}
        labels = chart.root.attrib["aria-labelledby"].split()
        assert [by_id[label] for label in labels] == [f"{SVG}title", f"{SVG}desc"]


@given(some_lines())
def test_a_chart_is_safe_on_a_strict_page_and_beside_another(lines: list[ChartLine]) -> None:
    hostile = [
        dataclasses.replace(line, name='"><script>alert(1)</script><b x="&') for line in lines
    ]
    figures = [rating_figure(hostile, figure_id=each) for each in ("one", "two")]
    ids: list[str] = []
    for figure in figures:
        for element in Xml.fromstring(figure).iter():
            assert not FORBIDDEN & set(element.attrib), element.attrib
            assert element.tag.rpartition("}")[2] not in {"script", "style", "b", "use", "image"}
            ids += [element.attrib["id"]] if "id" in element.attrib else []
    assert len(ids) == len(set(ids)) == 10


def test_a_chart_of_nothing_is_nothing() -> None:
    assert rating_figure([], figure_id="c") == ""
    assert rating_figure([line_of([])], figure_id="c") == ""


def key_of(figure: str) -> list[str]:
    """Return what the key of a chart says."""
    return ["".join(item.itertext()).strip() for item in Xml.fromstring(figure).iter("li")]
