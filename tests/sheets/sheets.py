"""Builds score sheets for tests, and reads them."""

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from services.ingest.sheets.reader import OpenedSheet
from shared.json_text import read_json
from shared.sheets.cells import Place, SheetMistake, SheetRefused
from shared.sheets.opening import open_workbook
from shared.sheets.reading import ScoreSheet, read_score_sheet
from shared.sheets.writing import csv_bytes, sheet_rows

FILES = Path(__file__).parent / "files"
HEADINGS = ("Player Email", "Mahjongs", "Points")
Row = Sequence[object]
# The score sheet as the source documents show it.
_FIELD = (
    (0, (("alice", 2, 125), ("bob", 1, 80), ("carol", 1, 45), ("dave", 0, -50))),
    (1, (("alice", 1, 60), ("eve", 2, 110), ("frank", 0, 40), ("george", 0, -10))),
)
FIELD: Mapping[str, Any] = {
    "session_date": "2026-01-31",
    "game_type": "league",
    "rounds": [
        {
            "players": [
                {"email": f"{name}@example.com", "games_played": 4, "mahjongs": won, "points": got}
                for name, won, got in players
            ],
            "wall_games": wall_games,
        }
        for wall_games, players in _FIELD
    ],
}
FIELD_CSV = csv_bytes(sheet_rows(FIELD))


def read(content: bytes, *, sheet_name: str | None = None) -> ScoreSheet:
    """Return what a file says."""
    return read_score_sheet(open_workbook(content), sheet_name=sheet_name)


def opened(sheet: ScoreSheet) -> OpenedSheet:
    """Return a sheet as the process that opens files hands it on."""
    return OpenedSheet(sheet, read_json(json.dumps(sheet.claim).encode()))


def read_file(name: str) -> ScoreSheet:
    """Return what one of the kept files says."""
    return read((FILES / name).read_bytes())


def refusal(content: bytes, *, sheet_name: str | None = None) -> SheetMistake:
    """Return why a file as a whole is refused."""
    with pytest.raises(SheetRefused) as raised:
        read(content, sheet_name=sheet_name)
    (mistake,) = raised.value.mistakes
    return mistake


def found(sheet: ScoreSheet) -> list[tuple[int | None, str | None, str]]:
    """Return row, column and code of every mistake, in the order of the sheet."""
    return [(each.place.row, each.place.column, each.code) for each in sheet.located()]


def at(row: int | None, column: str | None = None, sheet: str | None = None) -> Place:
    """Return a place."""
    return Place(sheet, row, column)


def lines(*texts: str) -> bytes:
    """Return the lines of a text file, as they are."""
    return "\r\n".join([*texts, ""]).encode()


def night(*players: str, line: str = "ROUND 1 | Games Played: 4 | Wall Games: 0") -> bytes:
    """Return a CSV sheet of one league round: row 4 has the headings, row 5 the first player."""
    return lines("Date: 2026-01-31", "Game Type: League", line, ",".join(HEADINGS), *players)


def points_of(sheet: ScoreSheet) -> list[object]:
    """Return the points of the first round, None where there are none."""
    return [player.get("points") for player in sheet.claim["rounds"][0]["players"]]


def workbook(
    *rows: Row, formats: Mapping[str, str] | None = None, epoch: Any = None, name: str = "Night"
) -> bytes:
    """Return a workbook of one sheet, written by openpyxl. `formats` are those of cells."""
    book = openpyxl.Workbook()
    if epoch is not None:
        book.epoch = epoch
    sheet = book.active
    assert sheet is not None
    sheet.title = name
    for row in rows:
        sheet.append(list(row))
    for cell, code in (formats or {}).items():
        sheet[cell].number_format = code
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


def packed(parts: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Return an archive of these parts."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", method) as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return content.getvalue()


def parts_of(content: bytes) -> dict[str, bytes]:
    """Return the parts of an archive."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def changed(content: bytes, part: str, old: str, new: str) -> bytes:
    """Return a workbook with one text of a part replaced, which must be there."""
    parts = parts_of(content)
    assert old.encode() in parts[part], parts[part]
    parts[part] = parts[part].replace(old.encode(), new.encode())
    return packed(parts)
