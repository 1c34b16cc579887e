"""Makes and removes builds of views, each in its own schema, and points readers at one."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from typing import Final

import asyncpg

from services.projections.common.tables import WHOLE_TABLE_S_MAX
from shared.db.locks import BUILDER_LOCK
from shared.errors import MahjicError
from shared.feed.advancing import LOCK_BUILDS
from shared.feed.views import Build, Connection, View, read_build
from shared.log.port import Position

# A reader that comes while the removal waits for its locks is held up by at most this long.
DROP_LOCK_S_MAX: Final = 0.05
DROP_RETRY_S: Final = 0.1

NUMBER_BUILD: Final = """
INSERT INTO mahjic.views AS v (name, builds_made) VALUES ($1, 1)
ON CONFLICT (name) DO UPDATE SET builds_made = v.builds_made + 1
RETURNING builds_made
"""
# Its rows will be made from people as they are from now on, so earlier changes do not matter.
WRITE_BUILD: Final = """
INSERT INTO mahjic.view_builds (
    schema_name, view, version, log_id, seq, chain, fact_seq, people_seq
)
SELECT $1, $2, $3, $4, $5, $6, 0, COALESCE(max(seq), 0) FROM mahjic.people_changes
RETURNING schema_name, view, version, log_id, seq, chain, fact_seq, people_seq,
    correcting_part, correcting_parts
"""
READ_LIVE: Final = """
SELECT b.schema_name, b.view, b.version, b.log_id, b.seq, b.chain, b.fact_seq, b.people_seq,
    b.correcting_part, b.correcting_parts
FROM mahjic.views AS v JOIN mahjic.view_builds AS b ON b.schema_name = v.live_schema
WHERE v.name = $1
"""
# Found by name, because a schema that was swapped out no longer has a row.
LIST_DEAD_SCHEMAS: Final = """
SELECT nspname FROM pg_catalog.pg_namespace
WHERE nspname ~ ('^view_' || $1 || '_v[0-9]+_[0-9]+$')
    AND nspname NOT IN (SELECT live_schema FROM mahjic.views WHERE live_schema IS NOT NULL)
ORDER BY nspname
"""
POINT_AT: Final = """
UPDATE mahjic.views SET live_schema = $2
WHERE name = $1 AND live_schema IS NOT DISTINCT FROM $3
"""
REMOVE_BUILD: Final = """
DELETE FROM mahjic.view_builds WHERE schema_name = $1
"""
LIST_TABLES: Final = """
SELECT tablename FROM pg_catalog.pg_tables WHERE schemaname = $1 ORDER BY tablename
"""


class ViewBeingRebuilt(MahjicError):
    """Someone else is building this view right now."""

    code = "view_being_rebuilt"
    title = "The view is already being rebuilt"
    status = 409

    def __init__(self, view: str) -> None:
        super().__init__(
            f"Another process is building the view {view} right now. Wait until it has finished.",
            extra={"view": view},
        )


@contextlib.asynccontextmanager
async def sole_builder(
    pool: asyncpg.Pool, views: Sequence[str], *, waits: bool
) -> AsyncIterator[None]:
    """Be the only builder of these views, on a connection that gives up the right when it ends.

    Raises ViewBeingRebuilt if another builder has the right, unless `waits` is set.
    """
    async with pool.acquire() as connection:
        try:
            for view in sorted(views):  # In a fixed order, so that two can't wait for each other.
                await _become_builder(connection, view, waits=waits)
            yield
        finally:
            if not connection.is_closed():
                await connection.execute("SELECT pg_advisory_unlock_all()")


async def _become_builder(connection: Connection, view: str, *, waits: bool) -> None:
    if waits:
        await connection.execute(
            "SELECT pg_advisory_lock($1, hashtext($2))",
            BUILDER_LOCK,
            view,
            timeout=WHOLE_TABLE_S_MAX,
        )
    elif not await connection.fetchval(
        "SELECT pg_try_advisory_lock($1, hashtext($2))", BUILDER_LOCK, view
    ):
        raise ViewBeingRebuilt(view)


async def live_build(pool: asyncpg.Pool, view: str) -> Build | None:
    """Return the build that readers are pointed at."""
    row = await pool.fetchrow(READ_LIVE, view)
    return None if row is None else read_build(row)


async def create_build(pool: asyncpg.Pool, view: View, beginning: Position) -> Build:
    """Create the empty tables of a new build. No one reads it yet."""
    async with pool.acquire() as connection, connection.transaction():
        number = await connection.fetchval(NUMBER_BUILD, view.name)
        schema = f"view_{view.name}_v{view.version}_{number}"
        row = await connection.fetchrow(
            WRITE_BUILD,
            schema,
            view.name,
            view.version,
            beginning.log_id,
            beginning.seq,
            beginning.chain,
        )
        assert row is not None
        await connection.execute(f"CREATE SCHEMA {schema}")
        # Only for the rest of this transaction: schema.sql names its tables without a schema.
        await connection.execute(f"SET LOCAL search_path TO {schema}")
        await connection.execute(view.schema_sql)
    return read_build(row)


async def point_readers(connection: Connection, build: Build, instead_of: Build | None) -> None:
    """Make a build the live one, in the caller's transaction.

    The old build's row goes at once, so that a feed that was about to write to it notices.
    """
    old_schema = None if instead_of is None else instead_of.schema
    status = await connection.execute(POINT_AT, build.view, build.schema, old_schema)
    assert status == "UPDATE 1", "Only the sole builder of a view points its readers."
    if instead_of is not None:
        await connection.execute(REMOVE_BUILD, instead_of.schema)


async def remove_dead_builds(pool: asyncpg.Pool, view: str) -> None:
    """Remove every build of a view that is not live. Only the sole builder may call this."""
    for row in await pool.fetch(LIST_DEAD_SCHEMAS, view):
        await remove_build(pool, row["nspname"])


async def remove_build(pool: asyncpg.Pool, schema: str) -> None:
    """Remove a build and its tables, but let statements that are still reading them finish."""
    assert schema.startswith("view_")
    while True:
        try:
            async with pool.acquire() as connection, connection.transaction():
                await connection.execute(f"SET LOCAL lock_timeout = '{DROP_LOCK_S_MAX * 1000:g}ms'")
                await connection.execute(REMOVE_BUILD, schema)
                await connection.execute(f"DROP SCHEMA IF EXISTS {schema} CASCADE")
        except asyncpg.LockNotAvailableError:
            await asyncio.sleep(DROP_RETRY_S)
        else:
            return


@contextlib.asynccontextmanager
async def holding_still(
    pool: asyncpg.Pool, build: Build
) -> AsyncIterator[tuple[Connection, Build]]:
    """Keep all followers of a build waiting. Yield its place and the transaction that holds it."""
    async with pool.acquire() as connection, connection.transaction():
        row = await connection.fetchrow(LOCK_BUILDS, [build.schema])
        assert row is not None, "Only the sole builder of a view removes its builds."
        yield connection, read_build(row)


async def settle_tables(pool: asyncpg.Pool, schema: str) -> None:
    """Give the planner and index-only reads what they need to know about freshly filled tables."""
    for row in await pool.fetch(LIST_TABLES, schema):
        await pool.execute(
            f'VACUUM (ANALYZE) {schema}."{row["tablename"]}"', timeout=WHOLE_TABLE_S_MAX
        )
