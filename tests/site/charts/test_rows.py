"""The table of a chart says everything that the chart shows."""

import dataclasses
from datetime import date
from xml.etree import ElementTree as Xml

from hypothesis import given

from services.site.charts.points import ChartLine, ChartPoint
from services.site.charts.rows import ChartReading, ChartRow, chart_rows, chart_table
from tests.site.charts.making import line_of, some_lines


def test_a_row_says_when_what_and_how_it_moved() -> None:
    points = [
        ChartPoint(3, date(2026, 1, 9), 152_060, is_superseded=True),
        ChartPoint(4, date(2026, 1, 31), 149_949),
        ChartPoint(8, date(2026, 2, 1), 149_949, is_correction=True),
        ChartPoint(9, date(2026, 2, 2), 150_010),
    ]
    assert chart_rows([ChartLine("Ada", points, 150_000)]) == [
        ChartRow(
            "Jan 9, 2026",
            "Session, taken back by a correction",
            [ChartReading("1521", "up 21")],
        ),
        ChartRow("Jan 31, 2026", "Session", [ChartReading("1499", "down 21")]),
        ChartRow("Feb 1, 2026", "Correction", [ChartReading("1499", "no change")]),
        ChartRow("Feb 2, 2026", "Session", [ChartReading("1500", "up 1")]),
    ]


def test_a_change_too_small_to_show_is_not_called_none() -> None:
    (row,) = chart_rows([line_of([150_020])])
    assert row.readings == [ChartReading("1500", "up less than 1")]


def test_the_first_rating_of_a_line_without_a_beginning_has_no_change() -> None:
    (row,) = chart_rows([line_of([150_020], began=None)])
    assert row.readings == [ChartReading("1500", "")]


def test_two_lines_share_their_rows() -> None:
    ada = ChartLine("Ada", [ChartPoint(1, date(2026, 1, 1), 151_000)], 150_000)
    bea = ChartLine(
        "Bea",
        [ChartPoint(1, date(2026, 1, 1), 149_000), ChartPoint(2, date(2026, 1, 2), 148_500)],
        150_000,
    )
    assert [row.readings for row in chart_rows([ada, bea])] == [
        [ChartReading("1510", "up 10"), ChartReading("1490", "down 10")],
        [None, ChartReading("1485", "down 5")],
    ]


@given(some_lines())
def test_there_is_a_row_for_each_place_in_order_and_a_cell_for_each_line(
    lines: list[ChartLine],
) -> None:
    hostile = [dataclasses.replace(line, name="<b>&") for line in lines]
    table = Xml.fromstring(chart_table(hostile, figure_id="c", caption="<i>"))
    rows = table.findall("tbody/tr")
    points = {point.place: point for line in lines for point in line.points}
    assert len(rows) == len(points)
    assert all(len(row) == len(lines) + 2 for row in rows)
    assert [th.text for th in table.findall("thead/tr/th")][1:-1] == ["<b>&"] * len(lines)
    assert table.findtext("caption") == "<i>"


def test_a_table_names_its_chart() -> None:
    table = Xml.fromstring(chart_table([line_of([151_000])], figure_id="all", caption="Ratings"))
    assert (table.attrib["id"], table.attrib["data-chart"]) == ("all-table", "all")
