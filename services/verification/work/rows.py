"""The rows of one enrollment that are worked on, and its lock."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from services.verification.room import Connection
from shared.db.locks import ENROLLMENT_LOCK

READ: Final = """
SELECT enrollment_id, account_id, player_id, customer_id, closing_at IS NOT NULL AS is_closing
FROM mahjic.enrollments WHERE enrollment_id = $1
"""
READ_TO_CHANGE: Final = f"{READ} FOR UPDATE"
# What was verified and counted, or canceled, stays so.
OPEN_CHECKS: Final = """
SELECT session_id FROM mahjic.identity_checks
WHERE enrollment_id = $1 AND session_id IS NOT NULL AND NOT is_redacted
    AND state <> 'canceled' AND passed_at IS NULL AND held_for IS NULL
ORDER BY begun_at, key
"""
TRY_LOCK: Final = "SELECT pg_try_advisory_lock($1, $2)"


@dataclass(frozen=True, slots=True)
class KeptEnrollment:
    """An enrollment, and the checks about which Stripe can still say something new.

    Without an account its person is forgotten.
    """

    enrollment_id: str
    account_id: str | None
    player_id: str
    customer_id: str | None
    is_closing: bool
    open_checks: Sequence[str] = ()

    @property
    def is_at_stripe(self) -> bool:
        """Whether there is anything to ask Stripe about."""
        return self.customer_id is not None or bool(self.open_checks)


async def read_enrollment(
    connection: Connection, enrollment_id: str, *, is_to_change: bool = False
) -> KeptEnrollment | None:
    """Return an enrollment, None if it is gone.

    Whoever is to change what belongs to it locks its row first, as whoever erases it does.
    """
    row = await connection.fetchrow(READ_TO_CHANGE if is_to_change else READ, enrollment_id)
    if row is None:
        return None
    checks = await connection.fetch(OPEN_CHECKS, enrollment_id)
    return KeptEnrollment(
        row["enrollment_id"],
        row["account_id"],
        row["player_id"],
        row["customer_id"],
        row["is_closing"],
        [each["session_id"] for each in checks],
    )


async def try_lock(connection: Connection, enrollment_id: str) -> bool:
    """Take the lock of an enrollment for this connection, unless somebody else has it."""
    return bool(await connection.fetchval(TRY_LOCK, *_lock_key(enrollment_id)))


def _lock_key(enrollment_id: str) -> tuple[int, int]:
    second = hashlib.sha256(enrollment_id.encode()).digest()[:4]
    return ENROLLMENT_LOCK, int.from_bytes(second, "big", signed=True)
