"""Writes a session as a score sheet that reads back as the same session.

No written cell is a formula, no matter what a name or an address begins with.
"""

import csv
import io
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final

import xlsxwriter

from shared.sheets.cells import BLANK, Cell, number_cell, text_cell

TITLE: Final = "MAHJIC SCORE SHEET"
SHEET_NAME: Final = "Score sheet"
# Where spreadsheets would find the beginning of a formula in a CSV file: at the beginning of a
# text, or after a character that separates cells in another country. `delimited` takes the guard
# off.
_UNGUARDED: Final = re.compile(
    r"""\A(?='*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20])"""
    r"""|(?<=[,;\t])(?=["']*[=+\-@\uff1d\uff0b\uff0d\uff20])"""
)
# A workbook says when it was made; the same session must make the same file.
_MADE: Final = datetime(2026, 1, 1, tzinfo=UTC)
_WIDTHS: Final = (36, 12, 12, 28)


def sheet_rows(claim: Mapping[str, Any]) -> Sequence[Sequence[Cell]]:
    """Return the rows of a valid claim: its date, game type and rounds, as the template has them.

    `source_id` and `allow_duplicate` are given when a sheet is sent, not in it.
    """
    rows = [
        [text_cell(TITLE), BLANK, text_cell(f"Date: {claim['session_date']}")],
        [text_cell(f"Game Type: {str(claim['game_type']).capitalize()}")],
    ]
    seats = [seat for each in claim["rounds"] for seat in each["players"]]
    fields = [
        ("Player Email", "email"),
        ("Mahjongs", "mahjongs"),
        *([("Points", "points")] if any("points" in seat for seat in seats) else []),
        *([("Name", "name")] if any("name" in seat for seat in seats) else []),
    ]
    for number, each in enumerate(claim["rounds"], start=1):
        rows += [[], _round_cells(number, each), [text_cell(heading) for heading, _ in fields]]
        rows += [[_cell(seat.get(field)) for _, field in fields] for seat in each["players"]]
    return rows


def csv_bytes(
    rows: Sequence[Sequence[Cell]], *, separator: str = ",", encoding: str = "utf-8-sig"
) -> bytes:
    """Return rows as a CSV file; the byte order mark tells Excel that the text is UTF-8.

    A guard stands before whatever could be taken for a formula, also where a text falls apart into
    cells because the reader's country separates them by another character.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=separator, lineterminator="\r\n")
    for row in rows:
        writer.writerow([_guarded(cell) for cell in row])
    return text.getvalue().encode(encoding)


def xlsx_bytes(rows: Sequence[Sequence[Cell]], notes: Sequence[str] = ()) -> bytes:
    """Return rows as a workbook of one sheet, and notes on a second one named Instructions."""
    content = io.BytesIO()
    workbook = xlsxwriter.Workbook(content, {"in_memory": True})
    workbook.set_properties({"created": _MADE})
    # Excel keeps such a cell as text even when someone edits it.
    plain, number = workbook.add_format({"quote_prefix": True}), workbook.add_format()
    sheet = workbook.add_worksheet(SHEET_NAME)
    for column, width in enumerate(_WIDTHS):
        sheet.set_column(column, column, width)
    for at, row in enumerate(rows):
        for column, cell in enumerate(row):
            if isinstance(cell.value, Decimal):
                sheet.write_number(at, column, float(cell.value), number)
            elif not cell.is_blank:
                sheet.write_string(at, column, cell.text, plain)
    if notes:
        instructions = workbook.add_worksheet("Instructions")
        instructions.set_column(0, 0, 100)
        for at, note in enumerate(notes):
            instructions.write_string(at, 0, note)
    workbook.close()
    return content.getvalue()


def _round_cells(number: int, claim: Mapping[str, Any]) -> list[Cell]:
    games = claim["players"][0]["games_played"]
    line = f"ROUND {number} | Games Played: {games} | Wall Games: {claim['wall_games']}"
    ref = claim.get("ref")
    return [text_cell(line), *([text_cell(f"Ref: {ref}")] if ref is not None else [])]


def _cell(value: str | float | None) -> Cell:
    if value is None:
        return BLANK
    return text_cell(value) if isinstance(value, str) else number_cell(Decimal(str(value)))


def _guarded(cell: Cell) -> str:
    return _UNGUARDED.sub("'", cell.text) if cell.kind == "text" else cell.text
