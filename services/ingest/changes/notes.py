"""Keeps the note that came with a fact. It is off the log, so that it can be erased."""

from typing import Final

import asyncpg

from shared.db.away import DATABASE_AWAY
from shared.db.erasing import note_erased
from shared.errors import NotFound, ServiceUnavailable
from shared.log.postgres import Connection

WRITE_NOTE: Final = "INSERT INTO mahjic.notes (fact_seq, note) VALUES ($1, $2)"
ERASE_NOTE: Final = "DELETE FROM mahjic.notes WHERE fact_seq = $1"
READ_LAST_FACT: Final = "SELECT fact_seq FROM mahjic.head"


async def write_note(connection: Connection, fact_seq: int, note: str | None) -> None:
    """Store the note of the fact that this transaction appends, if there is a note."""
    if note is not None:
        await connection.execute(WRITE_NOTE, fact_seq, note)


async def erase_note(pool: asyncpg.Pool, fact_seq: int) -> None:
    """Erase the note on a fact, if there is one.

    Raises NotFound if there is no such fact, and ServiceUnavailable.
    """
    try:
        last_seq = await pool.fetchval(READ_LAST_FACT)
        if not 1 <= fact_seq <= last_seq:
            raise NotFound(f"There is no fact {fact_seq}; the log ends at {last_seq}.")
        async with pool.acquire() as connection, connection.transaction():
            await connection.execute(ERASE_NOTE, fact_seq)
            await note_erased(connection, "notes")
    except DATABASE_AWAY as error:
        raise ServiceUnavailable from error
