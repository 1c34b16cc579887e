"""Keeps what a check of somebody's identity came to, and whether it counts.

A document that another person has shown is held for staff. Only its hash is kept.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from services.verification.documents import DocumentHash
from services.verification.enrolling import ask
from services.verification.room import Connection, VerificationRoom
from services.verification.stripe.port import CheckNow
from services.verification.work.rows import KeptEnrollment

# Staff have so long to look at a document that two people showed.
UNREDACTED_FOR: Final = timedelta(days=30)
OLD_MAX: Final = 500

READ: Final = """
SELECT key, passed_at, held_for FROM mahjic.identity_checks
WHERE session_id = $1 AND enrollment_id = $2
"""
KEEP: Final = """
UPDATE mahjic.identity_checks SET
    state = $2, error_code = $3, is_redacted = $4,
    changed_at = CASE WHEN (state, error_code) IS DISTINCT FROM ($2, $3) THEN $5 ELSE changed_at END
WHERE key = $1
"""
LET_COUNT: Final = "UPDATE mahjic.identity_checks SET passed_at = $2 WHERE key = $1"
HOLD: Final = """
UPDATE mahjic.identity_checks SET held_for = $2, held_hash = $3, held_person = $4 WHERE key = $1
"""
ADD_HASH: Final = """
INSERT INTO mahjic.document_hashes (document_hash, person_hash, enrollment_id) VALUES ($1, $2, $3)
ON CONFLICT (document_hash) DO NOTHING
"""
# Also shown first by another account that has become one with this one since.
IS_OWN: Final = """
SELECT EXISTS (
    SELECT FROM mahjic.document_hashes AS shown
    JOIN mahjic.enrollments AS first USING (enrollment_id)
    WHERE shown.document_hash = $1 AND (first.enrollment_id = $2 OR first.account_id = $3)
)
"""
NOT_REDACTED: Final = """
SELECT session_id FROM mahjic.identity_checks
WHERE enrollment_id = $1 AND session_id IS NOT NULL AND NOT is_redacted
    AND state NOT IN ('processing', 'canceled')
"""
OLD: Final = """
SELECT enrollment_id, session_id FROM mahjic.identity_checks AS checks
WHERE session_id IS NOT NULL AND NOT is_redacted
    AND state NOT IN ('processing', 'canceled') AND begun_at < $1
    AND NOT EXISTS (
        SELECT FROM mahjic.stripe_requests AS asked
        WHERE asked.kind = 'redact_check' AND asked.object_id = checks.session_id
    )
ORDER BY begun_at, session_id LIMIT $2
"""


@dataclass(frozen=True, slots=True)
class CheckSeen:
    """How a check stands at Stripe. `found` is its document, once it has passed."""

    now: CheckNow
    found: DocumentHash | None


async def keep_check(
    room: VerificationRoom, connection: Connection, own: KeptEnrollment, seen: CheckSeen
) -> None:
    """Write down how a check stands, in a transaction that holds the head."""
    now, at = seen.now, room.now()
    # Once it is redacted, Stripe no longer knows the key.
    kept = await connection.fetchrow(READ, now.session_id, own.enrollment_id)
    if kept is None:
        return  # Its person was forgotten, and its rows with them.
    key: str = kept["key"]
    await connection.execute(KEEP, key, now.state, now.error_code, now.is_redacted, at)
    if now.state != "verified" or kept["passed_at"] is not None or kept["held_for"] is not None:
        return
    if own.account_id is None:
        return  # It is redacted without a look at the document.
    if seen.found is None:
        await connection.execute(HOLD, key, "no_number", None, None)
        return
    found = seen.found
    await connection.execute(ADD_HASH, found.document, found.person, own.enrollment_id)
    is_own = await connection.fetchval(IS_OWN, found.document, own.enrollment_id, own.account_id)
    if not is_own:
        await connection.execute(HOLD, key, "same_document", found.document, found.person)
        return
    await pass_check(room, connection, own.enrollment_id, key, at)


async def pass_check(
    room: VerificationRoom, connection: Connection, enrollment_id: str, key: str, at: datetime
) -> None:
    """Let a check count, and have Stripe erase what all checks of the person have seen."""
    await connection.execute(LET_COUNT, key, at)
    await redact_checks(room, connection, enrollment_id, at)


async def redact_checks(
    room: VerificationRoom, connection: Connection, enrollment_id: str, at: datetime
) -> None:
    """Have Stripe erase what the checks of an enrollment have seen; one that still runs, later."""
    for row in await connection.fetch(NOT_REDACTED, enrollment_id):
        await ask(room, connection, enrollment_id, "redact_check", row["session_id"], due_at=at)


async def redact_old_checks(room: VerificationRoom, connection: Connection, now: datetime) -> None:
    """Have Stripe erase what old checks have seen, also of those that nobody went on with."""
    for row in await connection.fetch(OLD, now - UNREDACTED_FOR, OLD_MAX):
        await ask(
            room,
            connection,
            row["enrollment_id"],
            "redact_check",
            row["session_id"],
            due_at=now,
        )
