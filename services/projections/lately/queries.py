"""Reads which sessions came in last, who on the board played in them, and which sources are new."""

from typing import Final

import asyncpg

from services.projections.answering.reading import ViewReader
from services.projections.leaderboards.boards import GAMES_MIN_DEFAULT, GLOBAL_BOARD

# The newest sessions that are looked through, and what is shown of them: no source may fill a page
# with one evening.
SESSIONS_LOOKED_AT: Final = 60
SESSIONS_MAX: Final = 6
PLAYERS_MAX: Final = 8
SOURCES_MAX: Final = 4

# A session is shown if two public players sat in it: one that nobody can find in any history would
# say that others were there. Whoever is merged counts as the survivor, and everyone sits once.
READ_SESSIONS: Final = f"""
WITH newest AS MATERIALIZED (
    SELECT s.fact_seq, s.source, s.session_date, s.rounds, s.games, s.players
    FROM {{sources}}.sessions AS s WHERE s.ended IS NULL
    ORDER BY s.fact_seq DESC LIMIT {SESSIONS_LOOKED_AT}
), seat AS MATERIALIZED (
    SELECT DISTINCT sat.player_id FROM newest CROSS JOIN unnest(newest.players) AS sat (player_id)
), shown AS MATERIALIZED (
    SELECT seat.player_id, public.player_id AS shown_id, public.name
    FROM seat CROSS JOIN LATERAL (
        SELECT read.survivor_id FROM mahjic.read_players AS read
        WHERE read.player_id = seat.player_id OFFSET 0
    ) AS read CROSS JOIN LATERAL (
        SELECT public.player_id, public.name FROM mahjic.public_players AS public
        WHERE public.player_id = read.survivor_id OFFSET 0
    ) AS public
)
SELECT live.seq, newest.fact_seq, newest.source, sources.name AS source_name, newest.session_date,
    newest.rounds, newest.games, ARRAY(
        SELECT DISTINCT shown.shown_id FROM shown WHERE shown.player_id = ANY(newest.players)
    ) AS players
FROM {{live}} AS live
LEFT JOIN newest ON true
LEFT JOIN mahjic.listed_sources AS sources ON sources.slug = newest.source
ORDER BY newest.fact_seq DESC
"""
READ_ON_BOARD: Final = f"""
SELECT live.seq, asked.player_id, COALESCE(public.name, public.player_id) AS name, s.rating_centi
FROM {{live}} AS live
LEFT JOIN unnest($1::text[]) AS asked (player_id) ON true
LEFT JOIN LATERAL (
    SELECT s.rating_centi FROM {{leaderboards}}.standings AS s
    WHERE s.player_id = asked.player_id AND s.board = '{GLOBAL_BOARD}'
        AND s.verified_games >= {GAMES_MIN_DEFAULT}
    OFFSET 0
) AS s ON true
LEFT JOIN mahjic.public_players AS public ON public.player_id = asked.player_id
"""


async def read_newest_sessions(reader: ViewReader) -> list[asyncpg.Record]:
    """Return the newest sessions that count, newest first, each with the public players in it.

    There is at least one row, whose `fact_seq` is null if there is no session.
    """
    return await reader.fetch(READ_SESSIONS)


async def read_on_board(reader: ViewReader, player_ids: list[str]) -> list[asyncpg.Record]:
    """Return those of these players who are public and on the global board, in their order."""
    rows = await reader.fetch(READ_ON_BOARD, player_ids)
    found = {
        row["player_id"]: row
        for row in rows
        if row["name"] is not None and row["rating_centi"] is not None
    }
    return [found[player_id] for player_id in player_ids if player_id in found]
