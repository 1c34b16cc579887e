"""Keeps what each source has brought in, and how many public players sat in its sessions."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import chain
from typing import ClassVar, Final

from services.projections.common.attendances import (
    EndedSession,
    attendances_sql,
    take_in_sessions,
    to_recount,
)
from services.projections.common.groups import MEMBERS, survivors, take_in_groups
from services.projections.common.tables import add_up, read_schema_sql
from services.projections.common.verdicts import rated_sessions, replacing_sessions, visits_in
from shared.events.codec import Verdict
from shared.feed.views import Connection, VerdictBatch

# A source's latest session is looked up when a late one is left out.
SESSIONS_BY_DATE_SQL: Final = """
CREATE INDEX sessions_by_date ON sessions (source, session_date) WHERE ended IS NULL;
"""
WRITE_SOURCES: Final = """
INSERT INTO {schema}.sources AS s (
    source, sessions, rounds, games, players, sessions_voided, last_session_date
)
SELECT source, sessions, rounds, games, 0, sessions_voided, last_session_date
FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::date[])
    AS n (source, sessions, rounds, games, sessions_voided, last_session_date)
ON CONFLICT (source) DO UPDATE SET
    sessions = s.sessions + EXCLUDED.sessions,
    rounds = s.rounds + EXCLUDED.rounds,
    games = s.games + EXCLUDED.games,
    sessions_voided = s.sessions_voided + EXCLUDED.sessions_voided,
    last_session_date = GREATEST(s.last_session_date, EXCLUDED.last_session_date)
"""
FIND_LAST_SESSIONS: Final = """
UPDATE {schema}.sources AS s SET last_session_date = (
    SELECT max(sessions.session_date) FROM {schema}.sessions
    WHERE sessions.source = s.source AND sessions.ended IS NULL
)
WHERE s.source = ANY($1::text[])
"""
WRITE_PLAYERS: Final = """
INSERT INTO {schema}.players (player_id, source, is_public)
SELECT player_id, source, false FROM unnest($1::text[], $2::text[]) AS n (player_id, source)
ON CONFLICT (player_id, source) DO NOTHING
"""
# For each player given, from the sessions of all members: what a correction or a merge changes.
RECOUNT_VISITS: Final = f"""
WITH {MEMBERS}, wanted AS MATERIALIZED (
    SELECT DISTINCT survivor AS player_id, source FROM attended
), removed AS (
    DELETE FROM {{schema}}.players AS p
    WHERE p.player_id = ANY($1::text[]) AND NOT EXISTS (
        SELECT FROM wanted WHERE wanted.player_id = p.player_id AND wanted.source = p.source
    )
    RETURNING p.source, p.is_public
), added AS (
    INSERT INTO {{schema}}.players (player_id, source, is_public)
    SELECT player_id, source, false FROM wanted ON CONFLICT (player_id, source) DO NOTHING
), lost AS (
    SELECT source, count(*) AS players FROM removed WHERE is_public GROUP BY source
)
UPDATE {{schema}}.sources AS s SET players = s.players - lost.players
FROM lost WHERE s.source = lost.source
"""
# Who became visible, or no longer is, and what that does to the counts. Each player given is looked
# up separately: a plan is made while the tables are small and kept as they grow.
RECOUNT_PLAYERS: Final = """
WITH touched AS MATERIALIZED (
    SELECT named.player_id, public.player_id IS NOT NULL AS is_public
    FROM unnest($1::text[]) AS named (player_id)
    LEFT JOIN LATERAL (
        SELECT public.player_id FROM mahjic.public_players AS public
        WHERE public.player_id = named.player_id OFFSET 0
    ) AS public ON true
), turned AS (
    UPDATE {schema}.players AS p SET is_public = touched.is_public
    FROM touched
    WHERE p.player_id = ANY($1::text[]) AND p.player_id = touched.player_id
        AND p.is_public <> touched.is_public
    RETURNING p.source, p.is_public
), moved AS (
    SELECT source, sum(CASE WHEN is_public THEN 1 ELSE -1 END) AS players
    FROM turned GROUP BY source
)
UPDATE {schema}.sources AS s SET players = s.players + moved.players
FROM moved WHERE s.source = moved.source
"""
# The last one counts rows that differ from counting everything again.
ADD_UP: Final = """
WITH counted AS (
    SELECT source, count(*) AS sessions, sum(rounds) AS rounds, sum(games) AS games,
        max(session_date) AS last_session_date
    FROM {schema}.sessions WHERE ended IS NULL GROUP BY source
), attended AS (
    SELECT COALESCE(m.survivor, a.player_id) AS player_id, a.source
    FROM {schema}.attendances AS a LEFT JOIN {schema}.merges AS m ON m.player_id = a.player_id
), sitting AS (
    SELECT player_id, source FROM {schema}.players
), seen AS (
    SELECT source, count(*) AS players FROM {schema}.players WHERE is_public GROUP BY source
), wrong AS (
    SELECT s.source FROM {schema}.sources AS s
    LEFT JOIN counted ON counted.source = s.source
    LEFT JOIN seen ON seen.source = s.source
    WHERE (s.sessions, s.rounds, s.games, s.players, s.last_session_date) IS DISTINCT FROM (
        COALESCE(counted.sessions, 0), COALESCE(counted.rounds, 0), COALESCE(counted.games, 0),
        COALESCE(seen.players, 0), counted.last_session_date
    )
    UNION ALL
    SELECT source FROM (
        (SELECT player_id, source FROM attended EXCEPT SELECT player_id, source FROM sitting)
        UNION ALL
        (SELECT player_id, source FROM sitting EXCEPT SELECT player_id, source FROM attended)
    ) AS different
)
SELECT
    COALESCE(sum(sessions), 0)::bigint AS sessions_that_count,
    COALESCE(sum(sessions_voided), 0)::bigint AS sessions_voided,
    (SELECT COALESCE(sum(rounds), 0) FROM {schema}.sessions)::bigint AS rounds_in_all,
    (SELECT COALESCE(sum(games), 0) FROM {schema}.sessions)::bigint AS games_in_all,
    (SELECT count(*) FROM wrong) AS wrong_rows
FROM {schema}.sources
"""


class SourcesView:
    """The view of sources."""

    name: ClassVar[str] = "sources"
    version: ClassVar[int] = 3

    @property
    def schema_sql(self) -> str:
        return read_schema_sql(__package__) + attendances_sql() + SESSIONS_BY_DATE_SQL

    async def apply(self, connection: Connection, schema: str, batch: VerdictBatch) -> None:
        """Add what the sources brought in, and count again who is public."""
        touched: set[str] = set()
        if batch.entries:
            touched |= await _write_sources(connection, schema, batch)
        if batch.changed_people:
            # A private member hides the player that it is read as.
            changed = set(batch.changed_people)
            touched |= changed | await survivors(connection, schema, changed)
        await connection.execute(RECOUNT_PLAYERS.format(schema=schema), sorted(touched))

    async def attest(self, connection: Connection, schema: str) -> dict[str, int]:
        """Add up sessions, rounds and games, and count what is wrong."""
        return await add_up(connection, ADD_UP.format(schema=schema))


async def _write_sources(connection: Connection, schema: str, batch: VerdictBatch) -> set[str]:
    """Write what a batch changes for sources and their players. Return those players."""
    groups = await take_in_groups(connection, schema, batch)
    ended = await take_in_sessions(connection, schema, batch)
    gained = gains(batch.verdicts, ended)
    if gained:
        await connection.execute(
            WRITE_SOURCES.format(schema=schema),
            list(gained),
            [each.sessions for each in gained.values()],
            [each.rounds for each in gained.values()],
            [each.games for each in gained.values()],
            [each.sessions_voided for each in gained.values()],
            [each.last_session_date for each in gained.values()],
        )
    if ended:
        left = sorted({each.source for each in ended})
        await connection.execute(FIND_LAST_SESSIONS.format(schema=schema), left)
    if players := batch.once(visits_in):
        await connection.execute(
            WRITE_PLAYERS.format(schema=schema),
            [player_id for player_id, _ in players],
            [source for _, source in players],
        )
    recounted = await to_recount(connection, schema, batch, groups, ended)
    if recounted:
        await connection.execute(RECOUNT_VISITS.format(schema=schema), sorted(recounted))
    return recounted | {player_id for player_id, _ in players}


@dataclass(slots=True)
class Gain:
    """What one source gains, or loses, with a batch."""

    sessions: int = 0
    rounds: int = 0
    games: int = 0
    sessions_voided: int = 0
    last_session_date: date | None = None


def gains(verdicts: Sequence[Verdict], ended: Sequence[EndedSession]) -> dict[str, Gain]:
    """Return what each source gains by the sessions that come in, minus those that end. Pure."""
    gained: dict[str, Gain] = {}
    for _, session in chain(rated_sessions(verdicts), replacing_sessions(verdicts)):
        gain = gained.setdefault(session.source, Gain())
        gain.sessions += 1
        gain.rounds += len(session.rounds)
        gain.games += sum(rated.games_played for rated in session.rounds)
        session_date = date.fromisoformat(session.session_date)
        gain.last_session_date = max(gain.last_session_date or session_date, session_date)
    for each in ended:
        gain = gained.setdefault(each.source, Gain())
        if each.before is None:
            gain.sessions -= 1
            gain.rounds -= each.rounds
            gain.games -= each.games
        gain.sessions_voided += (each.after == "voided") - (each.before == "voided")
    return gained
