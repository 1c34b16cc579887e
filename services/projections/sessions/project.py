"""Keeps the verdict on every session, for the source that looks its session up later."""

from typing import ClassVar, Final

from services.projections.tables import add_up, read_schema_sql
from shared.events.verdicts import FactRefused, SessionRated
from shared.feed import Batch, Connection

# A poisoned record may name a session that is rated already. The first verdict on it stays.
WRITE_SESSIONS: Final = """
INSERT INTO {schema}.sessions (session_id, fact_seq, is_rated, verdict)
SELECT session_id, fact_seq, is_rated, verdict
FROM unnest($1::text[], $2::bigint[], $3::boolean[], $4::bytea[])
    AS n (session_id, fact_seq, is_rated, verdict)
ON CONFLICT (session_id) DO NOTHING
"""
ADD_UP: Final = "SELECT count(*) FILTER (WHERE is_rated) AS sessions FROM {schema}.sessions"


class Sessions:
    """The view of sessions."""

    name: ClassVar[str] = "sessions"
    version: ClassVar[int] = 1

    @property
    def schema_sql(self) -> str:
        """The tables."""
        return read_schema_sql(__package__)

    async def apply(self, connection: Connection, schema: str, batch: Batch) -> None:
        """Add the verdicts on sessions, rated or refused."""
        rows = [
            (
                event.session_id,
                entry.verdict.answers.fact_seq,
                isinstance(event, SessionRated),
                entry.record.body,
            )
            for entry in batch.entries
            if isinstance(event := entry.verdict.event, SessionRated | FactRefused)
            and event.session_id is not None
        ]
        if rows:
            columns = [list(column) for column in zip(*rows, strict=True)]
            await connection.execute(WRITE_SESSIONS.format(schema=schema), *columns)

    async def attest(self, connection: Connection, schema: str) -> dict[str, int]:
        """Count the sessions that were rated."""
        return await add_up(connection, ADD_UP.format(schema=schema))
