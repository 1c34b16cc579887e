"""Checks that passed at Stripe, and that staff have to look at before they count.

Two people with one document are one person, whose players staff merge, or a fraud, which they
block; or their documents only have the same number, as driver's licenses of two states can. A
document without a number says nothing of that.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, TypeAlias

from services.verification.deciding import keep_note
from services.verification.room import Connection, VerificationRoom
from services.verification.settling import settle
from services.verification.work.checked import pass_check
from shared.errors import NotFound

HoldReason: TypeAlias = Literal["same_document", "no_number"]

# Those whose two players staff have merged since are settled, and so is whoever is blocked.
WAITING: Final = """
FROM mahjic.identity_checks AS checks
JOIN mahjic.enrollments AS own USING (enrollment_id)
LEFT JOIN mahjic.document_hashes AS shown ON shown.document_hash = checks.held_hash
LEFT JOIN mahjic.enrollments AS first ON first.enrollment_id = shown.enrollment_id
WHERE checks.held_for IS NOT NULL AND checks.passed_at IS NULL AND own.account_id IS NOT NULL
    AND NOT EXISTS (
        SELECT FROM mahjic.verification_decisions AS decided
        WHERE decided.decision = 'block'
            AND mahjic.survivor(decided.player_id) = mahjic.survivor(own.player_id)
    )
    AND mahjic.survivor(own.player_id) IS DISTINCT FROM mahjic.survivor(first.player_id)
"""
LIST: Final = f"""
SELECT checks.key, own.player_id, first.player_id AS other_player_id, checks.held_for,
    checks.changed_at, checks.held_person = shown.person_hash AS is_same_name
{WAITING} ORDER BY checks.changed_at, checks.key
"""
# The same name and birth date on two documents: perhaps one person, perhaps not.
HINTS: Final = """
SELECT DISTINCT least(one.player_id, other.player_id), greatest(one.player_id, other.player_id)
FROM mahjic.document_hashes AS shown
JOIN mahjic.document_hashes AS also
    ON also.person_hash = shown.person_hash AND also.document_hash <> shown.document_hash
JOIN mahjic.enrollments AS one ON one.enrollment_id = shown.enrollment_id
JOIN mahjic.enrollments AS other ON other.enrollment_id = also.enrollment_id
WHERE mahjic.survivor(one.player_id) <> mahjic.survivor(other.player_id)
ORDER BY 1, 2
"""
HELD: Final = """
SELECT checks.key, checks.held_hash, enrollment_id, own.player_id
FROM mahjic.identity_checks AS checks JOIN mahjic.enrollments AS own USING (enrollment_id)
WHERE checks.key = $1 AND checks.held_for IS NOT NULL AND checks.passed_at IS NULL
    AND own.account_id IS NOT NULL
"""
# Of somebody who was forgotten, perhaps too long ago for it to be kept: from here on it is this
# person's.
TAKE_OVER: Final = """
INSERT INTO mahjic.document_hashes AS shown (document_hash, enrollment_id) VALUES ($1, $2)
ON CONFLICT (document_hash) DO UPDATE SET enrollment_id = $2, kept_until = NULL
WHERE shown.enrollment_id IS NULL
"""


class NotHeld(NotFound):
    """A check is not waiting for staff, or no longer is."""

    def __init__(self) -> None:
        super().__init__("That check is not held anymore. The list shows those that are.")


@dataclass(frozen=True, slots=True)
class Hold:
    """A check that is held, and who has shown the same document before.

    Nobody, if it has no number, or if that person was forgotten. `is_same_name` if both documents
    say the same name and birth date; None if one of them says neither.
    """

    key: str
    player_id: str
    other_player_id: str | None
    held_for: HoldReason
    since: datetime
    is_same_name: bool | None


async def list_holds(connection: Connection) -> Sequence[Hold]:
    """Return all checks that wait for staff, the oldest first."""
    return [Hold(*row) for row in await connection.fetch(LIST)]


async def list_hints(connection: Connection) -> Sequence[tuple[str, str]]:
    """Return the pairs of players whose documents say the same name and birth date."""
    return [(row[0], row[1]) for row in await connection.fetch(HINTS)]


async def find_hold(connection: Connection, key: str) -> Hold:
    """Return a check that waits for staff. Raises NotFound."""
    for each in await list_holds(connection):
        if each.key == key:
            return each
    raise NotHeld


async def release(room: VerificationRoom, key: str, reason: str) -> str:
    """Let a check count that was held, for a reason, and return whose it is. Raises NotFound."""
    async with room.pool.acquire() as connection, room.waterline.writing(connection) as writing:
        held = await connection.fetchrow(HELD, key)
        if held is None:
            raise NotHeld
        if held["held_hash"] is not None:
            await connection.execute(TAKE_OVER, held["held_hash"], held["enrollment_id"])
        await pass_check(room, connection, held["enrollment_id"], key, room.now())
        await keep_note(connection, held["player_id"], "release", reason, room.now())
        await settle(room, connection, writing, held["player_id"])
        return str(held["player_id"])
