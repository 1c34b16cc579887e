"""What was done about the members, keys, webhooks and profile of a source, for its owners to read.

An act holds ids, and for a while the address of the person it is about, since nothing else shows it
once a member is removed. Both go with their person; that something was done stays.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from services.accounts.ports import Connection
from shared.db.erasing import note_erased

# Long enough to ask each other about it. After that, nobody needs the address of who is gone.
ADDRESS_KEPT_FOR: Final = timedelta(days=30)

NOTE: Final = """
INSERT INTO mahjic.desk_acts (source, at, done_by, account_id, act, about, address, key_id)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
"""
MOVE: Final = """
UPDATE mahjic.desk_acts SET
    account_id = CASE WHEN account_id = $1 THEN $2 ELSE account_id END,
    about = CASE WHEN about = $1 THEN $2 ELSE about END
WHERE account_id = $1 OR about = $1
"""
ERASE_ADDRESSES: Final = "UPDATE mahjic.desk_acts SET address = NULL WHERE address = ANY($1)"
SWEEP_ADDRESSES: Final = """
WITH swept AS (
    UPDATE mahjic.desk_acts SET address = NULL WHERE address IS NOT NULL AND at <= $1 RETURNING 1
)
SELECT count(*) FROM swept
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskAct:
    """What is done, by which account (None at the machine), and about whom or which key.

    `key_id` is the id of a key, or of an address that events are sent to (`wh_`).
    """

    source: str
    act: str
    by: str | None
    about: str | None = None
    address: str | None = field(default=None, repr=False)
    key_id: str | None = None


async def note_desk_act(connection: Connection, act: DeskAct, *, at: datetime) -> None:
    """Note an act, in the transaction that does it."""
    assert connection.is_in_transaction(), "An act is noted with what it does, or not at all."
    done_by = "operator" if act.by is None else "member"
    await connection.execute(
        NOTE, act.source, at, done_by, act.by, act.act, act.about, act.address, act.key_id
    )


async def move_desk_acts(connection: Connection, account_id: str, into: str) -> None:
    """Make the acts of an account, and about it, those of another that is the same person."""
    await connection.execute(MOVE, account_id, into)


async def erase_from_desk_acts(connection: Connection, addresses: Sequence[str]) -> None:
    """Erase addresses from the acts. The accounts in them go with their rows."""
    await connection.execute(ERASE_ADDRESSES, list(addresses))
    await note_erased(connection, "desk_acts")


async def sweep_desk_acts(connection: Connection, now: datetime) -> None:
    """Take away addresses that were kept long enough."""
    if await connection.fetchval(SWEEP_ADDRESSES, now - ADDRESS_KEPT_FOR):
        await note_erased(connection, "desk_acts")
