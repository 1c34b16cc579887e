"""Lists everybody about whom anything is on file, with what it comes to in a word."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, TypeAlias

from services.verification.room import Connection, Database

FileState: TypeAlias = Literal[
    "granted",
    "blocked",
    "unexplained",
    "in_grace",
    "paid",
    "held",
    "waiting_for_identity",
    "waiting_for_payment",
    "begun",
    "ended",
    "not_verified",
]

# Everything on file about a person, of all their ids. Whoever is Verified with nothing of it came
# back with facts to an older database, and is left to staff.
PEOPLE: Final = """
WITH ids AS (
    SELECT player_id FROM (
        SELECT player_id FROM mahjic.verification_decisions
        UNION SELECT player_id FROM mahjic.enrollments WHERE account_id IS NOT NULL
        UNION SELECT player_id FROM mahjic.verification_watch
        UNION SELECT player_id FROM mahjic.verified_players
    ) AS every WHERE $2::text[] IS NULL OR player_id = ANY($2)
), people AS (
    SELECT ids.player_id, read.survivor_id
    FROM ids JOIN mahjic.read_players AS read USING (player_id)
), enrolled AS (
    SELECT people.survivor_id, own.enrollment_id, own.player_id
    FROM mahjic.enrollments AS own JOIN people USING (player_id) WHERE own.account_id IS NOT NULL
), decided AS (
    SELECT people.survivor_id, bool_or(decided.decision = 'block') AS is_blocked,
        bool_or(decided.decision = 'grant') AS is_granted
    FROM mahjic.verification_decisions AS decided JOIN people USING (player_id) GROUP BY 1
), paid AS (
    SELECT enrolled.survivor_id, bool_or(true) AS has_paid,
        max(paid.period_end) FILTER (
            WHERE paid.dispute <> 'lost' AND NOT (
                paid.refunded_cents > 0 AND paid.refunded_cents >= paid.amount_cents)
        ) AS paid_until
    FROM mahjic.payments AS paid JOIN enrolled USING (enrollment_id) GROUP BY 1
), checked AS (
    SELECT enrolled.survivor_id,
        bool_or(checks.passed_at IS NOT NULL
            OR mahjic.survivor(first.player_id) = enrolled.survivor_id) AS is_checked,
        bool_or(checks.held_for IS NOT NULL) AS is_held
    FROM mahjic.identity_checks AS checks JOIN enrolled USING (enrollment_id)
    LEFT JOIN mahjic.document_hashes AS shown ON shown.document_hash = checks.held_hash
    LEFT JOIN mahjic.enrollments AS first ON first.enrollment_id = shown.enrollment_id
    GROUP BY 1
), watched AS (
    SELECT people.survivor_id, max(watched.until) AS until,
        bool_or(watched.is_in_grace) AS is_in_grace
    FROM mahjic.verification_watch AS watched JOIN people USING (player_id) GROUP BY 1
), verified AS (
    SELECT DISTINCT people.survivor_id FROM mahjic.verified_players JOIN people USING (player_id)
), stated AS (
    SELECT each.survivor_id AS player_id, verified.survivor_id IS NOT NULL AS is_verified,
        CASE
            WHEN decided.is_blocked THEN 'blocked'
            WHEN decided.is_granted THEN 'granted'
            WHEN verified.survivor_id IS NOT NULL AND watched.survivor_id IS NULL
                AND NOT EXISTS (SELECT FROM enrolled WHERE survivor_id = each.survivor_id)
                THEN 'unexplained'
            WHEN verified.survivor_id IS NOT NULL AND watched.is_in_grace THEN 'in_grace'
            WHEN verified.survivor_id IS NOT NULL THEN 'paid'
            WHEN checked.is_held AND NOT COALESCE(checked.is_checked, false) THEN 'held'
            WHEN paid.paid_until > $1 AND NOT COALESCE(checked.is_checked, false)
                THEN 'waiting_for_identity'
            WHEN paid.has_paid THEN 'ended'
            WHEN checked.is_checked THEN 'waiting_for_payment'
            WHEN EXISTS (SELECT FROM enrolled WHERE survivor_id = each.survivor_id) THEN 'begun'
            ELSE 'not_verified'
        END AS state,
        CASE WHEN verified.survivor_id IS NOT NULL THEN watched.until ELSE paid.paid_until END
            AS until
    FROM (SELECT DISTINCT survivor_id FROM people) AS each
    LEFT JOIN decided USING (survivor_id)
    LEFT JOIN paid USING (survivor_id)
    LEFT JOIN checked USING (survivor_id)
    LEFT JOIN watched USING (survivor_id)
    LEFT JOIN verified USING (survivor_id)
)
SELECT player_id, state, is_verified, until FROM stated
WHERE $3::text IS NULL OR state = $3 ORDER BY until NULLS FIRST, player_id
"""


@dataclass(frozen=True, slots=True)
class OnFileNow:
    """A person about whom something is on file.

    `until` is the end of what is paid, with the days of grace while somebody is Verified by that.
    """

    player_id: str
    state: FileState
    is_verified: bool
    until: datetime | None


async def list_on_file(
    database: Database, now: datetime, *, state: FileState | None = None
) -> Sequence[OnFileNow]:
    """Return everybody about whom something is on file, those whose time ends first before."""
    return [OnFileNow(*row) for row in await database.fetch(PEOPLE, now, None, state)]


async def read_on_file(
    connection: Connection, now: datetime, members: Sequence[str]
) -> OnFileNow | None:
    """Return the same about one person, by all their ids; None if nothing is on file."""
    row = await connection.fetchrow(PEOPLE, now, members, None)
    return None if row is None else OnFileNow(*row)
