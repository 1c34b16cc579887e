"""Keeps the members of every board in order, with the counts that ranks are read from."""

from collections.abc import Sequence
from typing import Any, ClassVar, Final

import asyncpg

from services.projections.common.attendances import attendances_sql
from services.projections.common.groups import survivors
from services.projections.common.pending import PENDING_SQL
from services.projections.common.tables import add_up, read_schema_sql
from services.projections.leaderboards.boards import BoardRow, Deltas, deltas_of
from services.projections.leaderboards.players import recount_players, write_players
from shared.feed.views import Connection, VerdictBatch
from shared.rating.registry import START_CENTI

# The rows that should be there and the rows that are, where the two differ. A plan is made while
# the tables are small and kept as they grow, so the order is fixed here: from the few players given
# to what is public about each.
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
# A board or point without members is gone, as if no one had ever been there.
REMOVE_EMPTY_COUNTS: Final = """
DELETE FROM {schema}.counts AS c
USING unnest($1::text[], $2::bigint[]) AS n (board, point)
WHERE c.board = n.board AND c.point = n.point AND c.members = 0
"""
REMOVE_EMPTY_BOARDS: Final = """
DELETE FROM {schema}.boards WHERE board = ANY($1::text[]) AND members = 0
"""
# The last one counts rows that differ from counting everything again.
ADD_UP: Final = """
WITH attended AS (
    SELECT COALESCE(m.survivor, a.player_id) AS player_id, a.source, a.session_date
    FROM {schema}.attendances AS a LEFT JOIN {schema}.merges AS m ON m.player_id = a.player_id
    WHERE NOT EXISTS (
        SELECT FROM {schema}.pending WHERE pending.player_id = COALESCE(m.survivor, a.player_id)
    )
), visited AS (
    SELECT player_id, source FROM {schema}.visits AS v
    WHERE NOT EXISTS (SELECT FROM {schema}.pending WHERE pending.player_id = v.player_id)
), counted AS (
    SELECT player_id, max(session_date) AS last_session_date FROM attended GROUP BY player_id
), flagged AS (
    SELECT DISTINCT COALESCE(m.survivor, own.player_id) AS player_id
    FROM {schema}.players AS own LEFT JOIN {schema}.merges AS m ON m.player_id = own.player_id
    WHERE own.is_flagged
), wrong AS (
    SELECT p.player_id FROM {schema}.players AS p
    LEFT JOIN counted ON counted.player_id = p.player_id
    LEFT JOIN flagged ON flagged.player_id = p.player_id
    WHERE NOT EXISTS (SELECT FROM {schema}.pending WHERE pending.player_id = p.player_id)
        AND (p.last_session_date, p.is_verified) IS DISTINCT FROM
            (counted.last_session_date, flagged.player_id IS NOT NULL)
    UNION ALL
    SELECT player_id FROM (
        (SELECT player_id, source FROM attended EXCEPT SELECT player_id, source FROM visited)
        UNION ALL
        (SELECT player_id, source FROM visited EXCEPT SELECT player_id, source FROM attended)
    ) AS different
)
SELECT
    COALESCE(sum(rating_centi - $1), 0)::bigint AS verified_change_centi,
    COALESCE(sum(verified_games), 0)::bigint AS verified_player_games,
    (SELECT count(*) FROM {schema}.sessions WHERE ended IS NULL) AS sessions_that_count,
    (SELECT count(*) FROM wrong) AS wrong_rows
FROM {schema}.players
"""


class LeaderboardsView:
    """The view of leaderboards."""

    name: ClassVar[str] = "leaderboards"
    version: ClassVar[int] = 3

    @property
    def schema_sql(self) -> str:
        return read_schema_sql(__package__) + attendances_sql() + PENDING_SQL

    async def apply(self, connection: Connection, schema: str, batch: VerdictBatch) -> None:
        """Write what the batch says about players, then update their rows on the boards."""
        touched: set[str] = set()
        if batch.entries:
            touched |= await write_players(connection, schema, batch)
            touched |= await recount_players(connection, schema, batch)
        if batch.changed_people:
            # A private member hides the player that it is read as.
            changed = set(batch.changed_people)
            touched |= changed | await survivors(connection, schema, changed)
        rows = await connection.fetch(READ_DIFFERENCES.format(schema=schema), sorted(touched))
        if rows:
            await _write_differences(connection, schema, rows)

    async def attest(self, connection: Connection, schema: str) -> dict[str, int]:
        """Add up changes and games in the verified pool and sessions, and count what is wrong."""
        return await add_up(connection, ADD_UP.format(schema=schema), START_CENTI)


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


def _standing(row: asyncpg.Record, side: str) -> BoardRow | None:
    if row[f"{side}_rating_centi"] is None:
        return None
    return BoardRow(
        player_id=row["player_id"],
        board=row["board"],
        rating_centi=row[f"{side}_rating_centi"],
        verified_games=row[f"{side}_verified_games"],
        last_session_date=row[f"{side}_last_session_date"],
    )
