"""How far the verdicts were followed, and from where on nobody may have had such mail before."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import asyncpg

from services.invitations.room import Connection
from shared.feed.followers import position_in
from shared.log.port import Position

READ: Final = "SELECT log_id, seq, chain, fact_seq, marked_at FROM mahjic.invitations_place"
LOCK: Final = f"{READ} FOR UPDATE"
SAVE: Final = """
UPDATE mahjic.invitations_place SET log_id = $1, seq = $2, chain = $3, fact_seq = $4
"""
FORGET: Final = """
UPDATE mahjic.invitations_place SET log_id = NULL, seq = NULL, chain = NULL, fact_seq = 0
"""
MARK: Final = "UPDATE mahjic.invitations_place SET marked_at = GREATEST(marked_at, $1)"


@dataclass(frozen=True, slots=True)
class FollowedPlace:
    """The last verdict that was taken in, None before the first, and the fact it answers."""

    position: Position | None
    fact_seq: int
    marked_at: datetime | None


async def read_followed(pool: asyncpg.Pool) -> FollowedPlace:
    """Return how far the verdicts were followed."""
    return _place(await pool.fetchrow(READ))


async def lock_followed(connection: Connection) -> FollowedPlace:
    """Return the same, and let nobody else write letters until the transaction ends."""
    return _place(await connection.fetchrow(LOCK))


async def save_followed(connection: Connection, position: Position, fact_seq: int) -> None:
    """Note how far the verdicts are followed once the transaction is committed."""
    await connection.execute(SAVE, position.log_id, position.seq, position.chain, fact_seq)


async def begin_again(pool: asyncpg.Pool) -> None:
    """Follow the verdicts from the first one on. Nobody is written to a second time."""
    await pool.execute(FORGET)


async def mark_now(connection: Connection, now: datetime) -> None:
    """Have nobody written to who was rated before this moment.

    For whoever brings facts back: the mails that they once caused are not on record.
    """
    await connection.execute(MARK, now)


def _place(row: asyncpg.Record | None) -> FollowedPlace:
    assert row is not None, "The migration makes the row."
    return FollowedPlace(position_in(row), row["fact_seq"], row["marked_at"])
