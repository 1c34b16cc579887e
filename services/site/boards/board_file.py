"""The board of a source as a CSV file, for spreadsheets and for pages that clubs make themselves.

No name in it is a formula, and nobody is on it who isn't on the page of the board.
"""

from collections.abc import Iterator
from decimal import Decimal
from typing import Annotated, Final
from urllib.parse import urlencode

from fastapi import Query, Request
from starlette.responses import Response

from services.projections.leaderboards.answers import Board
from services.site.boards.leaderboard import BoardName
from services.site.kit.words import _
from services.site.players.asked import Cursor
from services.site.reads import Reads
from shared.http.conditional import public_file
from shared.http.routes import Route
from shared.sheets.cells import Cell, number_cell, text_cell
from shared.sheets.writing import csv_bytes

# More players than any club has. A platform reads on by the link to the next part.
FILE_PLAYERS_MAX: Final = 1_000
# A person in it may have become private since.
MAX_AGE_S: Final = 300
FILE_TYPE: Final = "text/csv; charset=utf-8"
HEADINGS: Final = (
    _("Place"),
    _("Mahjic ID"),
    _("Name"),
    _("Verified rating"),
    _("Verified games"),
)


async def source_board_file(
    request: Request,
    reads: Reads,
    slug: BoardName,
    limit: Annotated[int, Query(ge=1, le=FILE_PLAYERS_MAX)] = FILE_PLAYERS_MAX,
    cursor: Cursor = None,
) -> Response:
    """Answer with a part of the board of a source; `Link` leads to the next part, if there is one.

    Unknown parameters are ignored, as on pages.
    """
    answer = await reads.boards.leaderboard(source=slug, limit=limit, cursor=cursor)
    board = answer["board"]
    headers = {
        "Content-Disposition": f'inline; filename="leaderboard-{slug}.csv"',
        **_next_part(request.url.path, limit, board["next_cursor"]),
    }
    content = csv_bytes(list(_rows(board)))
    return public_file(request, content, FILE_TYPE, MAX_AGE_S, headers=headers)


def _rows(board: Board) -> Iterator[list[Cell]]:
    yield [text_cell(each) for each in HEADINGS]
    for player in board["players"]:
        yield [
            number_cell(Decimal(player["place"])),
            text_cell(player["player_id"]),
            text_cell(player["name"]),
            number_cell(Decimal(str(player["verified_rating"]))),
            number_cell(Decimal(player["verified_games"])),
        ]


def _next_part(path: str, limit: int, cursor: str | None) -> dict[str, str]:
    if cursor is None:
        return {}
    return {"Link": f'<{path}?{urlencode({"limit": limit, "cursor": cursor})}>; rel="next"'}


BOARD_FILES: Final = (
    Route("GET", "/sources/{slug}/leaderboard.csv", source_board_file, ignores_unknown=True),
)
