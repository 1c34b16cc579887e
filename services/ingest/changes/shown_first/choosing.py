"""Chooses sessions to be voided together, by source, days and player."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from services.ingest.record.known.groups import members_of
from shared.events.facts import VOIDED_SESSIONS_MAX
from shared.log.postgres import Connection

_CHOOSE: Final = """
SELECT session_id, source, session_date, status = 'accepted' AS counts
FROM mahjic.submissions
WHERE {whose} AND session_date BETWEEN $1 AND $2
    AND (status = 'accepted' OR status = 'voided' AND ended_fact_seq > $3)
ORDER BY session_date, fact_seq LIMIT $4
"""
_SEATED: Final = """
session_id IN (SELECT session_id FROM mahjic.seats WHERE player_id = ANY($5) AND sits)
"""
CHOOSE_OF_SOURCE: Final = _CHOOSE.format(whose="source = $5")
CHOOSE_OF_PLAYER: Final = _CHOOSE.format(whose=_SEATED)
CHOOSE_OF_BOTH: Final = _CHOOSE.format(whose=f"{_SEATED} AND source = $6")
_NEVER: Final = 2**63 - 1


@dataclass(frozen=True, slots=True)
class SessionsAskedFor:
    """Which sessions are meant: those of a source, or of a player, or of both."""

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
    limit = VOIDED_SESSIONS_MAX + 1
    given = (wanted.first_day, wanted.last_day, _NEVER if since is None else since, limit)
    if wanted.player_id is None:
        assert wanted.source is not None, "Sessions of somebody are meant."
        rows = await connection.fetch(CHOOSE_OF_SOURCE, *given, wanted.source)
    else:
        members = await members_of(connection, wanted.player_id)
        if wanted.source is None:
            rows = await connection.fetch(CHOOSE_OF_PLAYER, *given, members)
        else:
            rows = await connection.fetch(CHOOSE_OF_BOTH, *given, members, wanted.source)
    chosen = [ChosenSession(*row) for row in rows[:VOIDED_SESSIONS_MAX]]
    return ChosenSessions(chosen, len(rows) > len(chosen))
