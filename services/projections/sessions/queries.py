"""Reads what became of a session."""

from dataclasses import dataclass
from typing import Final

from services.projections.reading import ViewReader
from shared.answers import SessionStatus
from shared.events.codec import decode_verdict
from shared.events.verdicts import SessionRated

READ_VERDICT: Final = """
SELECT live.seq, s.is_rated, s.verdict
FROM {live} AS live LEFT JOIN {sessions}.sessions AS s ON s.session_id = $1
"""
READ_SESSION: Final = """
SELECT live.seq, submissions.source, submissions.status, s.is_rated, s.verdict
FROM {live} AS live
LEFT JOIN mahjic.submissions AS submissions ON submissions.session_id = $1
LEFT JOIN {sessions}.sessions AS s ON s.session_id = submissions.session_id
"""


@dataclass(frozen=True, slots=True)
class StoredSession:
    """A session as its source finds it today."""

    source: str
    status: SessionStatus
    rated: SessionRated | None


async def rated_session(reader: ViewReader, session_id: str) -> SessionRated | None:
    """Return the verdict on a session, if it is rated and the view shows it already."""
    row = await reader.fetchrow(READ_VERDICT, session_id)
    return _session_rated(row["verdict"]) if row["is_rated"] else None


async def read_session(reader: ViewReader, session_id: str) -> StoredSession | None:
    """Return what became of a submission, None if there is no such session."""
    row = await reader.fetchrow(READ_SESSION, session_id)
    if row["source"] is None:
        return None
    rated = _session_rated(row["verdict"]) if row["is_rated"] else None
    # What was voided or corrected since says so, whatever its first verdict was.
    status: SessionStatus = row["status"]
    if status == "accepted" and row["is_rated"] is not None:
        status = "rated" if row["is_rated"] else "refused"
    return StoredSession(row["source"], status, rated)


def _session_rated(body: bytes) -> SessionRated:
    event = decode_verdict(body).event
    assert isinstance(event, SessionRated), "The view marks rated sessions as such."
    return event
