"""What every projection needs to write its tables: its schema file, and who sat in a session."""

from collections.abc import Iterator, Sequence
from importlib import resources
from typing import Final, Protocol

from shared.events.verdicts import RatedRound, SessionRated
from shared.feed import Connection, Entry, View
from shared.ids import BOB

# Statements over whole tables take as long as they take.
WHOLE_TABLE_S_MAX: Final = 24 * 3600.0


class AttestedView(View, Protocol):
    """A view that can prove that its rows are complete."""

    async def attest(self, connection: Connection, schema: str) -> dict[str, int]:
        """Return those control totals (totals.py) that can be added up from the rows."""
        ...


def read_schema_sql(package: str) -> str:
    """Return the schema.sql that stands beside a projection."""
    return resources.files(package).joinpath("schema.sql").read_text(encoding="utf-8")


async def add_up(connection: Connection, query: str, *arguments: object) -> dict[str, int]:
    """Run a query that adds up whole tables, and return its one row."""
    row = await connection.fetchrow(query, *arguments, timeout=WHOLE_TABLE_S_MAX)
    assert row is not None
    return dict(row)


def rated_sessions(entries: Sequence[Entry]) -> Iterator[tuple[int, SessionRated]]:
    """Yield the sessions that were rated, each with the number of its fact."""
    for entry in entries:
        event = entry.verdict.event
        if isinstance(event, SessionRated):
            yield entry.verdict.answers.fact_seq, event


def seated_players(rated: RatedRound) -> Iterator[tuple[int, str]]:
    """Yield seat and id of everybody but Bob, who has no profile and no history."""
    for seat, player_id in enumerate(rated.players):
        if player_id != BOB:
            yield seat, player_id
