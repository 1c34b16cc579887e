"""The score sheet to fill in, with an example of a night to write over."""

from collections.abc import Sequence
from typing import Final

from shared.sheets.example import EXAMPLE
from shared.sheets.writing import csv_bytes, sheet_rows, xlsx_bytes

INSTRUCTIONS: Final[Sequence[str]] = (
    "Write your players over those of the example, and delete the rows that you do not need.",
    "Write the date of play as in 2026-01-31: year, month, day.",
    "Game Type is Social, League or Tournament. Social games need no points.",
    "Begin every round with a line as in ROUND 1 | Games Played: 4 | Wall Games: 0",
    "A round has 2 to 4 players, a row for each. Mahjongs are the games that the player won.",
    "All mahjongs of a round and its wall games make the games played.",
    "PRIVATE:alice@example.com is rated and hidden. ANON:Nickname is known to your club only.",
    "A column Name may stand beside the addresses. A column Notes is not read.",
    "Write negative points with a minus, and decimals with a point, as in -12.5",
)


def template_csv() -> bytes:
    """Return the template as a CSV file that Excel opens as it is meant."""
    return csv_bytes(sheet_rows(EXAMPLE))


def template_xlsx() -> bytes:
    """Return the template as a workbook, with instructions on a sheet of their own."""
    return xlsx_bytes(sheet_rows(EXAMPLE), INSTRUCTIONS)
