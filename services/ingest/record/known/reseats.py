"""Reads who sits in sessions whose seats were ever reassigned; the facts name who was sent."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import orjson

from shared.events.facts import SessionSubmitted
from shared.log.postgres import Connection
from shared.replay.reseating import Seat, Tables

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


def written_tables(tables: Tables[str]) -> str:
    """Return tables as they are kept: for each seat who sits there, then who had to give it."""
    return orjson.dumps(
        [[[seat.player, *seat.taken] for seat in table] for table in tables]
    ).decode()


def read_tables(kept: str) -> Tables[str]:
    """Return tables that were written."""
    return [
        [
            Seat(player, tuple((before, given) for before, given in taken))
            for player, *taken in table
        ]
        for table in orjson.loads(kept)
    ]


def with_seated(session: SessionSubmitted, tables: Tables[str]) -> SessionSubmitted:
    """Return a session as if those who sit at its tables had been sent."""
    return replace(
        session,
        rounds=tuple(
            played._replace(players=tuple(seat.player for seat in table))
            for played, table in zip(session.rounds, tables, strict=True)
        ),
    )
