"""Answers with a page of a board: for everyone who asks, in one shape."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from services.projections.answering.cursors import WrongCursor, read_cursor, write_cursor
from services.projections.answering.reading import ViewReader
from services.projections.leaderboards.answers import Board, BoardPlayer
from services.projections.leaderboards.boards import GAMES_MIN_DEFAULT
from services.projections.leaderboards.queries import After, At, Filters, PlacedStanding, read_page
from shared.answers import points
from shared.errors import MahjicError
from shared.ids import PLAYER_ID_PATTERN
from shared.rating.bands import band_of

PAGE_PLAYERS_DEFAULT: Final = 50
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

    limit: int = PAGE_PLAYERS_DEFAULT
    cursor: str | None = None
    offset: int | None = None
    games_min: int = GAMES_MIN_DEFAULT
    active_within_days: int | None = None


async def answer_board(
    reader: ViewReader, board: str, asked: PageRequest, today_utc: Callable[[], date]
) -> Board:
    """Return a page of a board. Raises WrongCursor and BoardTakesTooLong."""
    since = None
    if asked.active_within_days is not None:
        since = today_utc() - timedelta(days=asked.active_within_days)
    start, fingerprint = _read_start(board, asked)
    filters = Filters(asked.games_min, since)
    page = await read_page(reader, board, start, filters, asked.limit)
    next_cursor = None
    if page.has_more:
        last = page.rows[-1].standing
        place = (last.rating_centi, last.player_id, page.fingerprint)
        next_cursor = write_cursor(*_board_and_filters(board, asked), *place)
    return {
        "board": board,
        "seq": page.seq,
        "correcting": page.correcting,
        "min_games": asked.games_min,
        "active_within_days": asked.active_within_days,
        "players": [_shown(row) for row in page.rows],
        "next_cursor": next_cursor,
        "board_moved": None if fingerprint is None else page.fingerprint != fingerprint,
    }


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
