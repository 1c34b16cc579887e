"""A rating chart as rows of a table, for everyone who reads rather than looks. Pure.

The script of the page reads the points to people from this table, too.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from markupsafe import Markup

from services.site.charts.points import ChartLine, ChartPoint, shown_centi, slots_of
from services.site.kit.words import _, shown_day


@dataclass(frozen=True, slots=True)
class ChartReading:
    """A rating in a row: what it was after the session or correction, and how it moved."""

    rating: str
    moved: str


@dataclass(frozen=True, slots=True)
class ChartRow:
    """One session or correction: a reading for each line, None for lines that have no point."""

    day: str
    what: str
    readings: Sequence[ChartReading | None]


SESSION: Final = _("Session")

_Cell: TypeAlias = tuple[ChartPoint, ChartReading]

_TABLE: Final = Markup(
    '<table class="chart-table" id="{id}-table" data-chart="{id}" data-reader="{reader}">'
    '<caption>{caption}</caption><thead><tr><th scope="col">{date}</th>{names}'
    '<th scope="col">{what}</th></tr></thead><tbody>{rows}</tbody></table>'
)
_NAME: Final = Markup('<th scope="col" class="num">{name}</th>')
_ROW: Final = Markup('<tr><th scope="row">{day}</th>{cells}<td{said}>{what}</td></tr>\n')
_CELL: Final = Markup('<td class="num"><span>{rating}</span> <span class="sub">{moved}</span></td>')
_NO_CELL: Final = Markup('<td class="num"></td>')
# Whoever goes through the chart hears of these, and not of each session that it is one.
_SAID: Final = Markup(' data-said=""')


def chart_rows(lines: Sequence[ChartLine]) -> list[ChartRow]:
    """Return one row for each session and correction of a chart, in the order of the log."""
    lines = [line for line in lines if line.points]
    cells = [dict(_cells(line)) for line in lines]
    slots = slots_of(lines)
    rows = []
    for place, on in zip(slots.slot_of, slots.dates, strict=True):
        found = [of_line.get(place) for of_line in cells]
        points = [cell[0] for cell in found if cell]
        rows.append(ChartRow(shown_day(on), _what(points), [cell and cell[1] for cell in found]))
    return rows


def chart_table(lines: Sequence[ChartLine], *, figure_id: str, caption: str) -> Markup:
    """Return the table to a chart, which the script finds by the id of the figure."""
    return _TABLE.format(
        id=figure_id,
        caption=caption,
        names=Markup("").join(_NAME.format(name=line.name) for line in lines if line.points),
        rows=Markup("").join(map(_row, chart_rows(lines))),
        reader=_("Go through the ratings one by one"),
        date=_("Date"),
        what=_("What"),
    )


def moved(change_centi: int) -> str:
    """Return a change in words: "up 21", "down 3", "no change"."""
    if not change_centi:
        return _("no change")
    points = shown_centi(abs(change_centi))
    if points == "0":
        points = _("less than 1")
    words = _("up {points}") if change_centi > 0 else _("down {points}")
    return words.format(points=points)


def _cells(line: ChartLine) -> Iterator[tuple[int, _Cell]]:
    before = line.began_centi
    for point in line.points:
        change = "" if before is None else moved(point.rating_centi - before)
        yield point.place, (point, ChartReading(shown_centi(point.rating_centi), change))
        before = point.rating_centi


def _what(points: Sequence[ChartPoint]) -> str:
    if any(point.is_correction for point in points):
        return _("Correction")
    if any(point.is_superseded for point in points):
        return _("Session, taken back by a correction")
    return SESSION


def _row(row: ChartRow) -> Markup:
    return _ROW.format(
        day=row.day,
        cells=Markup("").join(map(_cell, row.readings)),
        said=Markup("") if row.what == SESSION else _SAID,
        what=row.what,
    )


def _cell(reading: ChartReading | None) -> Markup:
    if reading is None:
        return _NO_CELL
    return _CELL.format(rating=reading.rating, moved=reading.moved)
