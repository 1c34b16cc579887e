"""What every projection needs for its tables: its schema file, and sums over whole tables."""

from importlib import resources
from typing import Final, Protocol

from shared.feed.views import Connection, View

# Statements over whole tables have no time limit.
WHOLE_TABLE_S_MAX: Final = 24 * 3600.0


class AttestedView(View, Protocol):
    """A view that can prove that its rows are complete."""

    async def attest(self, connection: Connection, schema: str) -> dict[str, int]:
        """Return the control totals (totals.py) that can be added up from the rows."""
        ...


def read_schema_sql(package: str, file_name: str = "schema.sql") -> str:
    """Return the schema.sql of a projection, or another file next to it."""
    return resources.files(package).joinpath(file_name).read_text(encoding="utf-8")


async def add_up(connection: Connection, query: str, *arguments: object) -> dict[str, int]:
    """Run a query that adds up whole tables, and return its only row."""
    row = await connection.fetchrow(query, *arguments, timeout=WHOLE_TABLE_S_MAX)
    assert row is not None
    return dict(row)
