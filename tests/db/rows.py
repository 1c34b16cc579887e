"""Everything that a database of ours holds, as text: to look for traces, or for what changed."""

from typing import Final

import asyncpg
from asyncpg.pool import PoolConnectionProxy

LIST_TABLES: Final = """
SELECT schemaname, tablename FROM pg_tables
WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1, 2
"""

Connection = asyncpg.Connection | asyncpg.Pool | PoolConnectionProxy


async def rows_by_table(connection: Connection) -> dict[str, list[str]]:
    """Return every row of every table, sorted; bytes as the text in them, and as hexadecimal."""
    tables = await connection.fetch(LIST_TABLES)
    assert len(tables) > 30
    return {
        f"{schema}.{table}": sorted(
            "\n".join(map(_as_text, row.values()))
            for row in await connection.fetch(f'TABLE "{schema}"."{table}"')
        )
        for schema, table in tables
    }


async def text_by_table(dsn: str) -> dict[str, str]:
    """Return the same as one text for each table, over a connection of its own."""
    connection = await asyncpg.connect(dsn)
    try:
        rows = await rows_by_table(connection)
    finally:
        await connection.close()
    return {name: "\n".join(each) for name, each in rows.items()}


async def changed_tables(
    connection: Connection, before: dict[str, list[str]]
) -> dict[str, tuple[list[str], list[str]]]:
    """Return what is not as it was: by table, the rows that are gone and those that came."""
    after = await rows_by_table(connection)
    return {
        name: (
            [row for row in before.get(name, []) if row not in after.get(name, [])],
            [row for row in after.get(name, []) if row not in before.get(name, [])],
        )
        for name in sorted(before.keys() | after.keys())
        if before.get(name) != after.get(name)
    }


def _as_text(cell: object) -> str:
    if isinstance(cell, bytes):
        return f"{cell.decode(errors='replace')} {cell.hex()}"
    return str(cell)
