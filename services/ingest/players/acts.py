"""What the operator can do with players: register, hide and forget them.

Each is one transaction that locks the head first. A repeated request changes nothing. If the log
was put back to an older state, all of them raise HistorySplit and change nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import asyncpg

from services.ingest.claim.people import Person
from services.ingest.players.forgetting import Erasable, forget_person
from services.ingest.players.grouped import (
    find_group,
    find_person,
    write_privacy,
)
from services.ingest.record.ids_and_times import IdsAndTimes
from services.ingest.record.known.groups import note_changes
from services.ingest.record.known.whole_record import free_ids
from services.ingest.record.waterline import Waterline, Writing
from shared.log.postgres import Connection

FIND_BY_EMAIL: Final = "SELECT player_id FROM mahjic.people WHERE email = $1"
ADD_PLAYER: Final = "INSERT INTO mahjic.players (player_id) VALUES ($1)"
ADD_PERSON: Final = """
INSERT INTO mahjic.people (player_id, email, is_private, privacy_by)
VALUES ($1, $2, $3, CASE WHEN $3 THEN 'operator' ELSE 'source' END)
"""


@dataclass(frozen=True, slots=True)
class Registered:
    """A person on record. `is_new` is true if this request created the player."""

    player_id: str
    is_new: bool


async def register(
    pool: asyncpg.Pool, waterline: Waterline, person: Person, ids_and_times: IdsAndTimes
) -> Registered:
    """Put a person on record before their first game. A person already on record keeps their id.

    `PRIVATE:` is the operator's decision, and also hides a person who is already on record. A plain
    address says nothing about privacy, so a source can still decide it.
    """
    async with pool.acquire() as connection, waterline.writing(connection) as writing:
        return await put_on_record(connection, writing, person, ids_and_times)


async def put_on_record(
    connection: Connection, writing: Writing, person: Person, ids_and_times: IdsAndTimes
) -> Registered:
    """Do what `register` does, in a transaction that holds the head."""
    known = await connection.fetchval(FIND_BY_EMAIL, person.key)
    if known is not None:
        group = await find_group(connection, known)
        if person.is_private:
            await write_privacy(connection, writing, group, is_private=True, by="operator")
        return Registered(group.survivor, is_new=False)
    (new_id,) = await free_ids(connection, ["MJ"], ids_and_times)
    await add_person(connection, new_id, person)
    await note_changes(connection, writing.head, [new_id])
    return Registered(new_id, is_new=True)


async def add_person(connection: Connection, player_id: str, person: Person) -> None:
    """Put someone with an address on record, who was not, under an id that was not given out."""
    await connection.execute(ADD_PLAYER, player_id)
    await connection.execute(ADD_PERSON, player_id, person.key, person.is_private)


async def set_privacy(
    pool: asyncpg.Pool,
    waterline: Waterline,
    player_id: str,
    privacy: Literal["normal", "private"],
) -> None:
    """Set whether a player is private. Sources can't change it afterward. Raises UnknownPlayer."""
    async with pool.acquire() as connection, waterline.writing(connection) as writing:
        group = await find_person(connection, player_id)
        is_private = privacy == "private"
        await write_privacy(connection, writing, group, is_private=is_private, by="operator")


async def forget(
    pool: asyncpg.Pool,
    waterline: Waterline,
    player_id: str,
    ids_and_times: IdsAndTimes,
    erasables: Sequence[Erasable] = (),
) -> None:
    """Delete everything that says who a player is. The log never knew, so it stays whole.

    This also ends a verification. Raises UnknownPlayer for an id that was never given out.
    """
    async with pool.acquire() as connection, waterline.writing(connection) as writing:
        await forget_person(connection, writing, player_id, ids_and_times, erasables)
