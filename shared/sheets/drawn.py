"""Opened sheets as plain values: to be kept, drawn on a page, mended there and read again. Pure.

A cell comes back as it was stored, so a sheet that was kept reads like the file that it came from.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, Final

from shared.characters import forbidden_in_file
from shared.sheets.cells import BLANK, Cell, Sheet, broken_cell, date_cell, number_cell, text_cell

# A sheet of 100 rounds with names and notes is 200 KB.
DRAWN_BYTES_MAX: Final = 1 << 20
TOO_MUCH_TEXT: Final = (
    "The file holds more text than a night of games needs. Delete what does not belong to the "
    "night, such as other sheets and long notes, and send it again."
)
_NUMBER, _DATE, _BROKEN = "n", "d", "b"
_UNKNOWN: Final = "\ufffd"


def as_drawn(sheets: Iterable[Sheet]) -> list[dict[str, Any]]:
    """Return sheets as plain values: a blank cell is null, and a text is itself."""
    return [
        {
            "name": None if sheet.name is None else _shown(sheet.name),
            "rows": [_row(row) for row in sheet.rows],
            "is_1904": sheet.is_1904,
            "separator": sheet.separator,
            "is_hidden": sheet.is_hidden,
            "hidden_rows": sorted(sheet.hidden_rows),
            "hidden_columns": sorted(sheet.hidden_columns),
        }
        for sheet in sheets
    ]


def from_drawn(drawn: Iterable[Mapping[str, Any]]) -> list[Sheet]:
    """Return the sheets of such values."""
    return [
        Sheet(
            each["name"],
            [[_from_plain(cell) for cell in row] for row in each["rows"]],
            each["is_1904"],
            each["separator"],
            each["is_hidden"],
            frozenset(each["hidden_rows"]),
            frozenset(each["hidden_columns"]),
        )
        for each in drawn
    ]


def _row(row: Sequence[Cell]) -> list[Any]:
    plain = [_plain(cell) for cell in row]
    while plain and plain[-1] is None:
        plain.pop()
    return plain


def _plain(cell: Cell) -> Any:  # noqa: ANN401 - A value of JSON.
    match cell.kind:
        case "blank":
            return None
        case "text":
            odd = forbidden_in_file(cell.text)
            return cell.text if odd is None else _odd(cell.text, odd)
        case "number":
            return [_NUMBER, cell.text]
        case "date":
            return [_DATE, cell.text]
        case "broken":
            assert cell.fault is not None, "A broken cell says why."
            return [_BROKEN, _shown(cell.text), cell.fault.code, _shown(cell.fault.message)]


def _odd(text: str, odd: str) -> list[str]:
    """Return a text that cannot be kept as a cell that has to be typed again."""
    words = f"The cell has {odd}, a character that does not belong in a text. Type it again."
    return [_BROKEN, _shown(text), "forbidden_character", words]


def _shown(text: str) -> str:
    if forbidden_in_file(text) is None:
        return text
    return "".join(_UNKNOWN if forbidden_in_file(each) else each for each in text)


def _from_plain(plain: Any) -> Cell:  # noqa: ANN401
    match plain:
        case None:
            return BLANK
        case str():
            return text_cell(plain)
        case [kind, text] if kind == _NUMBER:
            return number_cell(Decimal(text))
        case [kind, text] if kind == _DATE:
            return date_cell(date.fromisoformat(text))
        case [kind, text, code, message] if kind == _BROKEN:
            return broken_cell(text, code, message)
    raise AssertionError("Nothing else is a cell.")
