"""A workbook of one night, and its parts."""

from shared.sheets.cells import Cell
from shared.sheets.opening import open_workbook

SHEET = "xl/worksheets/sheet1.xml"
BOOK = "xl/workbook.xml"
NIGHT: tuple[list[object], ...] = (
    ["Date: 2026-01-31"],
    ["Game Type: League"],
    ["ROUND 1 | Games Played: 4 | Wall Games: 0"],
    ["Player Email", "Mahjongs", "Points"],
    ["a@x.example", 2, 12.5],
    ["b@x.example", 2, -12.5],
)


def cells(content: bytes) -> list[list[Cell]]:
    (sheet,) = open_workbook(content)
    return [list(row) for row in sheet.rows]


def only(content: bytes) -> Cell:
    ((cell,),) = cells(content)
    return cell
