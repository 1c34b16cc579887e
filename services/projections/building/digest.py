"""Adds up the rows of a build, so that two builds can be compared byte for byte."""

from dataclasses import dataclass
from typing import Final

from services.projections.building.builds import LIST_TABLES
from services.projections.common.tables import WHOLE_TABLE_S_MAX
from shared.feed.views import Connection

# The order of rows in a table means nothing, so their hashes are added up. The sums of both halves
# of an MD5 tell apart tables that differ in any row. No one attacks their own view.
DIGEST_TABLE: Final = """
SELECT count(*) AS rows,
    COALESCE(sum(('x' || substr(hash, 1, 16))::bit(64)::bigint::numeric), 0)::text AS left_sum,
    COALESCE(sum(('x' || substr(hash, 17))::bit(64)::bigint::numeric), 0)::text AS right_sum
FROM (SELECT md5(t::text) AS hash FROM {table} AS t) AS hashed
"""


@dataclass(frozen=True, slots=True)
class TableDigest:
    """The number of rows in a table, and a sum over the hashes of their text."""

    rows: int
    sums: str


async def view_digest(connection: Connection, schema: str) -> dict[str, TableDigest]:
    """Return the digest of each table in a schema. Equal digests mean equal rows."""
    names = [listed["tablename"] for listed in await connection.fetch(LIST_TABLES, schema)]
    return {name: await table_digest(connection, f'{schema}."{name}"') for name in names}


async def table_digest(connection: Connection, table: str) -> TableDigest:
    """Return the digest of a table. Its name comes from us."""
    row = await connection.fetchrow(DIGEST_TABLE.format(table=table), timeout=WHOLE_TABLE_S_MAX)
    assert row is not None
    return TableDigest(row["rows"], f"{row['left_sum']} {row['right_sum']}")
