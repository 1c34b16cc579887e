"""What staff did and whom they looked at, kept for good: who, what, when and about whom, by ids.

Who is a member of the staff, a key of the operator, or whoever has the machine.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import asyncpg

from services.accounts.ports import Connection
from services.accounts.room import Accounts
from shared.access.acts import StaffActKind
from shared.db.away import DATABASE_AWAY
from shared.db.patience import answered_within
from shared.errors import ServiceUnavailable

NOTE: Final = """
INSERT INTO mahjic.staff_acts (at, staff_id, key_id, act, about) VALUES ($1, $2, $3, $4, $5)
"""
LIST: Final = """
SELECT number, at, staff_id, key_id, act, about FROM mahjic.staff_acts
WHERE number < $1 ORDER BY number DESC LIMIT $2
"""
# Whoever waits longer for an answer asks again.
NOTED_S_MAX: Final = 8.0
_NEWEST: Final = 2**63 - 1


@dataclass(frozen=True, slots=True)
class StaffAct:
    """One act. Without a `staff_id` and a `key_id` it was done at the machine."""

    number: int
    at: datetime
    staff_id: str | None
    key_id: str | None
    act: str
    about: Sequence[str]


async def note_act(
    connection: Connection,
    *,
    at: datetime,
    staff_id: str | None,
    act: StaffActKind,
    about: Sequence[str],
) -> None:
    """Note an act, in the transaction that does it. `about` holds ids, and nothing else."""
    assert connection.is_in_transaction(), "An act is noted with what it does, or not at all."
    await connection.execute(NOTE, at, staff_id, None, act, list(about))


async def note_act_of_staff(
    accounts: Accounts, account_id: str, act: StaffActKind, about: Sequence[str]
) -> None:
    """Note what somebody of the staff is about to do. Raises ServiceUnavailable."""
    at = accounts.chance.now()
    await accounts.settled(lambda c: note_act(c, at=at, staff_id=account_id, act=act, about=about))


async def note_act_of_key(
    pool: asyncpg.Pool,
    now: Callable[[], datetime],
    key_id: str,
    act: StaffActKind,
    about: Sequence[str],
) -> None:
    """Note what is about to be done with a key of the operator. Raises ServiceUnavailable."""
    try:
        await answered_within(
            pool.execute(NOTE, now(), None, key_id, act, list(about)), NOTED_S_MAX
        )
    except DATABASE_AWAY:
        raise ServiceUnavailable from None


async def list_acts(
    accounts: Accounts, *, before: int | None = None, limit: int
) -> Sequence[StaffAct]:
    """Return the newest acts, or those before a number."""
    rows = await accounts.settled(
        lambda c: c.fetch(LIST, _NEWEST if before is None else before, limit)
    )
    return [
        StaffAct(row["number"], row["at"], row["staff_id"], row["key_id"], row["act"], row["about"])
        for row in rows
    ]
