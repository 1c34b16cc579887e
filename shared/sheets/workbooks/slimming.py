"""Strips the parts of a workbook down to what its cells say, before openpyxl builds objects from
them.

A part of a few kilobytes can unpack to something that keeps openpyxl busy for minutes: borders and
fonts, empty rows down to the last one possible, formulas for whole columns. A score sheet needs
only the cells that hold something, their number formats, and the names of the sheets.
"""

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from xml.etree.ElementTree import Element, ParseError, tostring
from xml.sax.saxutils import escape, quoteattr

from defusedxml.ElementTree import fromstring, iterparse
from openpyxl.xml.constants import SHEET_MAIN_NS

from shared.sheets.cells import refused
from shared.sheets.limits import Limits
from shared.sheets.workbooks.unpacking import damaged

_MAIN: Final = f"{{{SHEET_MAIN_NS}}}"
_FORMATS: Final = f"{_MAIN}numFmts"
_FORMAT: Final = f"{_MAIN}numFmt"
_STYLES: Final = f"{_MAIN}cellXfs"
_STYLE: Final = f"{_MAIN}xf"
_STRING: Final = f"{_MAIN}si"
_TEXT: Final = f"{_MAIN}t"
_RUN_TEXT: Final = f"{_MAIN}r/{_MAIN}t"
# The calendar of the workbook, its sheets, and whether it is computed: nothing else matters.
_OF_A_BOOK: Final = frozenset(f"{_MAIN}{name}" for name in ("workbookPr", "sheets", "calcPr"))
_BROKEN: Final = (ParseError, LookupError, ValueError)


@dataclass(frozen=True, slots=True)
class Styles:
    """The styles left of a workbook: their part, and the new number of each old one."""

    part: bytes
    kept: Sequence[int]

    def of(self, told: str | None) -> int:
        """Return the new number of a style. Raises LookupError or ValueError."""
        number = int(told or "0")
        if number < 0:
            raise ValueError
        # Even a workbook without styles has one.
        return self.kept[number] if number or self.kept else 0


NO_STYLES: Final = Styles(b"", ())


def slim_styles(part: bytes, limits: Limits) -> Styles:
    """Return the number formats of a workbook. Raises SheetRefused."""
    codes: dict[str, str] = {}
    kept: dict[str, int] = {}
    styles: list[int] = []
    inside = ""
    try:
        for event, element in iterparse(io.BytesIO(part), events=("start", "end")):
            if event == "start":
                inside = element.tag if element.tag in {_FORMATS, _STYLES} else inside
            elif element.tag == inside:
                inside = ""
                element.clear()
            elif element.tag == _FORMAT and inside == _FORMATS:
                codes[element.attrib["numFmtId"]] = element.attrib["formatCode"]
            elif element.tag == _STYLE and inside == _STYLES:
                styles.append(kept.setdefault(element.get("numFmtId", "0"), len(kept)))
    except _BROKEN:
        raise damaged() from None
    if len(kept) > limits.formats_max:
        raise refused("too_large", f"The workbook has more than {limits.formats_max} formats.")
    formats = "".join(
        f"<numFmt numFmtId={quoteattr(each)} formatCode={quoteattr(codes[each])}/>"
        for each in kept
        if each in codes
    )
    xfs = "".join(f"<xf numFmtId={quoteattr(each)}/>" for each in kept)
    content = f"<numFmts>{formats}</numFmts>" if formats else ""
    return Styles(_part("styleSheet", f"{content}<cellXfs>{xfs}</cellXfs>"), styles)


def slim_strings(part: bytes, limits: Limits) -> bytes:
    """Return the texts that cells share, without their fonts and readings. Raises SheetRefused."""
    texts: list[str] = []
    try:
        for _, element in iterparse(io.BytesIO(part)):
            if element.tag == _STRING:
                texts.append(_string("si", element))
                element.clear()
    except _BROKEN:
        raise damaged() from None
    if len(texts) > limits.strings_max:
        raise refused("too_large", f"The workbook has more than {limits.strings_max} texts.")
    return _part("sst", "".join(texts))


def slim_book(part: bytes) -> bytes:
    """Return what a workbook says about itself and its sheets. Raises SheetRefused."""
    try:
        book = fromstring(part)
    except _BROKEN:
        raise damaged() from None
    book[:] = [each for each in book if each.tag in _OF_A_BOOK]
    return tostring(book)


def slim_sheet(rows: Sequence[str]) -> bytes:
    """Return a sheet of nothing but rows."""
    return _part("worksheet", f"<sheetData>{''.join(rows)}</sheetData>")


def slim_cell(cell: Element, reference: str, styles: Styles, formula: str | None) -> str:
    """Return a cell with its value; `formula` replaces its formula, if it has one.

    Raises LookupError or ValueError.
    """
    kind = cell.get("t")
    told = f" t={quoteattr(kind)}" if kind is not None else ""
    style = styles.of(cell.get("s"))
    told += f' s="{style}"' if style else ""
    value, text = cell.findtext(f"{_MAIN}v"), cell.find(f"{_MAIN}is")
    content = f"<f>{escape(formula)}</f>" if formula is not None else ""
    content += f"<v>{escape(value)}</v>" if value else ""
    content += _string("is", text) if text is not None else ""
    return f'<c r="{reference}"{told}>{content}</c>'


def _string(name: str, element: Element) -> str:
    """Return a text without its formatting, its pieces put together as openpyxl does."""
    return f'<{name}><t xml:space="preserve">{escape("".join(_pieces(element)))}</t></{name}>'


def _pieces(element: Element) -> Iterator[str]:
    plain = element.findtext(_TEXT)
    if plain is not None:
        yield plain
    yield from (each.text or "" for each in element.iterfind(_RUN_TEXT))


def _part(name: str, content: str) -> bytes:
    # Halves of characters do not come through XML, so this never fails.
    return f'<{name} xmlns="{SHEET_MAIN_NS}">{content}</{name}>'.encode()
