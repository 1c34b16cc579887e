"""What the operator can do with players: register, verify, hide and forget them.

Each is one transaction that locks the head first. A repeated request changes nothing. If the log
was put back to an older state, all of them raise HistorySplit and change nothing. Merged ids are
one person: what is asked for one of them is done for the whole group.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import asyncpg

from services.ingest.claim.people import Person
from services.ingest.record.ids_and_times import IdsAndTimes
from services.ingest.record.known.groups import PlayerMerged, note_changes
from services.ingest.record.known.whole_record import free_ids
from services.ingest.record.waterline import Waterline, Writing
from shared.db.erasing import note_erased
from shared.errors import MahjicError, UnknownPlayer
from shared.events.codec import encode_fact
from shared.events.facts import PlayerVerificationEnded, PlayerVerified
from shared.log.postgres import Connection, Head

FIND_BY_EMAIL: Final = "SELECT player_id FROM mahjic.people WHERE email = $1"
FIND_SURVIVOR: Final = "SELECT mahjic.survivor($1)"
READ_GROUP: Final = """
SELECT players.player_id, players.is_verified, people.player_id IS NOT NULL AS is_known
FROM mahjic.members($1) AS member (player_id)
JOIN mahjic.players AS players USING (player_id)
LEFT JOIN mahjic.people AS people USING (player_id)
ORDER BY player_id
"""
ADD_PLAYER: Final = "INSERT INTO mahjic.players (player_id) VALUES ($1)"
ADD_PERSON: Final = """
INSERT INTO mahjic.people (player_id, email, is_private, privacy_by)
VALUES ($1, $2, $3, CASE WHEN $3 THEN 'operator' ELSE 'source' END)
"""
SET_VERIFIED: Final = "UPDATE mahjic.players SET is_verified = $2 WHERE player_id = ANY($1)"
SET_PRIVACY: Final = """
UPDATE mahjic.people SET is_private = $2, privacy_by = 'operator'
WHERE player_id = ANY($1) AND (is_private, privacy_by) IS DISTINCT FROM ($2, 'operator')
RETURNING player_id
"""
FORGET: Final = """
WITH words AS (
    DELETE FROM mahjic.private_words WHERE player_id = ANY($1)
), names AS (
    UPDATE mahjic.acquaintances SET name = NULL WHERE player_id = ANY($1) AND name IS NOT NULL
)
DELETE FROM mahjic.people WHERE player_id = ANY($1)
"""


class CannotBeVerified(MahjicError):
    """Anonymous players and forgotten people have no identity to verify."""

    code = "cannot_be_verified"
    title = "This player cannot be verified"
    status = 422


@dataclass(frozen=True, slots=True)
class Registered:
    """A person on record. `is_new` is true if this request created the player."""

    player_id: str
    is_new: bool


@dataclass(frozen=True, slots=True)
class _Group:
    """A survivor and everyone merged into it: the ids of one person.

    Ids in `known` have an address or a nickname. The others are forgotten.
    """

    survivor: str
    members: Sequence[str]
    known: Sequence[str]
    verified: Sequence[str]

    @property
    def has_an_address(self) -> bool:
        return bool(self.known) and not self.survivor.startswith("AN-")


async def register(
    pool: asyncpg.Pool, waterline: Waterline, person: Person, ids_and_times: IdsAndTimes
) -> Registered:
    """Put a person on record before their first game. A person already on record keeps their id.

    `PRIVATE:` is the operator's decision, and also hides a person who is already on record. A plain
    address says nothing about privacy, so a source can still decide it.
    """
    async with pool.acquire() as connection, waterline.writing(connection) as writing:
        known = await connection.fetchval(FIND_BY_EMAIL, person.key)
        if known is not None:
            group = await _find(connection, known)
            if person.is_private:
                await _set_privacy(connection, writing.head, group, is_private=True)
            return Registered(group.survivor, is_new=False)
        (new_id,) = await free_ids(connection, ["MJ"], ids_and_times)
        await connection.execute(ADD_PLAYER, new_id)
        await connection.execute(ADD_PERSON, new_id, person.key, person.is_private)
        await note_changes(connection, writing.head, [new_id])
        return Registered(new_id, is_new=True)


async def set_verification(
    pool: asyncpg.Pool,
    waterline: Waterline,
    player_id: str,
    ids_and_times: IdsAndTimes,
    *,
    is_verified: bool,
) -> int:
    """Begin or end a player's verification. Return the last fact: it takes effect there.

    Ending it also ends it for everyone merged into the player. Raises UnknownPlayer,
    CannotBeVerified, or PlayerMerged for an id that is merged into another.
    """
    async with pool.acquire() as connection, waterline.writing(connection) as writing:
        group = await _find(connection, player_id)
        if group.survivor != player_id:
            raise PlayerMerged(player_id, group.survivor)
        if not is_verified:
            await _verify(connection, writing, group.verified, ids_and_times, is_verified=False)
            return writing.end.seq
        if not group.has_an_address:
            raise CannotBeVerified(
                f"{player_id} is anonymous or forgotten; there is no known person behind it."
            )
        if player_id not in group.verified:
            await _verify(connection, writing, [player_id], ids_and_times, is_verified=True)
        return writing.end.seq


async def set_privacy(
    pool: asyncpg.Pool,
    waterline: Waterline,
    player_id: str,
    privacy: Literal["normal", "private"],
) -> None:
    """Set whether a player is private. Sources can't change it afterward. Raises UnknownPlayer."""
    async with pool.acquire() as connection, waterline.writing(connection) as writing:
        group = await _find(connection, player_id)
        if not group.has_an_address:
            raise UnknownPlayer(f"There is no person with an address behind {player_id}.")
        await _set_privacy(connection, writing.head, group, is_private=privacy == "private")


async def forget(
    pool: asyncpg.Pool, waterline: Waterline, player_id: str, ids_and_times: IdsAndTimes
) -> None:
    """Delete everything that says who a player is. The log never knew, so it stays whole.

    This also ends a verification. Raises UnknownPlayer for an id that was never given out.
    """
    async with pool.acquire() as connection, waterline.writing(connection) as writing:
        group = await _find(connection, player_id)
        if group.known:
            await connection.execute(FORGET, group.known)
            await note_erased(connection, "people", "acquaintances", "private_words")
            await note_changes(connection, writing.head, sorted({*group.known, group.survivor}))
        await _verify(connection, writing, group.verified, ids_and_times, is_verified=False)


async def _find(connection: Connection, player_id: str) -> _Group:
    survivor = await connection.fetchval(FIND_SURVIVOR, player_id)
    if survivor is None:
        raise UnknownPlayer(f"There is no player with the id {player_id}.")
    rows = await connection.fetch(READ_GROUP, survivor)
    return _Group(
        survivor,
        members=[row["player_id"] for row in rows],
        known=[row["player_id"] for row in rows if row["is_known"]],
        verified=[row["player_id"] for row in rows if row["is_verified"]],
    )


async def _set_privacy(
    connection: Connection, head: Head, group: _Group, *, is_private: bool
) -> None:
    rows = await connection.fetch(SET_PRIVACY, group.members, is_private)
    if rows:
        # The survivor is shown or hidden according to what is known about the group's members.
        changed = {group.survivor, *(row["player_id"] for row in rows)}
        await note_changes(connection, head, sorted(changed))


async def _verify(
    connection: Connection,
    writing: Writing,
    player_ids: Sequence[str],
    ids_and_times: IdsAndTimes,
    *,
    is_verified: bool,
) -> None:
    """Write one fact for each of these players. Without players, write nothing."""
    if not player_ids:
        return
    event = PlayerVerified if is_verified else PlayerVerificationEnded
    bodies = [
        encode_fact(
            event(player_id), log_id=writing.head.log_id, seq=seq, time=ids_and_times.timestamp()
        )
        for seq, player_id in enumerate(player_ids, start=writing.next_seq)
    ]
    await connection.execute(SET_VERIFIED, player_ids, is_verified)
    await writing.append(bodies)
