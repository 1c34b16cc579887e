"""Keeps who sat in which session that counts, and works out what corrections change.

The tables of attendances.sql are in the schema of each view that counts sessions. They name players
as the facts do, so that a merge and its end change nothing in them.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import chain
from typing import Any, Final, Literal, TypeAlias

import asyncpg

from services.projections.common.groups import Groups, survivors
from services.projections.common.reseating import reseat
from services.projections.common.tables import read_schema_sql
from services.projections.common.verdicts import (
    corrections,
    players_on_fact,
    rated_sessions,
    replacing_sessions,
    reseated_sessions,
    results_on_fact,
)
from shared.events.codec import Verdict
from shared.events.facts import SessionCorrected, SessionsVoided
from shared.events.verdicts import RatingsCorrected, SessionRated
from shared.feed.views import Connection, VerdictBatch

SESSION_COLUMNS: Final = (
    "fact_seq",
    "session_id",
    "source",
    "session_date",
    "rounds",
    "games",
    "players",
)
ATTENDANCE_COLUMNS: Final = (
    "player_id",
    "fact_seq",
    "source",
    "session_date",
    "mahjongs",
    "wall_games",
)
# If two facts ever name one session, the first one counts.
READ_SESSIONS: Final = """
SELECT DISTINCT ON (session_id)
    fact_seq, session_id, source, rounds, games, players, ended
FROM {schema}.sessions WHERE session_id = ANY($1::text[])
ORDER BY session_id, fact_seq
"""
END_SESSIONS: Final = """
UPDATE {schema}.sessions AS s SET ended = n.ended
FROM unnest($1::bigint[], $2::text[]) AS n (fact_seq, ended) WHERE s.fact_seq = n.fact_seq
"""
REMOVE_ATTENDANCES: Final = """
DELETE FROM {schema}.attendances AS a
USING unnest($1::text[], $2::bigint[]) AS n (player_id, fact_seq)
WHERE a.player_id = n.player_id AND a.fact_seq = n.fact_seq
"""

End: TypeAlias = Literal["voided", "corrected"]


@dataclass(frozen=True, slots=True)
class EndedSession:
    """A session that a batch voids or corrects. `before` is None if it counted until then."""

    fact_seq: int
    source: str
    rounds: int
    games: int
    players: Sequence[str]
    before: End | None
    after: End


def attendances_sql() -> str:
    """Return the SQL that creates the tables in the schema of a view."""
    return read_schema_sql(__package__, "attendances.sql")


async def take_in_sessions(
    connection: Connection, schema: str, batch: VerdictBatch
) -> list[EndedSession]:
    """Bring `sessions` and `attendances` up to the end of a batch. Return what no longer counts."""
    sessions = batch.once(session_rows)
    if sessions:
        await connection.copy_records_to_table(
            "sessions", records=sessions, columns=SESSION_COLUMNS, schema_name=schema
        )
        await connection.copy_records_to_table(
            "attendances",
            records=batch.once(attendance_rows),
            columns=ATTENDANCE_COLUMNS,
            schema_name=schema,
        )
    # A session is reassigned while it counts, so before it ends.
    await reseat(connection, schema, [*reseated_sessions(batch.verdicts)])
    endings = batch.once(endings_in)
    if not endings:
        return []
    rows = await connection.fetch(READ_SESSIONS.format(schema=schema), list(endings))
    ended = [each for row in rows if (each := _ended(row, endings[row["session_id"]])) is not None]
    await connection.execute(
        END_SESSIONS.format(schema=schema),
        [each.fact_seq for each in ended],
        [each.after for each in ended],
    )
    gone = [(who, each.fact_seq) for each in ended if each.before is None for who in each.players]
    await connection.execute(
        REMOVE_ATTENDANCES.format(schema=schema),
        [player_id for player_id, _ in gone],
        [fact_seq for _, fact_seq in gone],
    )
    return ended


async def to_recount(
    connection: Connection,
    schema: str,
    batch: VerdictBatch,
    groups: Groups,
    ended: Sequence[EndedSession],
) -> set[str]:
    """Return the players whose sessions a batch changes other than by one more being played.

    These are the players whose sessions they are, and those who lost them to others by a merge or
    by seats that were reassigned.
    """
    seated = {player_id for each in ended for player_id in each.players}
    for _, session in replacing_sessions(batch.verdicts):
        seated.update(players_on_fact(session))
    for moved in reseated_sessions(batch.verdicts):
        seated.update(moved.was, moved.now)
    if seated:
        seated = await survivors(connection, schema, seated)
    return seated | groups.regrouped


def session_rows(verdicts: Sequence[Verdict]) -> list[tuple[Any, ...]]:
    """Return the rows of `sessions` that a batch adds. Pure."""
    return [
        (
            fact_seq,
            session.session_id,
            session.source,
            date.fromisoformat(session.session_date),
            len(session.rounds),
            sum(rated.games_played for rated in session.rounds),
            players_on_fact(session),
        )
        for fact_seq, session in _sessions_in(verdicts)
    ]


def attendance_rows(verdicts: Sequence[Verdict]) -> list[tuple[Any, ...]]:
    """Return the rows of `attendances` that a batch adds. Pure."""
    return [
        (player_id, fact_seq, session.source, date.fromisoformat(session.session_date), *results)
        for fact_seq, session in _sessions_in(verdicts)
        for player_id, results in results_on_fact(session).items()
    ]


def _sessions_in(verdicts: Sequence[Verdict]) -> Iterator[tuple[int, SessionRated]]:
    """Yield the sessions that a batch adds, including replacements, with their facts."""
    return chain(rated_sessions(verdicts), replacing_sessions(verdicts))


def endings_in(verdicts: Sequence[Verdict]) -> dict[str, list[tuple[int, End]]]:
    """Return the facts, in order, that leave out each session in a batch, and how. Pure."""
    endings: dict[str, list[tuple[int, End]]] = defaultdict(list)
    for fact_seq, event in corrections(verdicts):
        for session_id, end in _ends(event):
            endings[session_id].append((fact_seq, end))
    return endings


def _ends(event: RatingsCorrected) -> Iterator[tuple[str, End]]:
    """Yield what a part of a verdict leaves out. Only the first part has the data."""
    if event.fact_type == SessionsVoided.TYPE:
        for session_id in event.data.get("session_ids", ()):
            yield session_id, "voided"
    elif event.fact_type == SessionCorrected.TYPE and event.data:
        yield event.data["corrects"], "corrected"


def _ended(row: asyncpg.Record, endings: Sequence[tuple[int, End]]) -> EndedSession | None:
    """Return how facts end a session, or None if they change nothing.

    A voided session can still be corrected. Otherwise only the first ending counts.
    """
    before = after = row["ended"]
    for fact_seq, end in endings:
        if fact_seq > row["fact_seq"] and (after is None or end == "corrected"):
            after = end
    if after == before:
        return None
    return EndedSession(
        fact_seq=row["fact_seq"],
        source=row["source"],
        rounds=row["rounds"],
        games=row["games"],
        players=row["players"],
        before=before,
        after=after,
    )
