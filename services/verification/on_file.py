"""Reads everything that decides whether a person is Verified, of all their ids and accounts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from services.ingest.players.grouped import PersonIds
from services.verification.entitlement import OnFile, Year
from services.verification.room import Connection

DECISIONS: Final = """
SELECT decision FROM mahjic.verification_decisions WHERE player_id = ANY($1)
"""
# A document that another id of the same person has shown is no other person's.
IS_CHECKED: Final = """
SELECT EXISTS (
    SELECT FROM mahjic.identity_checks AS checks
    JOIN mahjic.enrollments AS own USING (enrollment_id)
    LEFT JOIN mahjic.document_hashes AS shown ON shown.document_hash = checks.held_hash
    LEFT JOIN mahjic.enrollments AS first ON first.enrollment_id = shown.enrollment_id
    WHERE own.player_id = ANY($1) AND own.account_id IS NOT NULL
        AND (checks.passed_at IS NOT NULL OR first.player_id = ANY($1))
)
"""
YEARS: Final = """
SELECT paid.subscription_id, paid.period_end,
    paid.dispute = 'lost' OR (paid.refunded_cents > 0 AND paid.refunded_cents >= paid.amount_cents)
        AS is_given_back
FROM mahjic.payments AS paid
JOIN mahjic.enrollments AS own USING (enrollment_id)
WHERE own.player_id = ANY($1) AND own.account_id IS NOT NULL
"""
RENEWING: Final = """
SELECT subscription_id FROM mahjic.subscriptions
JOIN mahjic.enrollments AS own USING (enrollment_id)
WHERE own.player_id = ANY($1) AND own.account_id IS NOT NULL AND renews
"""
WATCHED: Final = """
SELECT max(ended_until) AS ended_until, max(until) FILTER (WHERE is_in_grace) AS grace_until
FROM mahjic.verification_watch WHERE player_id = ANY($1)
"""
IS_EMPTY: Final = """
SELECT NOT EXISTS (SELECT FROM mahjic.verification_decisions WHERE player_id = ANY($1))
    AND NOT EXISTS (SELECT FROM mahjic.enrollments WHERE player_id = ANY($1))
    AND NOT EXISTS (SELECT FROM mahjic.verification_watch WHERE player_id = ANY($1))
"""


@dataclass(frozen=True, slots=True)
class Filed:
    """A person, and what is on file about them."""

    group: PersonIds
    on_file: OnFile


async def read_filed(connection: Connection, group: PersonIds) -> Filed:
    """Return what is on file about a person. It holds as long as the head is locked."""
    members = group.members
    years = await connection.fetch(YEARS, members)
    watched = await connection.fetchrow(WATCHED, members)
    assert watched is not None, "An aggregate has a row."
    on_file = OnFile(
        is_known=group.is_a_person,
        decisions=[row["decision"] for row in await connection.fetch(DECISIONS, members)],
        is_checked=await connection.fetchval(IS_CHECKED, members),
        years=[
            Year(row["subscription_id"], row["period_end"], row["is_given_back"]) for row in years
        ],
        renewing=frozenset(
            row["subscription_id"] for row in await connection.fetch(RENEWING, members)
        ),
        ended_until=watched["ended_until"],
        grace_until=watched["grace_until"],
    )
    return Filed(group, on_file)


async def is_nothing_on_file(connection: Connection, members: Sequence[str]) -> bool:
    """Return whether nothing is known here about any id of a person."""
    return bool(await connection.fetchval(IS_EMPTY, members))
