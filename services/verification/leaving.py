"""What becomes of an enrollment when its account is joined with another, or its person forgotten.

A forgotten person's subscriptions end, and Stripe erases what it has of them. Only what was paid
stays, as the law on accounts wants it, and for a year the hash of the document.
"""

from datetime import datetime, timedelta
from typing import Final

from services.verification.enrolling import ask
from services.verification.room import Connection, Database, VerificationRoom
from services.verification.settling import doubt

HASH_KEPT_FOR: Final = timedelta(days=365)
CLOSED_MAX: Final = 100

MOVE: Final = "UPDATE mahjic.enrollments SET account_id = $2 WHERE account_id = $1"
PLAYERS_OF: Final = """
SELECT player_id FROM mahjic.enrollments WHERE account_id = $1
ORDER BY customer_id IS NULL, begun_at, enrollment_id
"""
ONE_PLAYER: Final = "UPDATE mahjic.enrollments SET player_id = $2 WHERE account_id = $1"
LEFT: Final = """
SELECT enrollment_id, customer_id FROM mahjic.enrollments
WHERE account_id IS NULL AND closing_at IS NULL ORDER BY enrollment_id LIMIT $1
FOR UPDATE SKIP LOCKED
"""
CLOSE: Final = "UPDATE mahjic.enrollments SET closing_at = $2 WHERE enrollment_id = $1"
LIVE: Final = """
SELECT subscription_id FROM mahjic.subscriptions
WHERE enrollment_id = $1 AND status NOT IN ('canceled', 'incomplete_expired')
"""
# A check that still runs is redacted by a later look.
SHOWN: Final = """
SELECT session_id FROM mahjic.identity_checks
WHERE enrollment_id = $1 AND session_id IS NOT NULL AND NOT is_redacted AND state <> 'canceled'
"""
# No one's name is behind the hash of a document anymore.
KEEP_HASHES: Final = """
UPDATE mahjic.document_hashes SET person_hash = NULL, enrollment_id = NULL, kept_until = $2
WHERE enrollment_id = $1
"""
# After the last request one more look finds what was paid and never told.
DONE: Final = """
DELETE FROM mahjic.enrollments AS own
WHERE closing_at IS NOT NULL AND look_due_at IS NULL AND NOT EXISTS (
    SELECT FROM mahjic.stripe_requests AS asked
    WHERE asked.enrollment_id = own.enrollment_id AND asked.due_at IS NOT NULL
        AND asked.done_at IS NULL
)
"""
SWEEP: Final = "DELETE FROM mahjic.document_hashes WHERE enrollment_id IS NULL AND kept_until < $1"


async def move_enrollments(connection: Connection, gone: str, kept: str) -> None:
    """Let what one account paid and proved count for another that it becomes one with.

    One person is one Verified player: all of it counts for the player that has paid first.
    """
    before = [row["player_id"] for row in await connection.fetch(PLAYERS_OF, kept)]
    moved = [row["player_id"] for row in await connection.fetch(PLAYERS_OF, gone)]
    await connection.execute(MOVE, gone, kept)
    if moved:
        await connection.execute(ONE_PLAYER, kept, (before or moved)[0])
        await doubt(connection, *dict.fromkeys([*before, *moved]))


async def close_left(room: VerificationRoom, now: datetime) -> None:
    """Begin to close what forgotten people left, and erase what is closed."""
    async with room.pool.acquire() as connection, connection.transaction():
        for row in await connection.fetch(LEFT, CLOSED_MAX):
            await _close(room, connection, row["enrollment_id"], row["customer_id"], now)
    await room.pool.execute(DONE)


async def _close(
    room: VerificationRoom,
    connection: Connection,
    enrollment_id: str,
    customer_id: str | None,
    now: datetime,
) -> None:
    await connection.execute(CLOSE, enrollment_id, now)
    await connection.execute(KEEP_HASHES, enrollment_id, now + HASH_KEPT_FOR)
    for row in await connection.fetch(LIVE, enrollment_id):
        await ask(
            room,
            connection,
            enrollment_id,
            "cancel_subscription",
            row["subscription_id"],
            due_at=now,
        )
    for row in await connection.fetch(SHOWN, enrollment_id):
        await ask(room, connection, enrollment_id, "redact_check", row["session_id"], due_at=now)
    if customer_id is not None:
        await ask(room, connection, enrollment_id, "delete_customer", customer_id, due_at=now)


async def sweep_hashes(database: Database, now: datetime) -> None:
    """Forget the documents of people who were forgotten a year ago."""
    await database.execute(SWEEP, now)
