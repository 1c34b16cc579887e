"""The score sheet to fill in, with an example of a night to write over."""

from collections.abc import Sequence
from typing import Final

from shared.sheets.example import EXAMPLE
from shared.sheets.writing import csv_bytes, sheet_rows, xlsx_bytes

INSTRUCTIONS: Final[Sequence[str]] = (
    "Replace the players in the example with yours, and delete the rows you do not need.",
    "Write the date of play like 2026-01-31: year, month, day.",
    "Game Type is Social, League or Tournament. Social games need no points.",
    "Start every round with a line like ROUND 1 | Games Played: 4 | Wall Games: 0",
    "A round has 2 to 4 players, one row each. Mahjongs are the games the player won.",
    "The mahjongs of a round and its wall games must add up to the games played.",
    "PRIVATE:alice@example.com is rated and hidden. ANON:Nickname is known only to your club.",
    "You may add a Name column next to the addresses. A Notes column is not read.",
    "Write negative points with a minus sign, and decimals with a point, like -12.5",
)


def template_csv() -> bytes:
    """Return the template as a CSV file that Excel opens as it is meant."""
    return csv_bytes(sheet_rows(EXAMPLE))


def template_xlsx() -> bytes:
    """Return the template as a workbook, with instructions on a sheet of their own."""
    return xlsx_bytes(sheet_rows(EXAMPLE), INSTRUCTIONS)
