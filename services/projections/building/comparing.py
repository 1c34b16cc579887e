"""Compares two tables row by row in the database, and lists the rows and columns that differ.

It reads only what differs, and no more of that than is asked for.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import asyncpg

from services.projections.common.tables import WHOLE_TABLE_S_MAX
from shared.feed.views import Connection

# A round or a verdict may be long. This much is enough to say what it is.
SHOWN_CHARACTERS: Final = 60

LIST_COLUMNS: Final = """
SELECT attname AS column FROM pg_catalog.pg_attribute
WHERE attrelid = $1::text::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum
"""
LIST_KEY: Final = """
SELECT a.attname AS column
FROM pg_catalog.pg_index AS i JOIN pg_catalog.pg_attribute AS a
    ON a.attrelid = i.indrelid AND a.attnum = ANY(i.indkey)
WHERE i.indrelid = $1::text::regclass AND i.indisprimary ORDER BY a.attnum
"""


@dataclass(frozen=True, slots=True)
class Difference:
    """A row, or a column of a row, that is not what it should be.

    `table` is part of `whole`: a view, or what ingest keeps. The values come from the database as
    text. A missing or extra row has neither column nor values.
    """

    whole: str
    table: str
    row: Mapping[str, str]
    what: str
    column: str | None = None
    found: str | None = None
    expected: str | None = None

    @property
    def place(self) -> tuple[object, ...]:
        """Identifies the difference when it is found again."""
        return (self.whole, self.table, tuple(self.row.items()), self.what, self.column)

    def told(self) -> str:
        row = ", ".join(f"{name} {value}" for name, value in self.row.items())
        where = f"{self.whole}, table {self.table}" + (f", row {row}" if row else "")
        if self.column is None:
            return f"{where}: {self.what}."
        return f"{where}: {self.column} is {_shown(self.found)}, not {_shown(self.expected)}."


@dataclass(frozen=True, slots=True)
class Tables:
    """Two tables: one as it is, and one as it should be. Both names come from us."""

    whole: str
    table: str
    found: str
    expected: str


async def differences_of(connection: Connection, tables: Tables, rows_max: int) -> list[Difference]:
    """Return how two tables differ, row by row in key order, with at most `rows_max` rows.

    The expected table has a primary key, and says which columns are compared.
    """
    columns = await _names(connection, LIST_COLUMNS, tables.expected)
    key = await _names(connection, LIST_KEY, tables.expected)
    assert key, "Every table that is compared has a primary key."
    query = _query(tables, key, columns, rows_max)
    rows = await connection.fetch(query, timeout=WHOLE_TABLE_S_MAX)
    return [difference for row in rows for difference in _told(tables, key, columns, row)]


async def columns_differ(connection: Connection, tables: Tables) -> list[Difference]:
    """Return the columns that only one of two tables has."""
    found = await _names(connection, LIST_COLUMNS, tables.found)
    expected = await _names(connection, LIST_COLUMNS, tables.expected)
    lost = [f"the column {name} is missing" for name in expected if name not in found]
    more = [f"the column {name} is one too many" for name in found if name not in expected]
    return [Difference(tables.whole, tables.table, {}, what) for what in (*lost, *more)]


async def _names(connection: Connection, query: str, table: str) -> list[str]:
    return [row["column"] for row in await connection.fetch(query, table)]


def _query(tables: Tables, key: Sequence[str], columns: Sequence[str], rows_max: int) -> str:
    """Return the query for the rows that differ: key, whether each is there, and values as text.

    They are text because JSON has no equality, and so that what is shown is what was compared.
    """
    on = " AND ".join(f'f."{name}" = e."{name}"' for name in key)
    others = [name for name in columns if name not in key]
    differ = [f'f."{name}"::text IS DISTINCT FROM e."{name}"::text' for name in others]
    missing, extra = f'f."{key[0]}" IS NULL', f'e."{key[0]}" IS NULL'
    shown = [f'COALESCE(f."{name}", e."{name}")::text AS "key {name}"' for name in key]
    shown += [f"{missing} AS is_missing", f"{extra} AS is_extra"]
    for name, is_other in zip(others, differ, strict=True):
        shown.append(f'{is_other} AS "differs {name}"')
        for side in ("f", "e"):
            shown.append(f'left({side}."{name}"::text, {SHOWN_CHARACTERS + 1}) AS "{side} {name}"')
    order = ", ".join(str(place) for place in range(1, len(key) + 1))
    return f"""
SELECT {", ".join(shown)} FROM {tables.found} AS f FULL JOIN {tables.expected} AS e ON {on}
WHERE {" OR ".join([missing, extra, *differ])}
ORDER BY {order} LIMIT {rows_max}
"""


def _told(
    tables: Tables, key: Sequence[str], columns: Sequence[str], row: asyncpg.Record
) -> list[Difference]:
    named = {name: row[f"key {name}"] for name in key}
    if row["is_missing"]:
        return [Difference(tables.whole, tables.table, named, "the row is missing")]
    if row["is_extra"]:
        return [Difference(tables.whole, tables.table, named, "the row is one too many")]
    return [
        Difference(
            tables.whole, tables.table, named, "differs", name, row[f"f {name}"], row[f"e {name}"]
        )
        for name in columns
        if name not in key and row[f"differs {name}"]
    ]


def _shown(value: str | None) -> str:
    if value is None:
        return "empty"
    return value if len(value) <= SHOWN_CHARACTERS else f"{value[:SHOWN_CHARACTERS]}..."
