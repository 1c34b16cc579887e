"""Makes the parts of a workbook fit for openpyxl, and refuses what that would pass over in silence.

openpyxl knows the format; what is here is only what it does not report. It drops rows and cells
that are out of order, takes 1_000 for a number, says of every workbook that it must be computed,
and does not find a part whose name differs in case from the reference to it.
"""

import io
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from xml.etree.ElementTree import Element, ParseError

from defusedxml.ElementTree import iterparse
from openpyxl.utils.cell import column_index_from_string
from openpyxl.xml.constants import ARC_CONTENT_TYPES, REL_NS, SHEET_MAIN_NS

from shared.sheets.cells import letters, refused
from shared.sheets.limits import Limits
from shared.sheets.workbooks.hiding import COLUMN, DEFAULTS, Hidden, Hiding
from shared.sheets.workbooks.slimming import (
    NO_STYLES,
    Styles,
    slim_book,
    slim_cell,
    slim_sheet,
    slim_strings,
    slim_styles,
)
from shared.sheets.workbooks.unpacking import damaged

_ROW: Final = f"{{{SHEET_MAIN_NS}}}row"
_CELL: Final = f"{{{SHEET_MAIN_NS}}}c"
_VALUE: Final = f"{{{SHEET_MAIN_NS}}}v"
_FORMULA: Final = f"{{{SHEET_MAIN_NS}}}f"
_INLINE: Final = f"{{{SHEET_MAIN_NS}}}is"
# The first element of a part, after the XML declaration and any comments.
_ROOT: Final = re.compile(rb"<(?:[\w.-]+:)?([A-Za-z]\w*)")
# A reference into another workbook, as in [1]Sheet1!A1 or '[1]A sheet'!A1, but not one to a column
# of a table, as in Sales[2026] or Sales[[#This Row],[2026]].
_REFERS_ELSEWHERE: Final = re.compile(r"(?<![\w.\[])\[[0-9]+\](?![\],:)\s])")
# What replaces a formula that refers to another workbook, and any other formula.
_ELSEWHERE: Final = "[1]A!A1"
_HERE: Final = "0"
# The last row that spreadsheet programs have; openpyxl gives every one up to the last of a file.
_ROWS_MAX: Final = 1_048_576
_REFERENCE: Final = re.compile(r"([A-Za-z]{1,3})([1-9][0-9]{0,6})")
# openpyxl accepts whatever Python's int() and float() accept, even texts counted from the end.
_STORED: Final[Mapping[str, re.Pattern[str]]] = {
    "n": re.compile(r"[+-]?(?:[0-9]{1,40}\.?[0-9]{0,40}|\.[0-9]{1,40})(?:[Ee][+-]?[0-9]{1,3})?"),
    "s": re.compile(r"[0-9]{1,9}"),
    "b": re.compile(r"[01]"),
}
_SHEET: Final = re.compile(rb"<(?:\w+:)?sheet\s")
_COMPUTED_LATER: Final = re.compile(
    rb"<(?:\w+:)?calcPr\s[^<>]*\bfullCalcOnLoad\s*=\s*[\"'](?:1|true)[\"']"
)
_NAME: Final = re.compile(rb"(\s(?:Target|PartName)\s*=\s*)(\"[^\"]*\"|'[^']*')")
# No program accepts a code of more than 255 characters, and openpyxl takes time by its square.
_LONG_CODE: Final = re.compile(rb"(\sformatCode\s*=\s*)(?:\"[^\"]{1000,}\"|'[^']{1000,}')")
_STRICT: Final = (
    (b"http://purl.oclc.org/ooxml/spreadsheetml/main", SHEET_MAIN_NS.encode()),
    (b"http://purl.oclc.org/ooxml/officeDocument/relationships", REL_NS.encode()),
)


@dataclass(frozen=True, slots=True)
class Fitted:
    """A workbook as an archive for openpyxl.

    `has_values` is false when the program that wrote it left the formulas to be computed when it is
    opened. `hidden` says what is hidden in each part with cells, by its name.
    """

    archive: bytes
    has_values: bool
    hidden: Mapping[str, Hidden]


def fitted(parts: Mapping[str, bytes], limits: Limits) -> Fitted:
    """Return a workbook from its parts, by names in lower case. Raises SheetRefused."""
    for part in parts.values():
        if b"<!DOCTYPE" in part:
            raise damaged("It defines its own entities, which no spreadsheet program does")
        if b"\0" in part:
            raise damaged("Its parts are in UTF-16, which no spreadsheet program writes")
    fit = {name: _fit(name, part) for name, part in parts.items()}
    others = {name: part for name, part in fit.items() if not _has_cells(name)}
    if any(len(_SHEET.findall(part)) > limits.sheets_max for part in others.values()):
        raise refused("too_large", f"The workbook has more than {limits.sheets_max} sheets.")
    is_computed_later = any(_COMPUTED_LATER.search(part) for part in others.values())
    slim, styles = _slim(others, limits)
    hidden = {}
    for name, part in fit.items():
        if _has_cells(name):
            slim[name], hidden[name] = _checked(part, styles, limits)
    return Fitted(_packed(slim), has_values=not is_computed_later, hidden=hidden)


def _slim(others: Mapping[str, bytes], limits: Limits) -> tuple[dict[str, bytes], Styles]:
    """Return what is needed of the parts that hold no cells, and the styles. Raises SheetRefused.

    The beginning of a part says what it is, since it may have any name.
    """
    slim: dict[str, bytes] = {}
    styles = NO_STYLES
    for name, part in others.items():
        root = _ROOT.search(part)
        kind = root[1] if root else b""
        if kind == b"workbook":
            slim[name] = slim_book(part)
        elif kind == b"sst":
            slim[name] = slim_strings(part, limits)
        elif kind == b"styleSheet":
            styles = slim_styles(part, limits)
            slim[name] = styles.part
        elif kind in {b"Types", b"Relationships"}:
            slim[name] = part
    if sum(part.count(b"<") for part in _naming(others)) > limits.others_tags_max:
        raise refused("too_large", "The workbook has more parts than a score sheet can have.")
    return slim, styles


def _naming(others: Mapping[str, bytes]) -> Iterator[bytes]:
    """Yield the parts that name other parts, and what is in the workbook."""
    for part in others.values():
        root = _ROOT.search(part)
        if root is not None and root[1] in {b"Types", b"Relationships"}:
            yield part


def _has_cells(name: str) -> bool:
    return name.startswith("xl/worksheets/")


def _fit(name: str, part: bytes) -> bytes:
    for strict, usual in _STRICT:
        part = part.replace(strict, usual)
    if name.endswith((".rels", ARC_CONTENT_TYPES.lower())):
        return _NAME.sub(lambda found: found[1] + found[2].lower(), part)
    if name.endswith("/styles.xml"):
        return _LONG_CODE.sub(rb'\1"General"', part)
    if name.endswith("/sharedstrings.xml"):
        # openpyxl takes every "x005F_" out of these texts, and out of these only.
        return part.replace(b"x005F_", b"x005x005F_F_")
    return part


def _packed(parts: Mapping[str, bytes]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, part in parts.items():
            is_manifest = name == ARC_CONTENT_TYPES.lower()
            archive.writestr(ARC_CONTENT_TYPES if is_manifest else name, part)
    return content.getvalue()


def _checked(part: bytes, styles: Styles, limits: Limits) -> tuple[bytes, Hidden]:
    """Return the cells of a sheet that hold something, and what is hidden in it.

    Raises SheetRefused unless everything in it is in rising order, and is what it claims to be.
    """
    row = 0
    hiding = Hiding(columns_max=limits.columns_max)
    keeping = _Keeping(styles, limits)
    try:
        for _, element in iterparse(io.BytesIO(part)):
            if element.tag == _ROW:
                row = _following_row(element, row)
                keeping.take_row(row, _checked_cells(element, row))
                hiding.take_row(element, row)
                element.clear()
            elif element.tag == COLUMN:
                hiding.take_columns(element)
            elif element.tag == DEFAULTS:
                hiding.take_defaults(element)
    except (ParseError, LookupError, ValueError):
        raise damaged() from None
    return slim_sheet(keeping.rows), hiding.all()


class _Keeping:
    """The cells of a sheet that hold something, as its rows come by.

    The first cell beyond the limits is kept, so that it is refused with its place; none after it.
    """

    def __init__(self, styles: Styles, limits: Limits) -> None:
        self.rows: list[str] = []
        self._styles, self._limits = styles, limits
        self._is_beyond = False
        # Formulas shared by several cells, by their number: what replaces their text.
        self._shared: dict[str, str] = {}

    def take_row(self, number: int, cells: Sequence[tuple[int, Element]]) -> None:
        """Take in a row with its checked cells. Raises LookupError or ValueError."""
        kept = []
        row = min(number, self._limits.rows_max + 1)
        for column, cell in cells:
            formula = self._formula(cell)
            if self._is_beyond or (formula is None and not _holds_something(cell)):
                continue
            self._is_beyond = row != number or column > self._limits.columns_max
            reference = f"{letters(column - 1)}{row}"
            kept.append(slim_cell(cell, reference, self._styles, formula))
        if kept:
            self.rows.append(f'<row r="{row}">{"".join(kept)}</row>')

    def _formula(self, cell: Element) -> str | None:
        """Return what replaces the formula of a cell: all that matters is where it looks."""
        formula = cell.find(_FORMULA)
        if formula is None:
            return None
        number = formula.get("si", "") if formula.get("t") == "shared" else ""
        if number and not formula.text:
            return self._shared.get(number, _HERE)
        told = _ELSEWHERE if looks_elsewhere(formula.text or "") else _HERE
        self._shared[number] = told
        return told


def _holds_something(cell: Element) -> bool:
    return (
        bool(cell.findtext(_VALUE))
        or cell.find(_INLINE) is not None
        or cell.get("t") in {"e", "str"}
    )


def _following_row(element: Element, before: int) -> int:
    told = element.get("r")
    row = before + 1 if told is None else _whole(told)
    if not before < row <= _ROWS_MAX:
        raise damaged(f"Its rows are not in order: row {row} comes after row {before}")
    return row


def _checked_cells(row: Element, number: int) -> Sequence[tuple[int, Element]]:
    """Return the cells of a row with their columns, from 1."""
    before = 0
    cells = []
    for cell in row:
        if cell.tag != _CELL:
            raise damaged(f"Row {number} has something in it that is not a cell")
        column = _column(cell.get("r"), number, before + 1)
        if column <= before:
            raise damaged(f"The cells of row {number} are not in order, or one is there twice")
        before = column
        stored = (cell.findtext(_VALUE) or "").strip()
        known = _STORED.get(cell.get("t", "n"))
        if stored and known is not None and known.fullmatch(stored) is None:
            raise damaged(
                f'Row {number} has a cell with "{stored[:20]}", which cannot be its value'
            )
        cells.append((column, cell))
    return cells


def looks_elsewhere(formula: str) -> bool:
    """Return whether a formula refers to another workbook."""
    return _REFERS_ELSEWHERE.search(formula) is not None


def _column(reference: str | None, row: int, following: int) -> int:
    if reference is None:
        return following
    found = _REFERENCE.fullmatch(reference)
    if found is None or int(found[2]) != row:
        raise damaged(f"Row {row} has a cell that says it is {reference[:20]}")
    return column_index_from_string(found[1])


def _whole(text: str) -> int:
    if re.fullmatch(r"[0-9]{1,9}", text) is None:
        raise damaged("It numbers its rows in an impossible way")
    return int(text)
