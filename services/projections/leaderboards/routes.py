"""The routes of the leaderboards: global, by region and by source."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Annotated, Any, Final

from fastapi import Depends, Query, Request
from starlette.responses import Response

from services.projections.answering.cursors import WrongCursor, read_cursor, write_cursor
from services.projections.answering.parameters import Cursor, MinSeq, SourcePath
from services.projections.answering.reading import ViewReader
from services.projections.leaderboards.answers import Board, BoardPlayer
from services.projections.leaderboards.boards import (
    GAMES_MIN_DEFAULT,
    GLOBAL_BOARD,
    region_board,
    source_board,
)
from services.projections.leaderboards.queries import After, At, Filters, PlacedStanding, read_page
from services.projections.sources.queries import check_source
from shared.access.sources import Region
from shared.answers import points
from shared.errors import MahjicError
from shared.http.conditional import public_json
from shared.http.responses import problem_responses
from shared.http.routes import Route, handed_in
from shared.ids import PLAYER_ID_PATTERN
from shared.rating.bands import band_of

MAX_AGE_S: Final = 5
PAGE_PLAYERS_MAX: Final = 200
OFFSET_MAX: Final = 100_000_000
GAMES_MAX: Final = 1_000_000
DAYS_MAX: Final = 36_500
_PLAYER_ID: Final = re.compile(PLAYER_ID_PATTERN)


class CursorAndOffset(MahjicError):
    """A page can start at only one place."""

    code = "cursor_and_offset"
    title = "Use a cursor or an offset, not both"
    status = 422

    def __init__(self) -> None:
        super().__init__("Give `cursor` or `offset`, not both.")


@dataclass(frozen=True, slots=True)
class PageRequest:
    """The page of a board that is asked for."""

    limit: int
    cursor: str | None
    offset: int | None
    games_min: int
    active_within_days: int | None


def page_request(
    limit: Annotated[
        int, Query(ge=1, le=PAGE_PLAYERS_MAX, description=("How many players to return at most."))
    ] = 50,
    cursor: Cursor = None,
    offset: Annotated[
        int | None, Query(ge=0, le=OFFSET_MAX, description="How many players to skip.")
    ] = None,
    min_games: Annotated[
        int, Query(ge=0, le=GAMES_MAX, description="The minimum of verified games.")
    ] = GAMES_MIN_DEFAULT,
    active_within_days: Annotated[
        int | None,
        Query(
            ge=1,
            le=DAYS_MAX,
            description=("Only players who played within this many days, by UTC."),
        ),
    ] = None,
) -> PageRequest:
    """Read which page is asked for. Raises CursorAndOffset."""
    if cursor is not None and offset is not None:
        raise CursorAndOffset
    return PageRequest(limit, cursor, offset, min_games, active_within_days)


PageQuery = Annotated[PageRequest, Depends(page_request)]


@dataclass(frozen=True, slots=True)
class Boards:
    """What the board routes need. `today_utc` is the day that activity is counted from."""

    reader: ViewReader
    today_utc: Callable[[], date]


BoardPorts = Annotated[Boards, handed_in(Boards)]


async def get_global_board(
    request: Request, page: PageQuery, boards: BoardPorts, min_seq: MinSeq = None
) -> Response:
    """Show a page of the global leaderboard. Places are within the filters."""
    return await _answer(request, boards, GLOBAL_BOARD, page, min_seq)


async def get_region_board(
    request: Request, region: Region, page: PageQuery, boards: BoardPorts, min_seq: MinSeq = None
) -> Response:
    """Show a page of a region's leaderboard."""
    return await _answer(request, boards, region_board(region), page, min_seq)


async def get_source_board(
    request: Request,
    source: SourcePath,
    page: PageQuery,
    boards: BoardPorts,
    min_seq: MinSeq = None,
) -> Response:
    """Show a page of the leaderboard of everyone who sat in a source's sessions that count."""
    await check_source(boards.reader, source)
    return await _answer(request, boards, source_board(source), page, min_seq)


async def _answer(
    request: Request, boards: Boards, board: str, asked: PageRequest, min_seq: int | None
) -> Response:
    since = None
    if asked.active_within_days is not None:
        since = boards.today_utc() - timedelta(days=asked.active_within_days)
    start, fingerprint = _read_start(board, asked)
    filters = Filters(asked.games_min, since)
    page = await read_page(boards.reader.since(min_seq), board, start, filters, asked.limit)
    next_cursor = None
    if page.has_more:
        last = page.rows[-1].standing
        place = (last.rating_centi, last.player_id, page.fingerprint)
        next_cursor = write_cursor(*_board_and_filters(board, asked), *place)
    answer: Board = {
        "board": board,
        "seq": page.seq,
        "correcting": page.correcting,
        "min_games": asked.games_min,
        "active_within_days": asked.active_within_days,
        "players": [_shown(row) for row in page.rows],
        "next_cursor": next_cursor,
        "board_moved": None if fingerprint is None else page.fingerprint != fingerprint,
    }
    return public_json(request, answer, MAX_AGE_S)


def _read_start(board: str, asked: PageRequest) -> tuple[After | At, int | None]:
    """Return where the page starts, and the board's fingerprint from the cursor."""
    if asked.offset is not None:
        return At(asked.offset), None
    if asked.cursor is None:
        return After(), None
    of_list = _board_and_filters(board, asked)
    parts = read_cursor(asked.cursor, *(type(part) for part in of_list), int, str, int)
    rating_centi, player_id, fingerprint = parts[-3:]
    assert isinstance(rating_centi, int)
    assert isinstance(player_id, str)
    assert isinstance(fingerprint, int)
    if tuple(parts[:-3]) != of_list or _PLAYER_ID.fullmatch(player_id) is None:
        raise WrongCursor
    return After(rating_centi, player_id), fingerprint


def _board_and_filters(board: str, asked: PageRequest) -> tuple[str, int, int | None]:
    return board, asked.games_min, asked.active_within_days


def _shown(row: PlacedStanding) -> BoardPlayer:
    standing = row.standing
    return {
        "place": row.place,
        "player_id": standing.player_id,
        "name": row.name or standing.player_id,
        "verified_rating": points(standing.rating_centi),
        "band": band_of(standing.rating_centi).name,
        "verified_games": standing.verified_games,
        "last_played": standing.last_session_date,
    }


def _responses(*problems: int) -> dict[int | str, dict[str, Any]]:
    return {200: {"model": Board}, **problem_responses(*problems, 422, 429, 503)}


LEADERBOARD_ROUTES: Final = (
    Route(
        "GET",
        "/v1/leaderboard",
        get_global_board,
        "The global leaderboard",
        tag="read",
        responses=_responses(),
    ),
    Route(
        "GET",
        "/v1/leaderboard/{region}",
        get_region_board,
        "A region's leaderboard",
        tag="read",
        responses=_responses(),
    ),
    Route(
        "GET",
        "/v1/sources/{source}/leaderboard",
        get_source_board,
        "A source's leaderboard",
        tag="read",
        responses=_responses(404),
    ),
)
