"""Reads the cells of an XLSX workbook as they are stored, and computes nothing.

A formula counts as the value that was stored with it. Where there is none, or it came from another
file, the cell is broken, not blank: a blank cell could pass for a zero or for nothing at all.
"""

import re
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Final
from xml.etree.ElementTree import Element

from shared.sheets.cells import (
    BLANK,
    Cell,
    Place,
    Sheet,
    SheetRefused,
    broken_cell,
    date_cell,
    letters,
    number_cell,
    refused,
    text_cell,
)
from shared.sheets.dates import day_of_serial
from shared.sheets.limits import Limits
from shared.sheets.unpacking import damaged, unpack
from shared.sheets.workbook import (
    SheetPart,
    Workbook,
    elements,
    local,
    read_workbook,
    text_of,
    unescaped,
)

_REFERENCE: Final = re.compile(r"([A-Za-z]{1,3})([1-9][0-9]{0,6})")
# A reference into another workbook, as in [1]Sheet1!A1 or '[1]A sheet'!A1, and none to a column
# of a table, as in Sales[2026] or Sales[[#This Row],[2026]].
_ELSEWHERE: Final = re.compile(r"(?<![\w.\[])\[[0-9]+\](?![\],:)\s])")
_NUMBER: Final = re.compile(
    r"[+-]?(?:[0-9]{1,40}\.?[0-9]{0,40}|\.[0-9]{1,40})(?:[Ee][+-]?[0-9]{1,3})?"
)
# What a spreadsheet shows and compares: further digits are the noise of binary fractions.
_DIGITS: Final = ".15g"
# The first serial number of the 1900 calendar that is not off by the day it invents, 1900-02-29.
_SERIAL_MIN: Final = 61
_NEARLY_A_DAY: Final = Decimal("0.99999")


def read_xlsx(content: bytes, limits: Limits) -> Sequence[Sheet]:
    """Return the sheets of a workbook. Raises SheetRefused if it is damaged or beyond limits."""
    parts = unpack(content, limits)
    workbook = read_workbook(parts)
    if len(workbook.sheets) > limits.sheets_max:
        raise refused("too_large", f"The workbook has more than {limits.sheets_max} sheets.")
    if not workbook.sheets:
        raise damaged("It has no sheets")
    cells_left = limits.cells_max
    sheets = []
    for sheet in workbook.sheets:
        reading = _Reading(sheet, workbook, limits, cells_left)
        for element in elements(parts[sheet.part]):
            if local(element) == "row":
                reading.read_row(element)
                element.clear()
            elif local(element) == "sheetData":
                break
        cells_left = reading.cells_left
        sheets.append(reading.sheet())
    return sheets


class _Reading:
    """The cells of one sheet, while they are read."""

    def __init__(
        self, sheet: SheetPart, workbook: Workbook, limits: Limits, cells_left: int
    ) -> None:
        self._sheet, self._workbook, self._limits = sheet, workbook, limits
        self._rows: dict[int, dict[int, Cell]] = {}
        self._row = 0
        # Formulas that others in the sheet share with one that reaches into another workbook.
        self._elsewhere: set[str] = set()
        self.cells_left = cells_left

    def sheet(self) -> Sheet:
        """Return the sheet, with rows and cells where they stand and no blank ones at the end."""
        height = max(self._rows, default=0)
        rows = [_spread(self._rows.get(row, {})) for row in range(1, height + 1)]
        is_hidden, is_1904 = self._sheet.is_hidden, self._workbook.is_1904
        return Sheet(self._sheet.name, rows, is_1904=is_1904, is_hidden=is_hidden)

    def read_row(self, element: Element) -> None:
        """Read a row; it may come in any order, but every cell only once."""
        told = element.get("r")
        self._row = self._row + 1 if told is None else _whole(told)
        column = -1
        for child in element:
            if local(child) != "c":
                continue
            column = self._column(child.get("r"), column + 1)
            cell = self._cell(child)
            if cell.kind != "blank":
                self._keep(column, cell)

    def _column(self, reference: str | None, following: int) -> int:
        if reference is None:
            return following
        found = _REFERENCE.fullmatch(reference)
        if found is None or int(found[2]) != self._row:
            raise damaged(f"Row {self._row} has a cell that says it is {reference[:20]}")
        column = 0
        for letter in found[1].upper():
            column = column * 26 + ord(letter) - ord("A") + 1
        return column - 1

    def _keep(self, column: int, cell: Cell) -> None:
        row = self._rows.setdefault(self._row, {})
        if column in row:
            raise damaged(f"Cell {letters(column)}{self._row} is there twice")
        row[column] = cell
        self.cells_left -= 1
        limits = self._limits
        for is_beyond, limit, noun in (
            (self._row > limits.rows_max, limits.rows_max, "rows"),
            (column >= limits.columns_max, limits.columns_max, "columns"),
            (self.cells_left < 0, limits.cells_max, "cells"),
            (
                len(cell.text) > limits.cell_characters_max,
                limits.cell_characters_max,
                "characters in one cell",
            ),
        ):
            if is_beyond:
                raise self._too_large(column, limit, noun)

    def _too_large(self, column: int, limit: int, noun: str) -> SheetRefused:
        return refused(
            "too_large",
            f"The sheet has more than {limit} {noun}. One file holds one session; send others in "
            "files of their own.",
            Place(self._sheet.name, self._row, letters(column)),
        )

    def _cell(self, element: Element) -> Cell:
        parts = {local(child): child for child in element}
        kind = element.get("t", "n")
        stored = parts["v"].text if "v" in parts else None
        if "f" in parts:
            # An empty text is a value too: the "v" is there, and has nothing in it.
            is_stored = stored is not None or (kind == "str" and "v" in parts)
            fault = self._formula_fault(parts["f"], is_stored=is_stored)
            if fault is not None:
                return fault
        if kind == "inlineStr":
            return text_cell(unescaped(text_of(parts["is"])) if "is" in parts else "")
        return BLANK if stored is None else self._stored(kind, stored, element.get("s", "0"))

    def _formula_fault(self, formula: Element, *, is_stored: bool) -> Cell | None:
        text, shared = formula.text or "", formula.get("si")
        is_elsewhere = _ELSEWHERE.search(text) is not None or shared in self._elsewhere
        if is_elsewhere:
            if shared is not None:
                self._elsewhere.add(shared)
            return broken_cell(
                "a formula",
                "external_link",
                "The formula takes its value from another file. Write the value itself here.",
            )
        if is_stored and self._workbook.has_values:
            return None
        return broken_cell(
            "a formula",
            "formula_without_value",
            "The formula has no stored value. Open the file in a spreadsheet program and save it, "
            "or write the value itself here.",
        )

    def _stored(self, kind: str, stored: str, style: str) -> Cell:
        match kind:
            case "s":
                texts, number = self._workbook.texts, _whole(stored.strip())
                if number >= len(texts):
                    raise damaged(f"Row {self._row} has a text that is not in the file")
                return text_cell(texts[number])
            case "str":
                return text_cell(unescaped(stored))
            case "b":
                text = "TRUE" if stored.strip() in {"1", "true"} else "FALSE"
                return broken_cell(
                    text,
                    "wrong_type",
                    f"The cell holds {text}, which is neither a number nor a text.",
                )
            case "e":
                return broken_cell(
                    stored[:20],
                    "error_in_cell",
                    f"The cell shows the error {stored[:20]}. Mend its formula, or write a value.",
                )
            case "d":
                return _iso_date(stored.strip())
            case "n":
                return self._number(stored.strip(), style)
        raise damaged(f"Row {self._row} has a cell of an unknown kind")

    def _number(self, stored: str, style: str) -> Cell:
        if _NUMBER.fullmatch(stored) is None:
            raise damaged(f"Row {self._row} has a number that is none")
        number = Decimal(stored)
        shows, place = self._workbook.shows, _whole(style)
        shown = shows[place] if place < len(shows) else "number"
        if shown == "percent":
            return broken_cell(
                f"{number * 100:f}%",
                "wrong_type",
                "The cell holds a percentage. Format it as a number, and write it anew.",
            )
        if shown == "number":
            return number_cell(Decimal(format(number, _DIGITS)))
        return self._day(number, is_time=shown == "time")

    def _day(self, serial: Decimal, *, is_time: bool) -> Cell:
        try:
            day = day_of_serial(int(serial), is_1904=self._workbook.is_1904)
        except OverflowError:
            day = None
        is_early = serial < (0 if self._workbook.is_1904 else _SERIAL_MIN)
        if is_time or is_early or day is None or serial % 1 > _NEARLY_A_DAY:
            return broken_cell(
                "a time",
                "invalid_date",
                "The cell holds a time, or a date that cannot be told. Write a date as in "
                "2026-01-31, and a number into a cell that is formatted as one.",
            )
        return date_cell(day)


def _iso_date(stored: str) -> Cell:
    found = re.fullmatch(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(T[0-9:.]+)?", stored)
    try:
        return date_cell(date.fromisoformat(found[1] if found else ""))
    except ValueError:
        return broken_cell(stored[:40], "invalid_date", "The cell holds a time, not a date.")


def _spread(cells: dict[int, Cell]) -> list[Cell]:
    return [cells.get(column, BLANK) for column in range(max(cells, default=-1) + 1)]


def _whole(text: str) -> int:
    if re.fullmatch(r"[0-9]{1,9}", text) is None:
        raise damaged("It numbers its rows, texts or styles in a way that cannot be")
    return int(text)
