"""What the tests of people share: ask in a transaction that holds the head, and look afterward."""

import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

import asyncpg

from services.ingest.people.about_oneself import OwnDetails, read_own
from services.ingest.record.waterline import Waterline, Writing
from shared.log.postgres import Connection
from tests.ingest.office import ids_and_times_of

T = TypeVar("T")

IDS_AND_TIMES = ids_and_times_of(random.Random(15))


async def written(pool: asyncpg.Pool, act: Callable[[Connection, Writing], Awaitable[T]]) -> T:
    """Return what an act gives in a transaction of someone else, which is committed then."""
    async with pool.acquire() as connection, connection.transaction():
        return await act(connection, await Waterline().joining(connection))


async def own(pool: asyncpg.Pool, player_id: str) -> OwnDetails:
    """Return what is on record about somebody."""
    async with pool.acquire() as connection:
        return await read_own(connection, player_id)


async def public(pool: asyncpg.Pool) -> dict[str, tuple[str | None, str | None]]:
    """Return whom everybody may see, with name and region."""
    rows = await pool.fetch("SELECT player_id, name, region FROM mahjic.public_players")
    return {row["player_id"]: (row["name"], row["region"]) for row in rows}


async def people_seq(pool: asyncpg.Pool) -> int:
    """Return the number of the last change of people."""
    return int(await pool.fetchval("SELECT people_seq FROM mahjic.head"))


async def changed_since(pool: asyncpg.Pool, seq: int) -> list[str]:
    """Return whom the views look at again, in order."""
    rows = await pool.fetch(
        "SELECT seq, player_id FROM mahjic.people_changes WHERE seq > $1 ORDER BY seq", seq
    )
    assert [row["seq"] for row in rows] == list(range(seq + 1, await people_seq(pool) + 1))
    return [row["player_id"] for row in rows]
