"""Reads whole sessions on record: what their facts say, and the prints of their rounds.

Call it under the lock on the head. Other requests get their turn between facts.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from services.ingest.record.judging.prints import RoundPrint
from services.ingest.record.known.groups import TURN_SESSIONS
from shared.events.codec import decode_session
from shared.events.facts import SessionSubmitted
from shared.log.postgres import Connection

READ_FACTS: Final = """
SELECT fact.seq, fact.body
FROM unnest((SELECT $1::bigint[])) AS held (fact_seq)
CROSS JOIN LATERAL (
    SELECT f.seq, f.body FROM mahjic.facts AS f WHERE f.seq = held.fact_seq OFFSET 0
) AS fact
"""
READ_PRINTS: Final = """
SELECT held.session_id, print.base_print, print.points_print, print.ref_print
FROM unnest((SELECT $1::text[])) AS held (session_id)
CROSS JOIN LATERAL (
    SELECT r.round_no, r.base_print, r.points_print, r.ref_print
    FROM mahjic.round_prints AS r WHERE r.session_id = held.session_id OFFSET 0
) AS print
ORDER BY held.session_id, print.round_no
"""
READ_MEMBERS: Final = """
SELECT survivor.player_id AS survivor, member.player_id
FROM unnest((SELECT $1::text[])) AS survivor (player_id)
CROSS JOIN LATERAL mahjic.members(survivor.player_id) AS member (player_id)
"""


@dataclass(frozen=True, slots=True)
class Held:
    """A session on record, and where its fact is."""

    session_id: str
    source: str
    fact_seq: int


async def read_held(
    connection: Connection, held: Sequence[Held]
) -> AsyncIterator[tuple[SessionSubmitted, Sequence[RoundPrint], int]]:
    """Yield sessions with the prints of their rounds and their place, oldest first.

    What cannot be read is left out.
    """
    rows = await connection.fetch(READ_FACTS, [each.fact_seq for each in held])
    bodies = {row["seq"]: row["body"] for row in rows}
    prints: dict[str, list[RoundPrint]] = {}
    for row in await connection.fetch(READ_PRINTS, [each.session_id for each in held]):
        own = RoundPrint(row["base_print"], row["points_print"], row["ref_print"])
        prints.setdefault(row["session_id"], []).append(own)
    oldest_first = sorted(held, key=lambda each: each.fact_seq)
    for done, each in enumerate(oldest_first, start=1):
        fact = decode_session(bodies[each.fact_seq])
        of_session = prints.get(each.session_id, [])
        if fact is not None and len(of_session) == len(fact.rounds):
            yield fact, of_session, each.fact_seq
        if done % TURN_SESSIONS == 0:
            await asyncio.sleep(0)


async def read_members(connection: Connection, survivor_ids: Iterable[str]) -> dict[str, list[str]]:
    """Return for each of these all ids that are read as it."""
    members: dict[str, list[str]] = {}
    for row in await connection.fetch(READ_MEMBERS, sorted(survivor_ids)):
        members.setdefault(row["survivor"], []).append(row["player_id"])
    return members
