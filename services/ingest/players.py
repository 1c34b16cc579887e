"""What the operator does about players: registers, verifies, hides and forgets them.

Each is one transaction that locks the head first. A repeated request changes nothing. All raise
HistorySplit, and change nothing, when the log was put back to an older state.
"""

from dataclasses import dataclass
from typing import Final, Literal

import asyncpg

from services.ingest.chances import Chances
from services.ingest.look_up import Connection, free_ids
from services.ingest.people import Person
from services.ingest.waterline import Waterline, Writing
from shared.errors import MahjicError
from shared.events.codec import encode_fact
from shared.events.facts import PlayerVerificationEnded, PlayerVerified
from shared.http.player_ids import UnknownPlayer
from shared.log.postgres import Head

FIND_BY_EMAIL: Final = "SELECT player_id FROM mahjic.people WHERE email = $1"
FIND_PLAYER: Final = """
SELECT players.is_verified, people.player_id IS NOT NULL AS is_known
FROM mahjic.players LEFT JOIN mahjic.people USING (player_id)
WHERE players.player_id = $1
"""
ADD_PLAYER: Final = "INSERT INTO mahjic.players (player_id) VALUES ($1)"
ADD_PERSON: Final = """
INSERT INTO mahjic.people (player_id, email, is_private, privacy_by)
VALUES ($1, $2, $3, CASE WHEN $3 THEN 'operator' ELSE 'source' END)
"""
SET_VERIFIED: Final = "UPDATE mahjic.players SET is_verified = $2 WHERE player_id = $1"
SET_PRIVACY: Final = """
UPDATE mahjic.people SET is_private = $2, privacy_by = 'operator'
WHERE player_id = $1 AND (is_private, privacy_by) IS DISTINCT FROM ($2, 'operator')
RETURNING player_id
"""
FORGET: Final = "DELETE FROM mahjic.people WHERE player_id = $1"
NOTE_CHANGE: Final = """
WITH counted AS (UPDATE mahjic.head SET people_seq = $1)
INSERT INTO mahjic.people_changes (seq, player_id) VALUES ($1, $2)
"""


class CannotBeVerified(MahjicError):
    """Anonymous players and forgotten people have no identity to verify."""

    code = "cannot_be_verified"
    title = "This player cannot be verified"
    status = 422


@dataclass(frozen=True, slots=True)
class Registered:
    """A person on record. `is_new` tells whether this request created the player."""

    player_id: str
    is_new: bool


async def register(
    pool: asyncpg.Pool, waterline: Waterline, person: Person, chances: Chances
) -> Registered:
    """Put somebody on record who has not played yet; who is on record keeps the id.

    `PRIVATE:` is the operator's word and hides also who is on record. A plain address says nothing
    about privacy, so a source may still do so.
    """
    async with pool.acquire() as connection, waterline.writing(connection) as writing:
        known = await connection.fetchval(FIND_BY_EMAIL, person.key)
        if known is not None:
            if person.is_private:
                await _set_privacy(connection, writing.head, known, is_private=True)
            return Registered(known, is_new=False)
        (new_id,) = await free_ids(connection, ["MJ"], chances)
        await connection.execute(ADD_PLAYER, new_id)
        await connection.execute(ADD_PERSON, new_id, person.key, person.is_private)
        await _note_change(connection, writing.head, new_id)
        return Registered(new_id, is_new=True)


async def set_verification(
    pool: asyncpg.Pool,
    waterline: Waterline,
    player_id: str,
    chances: Chances,
    *,
    is_verified: bool,
) -> None:
    """Begin or end a player's verification, from this place on the log onward.

    Raises UnknownPlayer or CannotBeVerified.
    """
    async with pool.acquire() as connection, waterline.writing(connection) as writing:
        player = await _find(connection, player_id)
        if is_verified and (not player["is_known"] or player_id.startswith("AN-")):
            raise CannotBeVerified(f"{player_id} is anonymous or forgotten; nobody is behind it.")
        if player["is_verified"] != is_verified:
            await _verify(connection, writing, player_id, chances, is_verified=is_verified)


async def set_privacy(
    pool: asyncpg.Pool,
    waterline: Waterline,
    player_id: str,
    privacy: Literal["normal", "private"],
) -> None:
    """Say whether a player is private; sources cannot change it then. Raises UnknownPlayer."""
    async with pool.acquire() as connection, waterline.writing(connection) as writing:
        player = await _find(connection, player_id)
        if not player["is_known"] or player_id.startswith("AN-"):
            raise UnknownPlayer(f"Nobody with an address is behind {player_id}.")
        await _set_privacy(connection, writing.head, player_id, is_private=privacy == "private")


async def forget(
    pool: asyncpg.Pool, waterline: Waterline, player_id: str, chances: Chances
) -> None:
    """Delete all that tells who a player is; the log, which never knew, stays whole.

    A verification ends with it. Raises UnknownPlayer for an id that was never given out.
    """
    async with pool.acquire() as connection, waterline.writing(connection) as writing:
        player = await _find(connection, player_id)
        if player["is_known"]:
            await connection.execute(FORGET, player_id)
            await _note_change(connection, writing.head, player_id)
        if player["is_verified"]:
            await _verify(connection, writing, player_id, chances, is_verified=False)


async def _find(connection: Connection, player_id: str) -> asyncpg.Record:
    player = await connection.fetchrow(FIND_PLAYER, player_id)
    if player is None:
        raise UnknownPlayer(f"No player has the id {player_id}.")
    return player


async def _set_privacy(
    connection: Connection, head: Head, player_id: str, *, is_private: bool
) -> None:
    changed = await connection.fetchval(SET_PRIVACY, player_id, is_private)
    if changed is not None:
        await _note_change(connection, head, player_id)


async def _verify(
    connection: Connection,
    writing: Writing,
    player_id: str,
    chances: Chances,
    *,
    is_verified: bool,
) -> None:
    head = writing.head
    event = PlayerVerified(player_id) if is_verified else PlayerVerificationEnded(player_id)
    await connection.execute(SET_VERIFIED, player_id, is_verified)
    body = encode_fact(event, log_id=head.log_id, seq=head.fact_seq + 1, time=chances.timestamp())
    await writing.append([body])


async def _note_change(connection: Connection, head: Head, player_id: str) -> None:
    await connection.execute(NOTE_CHANGE, head.people_seq + 1, player_id)
