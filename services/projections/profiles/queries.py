"""Reads one profile, with the player's place on the global board, as of one moment."""

from collections.abc import Sequence
from typing import Final

import asyncpg

from services.projections.answering.people import NoPublicPlayer
from services.projections.answering.reading import ViewReader
from services.projections.leaderboards.queries import GLOBAL_PLACE
from shared.feed.views import Connection
from shared.rating.registry import START_CENTI
from shared.replay.session_rating import Standing

READ_PROFILE: Final = f"""
SELECT public.player_id, COALESCE(public.name, public.player_id) AS name, public.region,
    COALESCE(p.rating_centi, $2) AS rating_centi,
    COALESCE(p.games, 0) AS games,
    COALESCE(p.is_verified, false) AS is_verified,
    COALESCE(p.verified_rating_centi, $2) AS verified_rating_centi,
    COALESCE(p.verified_games, 0) AS verified_games,
    COALESCE(p.sessions, 0) AS sessions,
    COALESCE(p.mahjongs, 0) AS mahjongs,
    COALESCE(p.wall_games, 0) AS wall_games,
    p.last_session_date,
    COALESCE(p.fact_seq, 0) AS fact_seq,
    {GLOBAL_PLACE} AS global_place, live.seq, live.correcting
FROM {{live}} AS live
LEFT JOIN {{visible}} AS public ON public.player_id = $1
LEFT JOIN {{profiles}}.profiles AS p ON p.player_id = public.player_id
"""
# For any player, private or not: only for callers who checked that the reader may see them.
READ_STANDINGS: Final = """
SELECT live.seq, p.player_id, p.rating_centi, p.games, p.is_verified, p.verified_rating_centi,
    p.verified_games
FROM {live} AS live
LEFT JOIN {profiles}.profiles AS p ON p.player_id = ANY($1)
"""


async def read_standings(
    reader: ViewReader, player_ids: Sequence[str]
) -> tuple[int, dict[str, asyncpg.Record]]:
    """Return the current standings of those who have played, and the fact they are as of."""
    rows = await reader.fetch(READ_STANDINGS, player_ids)
    return rows[0]["seq"], {row["player_id"]: row for row in rows if row["player_id"] is not None}


async def standings_on(
    reader: ViewReader, connection: Connection, player_ids: Sequence[str]
) -> tuple[int, dict[str, Standing]]:
    """Return the same without names, on a connection that others use in the same transaction."""
    seq, rows = await read_standings(reader.on(connection), player_ids)
    return seq, {
        player_id: Standing(
            row["rating_centi"],
            row["games"],
            row["verified_rating_centi"],
            row["verified_games"],
            row["is_verified"],
        )
        for player_id, row in rows.items()
    }


async def read_profile(reader: ViewReader, player_id: str) -> asyncpg.Record:
    """Return a public player's profile, even if they have not played. Raises NoPublicPlayer."""
    row = await reader.fetchrow(READ_PROFILE, player_id, START_CENTI)
    if row["player_id"] is None:
        raise NoPublicPlayer
    return row
