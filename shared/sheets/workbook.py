"""What a workbook says of its sheets as a whole: names, texts, formats, and when days begin.

The format is Office Open XML (ECMA-376, parts 1 and 2), strict or transitional: elements are known
by their local names.
"""

import io
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import iterparse

from shared.sheets.unpacking import damaged

_ESCAPED: Final = re.compile(r"_x([0-9A-Fa-f]{4})_")
# The numbers of built-in formats that show dates or times (ECMA-376 part 1, 18.8.30), and percents.
_BUILT_IN: Final[Mapping[int, "str"]] = {
    **dict.fromkeys((14, 15, 16, 17, 22, *range(27, 37), *range(50, 59)), "date"),
    **dict.fromkeys((18, 19, 20, 21, 45, 46, 47), "time"),
    **dict.fromkeys((9, 10), "percent"),
}
_CODE_CHARACTERS_MAX: Final = 255
_LITERAL: Final = re.compile(r'"[^"]*"|\\.|_.|\*.|\[(?!h+\]|m+\]|s+\])[^\]]*\]', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SheetPart:
    """One sheet of a workbook: its name, and the name of the part with its cells."""

    name: str
    part: str
    is_hidden: bool


@dataclass(frozen=True, slots=True)
class Workbook:
    """A workbook without its cells.

    `texts` are the shared ones; `shows` tells of each cell style whether it shows a "number",
    "date", "time" or "percent". `has_values` is false when the program that wrote the file left
    the formulas to be computed by whoever opens it.
    """

    sheets: Sequence[SheetPart]
    texts: Sequence[str]
    shows: Sequence[str]
    is_1904: bool
    has_values: bool


@dataclass(frozen=True, slots=True)
class _Relations:
    """The parts that another part names, by the id of each relation and by the kind of the first.

    Names of parts are in small letters, as upper and lower case are the same in them.
    """

    parts: Mapping[str, str]
    kinds: Mapping[str, str]

    def of_kind(self, kind: str) -> str:
        """Return the part of a kind; an empty name is that of no part."""
        return self.kinds.get(kind, "")


def read_workbook(parts: Mapping[str, bytes]) -> Workbook:
    """Return what the parts of a workbook say of it. Raises SheetRefused if they are damaged."""
    main = _relations(parts, "_rels/.rels").of_kind("officeDocument")
    if main not in parts:
        raise damaged()
    folder, name = posixpath.split(main)
    relations = _relations(parts, f"{folder}/_rels/{name}.rels")
    sheets: list[SheetPart] = []
    is_1904, has_values = False, True
    for element in elements(parts[main]):
        match local(element):
            case "sheet":
                part = relations.parts.get(_attribute(element, "id"), "")
                if any(part == each.part for each in sheets):
                    raise damaged("It has two sheets of the same cells")
                if part in parts:
                    is_hidden = element.get("state", "visible") != "visible"
                    sheets.append(SheetPart(element.get("name", ""), part, is_hidden))
            case "workbookPr":
                is_1904 = element.get("date1904") in {"1", "true"}
            case "calcPr":
                has_values = element.get("fullCalcOnLoad") not in {"1", "true"}
    texts = _texts(parts.get(relations.of_kind("sharedStrings")))
    shows = _shows(parts.get(relations.of_kind("styles")))
    return Workbook(sheets, texts, shows, is_1904=is_1904, has_values=has_values)


def elements(part: bytes) -> Iterator[Element]:
    """Yield the elements of a part, each when it ends. Raises SheetRefused if it is no XML."""
    try:
        for _, element in iterparse(io.BytesIO(part), forbid_dtd=True):
            yield element
    except DefusedXmlException:
        raise damaged("It defines words of its own, which no spreadsheet program does") from None
    except (ParseError, ValueError, LookupError):
        raise damaged() from None


def local(element: Element) -> str:
    """Return the name of an element without its namespace."""
    return element.tag.rpartition("}")[2]


def text_of(element: Element) -> str:
    """Return the text in an element, of all its runs, without the reading aids of some scripts."""
    runs = [element, *(child for child in element if local(child) == "r")]
    return "".join(each.text or "" for run in runs for each in run if local(each) == "t")


def unescaped(text: str) -> str:
    """Return a text with the characters that XML cannot hold (ECMA-376 part 1, 22.9.2.19)."""
    return _ESCAPED.sub(_character, text) if "_x" in text else text


def _character(match: re.Match[str]) -> str:
    number = int(match[1], 16)
    is_half = 0xD800 <= number <= 0xDFFF
    return match[0] if is_half else chr(number)


def _relations(parts: Mapping[str, bytes], part: str) -> _Relations:
    found: dict[str, str] = {}
    kinds: dict[str, str] = {}
    # Where the part that has the relations is: two folders up from "xl/_rels/workbook.xml.rels".
    folder = "/" + posixpath.dirname(posixpath.dirname(part))
    for element in elements(parts.get(part, b"")):
        if local(element) == "Relationship":
            target = posixpath.normpath(posixpath.join(folder, element.get("Target", "")))
            found[element.get("Id", "")] = target.lstrip("/").lower()
            kind = element.get("Type", "").rpartition("/")[2]
            kinds.setdefault(kind, target.lstrip("/").lower())
    return _Relations(found, kinds)


def _attribute(element: Element, name: str) -> str:
    """Return the attribute of a namespace; it has the same local name in all of them."""
    return next((value for key, value in element.items() if key.endswith("}" + name)), "")


def _texts(part: bytes | None) -> list[str]:
    texts = []
    for element in elements(part) if part else ():
        if local(element) == "si":
            texts.append(unescaped(text_of(element)))
            element.clear()
    return texts


def _shows(part: bytes | None) -> list[str]:
    codes: dict[int, str] = {}
    shows: list[str] = []
    for element in elements(part) if part else ():
        match local(element):
            case "numFmt":
                codes[_number(element, "numFmtId")] = element.get("formatCode", "")
            case "cellXfs":
                numbers = [_number(each, "numFmtId") for each in element]
                shows = [_shown(number, codes) for number in numbers]
    return shows


def _number(element: Element, name: str) -> int:
    text = element.get(name, "0")
    return int(text) if re.fullmatch(r"[0-9]{1,9}", text) else 0


def _shown(number: int, codes: Mapping[int, str]) -> str:
    code = codes.get(number)
    return _BUILT_IN.get(number, "number") if code is None else _kind(code)


def _kind(code: str) -> str:
    bare = _LITERAL.sub("", code[:_CODE_CHARACTERS_MAX].partition(";")[0]).lower()
    if "%" in bare:
        return "percent"
    if re.search(r"[dy]", bare) or re.search(r"m{3,}", bare):
        return "date"
    # A lone "m" is a month, or the minutes of a time.
    if re.search(r"[hs]", bare):
        return "time"
    return "date" if "m" in bare else "number"
