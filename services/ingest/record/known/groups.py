"""Reads which ids belong to one person, and the sessions that the person sat in.

A group is a survivor and everyone merged into it. What is read under the lock on the head is true
until the transaction ends.
"""

import asyncio
import itertools
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import asyncpg

from services.ingest.record.judging.on_record import SeatIds
from services.ingest.record.known.seatings import read_reseats
from shared.db.away import DATABASE_AWAY
from shared.errors import MahjicError, ServiceUnavailable
from shared.events.codec import decode_session
from shared.events.facts import SessionSubmitted
from shared.log.postgres import Connection, Head
from shared.replay.reseating import with_seated

# A statement for many sessions costs little more than one for a few. This many facts are 1 MB, or
# 30 MB if they are as large as can be.
SESSIONS_AT_ONCE: Final = 1000
# They are decoded while requests come in. After this many, other work gets a turn.
TURN_SESSIONS: Final = 50

READ_SURVIVORS: Final = """
SELECT player_id, mahjic.survivor(player_id) AS survivor
FROM mahjic.players WHERE player_id = ANY($1) AND merged_into IS NOT NULL
"""
READ_MEMBERS: Final = "SELECT player_id FROM mahjic.members($1) AS member (player_id)"
READ_SESSIONS: Final = """
SELECT session_id, fact_seq, source FROM mahjic.submissions
WHERE session_id IN (SELECT session_id FROM mahjic.seats WHERE player_id = ANY($1))
ORDER BY place_seq, fact_seq
"""
READ_SHARED_SESSIONS: Final = """
SELECT session_id, fact_seq, source FROM mahjic.submissions
WHERE status = 'accepted' AND session_id IN (
    SELECT session_id FROM mahjic.seats WHERE player_id = ANY($1)
    INTERSECT
    SELECT session_id FROM mahjic.seats WHERE player_id = ANY($2)
)
ORDER BY place_seq
"""
READ_SESSION: Final = """
SELECT session_id, fact_seq, source FROM mahjic.submissions WHERE session_id = $1
"""
READ_NAMED_SESSIONS: Final = """
SELECT session_id, fact_seq, source FROM mahjic.submissions WHERE session_id = ANY($1)
"""
READ_FACTS: Final = "SELECT seq, body FROM mahjic.facts WHERE seq = ANY($1)"
# The place is read from the head as it is now: this transaction may have noted others before.
NOTE_CHANGES: Final = """
WITH counted AS (
    UPDATE mahjic.head SET people_seq = people_seq + cardinality($1::text[]) RETURNING people_seq
)
INSERT INTO mahjic.people_changes (seq, player_id)
SELECT counted.people_seq - cardinality($1::text[]) + changed.number, changed.player_id
FROM counted CROSS JOIN unnest($1::text[]) WITH ORDINALITY AS changed (player_id, number)
"""


class PlayerMerged(MahjicError):
    """This works only on a whole person, and this id is merged into another."""

    code = "player_merged"
    title = "The player is merged into another"
    status = 409

    def __init__(self, player_id: str, survivor: str) -> None:
        super().__init__(
            f"{player_id} is merged into {survivor}. Name that one, or unmerge {player_id} first.",
            extra={"player_id": player_id, "survivor": survivor},
        )


@dataclass(frozen=True, slots=True)
class PlayedSession:
    """A session on record, with what its fact says.

    `seated` is the same session with those who sit there now: others if seats were reassigned.
    """

    session_id: str
    source: str
    played: SessionSubmitted
    seated: SessionSubmitted


async def survivor_of(connection: Connection, player_id: str) -> str:
    """Return who a player is read as: the same id, unless it is merged."""
    return (await survivors_of(connection, [player_id])).get(player_id, player_id)


async def survivors_of(connection: Connection, player_ids: Iterable[str]) -> dict[str, str]:
    """Return who each of these players is read as, for those who are merged."""
    rows = await connection.fetch(READ_SURVIVORS, sorted(set(player_ids)))
    return {row["player_id"]: row["survivor"] for row in rows}


async def members_of(connection: Connection, player_id: str) -> list[str]:
    """Return a player and everyone merged into it, over all links, sorted by id."""
    return sorted(row["player_id"] for row in await connection.fetch(READ_MEMBERS, player_id))


async def sessions_of(
    connection: Connection, player_ids: Sequence[str]
) -> AsyncIterator[list[PlayedSession]]:
    """Yield all sessions in which any of these sat, even those that no longer count, in groups.

    Those who were sent for a seat that is another's by now are found as well.
    """
    rows = await connection.fetch(READ_SESSIONS, player_ids)
    async for sessions in _with_facts(connection, rows):
        yield sessions


async def sessions_named(
    connection: Connection, session_ids: Sequence[str]
) -> dict[str, PlayedSession]:
    """Return these sessions by id, without those whose facts cannot be read."""
    rows = await connection.fetch(READ_NAMED_SESSIONS, session_ids)
    found: dict[str, PlayedSession] = {}
    async for sessions in _with_facts(connection, rows):
        found |= {each.session_id: each for each in sessions}
    return found


async def sessions_shared(
    connection: Connection, some: Sequence[str], others: Sequence[str]
) -> AsyncIterator[list[PlayedSession]]:
    """Yield the sessions that count in which both sides sat, in log order."""
    rows = await connection.fetch(READ_SHARED_SESSIONS, some, others)
    async for sessions in _with_facts(connection, rows):
        yield sessions


async def read_seats(pool: asyncpg.Pool, session_id: str) -> SeatIds:
    """Return who each seat of a session on record is read as at this moment.

    The result is empty if the session's fact cannot be read. Raises ServiceUnavailable.
    """
    try:
        async with pool.acquire() as connection:
            return await _read_seats(connection, session_id)
    except DATABASE_AWAY as error:
        raise ServiceUnavailable from error


async def _read_seats(connection: Connection, session_id: str) -> SeatIds:
    rows = await connection.fetch(READ_SESSION, session_id)
    async for sessions in _with_facts(connection, rows):
        for each in sessions:
            rounds = [played.players for played in each.seated.rounds]
            survivors = await survivors_of(connection, itertools.chain(*rounds))
            return tuple(tuple(survivors.get(one, one) for one in players) for players in rounds)
    return ()


async def _with_facts(
    connection: Connection, rows: Sequence[asyncpg.Record]
) -> AsyncIterator[list[PlayedSession]]:
    for first in range(0, len(rows), SESSIONS_AT_ONCE):
        group = rows[first : first + SESSIONS_AT_ONCE]
        facts = await connection.fetch(READ_FACTS, [row["fact_seq"] for row in group])
        bodies = {row["seq"]: row["body"] for row in facts}
        reseats = await read_reseats(connection, [row["session_id"] for row in group])
        sessions: list[PlayedSession] = []
        for done, row in enumerate(group, start=1):
            if (played := decode_session(bodies[row["fact_seq"]])) is not None:
                reseat = reseats.get(row["session_id"])
                seated = played if reseat is None else with_seated(played, reseat.tables)
                sessions.append(PlayedSession(row["session_id"], row["source"], played, seated))
            if done % TURN_SESSIONS == 0:
                await asyncio.sleep(0)
        yield sessions


async def note_changes(connection: Connection, _head: Head, player_ids: Sequence[str]) -> None:
    """Tell the views to look at these people again. Whoever has the head holds the lock on it."""
    if player_ids:
        await connection.execute(NOTE_CHANGES, player_ids)
