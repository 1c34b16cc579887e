"""What every projection needs to write its tables: its schema file, and who sat in a session."""

from collections.abc import Iterator, Sequence
from importlib import resources
from typing import Final, Protocol

from shared.events.verdicts import RatedRound, RatingsCorrected, SessionRated
from shared.feed import Connection, Entry, View
from shared.ids import BOB

# Statements over whole tables take as long as they take.
WHOLE_TABLE_S_MAX: Final = 24 * 3600.0


class AttestedView(View, Protocol):
    """A view that can prove that its rows are complete."""

    async def attest(self, connection: Connection, schema: str) -> dict[str, int]:
        """Return those control totals (totals.py) that can be added up from the rows."""
        ...


def read_schema_sql(package: str, file_name: str = "schema.sql") -> str:
    """Return the schema.sql that stands beside a projection, or another such file."""
    return resources.files(package).joinpath(file_name).read_text(encoding="utf-8")


async def add_up(connection: Connection, query: str, *arguments: object) -> dict[str, int]:
    """Run a query that adds up whole tables, and return its one row."""
    row = await connection.fetchrow(query, *arguments, timeout=WHOLE_TABLE_S_MAX)
    assert row is not None
    return dict(row)


def rated_sessions(entries: Sequence[Entry]) -> Iterator[tuple[int, SessionRated]]:
    """Yield the sessions that were rated as they came, each with the number of its fact."""
    for entry in entries:
        event = entry.verdict.event
        if isinstance(event, SessionRated):
            yield entry.verdict.answers.fact_seq, event


def corrections(entries: Sequence[Entry]) -> Iterator[tuple[int, RatingsCorrected]]:
    """Yield all parts of the verdicts on the past, each with the number of its fact."""
    for entry in entries:
        event = entry.verdict.event
        if isinstance(event, RatingsCorrected):
            yield entry.verdict.answers.fact_seq, event


def replacing_sessions(entries: Sequence[Entry]) -> Iterator[tuple[int, SessionRated]]:
    """Yield the sessions that took the place of another, each with the number of its fact."""
    for fact_seq, event in corrections(entries):
        if event.session is not None:
            yield fact_seq, event.session


def seated_players(rated: RatedRound) -> Iterator[tuple[int, str]]:
    """Yield seat and id of everybody but Bob, who has no profile and no history."""
    for seat, player_id in enumerate(rated.players):
        if player_id != BOB:
            yield seat, player_id


def visits_in(entries: Sequence[Entry]) -> list[tuple[str, str]]:
    """Return who sat in a session of which source, for sessions that were rated as they came."""
    visits: dict[str, set[str]] = {}
    for _, session in rated_sessions(entries):
        seated = visits.setdefault(session.source, set())
        for rated in session.rounds:
            seated.update(rated.players)
    return sorted(
        (player_id, source)
        for source, seated in visits.items()
        for player_id in seated
        if player_id != BOB
    )


def players_on_fact(session: SessionRated) -> list[str]:
    """Return everybody but Bob by the ids that the fact names, merged or not, in order of id."""
    return sorted(mahjongs_on_fact(session))


def mahjongs_on_fact(session: SessionRated) -> dict[str, int]:
    """Return how many games everybody but Bob won, by the ids that the fact names."""
    won: dict[str, int] = {}
    for rated in session.rounds:
        for player_id, mahjongs in zip(
            rated.played_as or rated.players, rated.mahjongs, strict=True
        ):
            won[player_id] = won.get(player_id, 0) + mahjongs
    won.pop(BOB, None)
    return won
