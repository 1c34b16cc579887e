"""Keeps the verdict on every session and on every change to the past, for those who ask later."""

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, Final

import orjson

from services.projections.common.tables import add_up, read_schema_sql
from shared.events.facts import FormulaAdopted
from shared.events.verdicts import (
    PLAYER_COLUMNS,
    FactNoted,
    FactRefused,
    RatingsCorrected,
    SessionRated,
    VerdictEvent,
)
from shared.feed.views import Connection, LoggedVerdict, VerdictBatch

# The 800 seats of two sessions come first, and an operator is shown 100 players.
CHANGED_PLAYERS_MAX: Final = 1000

# A poisoned record may name a session that is already rated. The first verdict on it stays.
WRITE_SESSIONS: Final = """
INSERT INTO {schema}.sessions (session_id, fact_seq, is_rated, verdict)
SELECT session_id, fact_seq, is_rated, verdict
FROM unnest($1::text[], $2::bigint[], $3::boolean[], $4::bytea[])
    AS n (session_id, fact_seq, is_rated, verdict)
ON CONFLICT (session_id) DO NOTHING
"""
WRITE_CHANGES: Final = """
INSERT INTO {schema}.changes (fact_seq, type, data)
SELECT fact_seq, type, data
FROM unnest($1::bigint[], $2::text[], $3::bytea[]) AS n (fact_seq, type, data)
"""
ADD_UP: Final = """
SELECT count(*) FILTER (WHERE is_rated AND verdict IS NOT NULL) AS sessions FROM {schema}.sessions
"""


class SessionsView:
    """The view of sessions."""

    name: ClassVar[str] = "sessions"
    version: ClassVar[int] = 2

    @property
    def schema_sql(self) -> str:
        return read_schema_sql(__package__)

    async def apply(self, connection: Connection, schema: str, batch: VerdictBatch) -> None:
        """Add the verdicts on sessions, rated or refused, and on changes to the past."""
        first_parts = [each for each in batch.entries if each.verdict.answers.part == 1]
        await _write(
            connection,
            WRITE_SESSIONS.format(schema=schema),
            [row for each in first_parts if (row := _session_row(each)) is not None],
        )
        await _write(
            connection,
            WRITE_CHANGES.format(schema=schema),
            [
                (each.verdict.answers.fact_seq, event.TYPE, orjson.dumps(event.to_json()))
                for each in first_parts
                if (event := _change(each.verdict.event)) is not None
            ],
        )

    async def attest(self, connection: Connection, schema: str) -> dict[str, int]:
        """Count the sessions that were rated when they came."""
        return await add_up(connection, ADD_UP.format(schema=schema))


async def _write(connection: Connection, query: str, rows: Sequence[tuple[object, ...]]) -> None:
    if rows:
        columns = [list(column) for column in zip(*rows, strict=True)]
        await connection.execute(query, *columns)


def _session_row(entry: LoggedVerdict) -> tuple[object, ...] | None:
    fact_seq = entry.verdict.answers.fact_seq
    match entry.verdict.event:
        case SessionRated(session_id=session_id):
            return session_id, fact_seq, True, entry.record.body
        case FactRefused(session_id=str(session_id)):
            return session_id, fact_seq, False, entry.record.body
        case RatingsCorrected(session=SessionRated(session_id=session_id)):
            return session_id, fact_seq, True, None
    return None


def _change(event: VerdictEvent) -> VerdictEvent | None:
    """Return what to keep of a verdict that is not on a new session, or None for nothing."""
    match event:
        case RatingsCorrected():
            columns = ("players", *PLAYER_COLUMNS)
            kept = {name: getattr(event, name)[:CHANGED_PLAYERS_MAX] for name in columns}
            return replace(event, reseated=None, **kept)
        case FactRefused():
            return event
        case FactNoted(fact_type=FormulaAdopted.TYPE):
            return event
    return None
