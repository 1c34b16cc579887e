"""Puts recovered changes to the past on record: voids, corrections, merges, seats, formulas.

This happens in the transaction that takes over the facts. Notes stay lost, because they are not on
the log.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from services.ingest.record.known.groups import members_of, sessions_named
from services.ingest.record.known.seatings import read_reseats
from services.ingest.record.reprinting import print_anew
from services.ingest.record.reseating import write_reseats
from shared.events.codec import Fact
from shared.events.facts import (
    FormulaAdopted,
    FormulaAdoptedFromBeginning,
    PlayersMerged,
    PlayersUnmerged,
    SeatsReassigned,
    SessionCorrected,
    SessionsVoided,
)
from shared.log.postgres import Connection
from shared.replay.reseating import as_sent, reassigned

READ_LINKS: Final = """
SELECT player_id, merged_into FROM mahjic.players WHERE merged_into IS NOT NULL
"""
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
# Nor does it say who made a merge. Assuming the players themselves, nobody gets to make more than
# they may.
ADD_MERGES: Final = """
INSERT INTO mahjic.own_merges (fact_seq, player_id, into_id, is_recovered)
SELECT n.fact_seq, n.player_id, n.into_id, true
FROM unnest($1::bigint[], $2::text[], $3::text[]) AS n (fact_seq, player_id, into_id)
ON CONFLICT (fact_seq) DO NOTHING
"""
ADD_FORMULAS: Final = """
INSERT INTO mahjic.formulas (fact_seq, formula, since)
SELECT n.fact_seq, n.formula, n.since
FROM unnest($1::bigint[], $2::text[], $3::text[]) AS n (fact_seq, formula, since)
ON CONFLICT (fact_seq) DO NOTHING
"""


async def add_changes(
    connection: Connection, facts: Sequence[Fact], links: Mapping[str, str]
) -> None:
    """Put on record which sessions these facts ended, whose seats they reassigned, who was merged,
    and formulas.

    The sessions that they name must be on record. `links` are the merges from before the facts.
    """
    await _end_sessions(connection, facts)
    await _reassign_seats(connection, facts, dict(links))
    await _add_merges(connection, facts)
    await _add_formulas(connection, facts)


async def links_now(connection: Connection) -> dict[str, str]:
    """Return who is merged into whom."""
    return {row["player_id"]: row["merged_into"] for row in await connection.fetch(READ_LINKS)}


async def _reassign_seats(
    connection: Connection, facts: Iterable[Fact], links: dict[str, str]
) -> None:
    """Seat whom the facts seat, each by the merges as of it."""

    def survivor(player_id: str) -> str:
        while player_id in links:
            player_id = links[player_id]
        return player_id

    for fact in facts:
        match fact.event:
            case PlayersMerged(player_id, into):
                links[player_id] = into
            case PlayersUnmerged(player_id, _):
                links.pop(player_id, None)
            case SeatsReassigned(given, to, session_ids):
                played = await sessions_named(connection, session_ids)
                reseats = await read_reseats(connection, session_ids)
                before = {
                    each: as_sent([played_round.players for played_round in one.played.rounds])
                    for each, one in played.items()
                } | {each: reseat.tables for each, reseat in reseats.items()}
                after = {
                    each: (one, reassigned(before[each], given, to, fact.seq, survivor))
                    for each, one in played.items()
                }
                await write_reseats(connection, fact.seq, fact.event, after)


async def _end_sessions(connection: Connection, facts: Iterable[Fact]) -> None:
    for fact in facts:
        match fact.event:
            case SessionsVoided(session_ids, reason):
                await connection.execute(VOID, session_ids, fact.seq, reason)
            case SessionCorrected(corrects, reason, session):
                await connection.execute(CORRECT, corrects, session.session_id, fact.seq, reason)


async def _add_merges(connection: Connection, facts: Iterable[Fact]) -> None:
    merged = [(f.seq, f.event) for f in facts if isinstance(f.event, PlayersMerged)]
    await connection.execute(
        ADD_MERGES,
        [seq for seq, _ in merged],
        [event.player_id for _, event in merged],
        [event.into for _, event in merged],
    )


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
