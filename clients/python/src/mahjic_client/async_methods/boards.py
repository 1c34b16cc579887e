"""Leaderboards.

Written by `make docs` from docs/openapi.json.
"""

from collections.abc import AsyncIterator

from mahjic_client.asking import Asked, Json, Pages, given, part
from mahjic_client.asks import AsyncAsks
from mahjic_client.shapes import Board, BoardPlayer, Region


class AsyncBoards(AsyncAsks):
    """Leaderboards."""

    async def get_leaderboard(
        self,
        *,
        min_seq: int | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        offset: int | None = None,
        min_games: int | None = None,
        active_within_days: int | None = None,
    ) -> Board:
        """Show a page of the global leaderboard. Places are within the filters."""
        return await self._ask(
            Asked(
                "GET",
                "/v1/leaderboard",
                query=given(
                    {
                        "min_seq": min_seq,
                        "limit": limit,
                        "cursor": cursor,
                        "offset": offset,
                        "min_games": min_games,
                        "active_within_days": active_within_days,
                    }
                ),
            ),
            Json[Board](),
        )

    def leaderboard(
        self,
        *,
        min_seq: int | None = None,
        limit: int | None = None,
        min_games: int | None = None,
        active_within_days: int | None = None,
    ) -> AsyncIterator[BoardPlayer]:
        """Go through all that `get_leaderboard` shows, page by page."""
        return self._each(
            Asked(
                "GET",
                "/v1/leaderboard",
                query=given(
                    {
                        "min_seq": min_seq,
                        "limit": limit,
                        "min_games": min_games,
                        "active_within_days": active_within_days,
                    }
                ),
            ),
            Pages("players", "cursor", "next_cursor"),
        )

    async def get_region_leaderboard(
        self,
        region: Region,
        /,
        *,
        min_seq: int | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        offset: int | None = None,
        min_games: int | None = None,
        active_within_days: int | None = None,
    ) -> Board:
        """Show a page of a region's leaderboard."""
        return await self._ask(
            Asked(
                "GET",
                f"/v1/leaderboard/{part(region)}",
                query=given(
                    {
                        "min_seq": min_seq,
                        "limit": limit,
                        "cursor": cursor,
                        "offset": offset,
                        "min_games": min_games,
                        "active_within_days": active_within_days,
                    }
                ),
            ),
            Json[Board](),
        )

    def region_leaderboard(
        self,
        region: Region,
        /,
        *,
        min_seq: int | None = None,
        limit: int | None = None,
        min_games: int | None = None,
        active_within_days: int | None = None,
    ) -> AsyncIterator[BoardPlayer]:
        """Go through all that `get_region_leaderboard` shows, page by page."""
        return self._each(
            Asked(
                "GET",
                f"/v1/leaderboard/{part(region)}",
                query=given(
                    {
                        "min_seq": min_seq,
                        "limit": limit,
                        "min_games": min_games,
                        "active_within_days": active_within_days,
                    }
                ),
            ),
            Pages("players", "cursor", "next_cursor"),
        )

    async def get_source_leaderboard(
        self,
        source: str,
        /,
        *,
        min_seq: int | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        offset: int | None = None,
        min_games: int | None = None,
        active_within_days: int | None = None,
    ) -> Board:
        """Show a page of the leaderboard of everyone who sat in a source's sessions that count."""
        return await self._ask(
            Asked(
                "GET",
                f"/v1/sources/{part(source)}/leaderboard",
                query=given(
                    {
                        "min_seq": min_seq,
                        "limit": limit,
                        "cursor": cursor,
                        "offset": offset,
                        "min_games": min_games,
                        "active_within_days": active_within_days,
                    }
                ),
            ),
            Json[Board](),
        )

    def source_leaderboard(
        self,
        source: str,
        /,
        *,
        min_seq: int | None = None,
        limit: int | None = None,
        min_games: int | None = None,
        active_within_days: int | None = None,
    ) -> AsyncIterator[BoardPlayer]:
        """Go through all that `get_source_leaderboard` shows, page by page."""
        return self._each(
            Asked(
                "GET",
                f"/v1/sources/{part(source)}/leaderboard",
                query=given(
                    {
                        "min_seq": min_seq,
                        "limit": limit,
                        "min_games": min_games,
                        "active_within_days": active_within_days,
                    }
                ),
            ),
            Pages("players", "cursor", "next_cursor"),
        )
