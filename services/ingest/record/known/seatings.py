"""Reads who sits in sessions whose seats were ever reassigned; the facts name who was sent."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from shared.log.postgres import Connection
from shared.replay.reseating import Tables, read_tables

READ_RESEATS: Final = """
SELECT session_id, fact_seq, given, taker, seats FROM mahjic.reseats WHERE session_id = ANY($1)
"""


@dataclass(frozen=True, slots=True)
class Reseat:
    """Who sits in a session, and the last fact that reassigned its seats: from whom to whom."""

    fact_seq: int
    given: str
    taker: str
    tables: Tables[str]


async def read_reseats(connection: Connection, session_ids: Sequence[str]) -> dict[str, Reseat]:
    """Return the sessions among these whose seats were ever reassigned."""
    return {
        row["session_id"]: Reseat(
            row["fact_seq"], row["given"], row["taker"], read_tables(row["seats"])
        )
        for row in await connection.fetch(READ_RESEATS, session_ids)
    }
