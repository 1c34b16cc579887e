"""Finds from which place in the order of the log a fact about the past makes points untrue.

A place is the seq of a fact: a session's own or, for one that corrects another, the place of that.
"""

from typing import Final

from services.projections.history.corrected import event_of
from shared.events.codec import Verdict
from shared.events.facts import (
    FormulaAdoptedFromBeginning,
    PlayersMerged,
    PlayersUnmerged,
    SeatsReassigned,
    SessionCorrected,
    SessionsVoided,
)
from shared.events.verdicts import RatingsCorrected
from shared.feed.views import Connection

_PLACE_OF_SESSION: Final = """
SELECT min(found.place_seq) AS place_seq FROM (
    SELECT r.fact_seq AS place_seq FROM {schema}.rounds AS r
    WHERE r.session_id = named.session_id AND r.round_no = 1
    UNION ALL
    SELECT r.place_seq FROM {schema}.replacements AS r WHERE r.session_id = named.session_id
) AS found
"""
# A session that was voided before is no longer there to be left out, and none is reassigned then.
READ_FIRST_THAT_COUNTS: Final = f"""
SELECT min(place.place_seq)
FROM unnest($1::text[]) AS named (session_id) CROSS JOIN LATERAL (
    {_PLACE_OF_SESSION}
) AS place
WHERE NOT EXISTS (
    SELECT FROM {{schema}}.endings AS e WHERE e.session_id = named.session_id OFFSET 0
)
"""
READ_CORRECTED: Final = f"""
SELECT place.place_seq
FROM (SELECT $1::text AS session_id) AS named CROSS JOIN LATERAL ({_PLACE_OF_SESSION}) AS place
"""
# A player sits in a session by a round, or by a correction of any kind that gave games.
READ_FIRST_PLAYED: Final = """
SELECT LEAST(
    (
        SELECT c.fact_seq FROM {schema}.changes AS c
        WHERE c.player_id = $1 AND c.fact_seq < $2 AND c.round_no > 0
        ORDER BY c.fact_seq LIMIT 1
    ),
    (
        SELECT min(given.from_seq)
        FROM {schema}.changes AS c CROSS JOIN LATERAL (
            SELECT k.from_seq FROM {schema}.corrections AS k
            WHERE k.fact_seq = c.fact_seq OFFSET 0
        ) AS given
        WHERE c.player_id = $1 AND c.fact_seq < $2 AND c.round_no = 0
            AND c.games_after > c.games_before
    )
)
"""
READ_LINKED: Final = "SELECT from_seq FROM {schema}.links WHERE player_id = $1"


async def first_place(connection: Connection, schema: str, first: Verdict) -> int:
    """Return the first place that a fact touches, from the first part of its verdict.

    What stands in the tables must be of the facts before it. A fact that touches nothing returns
    its own place.
    """
    event, fact_seq = event_of(first), first.answers.fact_seq
    if event.fact_type == FormulaAdoptedFromBeginning.TYPE:
        return 0
    query, arguments = _question(event, fact_seq)
    place_seq: int | None = await connection.fetchval(query.format(schema=schema), *arguments)
    return fact_seq if place_seq is None else place_seq


def _question(event: RatingsCorrected, fact_seq: int) -> tuple[str, tuple[object, ...]]:
    """Return the query that finds the place, and what it asks about. Pure."""
    if event.fact_type == SessionsVoided.TYPE:
        return READ_FIRST_THAT_COUNTS, (event.data["session_ids"],)
    if event.fact_type == SeatsReassigned.TYPE:
        return READ_FIRST_THAT_COUNTS, (event.data["sessions"],)
    if event.fact_type == SessionCorrected.TYPE:
        return READ_CORRECTED, (event.data["corrects"],)
    if event.fact_type == PlayersMerged.TYPE:
        return READ_FIRST_PLAYED, (event.data["player_id"], fact_seq)
    assert event.fact_type == PlayersUnmerged.TYPE
    return READ_LINKED, (event.data["player_id"],)
