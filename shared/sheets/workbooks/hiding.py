"""Which rows and columns of a sheet are hidden, according to its part of a workbook.

By hand, by a filter or by a group that is folded up: spreadsheets write the same word for all of
them. What is too low or too narrow to be seen is hidden as well.
"""

from dataclasses import dataclass
from typing import Final
from xml.etree.ElementTree import Element

from openpyxl.xml.constants import SHEET_MAIN_NS

COLUMN: Final = f"{{{SHEET_MAIN_NS}}}col"
DEFAULTS: Final = f"{{{SHEET_MAIN_NS}}}sheetFormatPr"
# In points, and in characters. The smallest letters that anyone can read have five points.
_ROW_HEIGHT_MIN: Final = 2.0
_COLUMN_WIDTH_MIN: Final = 0.5
_TRUE: Final = frozenset({"1", "true", "t", "on"})


@dataclass(frozen=True, slots=True)
class Hidden:
    """Rows, counted from 1, that hold cells and are hidden, and hidden columns, from 0."""

    rows: frozenset[int] = frozenset()
    columns: frozenset[int] = frozenset()


class Hiding:
    """What is hidden in a sheet, as its elements come by in order."""

    def __init__(self, *, columns_max: int) -> None:
        self._columns_max = columns_max
        self._has_low_rows = False
        self._has_narrow_columns = False
        self._rows: set[int] = set()
        # A bit for each column: whether anything is said about it, and whether it is hidden.
        self._told_columns = 0
        self._hidden_columns = 0

    def take_defaults(self, element: Element) -> None:
        """Take in the height and width of whatever does not give its own. Raises ValueError."""
        self._has_low_rows = _is_below(element.get("defaultRowHeight"), _ROW_HEIGHT_MIN)
        self._has_narrow_columns = _is_below(element.get("defaultColWidth"), _COLUMN_WIDTH_MIN)

    def take_columns(self, element: Element) -> None:
        """Take in what is said about some adjacent columns. Raises ValueError."""
        first = int(element.get("min", "1")) - 1
        end = min(int(element.get("max", "1")), self._columns_max)
        if not 0 <= first < end:
            return
        bits = (1 << end) - (1 << first)
        self._told_columns |= bits
        if _is_hidden(element) or _is_below(element.get("width"), _COLUMN_WIDTH_MIN):
            self._hidden_columns |= bits

    def take_row(self, element: Element, row: int) -> None:
        """Take in what is said about a row, if it has cells. Raises ValueError."""
        height = element.get("ht")
        is_low = self._has_low_rows if height is None else _is_below(height, _ROW_HEIGHT_MIN)
        if len(element) and (is_low or _is_hidden(element)):
            self._rows.add(row)

    def all(self) -> Hidden:
        """Return what is hidden, once all has come by."""
        hidden = self._hidden_columns
        if self._has_narrow_columns:
            hidden |= ((1 << self._columns_max) - 1) & ~self._told_columns
        columns = (column for column in range(self._columns_max) if hidden >> column & 1)
        return Hidden(frozenset(self._rows), frozenset(columns))


def _is_hidden(element: Element) -> bool:
    return element.get("hidden", "").strip().lower() in _TRUE


def _is_below(size: str | None, least: float) -> bool:
    return size is not None and float(size) < least
