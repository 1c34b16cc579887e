"""Settles whether a person is Verified: the one answer that everything on file comes to.

Whatever changes anything on file settles it in the same transaction, under the lock on the head.
Only a change of the answer writes a fact, so it doesn't matter how often, by whom, or in which
order it is asked for.
"""

from dataclasses import dataclass
from typing import Final

from services.ingest.players.grouped import find_group, write_verification
from services.ingest.record.waterline import Writing
from services.verification.entitlement import Entitlement, entitlement
from services.verification.on_file import Filed, is_nothing_on_file, read_filed
from services.verification.room import Connection, VerificationRoom
from services.verification.telling import tell_person

# What was settled for other ids of the person is settled for the one that stands for them.
UNWATCH_OTHERS: Final = """
DELETE FROM mahjic.verification_watch WHERE player_id = ANY($1) AND player_id <> $2
"""
WATCH: Final = """
INSERT INTO mahjic.verification_watch
    (player_id, is_verified, until, is_in_grace, next_at, ended_until)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (player_id) DO UPDATE SET
    is_verified = excluded.is_verified, until = excluded.until,
    is_in_grace = excluded.is_in_grace, next_at = excluded.next_at,
    ended_until = excluded.ended_until
"""
DOUBT: Final = """
INSERT INTO mahjic.verification_doubts (player_id) SELECT unnest($1::text[])
ON CONFLICT DO NOTHING
"""
DOUBT_OVER: Final = "DELETE FROM mahjic.verification_doubts WHERE player_id = ANY($1)"


@dataclass(frozen=True, slots=True)
class Settled:
    """What came out: whether the person is Verified, and the end of the log at that moment."""

    is_verified: bool
    is_changed: bool
    seq: int


async def settle(
    room: VerificationRoom, connection: Connection, writing: Writing, player_id: str
) -> Settled:
    """Settle whether the person behind an id is Verified. Raises UnknownPlayer.

    The transaction holds the head and appends nothing else. Whoever is Verified although nothing
    is on file, as after facts were brought back to an older database, is left to staff.
    """
    group = await find_group(connection, player_id)
    was = bool(group.verified)
    await connection.execute(DOUBT_OVER, group.members)
    if await is_nothing_on_file(connection, group.members):
        return Settled(was, is_changed=False, seq=writing.end.seq)
    filed = await read_filed(connection, group)
    found = entitlement(filed.on_file, room.now())
    if found.is_verified != was:
        await write_verification(
            connection,
            writing,
            [group.survivor] if found.is_verified else group.verified,
            room.ids_and_times,
            is_verified=found.is_verified,
        )
    await _watch(connection, filed, found)
    await tell_person(room, connection, filed, found, was=was)
    return Settled(found.is_verified, is_changed=found.is_verified != was, seq=writing.end.seq)


async def doubt(connection: Connection, *player_ids: str) -> None:
    """Have it settled soon whether these players are Verified, where the head is not held."""
    await connection.execute(DOUBT, player_ids)


async def _watch(connection: Connection, filed: Filed, found: Entitlement) -> None:
    """Keep what was found, and have it looked at again when time may change it."""
    group = filed.group
    await connection.execute(UNWATCH_OTHERS, group.members, group.survivor)
    await connection.execute(
        WATCH,
        group.survivor,
        found.is_verified,
        found.until,
        found.is_in_grace,
        found.next_at,
        found.ended_until,
    )
