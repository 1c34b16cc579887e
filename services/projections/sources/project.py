"""Keeps what each source has brought in, and how many public players sat in its sessions."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import ClassVar, Final

from services.projections.tables import (
    add_up,
    rated_sessions,
    read_schema_sql,
    seated_players,
)
from shared.feed import Batch, Connection, Entry

WRITE_SOURCES: Final = """
INSERT INTO {schema}.sources AS s (source, sessions, rounds, games, players, last_session_date)
SELECT source, sessions, rounds, games, 0, last_session_date
FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::date[])
    AS n (source, sessions, rounds, games, last_session_date)
ON CONFLICT (source) DO UPDATE SET
    sessions = s.sessions + EXCLUDED.sessions,
    rounds = s.rounds + EXCLUDED.rounds,
    games = s.games + EXCLUDED.games,
    last_session_date = GREATEST(s.last_session_date, EXCLUDED.last_session_date)
"""
WRITE_PLAYERS: Final = """
INSERT INTO {schema}.players (player_id, source, is_public)
SELECT player_id, source, false FROM unnest($1::text[], $2::text[]) AS n (player_id, source)
ON CONFLICT (player_id, source) DO NOTHING
"""
# Who became visible, or stopped being it, and what that makes of the counts.
RECOUNT_PLAYERS: Final = """
WITH turned AS (
    UPDATE {schema}.players AS p SET is_public = NOT p.is_public
    FROM unnest($1::text[]) AS touched (player_id)
    LEFT JOIN mahjic.public_players USING (player_id)
    WHERE p.player_id = touched.player_id
        AND p.is_public <> (public_players.player_id IS NOT NULL)
    RETURNING p.source, p.is_public
), moved AS (
    SELECT source, sum(CASE WHEN is_public THEN 1 ELSE -1 END) AS players
    FROM turned GROUP BY source
)
UPDATE {schema}.sources AS s SET players = s.players + moved.players
FROM moved WHERE s.source = moved.source
"""
ADD_UP: Final = """
SELECT
    COALESCE(sum(sessions), 0)::bigint AS sessions,
    COALESCE(sum(rounds), 0)::bigint AS rounds,
    COALESCE(sum(games), 0)::bigint AS games
FROM {schema}.sources
"""


class Sources:
    """The view of sources."""

    name: ClassVar[str] = "sources"
    version: ClassVar[int] = 1

    @property
    def schema_sql(self) -> str:
        """The tables."""
        return read_schema_sql(__package__)

    async def apply(self, connection: Connection, schema: str, batch: Batch) -> None:
        """Add what the sources brought in, and count again whom everybody may see."""
        brought, players = brought_in(batch.entries)
        if brought:
            await connection.execute(
                WRITE_SOURCES.format(schema=schema),
                list(brought),
                [each.sessions for each in brought.values()],
                [each.rounds for each in brought.values()],
                [each.games for each in brought.values()],
                [each.last_session_date for each in brought.values()],
            )
            await connection.execute(
                WRITE_PLAYERS.format(schema=schema),
                [player_id for player_id, _ in players],
                [source for _, source in players],
            )
        touched = {player_id for player_id, _ in players} | set(batch.changed_people)
        await connection.execute(RECOUNT_PLAYERS.format(schema=schema), sorted(touched))

    async def attest(self, connection: Connection, schema: str) -> dict[str, int]:
        """Add up sessions, rounds and games."""
        return await add_up(connection, ADD_UP.format(schema=schema))


@dataclass(slots=True)
class BroughtIn:
    """What one source brought in with a batch."""

    sessions: int = 0
    rounds: int = 0
    games: int = 0
    last_session_date: date = date.min


def brought_in(entries: Sequence[Entry]) -> tuple[dict[str, BroughtIn], list[tuple[str, str]]]:
    """Return what each source brought in, and every player of it with the source's name."""
    brought: dict[str, BroughtIn] = {}
    players: set[tuple[str, str]] = set()
    for _, session in rated_sessions(entries):
        each = brought.setdefault(session.source, BroughtIn())
        each.sessions += 1
        each.rounds += len(session.rounds)
        each.games += sum(rated.games_played for rated in session.rounds)
        session_date = date.fromisoformat(session.session_date)
        each.last_session_date = max(each.last_session_date, session_date)
        for rated in session.rounds:
            players.update((player_id, session.source) for _, player_id in seated_players(rated))
    return brought, sorted(players)
