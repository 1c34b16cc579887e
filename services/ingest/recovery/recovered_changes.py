"""Puts recovered changes to the past on record: voids, corrections, merges, formulas.

This happens in the transaction that takes over the facts. Notes stay lost, because they are not on
the log.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from services.ingest.record.known.groups import members_of
from services.ingest.record.reprinting import print_anew
from shared.events.codec import Fact
from shared.events.facts import (
    FormulaAdopted,
    FormulaAdoptedFromBeginning,
    PlayersMerged,
    PlayersUnmerged,
    SessionCorrected,
    SessionsVoided,
)
from shared.log.postgres import Connection

SET_LINKS: Final = """
UPDATE mahjic.players SET merged_into = n.merged_into, link_fact_seq = n.fact_seq
FROM unnest($1::text[], $2::text[], $3::bigint[]) AS n (player_id, merged_into, fact_seq)
WHERE players.player_id = n.player_id
"""
VOID: Final = """
UPDATE mahjic.submissions SET status = 'voided', ended_fact_seq = $2, end_reason = $3
WHERE session_id = ANY($1)
"""
# The log does not say who corrected a session. Assuming the operator, no source is shown people it
# never named.
CORRECT: Final = """
WITH old AS (
    UPDATE mahjic.submissions
    SET status = 'corrected', corrected_by = $2, ended_fact_seq = $3, end_reason = $4
    WHERE session_id = $1 RETURNING place_seq
)
UPDATE mahjic.submissions SET corrects = $1, place_seq = old.place_seq, is_by_operator = true
FROM old WHERE session_id = $2
"""
ADD_FORMULAS: Final = """
INSERT INTO mahjic.formulas (fact_seq, formula, since)
SELECT n.fact_seq, n.formula, n.since
FROM unnest($1::bigint[], $2::text[], $3::text[]) AS n (fact_seq, formula, since)
ON CONFLICT (fact_seq) DO NOTHING
"""


async def add_changes(connection: Connection, facts: Sequence[Fact]) -> None:
    """Put on record which sessions these facts ended, and which formulas they adopted.

    The sessions that they name must be on record.
    """
    await _end_sessions(connection, facts)
    await _add_formulas(connection, facts)


async def _end_sessions(connection: Connection, facts: Iterable[Fact]) -> None:
    for fact in facts:
        match fact.event:
            case SessionsVoided(session_ids, reason):
                await connection.execute(VOID, session_ids, fact.seq, reason)
            case SessionCorrected(corrects, reason, session):
                await connection.execute(CORRECT, corrects, session.session_id, fact.seq, reason)


async def _add_formulas(connection: Connection, facts: Iterable[Fact]) -> None:
    adopted = [
        (
            fact.seq,
            fact.event.formula,
            "now" if isinstance(fact.event, FormulaAdopted) else "beginning",
        )
        for fact in facts
        if isinstance(fact.event, FormulaAdopted | FormulaAdoptedFromBeginning)
    ]
    await connection.execute(
        ADD_FORMULAS,
        [seq for seq, _, _ in adopted],
        [formula for _, formula, _ in adopted],
        [since for _, _, since in adopted],
    )


async def set_links(connection: Connection, facts: Iterable[Fact]) -> None:
    """Link the players who are merged after these facts, and renew the prints this changes.

    Call it before the sessions of the same facts are put on record: their prints are then taken
    once, and none of these facts is read again.
    """
    links: dict[str, tuple[str | None, int]] = {}
    for fact in facts:
        match fact.event:
            case PlayersMerged(player_id, into):
                links[player_id] = (into, fact.seq)
            case PlayersUnmerged(player_id, _):
                links[player_id] = (None, fact.seq)
    if not links:
        return
    await connection.execute(
        SET_LINKS,
        list(links),
        [merged_into for merged_into, _ in links.values()],
        [fact_seq for _, fact_seq in links.values()],
    )
    moved = {member for each in links for member in await members_of(connection, each)}
    await print_anew(connection, sorted(moved))
