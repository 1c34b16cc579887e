"""Puts on record who sits in sessions from a fact on that reassigned their seats.

What was sent stays, and recognizes what is sent again; so does who sits there now. Call it under
the lock on the head.
"""

from collections.abc import Mapping
from typing import Final

from services.ingest.record.judging.identified import seated_players
from services.ingest.record.known.groups import PlayedSession
from services.ingest.record.reprinting import print_sessions
from shared.events.facts import SeatsReassigned
from shared.log.postgres import Connection
from shared.replay.reseating import Tables, with_seated, written_tables

WRITE_RESEATS: Final = """
INSERT INTO mahjic.reseats (session_id, fact_seq, given, taker, seats)
SELECT n.session_id, $3, $4, $5, n.seats
FROM unnest($1::text[], $2::jsonb[]) AS n (session_id, seats)
ON CONFLICT (session_id) DO UPDATE SET
    fact_seq = excluded.fact_seq, given = excluded.given, taker = excluded.taker,
    seats = excluded.seats
"""
LEAVE: Final = """
DELETE FROM mahjic.seats AS s
WHERE s.session_id = ANY($3) AND NOT s.is_sent AND NOT EXISTS (
    SELECT FROM unnest($1::text[], $2::text[]) AS n (player_id, session_id)
    WHERE n.session_id = s.session_id AND n.player_id = s.player_id
)
"""
STAY: Final = """
UPDATE mahjic.seats AS s SET sits = EXISTS (
    SELECT FROM unnest($1::text[], $2::text[]) AS n (player_id, session_id)
    WHERE n.session_id = s.session_id AND n.player_id = s.player_id
)
WHERE s.session_id = ANY($3)
"""
JOIN: Final = """
INSERT INTO mahjic.seats (player_id, session_date, session_id, is_sent, sits)
SELECT n.player_id, sent.session_date, n.session_id, false, true
FROM unnest($1::text[], $2::text[]) AS n (player_id, session_id)
JOIN mahjic.submissions AS sent ON sent.session_id = n.session_id
ON CONFLICT (player_id, session_date, session_id) DO NOTHING
"""


async def write_reseats(
    connection: Connection,
    seq: int,
    fact: SeatsReassigned,
    sessions: Mapping[str, tuple[PlayedSession, Tables[str]]],
) -> None:
    """Write who sits in these sessions, by id, from fact `seq` on."""
    await connection.execute(
        WRITE_RESEATS,
        list(sessions),
        [written_tables(tables) for _, tables in sessions.values()],
        seq,
        fact.from_,
        fact.to,
    )
    seated = [
        PlayedSession(each.session_id, each.source, each.played, with_seated(each.played, tables))
        for each, tables in sessions.values()
    ]
    seats = [
        (player_id, each.session_id) for each in seated for player_id in seated_players(each.seated)
    ]
    now = [player_id for player_id, _ in seats], [session_id for _, session_id in seats]
    await connection.execute(LEAVE, *now, list(sessions))
    await connection.execute(STAY, *now, list(sessions))
    await connection.execute(JOIN, *now)
    await print_sessions(connection, seated)
