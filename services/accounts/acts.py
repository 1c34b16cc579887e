"""What staff did and whom they looked at, kept for good: who, what, when and about whom, by ids."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from services.accounts.ports import Connection
from services.accounts.room import Accounts

NOTE: Final = """
INSERT INTO mahjic.staff_acts (at, staff_id, act, about) VALUES ($1, $2, $3, $4)
"""
LIST: Final = """
SELECT number, at, staff_id, act, about FROM mahjic.staff_acts
WHERE number < $1 ORDER BY number DESC LIMIT $2
"""
_NEWEST: Final = 2**63 - 1


@dataclass(frozen=True, slots=True)
class StaffAct:
    """One act. Without a `staff_id` it was done at the machine."""

    number: int
    at: datetime
    staff_id: str | None
    act: str
    about: Sequence[str]


async def note_act(
    connection: Connection, *, at: datetime, staff_id: str | None, act: str, about: Sequence[str]
) -> None:
    """Note an act, in the transaction that does it. `about` holds ids, and nothing else."""
    assert connection.is_in_transaction(), "An act is noted with what it does, or not at all."
    await connection.execute(NOTE, at, staff_id, act, list(about))


async def list_acts(
    accounts: Accounts, *, before: int | None = None, limit: int
) -> Sequence[StaffAct]:
    """Return the newest acts, or those before a number."""
    rows = await accounts.settled(
        lambda c: c.fetch(LIST, _NEWEST if before is None else before, limit)
    )
    return [
        StaffAct(row["number"], row["at"], row["staff_id"], row["act"], row["about"])
        for row in rows
    ]
