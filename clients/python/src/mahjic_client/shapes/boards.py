"""Leaderboards.

Written by `make docs` from docs/openapi.json.
"""

from typing import TypedDict

from mahjic_client.shapes.common import Correcting


class BoardPlayer(TypedDict):
    """A player's row on a board."""

    place: int
    player_id: str
    name: str
    verified_rating: float
    band: str
    verified_games: int
    last_played: str | None


class Board(TypedDict):
    """A page of a leaderboard: Verified, public players by verified rating, ties by id."""

    board: str
    seq: int
    correcting: Correcting | None
    min_games: int
    active_within_days: int | None
    players: list[BoardPlayer]
    next_cursor: str | None
    board_moved: bool | None
