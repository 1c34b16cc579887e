"""Workbooks of some kilobytes that unpack to a lot of work, each of them by another part."""

import io
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"
NOTHING = "<sheetData/>"


def book(
    sheets: Sequence[str] = (NOTHING,), *, strings: str = "", styles: str = "", more: str = ""
) -> bytes:
    """Return a workbook whose parts hold these elements; `more` stands in the workbook's own."""
    parts = {
        "xl/workbook.xml": _part("workbook", f"<sheets>{_sheets(sheets)}</sheets>{more}"),
        **{f"xl/worksheets/s{at}.xml": _part("worksheet", each) for at, each in enumerate(sheets)},
        "xl/sharedStrings.xml": _part("sst", strings),
        "xl/styles.xml": _part("styleSheet", styles),
    }
    kinds = {"workbook": "sheet.main", "sharedStrings": "sharedStrings", "styles": "styles"}
    overrides = "".join(
        f'<Override PartName="/{name}" ContentType="{KIND}.'
        f'{kinds.get(name[3:-4], "worksheet")}+xml"/>'
        for name in parts
    )
    targets = {f"r{at}": ("worksheet", f"worksheets/s{at}.xml") for at in range(len(sheets))}
    targets |= {each: (each, f"{each}.xml") for each in ("sharedStrings", "styles")}
    parts |= {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types">{overrides}</Types>',
        "_rels/.rels": _relations({"a": ("officeDocument", "xl/workbook.xml")}),
        "xl/_rels/workbook.xml.rels": _relations(targets),
    }
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return content.getvalue()


def _part(name: str, content: str) -> str:
    return f'<{name} xmlns="{MAIN}" xmlns:r="{OFFICE}">{content}</{name}>'


def _sheets(sheets: Sequence[str]) -> str:
    return "".join(
        f'<sheet name="S{at}" sheetId="{at + 1}" r:id="r{at}"/>' for at in range(len(sheets))
    )


def _relations(targets: Mapping[str, tuple[str, str]]) -> str:
    listed = "".join(
        f'<Relationship Id="{name}" Type="{OFFICE}/{kind}" Target="{target}"/>'
        for name, (kind, target) in targets.items()
    )
    return f'<Relationships xmlns="{PACKAGE}/relationships">{listed}</Relationships>'


def rows(count: int, cell: str, *, columns: Iterable[str] = "ABCD", ahead: str = "") -> str:
    """Return rows of one cell again and again; `{at}` in it is its place."""
    listed = "".join(
        f'<row r="{row}">{"".join(cell.format(at=f"{each}{row}") for each in columns)}</row>'
        for row in range(2 if ahead else 1, count + 1)
    )
    return f"<sheetData>{ahead}{listed}</sheetData>"


def _many(name: str, element: str, count: int) -> str:
    return f"<{name}>{element * count}</{name}>"


def _after(element: str, count: int, *, around: str = "") -> list[str]:
    return [NOTHING + (_many(around, element, count) if around else element * count)]


LONG_FORMULA = "1+" * 4_000 + "1"
ONE = '<c r="{at}"><v>1</v></c>'
TEXT = '<c r="{at}" t="s"><v>0</v></c>'
SHARED = f'<row r="1"><c r="A1"><f t="shared" ref="A1:A5000" si="0">{LONG_FORMULA}</f></c></row>'
RUNS = "<r><rPr><b/></rPr><t>a</t></r>" * 30_000
FORMATS = "".join(f'<numFmt numFmtId="{at}" formatCode="0"/>' for at in range(200, 30_000))
BRACKETS = "[" * 999
FAR = '<row r="1048576"><c r="A1048576"/></row>'

BOOKS: Mapping[str, Callable[[], bytes]] = {
    "a row far down": lambda: book([f"<sheetData>{FAR}</sheetData>"]),
    "sheets with a row far down": lambda: book([f"<sheetData>{FAR}</sheetData>"] * 100),
    "a value far down": lambda: book(
        ['<sheetData><row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'] * 100
    ),
    "rows of one cell far right": lambda: book([rows(5_000, '<c r="{at}"/>', columns=["XFD"])]),
    "values far right": lambda: book([rows(5_000, ONE, columns=["IV"])] * 4),
    "sheets with a value at their end": lambda: book(
        ['<sheetData><row r="5000"><c r="IV5000"><v>1</v></c></row></sheetData>'] * 100
    ),
    "a size that is not true": lambda: book(
        ['<dimension ref="A1:XFD1048576"/><sheetData><row r="1"><c r="A1"/></row></sheetData>'] * 99
    ),
    "cells of nothing": lambda: book(
        [rows(7_000, '<c r="{at}" s="0"/>', columns="ABCDEFGHIJKLMNOP")]
    ),
    "as many cells as there may be": lambda: book([rows(5_000, ONE)]),
    "cells without their places": lambda: book([rows(5_000, "<c><v>1</v></c>")]),
    "one text in every cell": lambda: book([rows(5_000, TEXT)], strings="<si><t>a</t></si>"),
    "texts": lambda: book(strings="<si><t>a</t></si>" * 49_000),
    "texts of nothing": lambda: book(strings="<si/>" * 250_000),
    "pieces of a text": lambda: book(strings=f"<si>{RUNS}</si>"),
    "pieces of a text in a cell": lambda: book(
        [f'<sheetData><row r="1"><c r="A1" t="inlineStr"><is>{RUNS}</is></c></row></sheetData>']
    ),
    "readings of a text": lambda: book(strings="<si>" + "<rPh><t>a</t></rPh>" * 60_000 + "</si>"),
    "styles": lambda: book(styles=_many("cellXfs", "<xf/>", 100_000)),
    "fonts": lambda: book(styles=_many("fonts", "<font><b/></font>", 60_000)),
    "formats of numbers": lambda: book(
        styles=f"<numFmts>{FORMATS}</numFmts><cellXfs><xf/></cellXfs>"
    ),
    "a format of brackets": lambda: book(
        [rows(4_000, '<c r="{at}" s="1"><v>1</v></c>')],
        styles=f'<numFmts><numFmt numFmtId="200" formatCode="{BRACKETS}"/></numFmts>'
        '<cellXfs><xf/><xf numFmtId="200"/></cellXfs>',
    ),
    "names": lambda: book(
        more=_many("definedNames", '<definedName name="a">1</definedName>', 60_000)
    ),
    "views of the workbook": lambda: book(more=_many("bookViews", "<workbookView/>", 100_000)),
    "merged cells": lambda: book(_after('<mergeCell ref="A1:B2"/>', 100_000, around="mergeCells")),
    "merged to the end": lambda: book(
        _after('<mergeCell ref="A1:XFD1048576"/>', 50_000, around="mergeCells")
    ),
    "rules of formats": lambda: book(
        _after(
            '<conditionalFormatting sqref="A1"><cfRule type="top10" priority="1"/>'
            "</conditionalFormatting>",
            40_000,
        )
    ),
    "rules of entries": lambda: book(
        _after('<dataValidation sqref="A1:B2 C3"/>', 100_000, around="dataValidations")
    ),
    "links": lambda: book(_after('<hyperlink ref="A1"/>', 100_000, around="hyperlinks")),
    "settings of pages": lambda: book(_after("<pageSetup/>", 200_000)),
    "columns": lambda: book(
        [_many("cols", '<col min="1" max="16384" hidden="1"/>', 100_000) + NOTHING]
    ),
    "one formula of many cells": lambda: book(
        [rows(5_000, '<c r="{at}"><f t="shared" si="0"/><v>1</v></c>', ahead=SHARED)]
    ),
    "a formula of brackets": lambda: book(
        [f'<sheetData><row r="1"><c r="A1">{_many("f", "[1", 400_000)}</c></row></sheetData>']
    ),
    "elements in elements": lambda: book(["<a>" * 140_000 + "</a>" * 140_000]),
    "elements in a cell": lambda: book(
        [f'<sheetData><row r="1"><c r="A1">{"<a/>" * 250_000}</c></row></sheetData>']
    ),
    "attributes": lambda: book(
        ["<sheetData><row " + " ".join(f'a{at}="1"' for at in range(100_000)) + "/></sheetData>"]
    ),
    "names of elements": lambda: book([NOTHING + "".join(f"<a{at}/>" for at in range(200_000))]),
    "spaces of names": lambda: book(
        [NOTHING + "".join(f'<a xmlns:n{at}="u{at}"/>' for at in range(100_000))]
    ),
    "types of parts": lambda: book(more="<a/>" * 200_000),
}
