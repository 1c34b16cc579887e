"""Keeps each player's profile: ratings, games and sessions, and whether Verified."""

from typing import ClassVar, Final

from services.projections.standings import standings_after, verifications_after
from services.projections.tables import add_up, read_schema_sql
from shared.feed import Batch, Connection
from shared.rating.formulas import START_CENTI

WRITE_STANDINGS: Final = """
INSERT INTO {schema}.profiles AS p (
    player_id, rating_centi, games, is_verified, verified_rating_centi, verified_games,
    sessions, last_session_date, fact_seq
)
SELECT player_id, rating_centi, games, false, verified_rating_centi, verified_games,
    sessions, last_session_date, fact_seq
FROM unnest(
    $1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[],
    $7::date[], $8::bigint[]
) AS n (
    player_id, rating_centi, games, verified_rating_centi, verified_games, sessions,
    last_session_date, fact_seq
)
ON CONFLICT (player_id) DO UPDATE SET
    rating_centi = EXCLUDED.rating_centi,
    games = EXCLUDED.games,
    verified_rating_centi = EXCLUDED.verified_rating_centi,
    verified_games = EXCLUDED.verified_games,
    sessions = p.sessions + EXCLUDED.sessions,
    last_session_date = GREATEST(p.last_session_date, EXCLUDED.last_session_date),
    fact_seq = GREATEST(p.fact_seq, EXCLUDED.fact_seq)
"""
WRITE_VERIFICATIONS: Final = """
INSERT INTO {schema}.profiles AS p (
    player_id, rating_centi, games, is_verified, verified_rating_centi, verified_games,
    sessions, last_session_date, fact_seq
)
SELECT player_id, $4, 0, is_verified, $4, 0, 0, NULL, fact_seq
FROM unnest($1::text[], $2::boolean[], $3::bigint[]) AS n (player_id, is_verified, fact_seq)
ON CONFLICT (player_id) DO UPDATE SET
    is_verified = EXCLUDED.is_verified,
    fact_seq = GREATEST(p.fact_seq, EXCLUDED.fact_seq)
"""
ADD_UP: Final = """
SELECT
    COALESCE(sum(rating_centi - $1), 0)::bigint AS change_centi,
    COALESCE(sum(verified_rating_centi - $1), 0)::bigint AS verified_change_centi,
    COALESCE(sum(sessions), 0)::bigint AS players_in_sessions
FROM {schema}.profiles
"""


class Profiles:
    """The view of profiles."""

    name: ClassVar[str] = "profiles"
    version: ClassVar[int] = 1

    @property
    def schema_sql(self) -> str:
        """The tables."""
        return read_schema_sql(__package__)

    async def apply(self, connection: Connection, schema: str, batch: Batch) -> None:
        """Write the standings after the batch. What people chose is read when it is shown."""
        standings = list(standings_after(batch.entries).values())
        if standings:
            await connection.execute(
                WRITE_STANDINGS.format(schema=schema),
                [each.player_id for each in standings],
                [each.rating_centi for each in standings],
                [each.games for each in standings],
                [each.verified_rating_centi for each in standings],
                [each.verified_games for each in standings],
                [each.sessions for each in standings],
                [each.last_session_date for each in standings],
                [each.fact_seq for each in standings],
            )
        verifications = verifications_after(batch.entries)
        if verifications:
            await connection.execute(
                WRITE_VERIFICATIONS.format(schema=schema),
                list(verifications),
                [is_verified for is_verified, _ in verifications.values()],
                [fact_seq for _, fact_seq in verifications.values()],
                START_CENTI,
            )

    async def attest(self, connection: Connection, schema: str) -> dict[str, int]:
        """Add up the changes in both pools, and the sessions of all players."""
        return await add_up(connection, ADD_UP.format(schema=schema), START_CENTI)
