"""Mends a sheet as people do in their file: types into cells, adds rows, leaves rows out. Pure.

Rows that are left out stay as blank ones, so that every other row keeps the number that it has in
the file.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from services.site.desk.sheet.drawn_sheet import (
    COLUMNS_DRAWN,
    ROWS_DRAWN,
    ROWS_SPARE,
    TEXT_MAX,
    cell_at,
    field_name,
    one_line,
    part_of,
)
from shared.sheets.cells import BLANK, Cell, Sheet, SheetMistake, letters, text_cell

EXAMPLE: Final = "example_row"
_PART: Final = re.compile(r"part-([0-9]{1,4})", re.ASCII)
_GO: Final = re.compile(r"go-((?:c|row)-([0-9]{1,4})(?:-[A-Z]{1,2})?)", re.ASCII)


def with_typed(sheet: Sheet, sent: Mapping[str, str], part: int) -> Sheet:
    """Return a sheet with what the fields of a part hold; what is not in them stays as it is.

    What was typed is a text, as in a CSV file. A cell that shows what it showed keeps its kind.
    """
    rows = [list(row) for row in sheet.rows]
    first = (part - 1) * ROWS_DRAWN + 1
    for row in range(first, min(first + ROWS_DRAWN, len(sheet.rows) + ROWS_SPARE + 1)):
        for column in range(COLUMNS_DRAWN):
            typed = sent.get(field_name(row, letters(column)))
            if typed is None:
                continue
            text, before = one_line(typed)[:TEXT_MAX], one_line(cell_at(sheet, row, column).text)
            if text != before and len(before) <= TEXT_MAX:
                _put(rows, row, column, text_cell(text))
    return replace(sheet, rows=rows)


def with_head(sheet: Sheet, day: str, kind: str) -> Sheet:
    """Return a sheet with a new first row that says the date and the kind of game, if given."""
    words = [f"Date: {one_line(day)[:TEXT_MAX]}"] if day.strip() else []
    words += [f"Game Type: {one_line(kind)[:TEXT_MAX]}"] if kind.strip() else []
    return _with_row_at(sheet, 0, [text_cell(each) for each in words]) if words else sheet


def with_row_below(sheet: Sheet, row: int) -> Sheet:
    """Return a sheet with a blank row below one of its rows."""
    return _with_row_at(sheet, row, []) if 0 <= row <= len(sheet.rows) else sheet


def without_rows(sheet: Sheet, rows: Collection[int]) -> Sheet:
    """Return a sheet in which these rows are blank."""
    kept = [[] if at in rows else row for at, row in enumerate(sheet.rows, start=1)]
    return replace(sheet, rows=kept)


def with_hidden_shown(sheet: Sheet) -> Sheet:
    """Return a sheet in which everything counts that was hidden."""
    return replace(sheet, hidden_rows=frozenset(), hidden_columns=frozenset())


def without_hidden(sheet: Sheet) -> Sheet:
    """Return a sheet in which nothing is left of what is hidden."""
    rows = [
        [BLANK if at in sheet.hidden_columns else cell for at, cell in enumerate(row)]
        for row in without_rows(sheet, sheet.hidden_rows).rows
    ]
    return replace(with_hidden_shown(sheet), rows=rows)


def without_example(sheet: Sheet, before: Sheet, mistakes: Iterable[SheetMistake]) -> Sheet:
    """Return a sheet without the rows of the example that nobody has changed since."""
    rows = {each.place.row for each in mistakes if each.code == EXAMPLE and each.place.row}
    return without_rows(sheet, {row for row in rows if _row(sheet, row) == _row(before, row)})


def part_sent(sent: Mapping[str, str]) -> int:
    """Return which part of a sheet a form holds."""
    told = sent.get("part", "")
    return int(told) if told.isascii() and told.isdecimal() and len(told) <= 4 else 1


def number_in(text: str) -> int | None:
    """Return the number of a row that was typed; None without one."""
    told = text.strip()
    return int(told) if told.isascii() and told.isdecimal() and len(told) <= 4 else None


def place_to_go(pressed: str) -> tuple[int, str] | None:
    """Return to which part of the sheet a button leads, and to which place in it."""
    if (told := _PART.fullmatch(pressed)) is not None:
        return int(told[1]), ""
    if (told := _GO.fullmatch(pressed)) is not None:
        return part_of(int(told[2])), f"#{told[1]}"
    return None


def _with_row_at(sheet: Sheet, at: int, cells: Sequence[Cell]) -> Sheet:
    hidden = frozenset(row + 1 if row > at else row for row in sheet.hidden_rows)
    rows = [*sheet.rows[:at], cells, *sheet.rows[at:]]
    return replace(sheet, rows=rows, hidden_rows=hidden)


def _put(rows: list[list[Cell]], row: int, column: int, cell: Cell) -> None:
    while len(rows) < row:
        rows.append([])
    own = rows[row - 1]
    own.extend([BLANK] * (column + 1 - len(own)))
    own[column] = cell


def _row(sheet: Sheet, row: int) -> Sequence[Cell]:
    return sheet.rows[row - 1] if row <= len(sheet.rows) else ()
