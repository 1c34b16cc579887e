"""Keeps each player's profile: ratings, record, sessions, and whether Verified."""

from collections.abc import Mapping
from typing import ClassVar, Final

from services.projections.common.attendances import attendances_sql, take_in_sessions, to_recount
from services.projections.common.groups import MEMBERS, take_in_groups
from services.projections.common.pending import PENDING_SQL, due
from services.projections.common.standings import standings_after, verifications_after
from services.projections.common.tables import add_up, read_schema_sql
from shared.feed.views import Connection, VerdictBatch
from shared.rating.registry import START_CENTI

WRITE_STANDINGS: Final = """
INSERT INTO {schema}.profiles AS p (
    player_id, rating_centi, games, is_flagged, is_verified, verified_rating_centi,
    verified_games, sessions, mahjongs, wall_games, last_session_date, fact_seq
)
SELECT player_id, rating_centi, games, false, false, verified_rating_centi, verified_games,
    sessions, mahjongs, wall_games, last_session_date, fact_seq
FROM unnest(
    $1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[],
    $7::bigint[], $8::bigint[], $9::date[], $10::bigint[]
) AS n (
    player_id, rating_centi, games, verified_rating_centi, verified_games, sessions, mahjongs,
    wall_games, last_session_date, fact_seq
)
ON CONFLICT (player_id) DO UPDATE SET
    rating_centi = EXCLUDED.rating_centi,
    games = EXCLUDED.games,
    verified_rating_centi = EXCLUDED.verified_rating_centi,
    verified_games = EXCLUDED.verified_games,
    sessions = p.sessions + EXCLUDED.sessions,
    mahjongs = p.mahjongs + EXCLUDED.mahjongs,
    wall_games = p.wall_games + EXCLUDED.wall_games,
    last_session_date = GREATEST(p.last_session_date, EXCLUDED.last_session_date),
    fact_seq = GREATEST(p.fact_seq, EXCLUDED.fact_seq)
"""
WRITE_VERIFICATIONS: Final = """
INSERT INTO {schema}.profiles AS p (
    player_id, rating_centi, games, is_flagged, is_verified, verified_rating_centi,
    verified_games, sessions, mahjongs, wall_games, last_session_date, fact_seq
)
SELECT player_id, $4, 0, is_flagged, false, $4, 0, 0, 0, 0, NULL, fact_seq
FROM unnest($1::text[], $2::boolean[], $3::bigint[]) AS n (player_id, is_flagged, fact_seq)
ON CONFLICT (player_id) DO UPDATE SET
    is_flagged = EXCLUDED.is_flagged,
    fact_seq = GREATEST(p.fact_seq, EXCLUDED.fact_seq)
"""
# Everyone who is merged, or has someone merged into them, has a row to be found in.
WRITE_NEWCOMERS: Final = """
INSERT INTO {schema}.profiles (
    player_id, rating_centi, games, is_flagged, is_verified, verified_rating_centi,
    verified_games, sessions, mahjongs, wall_games, last_session_date, fact_seq
)
SELECT player_id, $2, 0, false, false, $2, 0, 0, 0, 0, NULL, 0
FROM unnest($1::text[]) AS n (player_id) ON CONFLICT (player_id) DO NOTHING
"""
# For each player given, from the sessions of all members: what a correction or a merge changes.
RECOUNT: Final = f"""
WITH {MEMBERS}, counted AS (
    SELECT survivor, count(DISTINCT fact_seq) AS sessions, sum(mahjongs) AS mahjongs,
        sum(wall_games) AS wall_games, max(session_date) AS last_session_date
    FROM attended GROUP BY survivor
), flagged AS (
    SELECT DISTINCT member.survivor
    FROM member CROSS JOIN LATERAL (
        SELECT FROM {{schema}}.profiles AS own
        WHERE own.player_id = member.player_id AND own.is_flagged OFFSET 0
    ) AS own
    WHERE member.player_id <> member.survivor
)
UPDATE {{schema}}.profiles AS p SET
    sessions = COALESCE(counted.sessions, 0),
    mahjongs = COALESCE(counted.mahjongs, 0),
    wall_games = COALESCE(counted.wall_games, 0),
    last_session_date = counted.last_session_date,
    is_verified = flagged.survivor IS NOT NULL OR (p.is_flagged AND NOT due.is_merged)
FROM due
LEFT JOIN counted ON counted.survivor = due.player_id
LEFT JOIN flagged ON flagged.survivor = due.player_id
WHERE p.player_id = due.player_id
"""
# What the facts say about anyone merged into a player touches that player.
TOUCH: Final = """
UPDATE {schema}.profiles AS p SET fact_seq = GREATEST(p.fact_seq, n.fact_seq)
FROM unnest($1::text[], $2::bigint[]) AS n (player_id, fact_seq) WHERE p.player_id = n.player_id
"""
# The last one counts rows that differ from counting everything again.
ADD_UP: Final = """
WITH counted AS (
    SELECT COALESCE(m.survivor, a.player_id) AS player_id, count(DISTINCT a.fact_seq) AS sessions,
        sum(a.mahjongs) AS mahjongs, sum(a.wall_games) AS wall_games,
        max(a.session_date) AS last_session_date
    FROM {schema}.attendances AS a LEFT JOIN {schema}.merges AS m ON m.player_id = a.player_id
    GROUP BY 1
), flagged AS (
    SELECT DISTINCT COALESCE(m.survivor, own.player_id) AS player_id
    FROM {schema}.profiles AS own LEFT JOIN {schema}.merges AS m ON m.player_id = own.player_id
    WHERE own.is_flagged
), wrong AS (
    SELECT FROM {schema}.profiles AS p
    LEFT JOIN counted ON counted.player_id = p.player_id
    LEFT JOIN flagged ON flagged.player_id = p.player_id
    WHERE NOT EXISTS (SELECT FROM {schema}.pending WHERE pending.player_id = p.player_id)
        AND (p.sessions, p.mahjongs, p.wall_games, p.last_session_date, p.is_verified)
        IS DISTINCT FROM (
            COALESCE(counted.sessions, 0), COALESCE(counted.mahjongs, 0),
            COALESCE(counted.wall_games, 0), counted.last_session_date,
            flagged.player_id IS NOT NULL
        )
)
SELECT
    COALESCE(sum(rating_centi - $1), 0)::bigint AS change_centi,
    COALESCE(sum(verified_rating_centi - $1), 0)::bigint AS verified_change_centi,
    COALESCE(sum(games), 0)::bigint AS player_games,
    COALESCE(sum(verified_games), 0)::bigint AS verified_player_games,
    (
        SELECT COALESCE(sum(cardinality(players)), 0) FROM {schema}.sessions
        WHERE ended IS NOT NULL
    ) + (SELECT count(*) FROM {schema}.attendances) AS attendances_in_all,
    (SELECT count(*) FROM {schema}.sessions WHERE ended IS NULL) AS sessions_that_count,
    (SELECT count(*) FROM wrong) AS wrong_rows
FROM {schema}.profiles
"""


class ProfilesView:
    """The view of profiles."""

    name: ClassVar[str] = "profiles"
    version: ClassVar[int] = 3

    @property
    def schema_sql(self) -> str:
        return read_schema_sql(__package__) + attendances_sql() + PENDING_SQL

    async def apply(self, connection: Connection, schema: str, batch: VerdictBatch) -> None:
        """Write the standings after the batch. What people chose is read only when it is shown."""
        if not batch.entries:
            return
        groups = await take_in_groups(connection, schema, batch)
        ended = await take_in_sessions(connection, schema, batch)
        await _write_standings(connection, schema, batch)
        if groups.regrouped:
            await connection.execute(
                WRITE_NEWCOMERS.format(schema=schema), sorted(groups.regrouped), START_CENTI
            )
        players = await to_recount(connection, schema, batch, groups, ended)
        players = await due(connection, schema, batch.verdicts, players | groups.verified.keys())
        if players:
            await connection.execute(RECOUNT.format(schema=schema), sorted(players))
            await _touch(connection, schema, groups.verified)

    async def attest(self, connection: Connection, schema: str) -> dict[str, int]:
        """Add up changes and games in both pools and sessions, and count what is wrong."""
        return await add_up(connection, ADD_UP.format(schema=schema), START_CENTI)


async def _write_standings(connection: Connection, schema: str, batch: VerdictBatch) -> None:
    standings = batch.once(standings_after).values()
    if standings:
        await connection.execute(
            WRITE_STANDINGS.format(schema=schema),
            [each.player_id for each in standings],
            [each.rating_centi for each in standings],
            [each.games for each in standings],
            [each.verified_rating_centi for each in standings],
            [each.verified_games for each in standings],
            [each.sessions for each in standings],
            [each.mahjongs for each in standings],
            [each.wall_games for each in standings],
            [each.last_session_date for each in standings],
            [each.fact_seq for each in standings],
        )
    verifications = batch.once(verifications_after)
    if verifications:
        await connection.execute(
            WRITE_VERIFICATIONS.format(schema=schema),
            list(verifications),
            [is_verified for is_verified, _ in verifications.values()],
            [fact_seq for _, fact_seq in verifications.values()],
            START_CENTI,
        )


async def _touch(connection: Connection, schema: str, facts: Mapping[str, int]) -> None:
    if facts:
        await connection.execute(TOUCH.format(schema=schema), list(facts), list(facts.values()))
