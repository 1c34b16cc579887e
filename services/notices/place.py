"""How far the verdicts were followed for notices."""

from dataclasses import dataclass
from typing import Final

import asyncpg

from shared.feed.followers import position_in
from shared.log.port import Position
from shared.notices.writing import Connection

READ: Final = "SELECT log_id, seq, chain, fact_seq FROM mahjic.notices_place"
LOCK: Final = f"{READ} FOR UPDATE"
SAVE: Final = "UPDATE mahjic.notices_place SET log_id = $1, seq = $2, chain = $3, fact_seq = $4"
FORGET: Final = """
UPDATE mahjic.notices_place SET log_id = NULL, seq = NULL, chain = NULL, fact_seq = 0
"""


@dataclass(frozen=True, slots=True)
class NoticedPlace:
    """The last verdict that was told of, None before the first, and the fact it answers."""

    position: Position | None
    fact_seq: int


async def read_noticed(pool: asyncpg.Pool) -> NoticedPlace:
    """Return how far the verdicts were followed."""
    return _place(await pool.fetchrow(READ))


async def lock_noticed(connection: Connection) -> NoticedPlace:
    """Return the same, and let nobody else move it until the transaction ends."""
    return _place(await connection.fetchrow(LOCK))


async def save_noticed(connection: Connection, position: Position, fact_seq: int) -> None:
    """Note how far the verdicts are followed once the transaction is committed."""
    await connection.execute(SAVE, position.log_id, position.seq, position.chain, fact_seq)


async def notice_again(pool: asyncpg.Pool) -> None:
    """Follow the verdicts from the first one on. What was told before is not told again."""
    await pool.execute(FORGET)


def _place(row: asyncpg.Record | None) -> NoticedPlace:
    assert row is not None, "The migration makes the row."
    return NoticedPlace(position_in(row), row["fact_seq"])
