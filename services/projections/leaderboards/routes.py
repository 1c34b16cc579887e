"""The routes of the leaderboards: global, by region and by source."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any, Final

from fastapi import Depends, Query, Request
from starlette.responses import Response

from services.projections.answering.parameters import Cursor, MinSeq, SourcePath
from services.projections.answering.reading import ViewReader
from services.projections.leaderboards.answers import Board
from services.projections.leaderboards.boards import (
    DAYS_MAX,
    GAMES_MAX,
    GAMES_MIN_DEFAULT,
    GLOBAL_BOARD,
    region_board,
    source_board,
)
from services.projections.leaderboards.reads import (
    PAGE_PLAYERS_DEFAULT,
    CursorAndOffset,
    PageRequest,
    answer_board,
)
from services.projections.sources.queries import check_source
from shared.access.sources import Region
from shared.http.conditional import public_json
from shared.http.responses import problem_responses
from shared.http.routes import Route, handed_in

MAX_AGE_S: Final = 5
PAGE_PLAYERS_MAX: Final = 200
OFFSET_MAX: Final = 100_000_000


def page_request(
    limit: Annotated[
        int, Query(ge=1, le=PAGE_PLAYERS_MAX, description=("How many players to return at most."))
    ] = PAGE_PLAYERS_DEFAULT,
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
    answer = await answer_board(boards.reader.since(min_seq), board, asked, boards.today_utc)
    return public_json(request, answer, MAX_AGE_S)


def _responses(*problems: int) -> dict[int | str, dict[str, Any]]:
    return {200: {"model": Board}, **problem_responses(*problems, 422, 429, 503)}


LEADERBOARD_ROUTES: Final = (
    Route(
        "GET",
        "/v1/leaderboard",
        get_global_board,
        "The global leaderboard",
        tag="read",
        operation_id="get_leaderboard",
        responses=_responses(),
    ),
    Route(
        "GET",
        "/v1/leaderboard/{region}",
        get_region_board,
        "A region's leaderboard",
        tag="read",
        operation_id="get_region_leaderboard",
        responses=_responses(),
    ),
    Route(
        "GET",
        "/v1/sources/{source}/leaderboard",
        get_source_board,
        "A source's leaderboard",
        tag="read",
        operation_id="get_source_leaderboard",
        responses=_responses(404),
    ),
)
