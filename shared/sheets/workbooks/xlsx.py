"""Reads the cells of an XLSX workbook as openpyxl finds them stored, and computes nothing.

A formula counts as the value that was stored with it. Where there is none, or it came from another
file, the cell is broken, not blank: a blank cell could pass for a zero or for nothing at all.
"""

import io
import math
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Final, ParamSpec, TypeAlias, TypeVar, cast

from openpyxl import load_workbook
from openpyxl.cell.read_only import EMPTY_CELL, EmptyCell, ReadOnlyCell
from openpyxl.utils.datetime import CALENDAR_MAC_1904
from openpyxl.worksheet._read_only import ReadOnlyWorksheet

from shared.sheets.cells import (
    BLANK,
    Cell,
    Place,
    Sheet,
    broken_cell,
    date_cell,
    letters,
    number_cell,
    refused,
    text_cell,
)
from shared.sheets.limits import Limits
from shared.sheets.workbooks.fitting import Fitted, fitted, looks_elsewhere
from shared.sheets.workbooks.hiding import Hidden
from shared.sheets.workbooks.unpacking import damaged, unpack

# What a spreadsheet shows and compares: further digits are the noise of binary fractions.
_DIGITS: Final = ".15g"
# The first day of the 1900 calendar that is not off by the day it invents, 1900-02-29.
_DAY_MIN: Final = datetime(1900, 3, 1)  # noqa: DTZ001 - Sheets know no time zone.
_LITERAL: Final = re.compile(r'"[^"]*"|\\.|_.|\*.|\[(?!h+\]|m+\]|s+\])[^\[\]]*\]', re.IGNORECASE)
# Characters that XML cannot hold (ECMA-376 part 1, 22.9.2.19), except halves of characters.
_ESCAPED: Final = re.compile(r"_x(?![Dd][89A-Fa-f])([0-9A-Fa-f]{4})_")
# What openpyxl raises, in any part of it, for a file that is not what it should be.
_FAULTS: Final = (
    ArithmeticError,
    AttributeError,
    LookupError,
    OSError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
)
_Stored: TypeAlias = ReadOnlyCell | EmptyCell
_Pair: TypeAlias = tuple[Sequence[_Stored], Sequence[_Stored]]
_Given = ParamSpec("_Given")
_Found = TypeVar("_Found")


def read_xlsx(content: bytes, limits: Limits) -> Sequence[Sheet]:
    """Return the sheets of a workbook. Raises SheetRefused if it is damaged or beyond limits."""
    fit = fitted(unpack(content, limits), limits)
    with warnings.catch_warnings():
        # openpyxl warns of what it does not keep, and we keep nothing.
        warnings.simplefilter("ignore")
        return _read(fit, limits)


def _read(fit: Fitted, limits: Limits) -> Sequence[Sheet]:
    # openpyxl gives either the value of a cell or its formula.
    values, formulas = (_loaded(fit.archive, data_only=each) for each in (True, False))
    if not values:
        raise damaged("It has no sheets")
    if len(values) > len(fit.hidden):
        raise damaged("It has two sheets with the same cells")
    cells_left = limits.cells_max
    sheets = []
    for pair in zip(values, formulas, strict=True):
        # openpyxl reports hidden rows and columns only when it loads a sheet as a whole.
        path: str = vars(pair[0])["_worksheet_path"]
        hidden = fit.hidden.get(path.lstrip("/").lower())
        if hidden is None:
            raise damaged("It keeps its cells where no spreadsheet program does")
        reading = _Reading(*pair, limits, cells_left, has_values=fit.has_values, hidden=hidden)
        sheets.append(reading.sheet())
        cells_left = reading.cells_left
    return sheets


def _loaded(archive: bytes, *, data_only: bool) -> list[ReadOnlyWorksheet]:
    file = io.BytesIO(archive)
    book = _asked(load_workbook, file, read_only=True, data_only=data_only, keep_links=False)
    return [sheet for sheet in book.worksheets if isinstance(sheet, ReadOnlyWorksheet)]


def _asked(ask: Callable[_Given, _Found], *args: _Given.args, **named: _Given.kwargs) -> _Found:
    """Return what openpyxl answers. Raises SheetRefused: what it stumbles over is damage."""
    try:
        return ask(*args, **named)
    except _FAULTS:
        raise damaged() from None


class _Reading:
    """The cells of one sheet, while they are read."""

    def __init__(
        self,
        values: ReadOnlyWorksheet,
        formulas: ReadOnlyWorksheet,
        limits: Limits,
        cells_left: int,
        *,
        has_values: bool,
        hidden: Hidden,
    ) -> None:
        self._values, self._formulas, self._limits = values, formulas, limits
        self._has_values, self._hidden = has_values, hidden
        self._is_1904 = values.parent.epoch == CALENDAR_MAC_1904
        self.cells_left = cells_left

    def sheet(self) -> Sheet:
        """Return the sheet, with rows and cells where they stand and no blank ones at the end."""
        rows: list[list[Cell]] = []
        for number, pair in enumerate(self._pairs(), start=1):
            if row := self._row(number, *pair):
                rows += [[] for _ in range(number - 1 - len(rows))]
                rows.append(row)
        return Sheet(
            self._values.title,
            rows,
            is_1904=self._is_1904,
            is_hidden=self._values.sheet_state != "visible",
            hidden_rows=self._hidden.rows,
            hidden_columns=self._hidden.columns,
        )

    def _pairs(self) -> Iterator[_Pair]:
        for sheet in (self._values, self._formulas):
            # What a file says of the size of its sheets may be wrong.
            sheet.reset_dimensions()
        rows = zip(self._values.rows, self._formulas.rows, strict=True)
        pairs = cast("Iterator[_Pair]", rows)
        while (pair := _asked(next, pairs, None)) is not None:
            yield pair

    def _row(
        self, number: int, values: Sequence[_Stored], formulas: Sequence[_Stored]
    ) -> list[Cell]:
        row: list[Cell] = []
        for column, pair in enumerate(zip(values, formulas, strict=True)):
            if pair[0] is EMPTY_CELL and pair[1] is EMPTY_CELL:
                continue
            cell = self._cell(*pair)
            if cell.kind != "blank":
                self._check_limits(number, column, len(cell.text))
                row += [BLANK] * (column - len(row))
                row.append(cell)
        return row

    def _check_limits(self, row: int, column: int, characters: int) -> None:
        self.cells_left -= 1
        limits = self._limits
        for is_beyond, limit, noun in (
            (row > limits.rows_max, limits.rows_max, "rows"),
            (column >= limits.columns_max, limits.columns_max, "columns"),
            (self.cells_left < 0, limits.cells_max, "cells"),
            (
                characters > limits.cell_characters_max,
                limits.cell_characters_max,
                "characters in one cell",
            ),
        ):
            if is_beyond:
                raise refused(
                    "too_large",
                    f"The sheet has more than {limit} {noun}. One file is one session; send "
                    "other sessions in separate files.",
                    Place(self._values.title, row, letters(column)),
                )

    def _cell(self, cell: _Stored, formula: _Stored) -> Cell:
        # A stored text may be empty, and is reported as None; its kind is still reported.
        is_stored = cell.value is not None or cell.data_type in {"str", "e"}
        if formula.data_type == "f":
            fault = self._formula_fault(formula.value, is_stored=is_stored)
            if fault is not None:
                return fault
        return self._stored(cell) if is_stored and isinstance(cell, ReadOnlyCell) else BLANK

    def _formula_fault(self, formula: object, *, is_stored: bool) -> Cell | None:
        # A formula for several cells at once is an object that has its text.
        if looks_elsewhere(str(getattr(formula, "text", formula))):
            return broken_cell(
                "a formula",
                "external_link",
                "The formula takes its value from another file. Write the value itself here.",
            )
        if is_stored and self._has_values:
            return None
        return broken_cell(
            "a formula",
            "formula_without_value",
            "The formula has no saved value. Open the file in a spreadsheet program and save "
            "it, or write the value itself here.",
        )

    def _stored(self, cell: ReadOnlyCell) -> Cell:
        value = cell.value
        match cell.data_type:
            case "s" | "str":
                return text_cell(_unescaped(str(value or "")))
            case "b":
                text = "TRUE" if value else "FALSE"
                return broken_cell(
                    text,
                    "wrong_type",
                    f"The cell has {text}, which is neither a number nor text.",
                )
            case "e":
                text = str(value or "#?")[:20]
                return broken_cell(
                    text,
                    "error_in_cell",
                    f"The cell shows the error {text}. Fix its formula, or write a value.",
                )
            case "d":
                return self._day(cell)
            case "n":
                return _number(cell)
        raise damaged(f"Cell {cell.coordinate} is of an unknown kind")

    def _day(self, cell: ReadOnlyCell) -> Cell:
        value = cell.value
        if isinstance(value, datetime):
            is_time = _shown(cell) == "time"
            is_early = value < (CALENDAR_MAC_1904 if self._is_1904 else _DAY_MIN)
            # A second before midnight is a day that lost its last digits.
            is_late = (value.hour, value.minute, value.second) == (23, 59, 59)
            if not is_time and not is_early and not is_late:
                return date_cell(value.date())
        elif isinstance(value, date):
            return date_cell(value)
        return broken_cell(
            "a time",
            "invalid_date",
            "The cell has a time, or a date that cannot be read. Write a date like 2026-01-31, "
            "and write numbers in cells that are formatted as numbers.",
        )


def _number(cell: ReadOnlyCell) -> Cell:
    assert isinstance(cell.value, int | float), "A number is told as one."
    if not math.isfinite(cell.value):
        raise damaged(f"Cell {cell.coordinate} has a number that is not one")
    number = Decimal(format(cell.value, _DIGITS))
    if _shown(cell) == "percent":
        return broken_cell(
            f"{number * 100:f}%",
            "wrong_type",
            "The cell has a percentage. Format it as a number, and type it again.",
        )
    return number_cell(number)


def _shown(cell: ReadOnlyCell) -> str:
    """Return what the format of a cell shows: a "date", a "time", a "percent" or a "number"."""
    return _shown_by(_asked(getattr, cell, "number_format"))


# A sheet has few formats, and thousands of cells.
@lru_cache(maxsize=1_000)
def _shown_by(code: str) -> str:
    bare = _LITERAL.sub("", code.partition(";")[0]).lower()
    if "%" in bare:
        return "percent"
    if re.search(r"[dy]|m{3,}", bare):
        return "date"
    # A lone "m" is a month, or the minutes of a time.
    if re.search(r"[hs]", bare):
        return "time"
    return "date" if "m" in bare else "number"


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text) if "_x" in text else text
