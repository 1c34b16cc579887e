"""Counts what a year was for people: disputes, private and anonymous seats, the forgotten."""

from datetime import datetime
from typing import Final

from shared.log.postgres import Connection

DISPUTE_ENDS: Final = ("voided", "corrected", "reseated", "answered", "open")
SEAT_KINDS: Final = ("public", "private", "anonymous")

COUNT_DISPUTES: Final = """
SELECT CASE
        WHEN sent.status <> 'accepted' THEN sent.status
        WHEN NOT EXISTS (
            SELECT FROM mahjic.seats AS seats WHERE seats.player_id = told.player_id
                AND seats.session_id = told.session_id AND seats.sits
        ) THEN 'reseated'
        WHEN told.answer IS NOT NULL THEN 'answered'
        ELSE 'open'
    END AS ended, count(*)
FROM mahjic.disputes AS told JOIN mahjic.submissions AS sent USING (session_id)
WHERE told.said_at >= $1 AND told.said_at < $2 GROUP BY 1
"""
# Whoever is forgotten counts as private, as everywhere.
COUNT_SEATS: Final = """
WITH sat AS (
    SELECT seats.player_id, count(*) AS seats FROM mahjic.seats AS seats
    JOIN mahjic.submissions AS sent USING (session_id)
    WHERE seats.sits AND sent.status = 'accepted' AND sent.place_seq BETWEEN $1 AND $2
    GROUP BY seats.player_id
)
SELECT CASE
        WHEN starts_with(sat.player_id, 'AN-') THEN 'anonymous'
        WHEN EXISTS (
            SELECT FROM mahjic.public_players AS shown
            WHERE shown.player_id = mahjic.survivor(sat.player_id)
        ) THEN 'public'
        ELSE 'private'
    END AS kind, sum(sat.seats)::bigint AS seats
FROM sat GROUP BY 1
"""
COUNT_FORGOTTEN: Final = """
SELECT count(DISTINCT mahjic.survivor(players.player_id)) FROM mahjic.players AS players
WHERE NOT EXISTS (SELECT FROM mahjic.people WHERE people.player_id = players.player_id)
"""


async def count_disputes(connection: Connection, begin: datetime, end: datetime) -> dict[str, int]:
    """Return how those disputes ended that were told from `begin` on and before `end`."""
    rows = await connection.fetch(COUNT_DISPUTES, begin, end)
    ended = {row["ended"]: row["count"] for row in rows}
    return {name: ended.get(name, 0) for name in DISPUTE_ENDS}


async def count_seats(connection: Connection, first: int, last: int) -> dict[str, int]:
    """Return whose seats there are in sessions that count, with a place from `first` to `last`.

    A player has one seat in a session, however many rounds it has.
    """
    rows = await connection.fetch(COUNT_SEATS, first, last)
    seats = {row["kind"]: row["seats"] for row in rows}
    return {kind: seats.get(kind, 0) for kind in SEAT_KINDS}


async def count_forgotten(connection: Connection) -> int:
    """Return how many people have been forgotten so far; when, nobody keeps."""
    forgotten: int = await connection.fetchval(COUNT_FORGOTTEN)
    return forgotten
