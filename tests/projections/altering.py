"""Alters tables as a bad disk or a hand may: any column of any row, whatever its type."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import asyncpg

# An expression that gives another value than it is given, by the type of a column.
OTHERS = {
    "bigint": "COALESCE({0}, 0) + 1000",
    "integer": "COALESCE({0}, 0) + 1000",
    "smallint": "COALESCE({0}, 0) + 1000",
    "numeric": "COALESCE({0}, 0) + 1000",
    "boolean": "NOT COALESCE({0}, false)",
    "date": "COALESCE({0}, DATE '2020-01-01') + 1",
    "timestamp with time zone": "COALESCE({0}, now()) + interval '1 day'",
    "text": "COALESCE({0}, '') || 'x'",
    "text[]": "array_append({0}, 'x')",
    "bytea": "COALESCE({0}, '') || '\\x00'",
    "json": "json_build_array({0})",
    "jsonb": "jsonb_build_array({0})",
}
LIST_COLUMNS = """
SELECT a.attname AS name, format_type(a.atttypid, NULL) AS type,
    COALESCE(a.attnum = ANY(i.indkey), false) AS is_key
FROM pg_attribute AS a
LEFT JOIN pg_index AS i ON i.indrelid = a.attrelid AND i.indisprimary
WHERE a.attrelid = $1::text::regclass AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY a.attnum
"""
LIST_CHECKS = """
SELECT conrelid::regclass::text AS of_table, conname FROM pg_constraint
WHERE conrelid = $1::text::regclass AND contype = 'c'
"""


@dataclass(frozen=True, slots=True)
class Table:
    """A table, what may be altered in it, and how its rows are told apart."""

    name: str
    key: Sequence[str]
    others: Sequence[str]
    types: dict[str, str]


async def table_of(pool: asyncpg.Pool, name: str) -> Table:
    rows = await pool.fetch(LIST_COLUMNS, name)
    key = [row["name"] for row in rows if row["is_key"]]
    assert key, f"{name} has no primary key, by which its rows could be told apart."
    others = [row["name"] for row in rows if not row["is_key"]]
    return Table(name, key, others, {row["name"]: row["type"] for row in rows})


async def altered(pool: asyncpg.Pool, statement: str) -> None:
    """Run a statement around all triggers and foreign keys; it must alter one row."""
    async with pool.acquire() as connection, connection.transaction():
        await connection.execute("SET LOCAL session_replication_role = replica")
        status = await connection.execute(statement)
        assert status.rpartition(" ")[2] == "1", (statement, status)


async def without_checks(pool: asyncpg.Pool, table: Table) -> None:
    for row in await pool.fetch(LIST_CHECKS, table.name):
        await pool.execute(f"ALTER TABLE {table.name} DROP CONSTRAINT {row['conname']}")


async def row_of(pool: asyncpg.Pool, table: Table, number: int = 0) -> dict[str, str]:
    """Return the key of one row, as text."""
    shown = ", ".join(f'"{name}"::text' for name in table.key)
    order = ", ".join(f'"{name}"' for name in table.key)
    row = await pool.fetchrow(
        f"SELECT {shown} FROM {table.name} ORDER BY {order} OFFSET $1 LIMIT 1", number
    )
    assert row is not None, f"{table.name} has no row {number}."
    return dict(row)


def where(row: Mapping[str, str]) -> str:
    return " AND ".join(f"\"{name}\"::text = '{value}'" for name, value in row.items())


def change_of(table: Table, row: dict[str, str], column: str) -> str:
    other = OTHERS[table.types[column]].format(f'"{column}"')
    return f'UPDATE {table.name} SET "{column}" = {other} WHERE {where(row)}'


def removal_of(table: Table, row: dict[str, str]) -> str:
    return f"DELETE FROM {table.name} WHERE {where(row)}"


def addition_to(table: Table) -> str:
    """Return the statement that adds a row which no other row is like."""
    names = ", ".join(f'"{name}"' for name in table.types)
    values = ", ".join(OTHERS[each].format(f"NULL::{each}") for each in table.types.values())
    return f"INSERT INTO {table.name} ({names}) VALUES ({values})"
