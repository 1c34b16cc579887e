"""Brings who sat in which session up to the seats that facts reassigned. Read `reseat` first."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

import asyncpg

from shared.events.verdicts import ReseatedSession
from shared.feed.views import Connection

# If two facts ever name one session, the first one counts.
READ_SESSIONS: Final = """
SELECT DISTINCT ON (session_id) session_id, fact_seq, source, session_date, players
FROM {schema}.sessions WHERE session_id = ANY($1::text[])
ORDER BY session_id, fact_seq
"""
SEAT: Final = """
UPDATE {schema}.sessions SET players = $2 WHERE fact_seq = $1
"""
LEAVE: Final = """
DELETE FROM {schema}.attendances WHERE fact_seq = $1 AND player_id = ANY($2::text[])
"""
ATTEND: Final = """
INSERT INTO {schema}.attendances AS a (
    player_id, fact_seq, source, session_date, mahjongs, wall_games
)
SELECT n.player_id, $1::bigint, $2::text, $3::date, n.mahjongs, n.wall_games
FROM unnest($4::text[], $5::integer[], $6::integer[]) AS n (player_id, mahjongs, wall_games)
ON CONFLICT (player_id, fact_seq) DO UPDATE SET
    mahjongs = a.mahjongs + EXCLUDED.mahjongs, wall_games = a.wall_games + EXCLUDED.wall_games
"""


async def reseat(connection: Connection, schema: str, sessions: Sequence[ReseatedSession]) -> None:
    """Move the attendances of seats that were reassigned, in the order of the facts.

    All of these sessions count: none is reassigned after it ended.
    """
    if not sessions:
        return
    names = sorted({each.session_id for each in sessions})
    rows = await connection.fetch(READ_SESSIONS.format(schema=schema), names)
    known = {row["session_id"]: row for row in rows}
    seated = {session_id: set(row["players"]) for session_id, row in known.items()}
    for each in sessions:
        players = seated[each.session_id]
        players -= {*each.left}
        players |= {*each.joined}
        await _move(connection, schema, known[each.session_id], each)
    for session_id, players in seated.items():
        fact_seq = known[session_id]["fact_seq"]
        await connection.execute(SEAT.format(schema=schema), fact_seq, sorted(players))


async def _move(
    connection: Connection, schema: str, session: asyncpg.Record, moved: ReseatedSession
) -> None:
    fact_seq = session["fact_seq"]
    await connection.execute(LEAVE.format(schema=schema), fact_seq, moved.left)
    gained = results_gained(moved)
    await connection.execute(
        ATTEND.format(schema=schema),
        fact_seq,
        session["source"],
        session["session_date"],
        list(gained),
        [mahjongs for mahjongs, _ in gained.values()],
        [wall_games for _, wall_games in gained.values()],
    )


def results_gained(moved: ReseatedSession) -> Mapping[str, tuple[int, int]]:
    """Return the games won and the wall games that those who still sit there get or lose. Pure."""
    gained: dict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
    columns = zip(moved.was, moved.now, moved.mahjongs, moved.wall_games, strict=True)
    for was, now, mahjongs, wall_games in columns:
        for player, sign in ((was, -1), (now, 1)):
            won, walls = gained[player]
            gained[player] = (won + sign * mahjongs, walls + sign * wall_games)
    return {player: both for player, both in gained.items() if player not in moved.left}
