"""Finds sessions to be voided or corrected, and checks who may still change them.

Call it only under the lock on the head: what it returns is then true until the transaction ends.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal

import asyncpg

from shared.db.away import DATABASE_AWAY
from shared.errors import MahjicError, ServiceUnavailable, UnknownSession
from shared.events.facts import Reason
from shared.ids import is_session_id
from shared.log.postgres import Connection

# `first` is the session that first took the place on the log. Corrections take it over in turn.
READ_SESSIONS: Final = """
WITH RECURSIVE earlier AS (
    SELECT s.session_id AS asked, s.corrects, s.submitted_at
    FROM mahjic.submissions AS s WHERE s.session_id = ANY($1)
    UNION ALL
    SELECT earlier.asked, s.corrects, s.submitted_at
    FROM earlier JOIN mahjic.submissions AS s ON s.session_id = earlier.corrects
)
SELECT own.session_id, own.source, own.status, own.corrected_by, own.ended_fact_seq,
    own.end_reason, first.submitted_at
FROM mahjic.submissions AS own
JOIN earlier AS first ON first.asked = own.session_id AND first.corrects IS NULL
WHERE own.session_id = ANY($1)
"""
READ_NEWEST: Final = """
WITH RECURSIVE later AS (
    SELECT s.session_id AS asked, s.session_id, s.corrected_by
    FROM mahjic.submissions AS s WHERE s.session_id = ANY($1)
    UNION ALL
    SELECT later.asked, s.session_id, s.corrected_by
    FROM later JOIN mahjic.submissions AS s ON s.session_id = later.corrected_by
)
SELECT asked, session_id FROM later WHERE corrected_by IS NULL
"""
READ_SOURCE: Final = "SELECT source FROM mahjic.submissions WHERE session_id = $1"


class AlreadyCorrected(MahjicError):
    """A newer session has replaced this one."""

    code = "already_corrected"
    title = "The session is already corrected"
    status = 409

    def __init__(self, newest: dict[str, str]) -> None:
        if len(newest) == 1:
            ((old, new),) = newest.items()
            detail = f"{old} is already corrected; its newest correction is {new}. Change that one."
            super().__init__(detail, extra={"newest": new})
        else:
            super().__init__(
                f"{len(newest)} of these are already corrected; `sessions` names the newest "
                "correction of each. Change those.",
                extra={"sessions": [{"session_id": o, "newest": n} for o, n in newest.items()]},
            )


class TooLateToChange(MahjicError):
    """The session was submitted too long ago for its source to change it."""

    code = "too_late_to_change"
    title = "The session is too old for its source to change"
    status = 403

    def __init__(self, session_id: str, days_max: int) -> None:
        super().__init__(
            f"{session_id} was first submitted more than {days_max} days ago. Ask the "
            "operator, who can still void or correct it.",
            extra={"days_max": days_max},
        )


@dataclass(frozen=True, slots=True)
class ChangeableSession:
    """A session on record. `placed_at` is when the first session in its place was submitted."""

    session_id: str
    source: str
    status: Literal["accepted", "voided", "corrected"]
    corrected_by: str | None
    ended_fact_seq: int | None
    end_reason: Reason | None
    placed_at: datetime


async def find_session(
    connection: Connection, session_id: str, *, by: str | None
) -> ChangeableSession:
    """Return a session, if `by` may see it: its own source, or the operator (None).

    Raises UnknownSession, also for another source's session.
    """
    found = (await find_sessions(connection, [session_id])).get(session_id)
    if found is None or by not in {None, found.source}:
        raise UnknownSession
    return found


async def find_sessions(
    connection: Connection, session_ids: Sequence[str]
) -> dict[str, ChangeableSession]:
    """Return the sessions that are on record, by id."""
    rows = await connection.fetch(READ_SESSIONS, session_ids)
    return {
        row["session_id"]: ChangeableSession(
            row["session_id"],
            row["source"],
            row["status"],
            row["corrected_by"],
            row["ended_fact_seq"],
            row["end_reason"],
            row["submitted_at"],
        )
        for row in rows
    }


async def newest_of(connection: Connection, session_ids: Sequence[str]) -> dict[str, str]:
    """Return the session that has each one's place now, by the id asked for."""
    rows = await connection.fetch(READ_NEWEST, session_ids)
    newest = {row["asked"]: row["session_id"] for row in rows}
    return {each: newest[each] for each in session_ids}


def check_age(session: ChangeableSession, *, by: str | None, now: datetime, days_max: int) -> None:
    """Check that the session is not too old for a source to change. The operator always may.

    A correction does not make a session newer. Raises TooLateToChange.
    """
    if by is not None and now - session.placed_at > timedelta(days=days_max):
        raise TooLateToChange(session.session_id, days_max)


async def source_of(pool: asyncpg.Pool, session_id: str, *, by: str | None) -> str:
    """Return the source of a session. It never changes.

    Raises UnknownSession or ServiceUnavailable.
    """
    try:
        source = await pool.fetchval(READ_SOURCE, session_id) if is_session_id(session_id) else None
    except DATABASE_AWAY as error:
        raise ServiceUnavailable from error
    if source is None or by not in {None, source}:
        raise UnknownSession
    return str(source)
