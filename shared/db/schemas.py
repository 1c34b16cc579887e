"""Names the schemas that are Mahjic's own; others may share the database."""

from typing import Final

import asyncpg

HAS_TABLES: Final = "SELECT to_regnamespace('mahjic') IS NOT NULL"
# A migration that was interrupted may have left the first tables without this one.
HAS_VIEWS: Final = "SELECT to_regclass('mahjic.view_builds') IS NOT NULL"
FIND_BUILDS: Final = """
    SELECT schema_name FROM mahjic.view_builds
    JOIN pg_namespace ON nspname = schema_name ORDER BY schema_name
"""


async def own_schemas(connection: asyncpg.pool.PoolConnectionProxy) -> list[str]:
    """Return `mahjic` and the schemas of the views, or nothing in an empty database."""
    if not await connection.fetchval(HAS_TABLES):
        return []
    if not await connection.fetchval(HAS_VIEWS):
        return ["mahjic"]
    return ["mahjic", *(row["schema_name"] for row in await connection.fetch(FIND_BUILDS))]


def quoted(name: str) -> str:
    """Return a name quoted so that SQL and pg_dump take it literally."""
    return '"' + name.replace('"', '""') + '"'
