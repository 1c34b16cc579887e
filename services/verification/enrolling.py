"""The enrollment of an account, and the keys under which Stripe is asked for something for it.

An enrollment is made when somebody first begins to become Verified, and stays with the account.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, TypeAlias

from services.accounts.owners import lock_account
from services.verification.room import Connection, VerificationRoom
from services.verification.settling import doubt
from shared.errors import NotFound

RequestKind: TypeAlias = Literal[
    "checkout",
    "check",
    "portal",
    "refund",
    "cancel_subscription",
    "redact_check",
    "delete_customer",
]

# An account that was made of two may have two: what renews can be stopped and given back first.
FIND: Final = """
SELECT enrollment_id, account_id, player_id, customer_id FROM mahjic.enrollments AS own
WHERE account_id = $1 ORDER BY NOT EXISTS (
    SELECT FROM mahjic.subscriptions AS sub WHERE sub.enrollment_id = own.enrollment_id AND renews
), customer_id IS NULL, begun_at, enrollment_id LIMIT 1
"""
MAKE: Final = """
INSERT INTO mahjic.enrollments (enrollment_id, account_id, player_id, begun_at)
VALUES ($1, $2, $3, $4)
"""
MOVE_TO_PLAYER: Final = """
UPDATE mahjic.enrollments SET player_id = $2
WHERE account_id = $1 AND mahjic.survivor(player_id) <> ALL($3)
RETURNING player_id
"""
SET_CUSTOMER: Final = """
UPDATE mahjic.enrollments SET customer_id = COALESCE(customer_id, $2)
WHERE enrollment_id = $1 AND account_id IS NOT NULL
RETURNING customer_id
"""
# Money that could not go back, or that a bank did not take, can be asked for again.
ASK: Final = """
INSERT INTO mahjic.stripe_requests AS before
    (key, kind, enrollment_id, object_id, asked_at, due_at)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (kind, object_id) WHERE due_at IS NOT NULL DO UPDATE SET
    key = excluded.key, asked_at = excluded.asked_at, due_at = excluded.due_at, tries = 0,
    done_at = NULL, outcome = NULL
WHERE before.kind = 'refund' AND before.done_at IS NOT NULL
"""
ANSWERED: Final = """
UPDATE mahjic.stripe_requests SET object_id = $2 WHERE key = $1
"""
SETTLE_REQUEST: Final = """
UPDATE mahjic.stripe_requests SET done_at = $2, outcome = $3 WHERE key = $1
"""
LOOK_SOON: Final = """
UPDATE mahjic.enrollments SET look_due_at = $2, look_taken = NULL, look_tries = 0
WHERE enrollment_id = $1
"""


@dataclass(frozen=True, slots=True)
class Enrollment:
    """An account that began to become Verified, and who that is for."""

    enrollment_id: str
    account_id: str | None
    player_id: str
    customer_id: str | None


async def find_enrollment(connection: Connection, account_id: str) -> Enrollment | None:
    """Return the enrollment of an account, None if it never began."""
    row = await connection.fetchrow(FIND, account_id)
    return None if row is None else Enrollment(*row)


async def enroll(
    room: VerificationRoom, connection: Connection, account_id: str, own_ids: tuple[str, ...]
) -> Enrollment:
    """Return the enrollment of an account, and make it if there is none.

    It is for one of the account's players, `own_ids`: the first, unless it is for another one
    already. Locks the account, so that two presses at once are one.
    """
    if await lock_account(connection, account_id) is None:
        raise NotFound("Your account is gone. Log in again.")
    found = await find_enrollment(connection, account_id)
    if found is None:
        made = room.accounts.chance.new_id("enr")
        await connection.execute(MAKE, made, account_id, own_ids[0], room.now())
        return Enrollment(made, account_id, own_ids[0], None)
    moved = await connection.fetch(MOVE_TO_PLAYER, account_id, own_ids[0], list(own_ids))
    if moved:
        await doubt(connection, own_ids[0], found.player_id)
    return found


async def ask(
    room: VerificationRoom,
    connection: Connection,
    enrollment_id: str,
    kind: RequestKind,
    object_id: str | None = None,
    *,
    due_at: datetime | None = None,
) -> str:
    """Write down that Stripe is asked for something, and return the key to ask with.

    What has a time when it is due is done by the workers, and once for each thing it is about; but
    a refund that is over can be asked for anew.
    """
    key = room.accounts.chance.new_id("ask")
    await connection.execute(ASK, key, kind, enrollment_id, object_id, room.now(), due_at)
    return key


async def look_soon(connection: Connection, enrollment_id: str, at: datetime) -> None:
    """Have Stripe asked how things stand, once a worker is free."""
    await connection.execute(LOOK_SOON, enrollment_id, at)
