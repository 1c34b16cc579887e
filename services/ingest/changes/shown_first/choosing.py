"""Chooses sessions to be voided together, by source, days and player."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from services.ingest.record.known.groups import members_of
from shared.events.facts import VOIDED_SESSIONS_MAX
from shared.log.postgres import Connection

_COLUMNS: Final = """
SELECT session_id, source, session_date, status = 'accepted' AS counts
FROM mahjic.submissions
WHERE source = COALESCE($1, source) AND session_date BETWEEN $2 AND $3
    AND (status = 'accepted' OR status = 'voided' AND ended_fact_seq > $4)
"""
_ORDER: Final = "ORDER BY session_date, fact_seq LIMIT $5"
CHOOSE: Final = f"{_COLUMNS} {_ORDER}"
CHOOSE_OF_PLAYER: Final = f"""
{_COLUMNS} AND session_id IN (
    SELECT session_id FROM mahjic.seats WHERE player_id = ANY($6) AND sits
)
{_ORDER}
"""
_NEVER: Final = 2**63 - 1


@dataclass(frozen=True, slots=True)
class SessionsAskedFor:
    """Which sessions are meant. Without a source or a player, those of all; not both."""

    source: str | None
    player_id: str | None
    first_day: date
    last_day: date


@dataclass(frozen=True, slots=True)
class ChosenSession:
    """A session that is meant. One that does not count was voided since it was looked at."""

    session_id: str
    source: str
    day: date
    counts: bool


@dataclass(frozen=True, slots=True)
class ChosenSessions:
    """What is meant, in the order of its days; more than fit into one fact if `has_more`."""

    sessions: Sequence[ChosenSession]
    has_more: bool


async def choose_sessions(
    connection: Connection, wanted: SessionsAskedFor, *, since: int | None = None
) -> ChosenSessions:
    """Return the sessions that count; with `since`, also those voided after that fact."""
    given = (
        wanted.source,
        wanted.first_day,
        wanted.last_day,
        _NEVER if since is None else since,
        VOIDED_SESSIONS_MAX + 1,
    )
    if wanted.player_id is None:
        rows = await connection.fetch(CHOOSE, *given)
    else:
        members = await members_of(connection, wanted.player_id)
        rows = await connection.fetch(CHOOSE_OF_PLAYER, *given, members)
    chosen = [ChosenSession(*row) for row in rows[:VOIDED_SESSIONS_MAX]]
    return ChosenSessions(chosen, len(rows) > len(chosen))
