"""Keeps the members of every board in order, with the counts that ranks are read from."""

from collections.abc import Sequence
from typing import Any, ClassVar, Final

import asyncpg

from services.projections.leaderboards.boards import Deltas, Standing, deltas_of
from services.projections.standings import standings_after, verifications_after
from services.projections.tables import (
    add_up,
    rated_sessions,
    read_schema_sql,
    seated_players,
)
from shared.feed import Batch, Connection, Entry
from shared.rating.formulas import START_CENTI

WRITE_PLAYERS: Final = """
INSERT INTO {schema}.players AS p (
    player_id, is_verified, rating_centi, verified_games, last_session_date
)
SELECT player_id, false, rating_centi, verified_games, last_session_date
FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::date[])
    AS n (player_id, rating_centi, verified_games, last_session_date)
ON CONFLICT (player_id) DO UPDATE SET
    rating_centi = EXCLUDED.rating_centi,
    verified_games = EXCLUDED.verified_games,
    last_session_date = GREATEST(p.last_session_date, EXCLUDED.last_session_date)
"""
WRITE_VERIFICATIONS: Final = """
INSERT INTO {schema}.players (
    player_id, is_verified, rating_centi, verified_games, last_session_date
)
SELECT player_id, is_verified, $3, 0, NULL
FROM unnest($1::text[], $2::boolean[]) AS n (player_id, is_verified)
ON CONFLICT (player_id) DO UPDATE SET is_verified = EXCLUDED.is_verified
"""
WRITE_VISITS: Final = """
INSERT INTO {schema}.visits (player_id, source)
SELECT player_id, source FROM unnest($1::text[], $2::text[]) AS n (player_id, source)
ON CONFLICT (player_id, source) DO NOTHING
"""
# The rows that should be there and the rows that are, where the two differ. A plan is made while
# the tables are small and kept as they grow, so the order is not left to it: from the few players
# that are given to what is public of each.
READ_DIFFERENCES: Final = """
WITH verified AS MATERIALIZED (
    SELECT player_id, rating_centi, verified_games, last_session_date
    FROM {schema}.players WHERE player_id = ANY($1::text[]) AND is_verified
), member AS (
    SELECT player_id, rating_centi, verified_games, last_session_date, region
    FROM verified CROSS JOIN LATERAL (
        SELECT public.region FROM mahjic.public_players AS public
        WHERE public.player_id = verified.player_id OFFSET 0
    ) AS public
), wanted AS (
    SELECT player_id, 'global' AS board, rating_centi, verified_games, last_session_date
    FROM member
    UNION ALL
    SELECT player_id, 'region:' || region, rating_centi, verified_games, last_session_date
    FROM member WHERE region IS NOT NULL
    UNION ALL
    SELECT player_id, 'source:' || visits.source, rating_centi, verified_games, last_session_date
    FROM member JOIN {schema}.visits AS visits USING (player_id)
), held AS (
    SELECT player_id, board, rating_centi, verified_games, last_session_date
    FROM {schema}.standings WHERE player_id = ANY($1::text[])
)
SELECT player_id, board,
    held.rating_centi AS held_rating_centi,
    held.verified_games AS held_verified_games,
    held.last_session_date AS held_last_session_date,
    wanted.rating_centi AS wanted_rating_centi,
    wanted.verified_games AS wanted_verified_games,
    wanted.last_session_date AS wanted_last_session_date
FROM held FULL JOIN wanted USING (player_id, board)
WHERE (held.rating_centi, held.verified_games, held.last_session_date)
    IS DISTINCT FROM (wanted.rating_centi, wanted.verified_games, wanted.last_session_date)
"""
REMOVE_STANDINGS: Final = """
DELETE FROM {schema}.standings AS s
USING unnest($1::text[], $2::text[]) AS gone (player_id, board)
WHERE s.player_id = gone.player_id AND s.board = gone.board
"""
WRITE_STANDINGS: Final = """
INSERT INTO {schema}.standings (
    player_id, board, rating_centi, verified_games, last_session_date
)
SELECT player_id, board, rating_centi, verified_games, last_session_date
FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::date[])
    AS n (player_id, board, rating_centi, verified_games, last_session_date)
ON CONFLICT (player_id, board) DO UPDATE SET
    rating_centi = EXCLUDED.rating_centi,
    verified_games = EXCLUDED.verified_games,
    last_session_date = EXCLUDED.last_session_date
"""
ADD_COUNTS: Final = """
INSERT INTO {schema}.counts AS c (board, point, members)
SELECT board, point, members
FROM unnest($1::text[], $2::bigint[], $3::integer[]) AS n (board, point, members)
ON CONFLICT (board, point) DO UPDATE SET members = c.members + EXCLUDED.members
"""
ADD_BOARDS: Final = """
INSERT INTO {schema}.boards AS b (board, members, fingerprint)
SELECT board, members, fingerprint
FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS n (board, members, fingerprint)
ON CONFLICT (board) DO UPDATE SET
    members = b.members + EXCLUDED.members,
    fingerprint = b.fingerprint + EXCLUDED.fingerprint
"""
# A board or point without members is gone, as it would be had nobody ever been there.
REMOVE_EMPTY_COUNTS: Final = """
DELETE FROM {schema}.counts AS c
USING unnest($1::text[], $2::bigint[]) AS n (board, point)
WHERE c.board = n.board AND c.point = n.point AND c.members = 0
"""
REMOVE_EMPTY_BOARDS: Final = """
DELETE FROM {schema}.boards WHERE board = ANY($1::text[]) AND members = 0
"""
ADD_UP: Final = """
SELECT COALESCE(sum(rating_centi - $1), 0)::bigint AS verified_change_centi
FROM {schema}.players
"""


class Leaderboards:
    """The view of leaderboards."""

    name: ClassVar[str] = "leaderboards"
    version: ClassVar[int] = 1

    @property
    def schema_sql(self) -> str:
        """The tables."""
        return read_schema_sql(__package__)

    async def apply(self, connection: Connection, schema: str, batch: Batch) -> None:
        """Write what the batch says of players, then bring their rows on the boards up to it."""
        touched = set(batch.changed_people)
        touched |= await _write_players(connection, schema, batch.entries)
        touched |= await _write_verifications(connection, schema, batch.entries)
        rows = await connection.fetch(READ_DIFFERENCES.format(schema=schema), sorted(touched))
        if rows:
            await _write_differences(connection, schema, rows)

    async def attest(self, connection: Connection, schema: str) -> dict[str, int]:
        """Add up the changes in the verified pool."""
        return await add_up(connection, ADD_UP.format(schema=schema), START_CENTI)


async def _write_players(connection: Connection, schema: str, entries: Sequence[Entry]) -> set[str]:
    standings = standings_after(entries)
    if not standings:
        return set()
    await connection.execute(
        WRITE_PLAYERS.format(schema=schema),
        list(standings),
        [each.verified_rating_centi for each in standings.values()],
        [each.verified_games for each in standings.values()],
        [each.last_session_date for each in standings.values()],
    )
    visits = sorted(
        {
            (player_id, session.source)
            for _, session in rated_sessions(entries)
            for rated in session.rounds
            for _, player_id in seated_players(rated)
        }
    )
    await connection.execute(
        WRITE_VISITS.format(schema=schema),
        [player_id for player_id, _ in visits],
        [source for _, source in visits],
    )
    return set(standings)


async def _write_verifications(
    connection: Connection, schema: str, entries: Sequence[Entry]
) -> set[str]:
    verifications = verifications_after(entries)
    if verifications:
        await connection.execute(
            WRITE_VERIFICATIONS.format(schema=schema),
            list(verifications),
            [is_verified for is_verified, _ in verifications.values()],
            START_CENTI,
        )
    return set(verifications)


async def _write_differences(
    connection: Connection, schema: str, rows: Sequence[asyncpg.Record]
) -> None:
    held = [each for row in rows if (each := _standing(row, "held")) is not None]
    wanted = [each for row in rows if (each := _standing(row, "wanted")) is not None]
    kept = {(each.player_id, each.board) for each in wanted}
    gone = [each for each in held if (each.player_id, each.board) not in kept]
    if gone:
        await connection.execute(
            REMOVE_STANDINGS.format(schema=schema),
            [each.player_id for each in gone],
            [each.board for each in gone],
        )
    if wanted:
        await connection.execute(
            WRITE_STANDINGS.format(schema=schema),
            [each.player_id for each in wanted],
            [each.board for each in wanted],
            [each.rating_centi for each in wanted],
            [each.verified_games for each in wanted],
            [each.last_session_date for each in wanted],
        )
    await _add_deltas(connection, schema, deltas_of(held, wanted))


async def _add_deltas(connection: Connection, schema: str, deltas: Deltas) -> None:
    boards = list(deltas.members)
    members = [deltas.members[board] for board in boards]
    fingerprints = [deltas.fingerprint[board] for board in boards]
    await connection.execute(ADD_BOARDS.format(schema=schema), boards, members, fingerprints)
    await connection.execute(REMOVE_EMPTY_BOARDS.format(schema=schema), boards)
    moved: list[tuple[Any, ...]] = [(*key, n) for key, n in deltas.members_at.items() if n != 0]
    if moved:
        at, point, count = ([*column] for column in zip(*moved, strict=True))
        await connection.execute(ADD_COUNTS.format(schema=schema), at, point, count)
        await connection.execute(REMOVE_EMPTY_COUNTS.format(schema=schema), at, point)


def _standing(row: asyncpg.Record, side: str) -> Standing | None:
    if row[f"{side}_rating_centi"] is None:
        return None
    return Standing(
        player_id=row["player_id"],
        board=row["board"],
        rating_centi=row[f"{side}_rating_centi"],
        verified_games=row[f"{side}_verified_games"],
        last_session_date=row[f"{side}_last_session_date"],
    )
