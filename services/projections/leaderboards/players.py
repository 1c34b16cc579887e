"""Keeps what boards are made of: standings, who is Verified, and which sources players visit."""

from typing import Final

from services.projections.common.attendances import take_in_sessions, to_recount
from services.projections.common.groups import MEMBERS, take_in_groups
from services.projections.common.pending import due
from services.projections.common.standings import standings_after, verifications_after
from services.projections.common.verdicts import visits_in
from shared.feed.views import Connection, VerdictBatch
from shared.rating.registry import START_CENTI

WRITE_PLAYERS: Final = """
INSERT INTO {schema}.players AS p (
    player_id, is_flagged, is_verified, rating_centi, verified_games, last_session_date
)
SELECT player_id, false, false, rating_centi, verified_games, last_session_date
FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::date[])
    AS n (player_id, rating_centi, verified_games, last_session_date)
ON CONFLICT (player_id) DO UPDATE SET
    rating_centi = EXCLUDED.rating_centi,
    verified_games = EXCLUDED.verified_games,
    last_session_date = GREATEST(p.last_session_date, EXCLUDED.last_session_date)
"""
WRITE_VERIFICATIONS: Final = """
INSERT INTO {schema}.players (
    player_id, is_flagged, is_verified, rating_centi, verified_games, last_session_date
)
SELECT player_id, is_flagged, false, $3, 0, NULL
FROM unnest($1::text[], $2::boolean[]) AS n (player_id, is_flagged)
ON CONFLICT (player_id) DO UPDATE SET is_flagged = EXCLUDED.is_flagged
"""
# Everyone who is merged, or has someone merged into them, has a row to be found in.
WRITE_NEWCOMERS: Final = """
INSERT INTO {schema}.players (
    player_id, is_flagged, is_verified, rating_centi, verified_games, last_session_date
)
SELECT player_id, false, false, $2, 0, NULL
FROM unnest($1::text[]) AS n (player_id) ON CONFLICT (player_id) DO NOTHING
"""
WRITE_VISITS: Final = """
INSERT INTO {schema}.visits (player_id, source)
SELECT player_id, source FROM unnest($1::text[], $2::text[]) AS n (player_id, source)
ON CONFLICT (player_id, source) DO NOTHING
"""
# For each player given, from the sessions of all members: what a correction or a merge changes.
RECOUNT_PLAYERS: Final = f"""
WITH {MEMBERS}, counted AS (
    SELECT survivor, max(session_date) AS last_session_date FROM attended GROUP BY survivor
), flagged AS (
    SELECT DISTINCT member.survivor
    FROM member CROSS JOIN LATERAL (
        SELECT FROM {{schema}}.players AS own
        WHERE own.player_id = member.player_id AND own.is_flagged OFFSET 0
    ) AS own
    WHERE member.player_id <> member.survivor
)
UPDATE {{schema}}.players AS p SET
    last_session_date = counted.last_session_date,
    is_verified = flagged.survivor IS NOT NULL OR (p.is_flagged AND NOT due.is_merged)
FROM due
LEFT JOIN counted ON counted.survivor = due.player_id
LEFT JOIN flagged ON flagged.survivor = due.player_id
WHERE p.player_id = due.player_id
"""
RECOUNT_VISITS: Final = f"""
WITH {MEMBERS}, wanted AS MATERIALIZED (
    SELECT DISTINCT survivor AS player_id, source FROM attended
), removed AS (
    DELETE FROM {{schema}}.visits AS v
    WHERE v.player_id = ANY($1::text[]) AND NOT EXISTS (
        SELECT FROM wanted WHERE wanted.player_id = v.player_id AND wanted.source = v.source
    )
)
INSERT INTO {{schema}}.visits (player_id, source)
SELECT player_id, source FROM wanted ON CONFLICT (player_id, source) DO NOTHING
"""


async def write_players(connection: Connection, schema: str, batch: VerdictBatch) -> set[str]:
    """Write the players' standings after the verdicts of a batch, and return who they are."""
    standings, verifications = batch.once(standings_after), batch.once(verifications_after)
    if standings:
        await connection.execute(
            WRITE_PLAYERS.format(schema=schema),
            list(standings),
            [each.verified_rating_centi for each in standings.values()],
            [each.verified_games for each in standings.values()],
            [each.last_session_date for each in standings.values()],
        )
    if visits := batch.once(visits_in):
        await connection.execute(
            WRITE_VISITS.format(schema=schema),
            [player_id for player_id, _ in visits],
            [source for _, source in visits],
        )
    if verifications:
        await connection.execute(
            WRITE_VERIFICATIONS.format(schema=schema),
            list(verifications),
            [is_verified for is_verified, _ in verifications.values()],
            START_CENTI,
        )
    return standings.keys() | verifications.keys()


async def recount_players(connection: Connection, schema: str, batch: VerdictBatch) -> set[str]:
    """Write what verifications, corrections and merges change for players. Return who they are."""
    groups = await take_in_groups(connection, schema, batch)
    ended = await take_in_sessions(connection, schema, batch)
    if groups.regrouped:
        await connection.execute(
            WRITE_NEWCOMERS.format(schema=schema), sorted(groups.regrouped), START_CENTI
        )
    recounted = await to_recount(connection, schema, batch, groups, ended)
    recounted = await due(connection, schema, batch.verdicts, recounted)
    players = recounted | groups.verified.keys()
    if players:
        await connection.execute(RECOUNT_PLAYERS.format(schema=schema), sorted(players))
    if recounted:
        await connection.execute(RECOUNT_VISITS.format(schema=schema), sorted(recounted))
    return players
