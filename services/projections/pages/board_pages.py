"""What the pages about boards, sources and lately read."""

from collections.abc import Callable
from datetime import date, timedelta
from typing import Final

from services.projections.answering.reading import ViewReader
from services.projections.lately.answers import Lately
from services.projections.lately.reads import answer_lately
from services.projections.leaderboards.answers import BoardWithChanges
from services.projections.leaderboards.boards import (
    GAMES_MIN_DEFAULT,
    GLOBAL_BOARD,
    region_board,
    source_board,
)
from services.projections.leaderboards.moves import read_moves
from services.projections.leaderboards.queries import count_ranked
from services.projections.leaderboards.reads import (
    PAGE_PLAYERS_DEFAULT,
    CursorAndOffset,
    PageRequest,
    answer_board,
)
from services.projections.sources.answers import OneSourceSince, SourcesSince
from services.projections.sources.queries import check_source
from services.projections.sources.reads import answer_source_since, answer_sources_since
from shared.access.sources import REGIONS
from shared.answers import points
from shared.errors import MahjicError

MOVED_DAYS: Final = 30


class UnknownRegion(MahjicError):
    """There is no region by that name."""

    code = "unknown_region"
    title = "There is no such region"
    status = 404

    def __init__(self) -> None:
        super().__init__(
            f"There is no region by this name. Use one of these: {', '.join(REGIONS)}."
        )


class BoardPages:
    """Reads for the pages about boards. `today_utc` is the day that days are counted from."""

    def __init__(self, reader: ViewReader, today_utc: Callable[[], date]) -> None:
        self._reader = reader
        self._today_utc = today_utc

    async def leaderboard(
        self,
        *,
        region: str | None = None,
        source: str | None = None,
        limit: int = PAGE_PLAYERS_DEFAULT,
        cursor: str | None = None,
        offset: int | None = None,
        min_games: int = GAMES_MIN_DEFAULT,
        active_within_days: int | None = None,
    ) -> BoardWithChanges:
        """Return a page of a board, with how far its players moved; by offset, with the total."""
        if cursor is not None and offset is not None:
            raise CursorAndOffset
        asked = PageRequest(limit, cursor, offset, min_games, active_within_days)
        which = await self._board(region, source)
        board = await answer_board(self._reader, which, asked, self._today_utc)
        shown = [player["player_id"] for player in board["players"]]
        since = self._today_utc() - timedelta(days=MOVED_DAYS)
        moved = await read_moves(self._reader, shown, since)
        return {
            "board": board,
            "total": await self._total(which, asked),
            "days": MOVED_DAYS,
            "changes": {player_id: points(centi) for player_id, centi in moved.items()},
        }

    async def _total(self, board: str, asked: PageRequest) -> int | None:
        """Return how many are on a board, if a page of it is asked for that needs no counting."""
        is_filtered = asked.games_min != GAMES_MIN_DEFAULT or asked.active_within_days is not None
        if asked.offset is None or is_filtered:
            return None
        return await count_ranked(self._reader, board)

    async def _board(self, region: str | None, source: str | None) -> str:
        assert region is None or source is None, "A board is of a region or of a source."
        if source is not None:
            await check_source(self._reader, source)
            return source_board(source)
        if region is None:
            return GLOBAL_BOARD
        if region not in REGIONS:
            raise UnknownRegion
        return region_board(region)

    async def sources(self) -> SourcesSince:
        """Return all sources, by slug."""
        return await answer_sources_since(self._reader)

    async def source(self, slug: str) -> OneSourceSince:
        """Return one source."""
        return await answer_source_since(self._reader, slug)

    async def lately(self) -> Lately:
        """Return what happened lately."""
        return await answer_lately(self._reader)
