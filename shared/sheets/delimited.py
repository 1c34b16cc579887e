"""Reads CSV in all the dialects that spreadsheets write, as one sheet of texts.

The encoding and the separator are worked out from the file; if two are possible, it is refused. A
row is a record, as spreadsheets count rows: a quoted line break does not begin a new one.
"""

import codecs
import csv
import re
from collections.abc import Iterator
from typing import Final

from shared.characters import forbidden_in_file
from shared.sheets.cells import Cell, Place, Sheet, SheetRefused, refused, text_cell
from shared.sheets.limits import Limits

# If several fit equally well, the first one counts: it is the least common within a text.
_SEPARATORS: Final = ("\t", ";", "|", ",")
_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
# The line that tells Excel the separator of the file.
_TOLD: Final = re.compile(r'\A"?sep=(.)"?[^\S\r\n]*(?:\r\n|\r|\n|\Z)', re.IGNORECASE)
# What `writing` puts where a spreadsheet would find the beginning of a formula.
_GUARD: Final = re.compile(
    r"""\A'(?='*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20])"""
    r"""|(?<=[,;\t])'(?=["']*[=+\-@\uff1d\uff0b\uff0d\uff20])"""
)
_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# In no language that Windows-1252 is for does a word have three such letters in a row.
_FOREIGN: Final = re.compile(r"[\u0080-\uffff]{3}")
_SAVE_AS_UTF8: Final = "Save it as CSV UTF-8 or as .xlsx, and send that."


def read_delimited(content: bytes, limits: Limits) -> Sheet:
    """Return the only sheet of a CSV or TSV file. Raises SheetRefused."""
    text = _decoded(content)
    told = _TOLD.match(text)
    separator = told[1] if told else _separator(text)
    if told:
        text = text[told.end() :]
    rows = list(_rows(text, separator, limits))
    return Sheet(None, rows, separator=separator)


def _decoded(content: bytes) -> str:
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return _strictly(content[len(mark) :], encoding)
    # Text of a Western sheet in UTF-16 has a NUL in nearly every second place.
    for start, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        sample = content[start:2000:2]
        if sample.count(0) > len(sample) * 0.7:
            return _strictly(content, encoding)
    try:
        return _without_controls(content.decode("utf-8"))
    except UnicodeDecodeError:
        text = _strictly(content, "cp1252")
    if _FOREIGN.search(text):
        raise refused(
            "unknown_encoding",
            f"The file's text is neither UTF-8 nor Windows-1252. {_SAVE_AS_UTF8}",
        )
    return text


def _strictly(content: bytes, encoding: str) -> str:
    try:
        return _without_controls(content.decode(encoding))
    except UnicodeDecodeError:
        raise refused(
            "unknown_encoding", f"The file looks like {encoding}, but is damaged. {_SAVE_AS_UTF8}"
        ) from None


def _without_controls(text: str) -> str:
    if (odd := forbidden_in_file(text)) is not None:
        raise refused(
            "not_a_sheet",
            f"The file contains {odd}, a character that does not belong in a CSV file. "
            f"{_SAVE_AS_UTF8}",
        )
    return text


def _separator(text: str) -> str:
    """Return the separator that most lines have, outside of quotes."""
    outside = "".join(text.split('"')[::2])
    lines = [line for line in re.split(r"[\r\n]+", outside) if line]

    def fit(separator: str) -> tuple[int, int]:
        counts = [line.count(separator) for line in lines]
        return sum(count > 0 for count in counts), sum(counts)

    return max(_SEPARATORS, key=fit)


def _rows(text: str, separator: str, limits: Limits) -> Iterator[list[Cell]]:
    lines = (match[0] for match in _LINE.finditer(text))
    records = csv.reader(lines, delimiter=separator, strict=True)
    row = cells = 0
    while True:
        row += 1
        try:
            record = next(records, None)
        except csv.Error as error:
            raise refused(
                "damaged_file",
                "The quotation marks in this row do not match, or a cell is far too long "
                f"({error}). Inside a quoted cell, write a quotation mark twice.",
                Place(row=row),
            ) from None
        if record is None:
            return
        while record and not record[-1].strip():
            record.pop()
        cells += len(record)
        _check_limits(row, len(record), cells, limits)
        for each in record:
            if len(each) > limits.cell_characters_max:
                raise _long_cell(row, each, limits)
        yield [text_cell(_unguarded(each)) for each in record]


def _check_limits(row: int, columns: int, cells: int, limits: Limits) -> None:
    for count, limit, noun in (
        (row, limits.rows_max, "rows"),
        (columns, limits.columns_max, "columns"),
        (cells, limits.cells_max, "cells"),
    ):
        if count > limit:
            raise refused(
                "too_large",
                f"The sheet has more than {limit} {noun}. One file is one session; send other "
                "sessions in separate files.",
                Place(row=row),
            )


def _long_cell(row: int, text: str, limits: Limits) -> SheetRefused:
    if "\n" in text or "\r" in text:
        return refused(
            "lines_in_a_cell",
            "One cell of this row runs over many lines. A quotation mark that opens here is "
            "closed much further down. Delete it, or close it on its own line.",
            Place(row=row),
        )
    return refused(
        "too_large",
        f"A cell in this row has more than {limits.cell_characters_max} characters. Shorten it, "
        "and send the file again.",
        Place(row=row),
    )


def _unguarded(text: str) -> str:
    return _GUARD.sub("", text)
