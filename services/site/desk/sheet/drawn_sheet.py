"""Draws a sheet as a table: which of its cells are shown, and where each mistake is marked. Pure.

Only a part of a long sheet is drawn at a time, and only its first columns. What is left out is
said, and each mistake leads to the part where it is.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from services.site.kit.words import _
from shared.sheets.cells import BLANK, Cell, Sheet, SheetMistake, letters

# A night of eight rounds; each cell is a field.
ROWS_DRAWN: Final = 60
COLUMNS_DRAWN: Final = 12
# There is always room for a heading more, and for a player at the end.
COLUMNS_MIN: Final = 4
ROWS_SPARE: Final = 2
# What is longer is no name, no address and no number, and is changed in the file.
TEXT_MAX: Final = 320
# Whoever has more mends these first.
MISTAKES_LISTED: Final = 50
_FIELD_WIDTH_MIN, _FIELD_WIDTH_MAX = 5, 26


@dataclass(frozen=True, slots=True)
class DrawnCell:
    """A cell: the name of its field, what it shows, and the numbers of the mistakes in it."""

    name: str
    column: str
    value: str = field(repr=False)
    width: int
    marks: Sequence[int]

    @property
    def is_long(self) -> bool:
        """Whether it is too long to be changed in a page."""
        return len(self.value) > TEXT_MAX


@dataclass(frozen=True, slots=True)
class DrawnLine:
    """The head of a row or a column with its id; `marks` are mistakes that concern all of it."""

    name: str
    title: str
    marks: Sequence[int]
    is_hidden: bool


@dataclass(frozen=True, slots=True)
class DrawnRow(DrawnLine):
    """A row with its cells."""

    cells: Sequence[DrawnCell]


@dataclass(frozen=True, slots=True)
class ListedMistake:
    """A mistake in the list: where it is, and what to do.

    `target` is the id of its place in the table, and `part` the part of the sheet that shows it, 0
    for all of them. Without a target it is about the whole sheet, or a column that is not drawn.
    """

    number: int
    where: str
    words: str
    target: str
    part: int


@dataclass(frozen=True, slots=True)
class Drawing:
    """A part of a sheet, drawn; parts are counted from 1. `left_out` are columns of all parts."""

    columns: Sequence[DrawnLine]
    rows: Sequence[DrawnRow]
    mistakes: Sequence[ListedMistake]
    unlisted: int
    part: int
    parts: int
    left_out: Sequence[str]


def draw(sheet: Sheet, mistakes: Sequence[SheetMistake], part: int | None) -> Drawing:
    """Return a part of a sheet as a table, by default the one with the first mistake."""
    used, height = _columns_used(sheet), len(sheet.rows) + ROWS_SPARE
    width = min(max(used, COLUMNS_MIN), COLUMNS_DRAWN)
    parts = -(-height // ROWS_DRAWN)
    listed = [
        _listed(number, each, width)
        for number, each in enumerate(mistakes[:MISTAKES_LISTED], start=1)
    ]
    if part is None:
        part = next((each.part for each in listed if each.target and each.part), 1)
    part = min(max(part, 1), parts)
    first = (part - 1) * ROWS_DRAWN + 1
    rows = range(first, min(first + ROWS_DRAWN, height + 1))
    marks = _marks(listed)
    return Drawing(
        [
            DrawnLine(_column_id(at), letters(at), marks.get(_column_id(at), ()), is_hidden)
            for at, is_hidden in enumerate(each in sheet.hidden_columns for each in range(width))
        ],
        _rows(sheet, rows, width, marks),
        listed,
        len(mistakes) - len(listed),
        part,
        parts,
        [letters(at) for at in range(width, used)],
    )


def part_of(row: int) -> int:
    """Return the part of a sheet in which a row is drawn."""
    return (row - 1) // ROWS_DRAWN + 1


def field_name(row: int, column: str) -> str:
    """Return the name of the field of a cell, by its row from 1 and the letters of its column."""
    return f"c-{row}-{column}"


def one_line(text: str) -> str:
    """Return a text as a field of one line shows it and sends it back."""
    return " ".join(text.split())


def cell_at(sheet: Sheet, row: int, column: int) -> Cell:
    """Return a cell by its row from 1 and its column from 0; it is blank beyond the end."""
    if row > len(sheet.rows) or column >= len(sheet.rows[row - 1]):
        return BLANK
    return sheet.rows[row - 1][column]


def _rows(
    sheet: Sheet, rows: Sequence[int], width: int, marks: Mapping[str, Sequence[int]]
) -> Sequence[DrawnRow]:
    shown = {row: [one_line(cell_at(sheet, row, at).text) for at in range(width)] for row in rows}
    widths = [_field_width(shown[row][at] for row in rows) for at in range(width)]
    drawn = []
    for row in rows:
        names = [field_name(row, letters(at)) for at in range(width)]
        cells = [
            DrawnCell(name, letters(at), shown[row][at], widths[at], marks.get(name, ()))
            for at, name in enumerate(names)
        ]
        own = _row_id(row)
        is_hidden = row in sheet.hidden_rows
        drawn.append(DrawnRow(own, str(row), marks.get(own, ()), is_hidden, cells))
    return drawn


def _listed(number: int, mistake: SheetMistake, width: int) -> ListedMistake:
    row, column = mistake.place.row, mistake.place.column
    is_drawn = column is None or column in {letters(at) for at in range(width)}
    if row is not None and column is not None:
        where, target = _("Row {}, column {}").format(row, column), field_name(row, column)
    elif row is not None:
        where, target = _("Row {}").format(row), _row_id(row)
    elif column is not None:
        where, target = _("Column {}").format(column), f"column-{column}"
    else:
        where, target = _("The whole sheet"), ""
    part = 0 if row is None else part_of(row)
    return ListedMistake(number, where, mistake.message, target if is_drawn else "", part)


def _marks(listed: Iterable[ListedMistake]) -> Mapping[str, Sequence[int]]:
    marks: dict[str, list[int]] = {}
    for each in listed:
        marks.setdefault(each.target, []).append(each.number)
    return marks


def _row_id(row: int) -> str:
    return f"row-{row}"


def _column_id(column: int) -> str:
    return f"column-{letters(column)}"


def _columns_used(sheet: Sheet) -> int:
    return max(
        (at + 1 for row in sheet.rows for at, cell in enumerate(row) if not cell.is_blank),
        default=0,
    )


def _field_width(texts: Iterable[str]) -> int:
    longest = max(map(len, texts), default=0)
    return min(max(longest + 1, _FIELD_WIDTH_MIN), _FIELD_WIDTH_MAX)
