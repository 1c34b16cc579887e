"""Databases with something in them to back up, and all that they hold to compare."""

import random
from collections.abc import Sequence
from typing import Any

import asyncpg

from tests.conftest import Database

FACTS = 3_000
CHAIN = bytes(range(32))


async def fill(pool: asyncpg.Pool) -> None:
    randomness = random.Random(1)
    facts = [(seq, CHAIN, randomness.randbytes(400)) for seq in range(1, FACTS + 1)]
    await pool.copy_records_to_table("facts", schema_name="mahjic", records=facts)
    await make_view(pool, "view_board_v1_1")
    await pool.execute("INSERT INTO view_board_v1_1.rows VALUES ($1)", "Ünï \\ \t \n'\"")


async def make_view(pool: asyncpg.Pool, schema: str) -> None:
    await pool.execute(f"CREATE SCHEMA {schema} CREATE TABLE rows (x text)")
    row = (schema, "board", 1, "log", 0, CHAIN, 0, 0, None, None)
    await pool.copy_records_to_table("view_builds", schema_name="mahjic", records=[row])


async def everything(dsn: str) -> dict[str, Sequence[Any]]:
    """Return every row of every table that is ours, by name.

    No rows are returned of the table with the mark that a restore leaves, which
    tests/invitations/test_restored.py looks at.
    """
    connection = await asyncpg.connect(dsn)
    try:
        tables = await connection.fetch(
            "SELECT schemaname || '.' || tablename AS name FROM pg_tables "
            "WHERE schemaname ~ '^(mahjic$|view_)' ORDER BY 1"
        )
        return {
            row["name"]: [
                tuple(values)
                for values in await connection.fetch(f"TABLE {row['name']}")
                if row["name"] != "mahjic.invitations_place"
            ]
            for row in tables
        }
    finally:
        await connection.close()


async def leave(database: Database) -> None:
    """Close the test's own connections, which count as a Mahjic at work."""
    await database.pool.close()
