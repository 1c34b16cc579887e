"""What the operator sees of a player by id: everything but the address."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from services.ingest.claim.people import Person
from services.ingest.players.acts import FIND_BY_EMAIL
from services.ingest.players.grouped import find_group
from services.ingest.players.naming import with_address
from services.ingest.record.known.groups import survivor_of
from shared.errors import UnknownPlayer
from shared.log.postgres import Connection

READ_PEOPLE: Final = """
SELECT player_id, name, is_private, privacy_by FROM mahjic.people WHERE player_id = ANY($1)
"""
READ_ADDRESS: Final = "SELECT email FROM mahjic.people WHERE player_id = $1"
READ_LINK: Final = "SELECT merged_into FROM mahjic.players WHERE player_id = $1"
COUNT_SESSIONS: Final = """
SELECT count(*) FROM mahjic.submissions WHERE status = 'accepted' AND session_id IN (
    SELECT session_id FROM mahjic.seats WHERE player_id = ANY($1) AND sits
)
"""
READ_SESSIONS: Final = """
SELECT session_id, source, session_date FROM mahjic.submissions
WHERE status = 'accepted' AND session_id IN (
    SELECT session_id FROM mahjic.seats WHERE player_id = ANY($1) AND sits
)
ORDER BY session_date DESC, fact_seq DESC LIMIT $2
"""


@dataclass(frozen=True, slots=True)
class LookedAtPlayer:
    """A player as the operator sees them.

    `survivor` is who the id is read as, `merged_into` what it was merged into itself. Nobody known
    is behind an anonymous player, or one that is forgotten.
    """

    player_id: str
    survivor: str
    merged_into: str | None
    members: Sequence[str]
    is_known: bool
    is_verified: bool
    is_private: bool
    privacy_by: str | None
    name: str | None
    sessions: int


@dataclass(frozen=True, slots=True)
class SatInSession:
    """A session that counts, in which somebody sits."""

    session_id: str
    source: str
    day: date


async def look_at_player(connection: Connection, player_id: str) -> LookedAtPlayer:
    """Return what is on record about a player. Raises UnknownPlayer."""
    group = await find_group(connection, player_id)
    rows = {row["player_id"]: row for row in await connection.fetch(READ_PEOPLE, group.members)}
    own = rows.get(group.survivor)
    return LookedAtPlayer(
        player_id=player_id,
        survivor=group.survivor,
        merged_into=await connection.fetchval(READ_LINK, player_id),
        members=group.members,
        is_known=group.is_a_person,
        is_verified=bool(group.verified),
        is_private=len(rows) < len(group.members) or any(r["is_private"] for r in rows.values()),
        privacy_by=own["privacy_by"] if own else None,
        name=own["name"] if own else None,
        sessions=await connection.fetchval(COUNT_SESSIONS, group.members),
    )


async def find_by_address(connection: Connection, typed: str) -> str | None:
    """Return who has an address, None if nobody on record. Raises ClaimRefused for no address."""
    found = await connection.fetchval(FIND_BY_EMAIL, with_address(typed).key)
    return None if found is None else await survivor_of(connection, found)


async def sessions_with(
    connection: Connection, members: Sequence[str], limit: int
) -> Sequence[SatInSession]:
    """Return the newest sessions that count in which any of these sits."""
    rows = await connection.fetch(READ_SESSIONS, members, limit)
    return [SatInSession(*row) for row in rows]


async def person_of(connection: Connection, player_id: str) -> Person:
    """Return the person with an address behind an id, as requests name them.

    Raises UnknownPlayer for anyone else, also for those who are forgotten.
    """
    address = await connection.fetchval(READ_ADDRESS, player_id)
    if address is None:
        raise UnknownPlayer(f"There is no person with an address behind {player_id}.")
    return with_address(address)
