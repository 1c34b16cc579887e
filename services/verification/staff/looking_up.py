"""Reads everything that decides whether one person is Verified, and what has happened about it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from services.ingest.players.grouped import find_group
from services.verification.deciding import Decided, Noted, read_decided, read_notes
from services.verification.enrolling import RequestKind
from services.verification.room import Connection
from services.verification.staff.holds import HoldReason
from services.verification.staff.listing import OnFileNow, read_on_file
from services.verification.stripe.port import PaymentNow, SubscriptionNow

ENROLLMENTS: Final = """
SELECT enrollment_id, player_id, customer_id, begun_at, looked_at, look_due_at, look_tries
FROM mahjic.enrollments WHERE player_id = ANY($1) AND account_id IS NOT NULL
ORDER BY begun_at, enrollment_id
"""
PAYMENTS: Final = """
SELECT invoice_id, subscription_id, amount_cents, currency, paid_at, period_end, refunded_cents,
    dispute
FROM mahjic.payments WHERE enrollment_id = ANY($1) ORDER BY paid_at, invoice_id
"""
SUBSCRIPTIONS: Final = """
SELECT subscription_id, status, renews, period_end
FROM mahjic.subscriptions WHERE enrollment_id = ANY($1) ORDER BY period_end, subscription_id
"""
CHECKS: Final = """
SELECT checks.key, checks.session_id, checks.state, checks.error_code, checks.begun_at,
    checks.changed_at, checks.passed_at, checks.held_for, first.player_id AS other_player_id,
    checks.is_redacted
FROM mahjic.identity_checks AS checks
LEFT JOIN mahjic.document_hashes AS shown ON shown.document_hash = checks.held_hash
LEFT JOIN mahjic.enrollments AS first ON first.enrollment_id = shown.enrollment_id
WHERE checks.enrollment_id = ANY($1) ORDER BY checks.begun_at, checks.key
"""
REQUESTS: Final = """
SELECT key, kind, object_id, asked_at, due_at, tries, done_at, outcome
FROM mahjic.stripe_requests WHERE enrollment_id = ANY($1) ORDER BY asked_at, key
"""
WATCHED: Final = """
SELECT player_id, is_verified, until, is_in_grace, next_at, ended_until
FROM mahjic.verification_watch WHERE player_id = ANY($1) ORDER BY player_id
"""


@dataclass(frozen=True, slots=True)
class EnrollmentOnFile:
    """An account of the person that began, and when Stripe was and will be asked about it."""

    enrollment_id: str
    player_id: str
    customer_id: str | None
    begun_at: datetime
    looked_at: datetime | None
    look_due_at: datetime | None
    look_tries: int


@dataclass(frozen=True, slots=True)
class CheckOnFile:
    """A check of the identity. One that is held may have been shown by `other_player_id` before."""

    key: str
    session_id: str | None
    state: str
    error_code: str | None
    begun_at: datetime
    changed_at: datetime
    passed_at: datetime | None
    held_for: HoldReason | None
    other_player_id: str | None
    is_redacted: bool


@dataclass(frozen=True, slots=True)
class RequestOnFile:
    """What Stripe was asked for, and what came of it."""

    key: str
    kind: RequestKind
    object_id: str | None
    asked_at: datetime
    due_at: datetime | None
    tries: int
    done_at: datetime | None
    outcome: str | None


@dataclass(frozen=True, slots=True)
class WatchOnFile:
    """What was settled last, and when time alone may change it."""

    player_id: str
    is_verified: bool
    until: datetime | None
    is_in_grace: bool
    next_at: datetime | None
    ended_until: datetime | None


@dataclass(frozen=True, slots=True)
class PersonOnFile:
    """Everything on file about one person; `now` is None if that is nothing."""

    survivor: str
    members: Sequence[str]
    is_verified: bool
    now: OnFileNow | None
    decisions: Sequence[Decided]
    notes: Sequence[Noted]
    enrollments: Sequence[EnrollmentOnFile]
    payments: Sequence[PaymentNow]
    subscriptions: Sequence[SubscriptionNow]
    checks: Sequence[CheckOnFile]
    requests: Sequence[RequestOnFile]
    watched: Sequence[WatchOnFile]


async def look_up(connection: Connection, player_id: str, now: datetime) -> PersonOnFile:
    """Return what is on file about the person behind an id. Raises UnknownPlayer."""
    group = await find_group(connection, player_id)
    members = group.members
    enrollments = [EnrollmentOnFile(*row) for row in await connection.fetch(ENROLLMENTS, members)]
    own = [each.enrollment_id for each in enrollments]
    return PersonOnFile(
        survivor=group.survivor,
        members=members,
        is_verified=bool(group.verified),
        now=await read_on_file(connection, now, members),
        decisions=await read_decided(connection, members),
        notes=await read_notes(connection, members),
        enrollments=enrollments,
        payments=[PaymentNow(*row) for row in await connection.fetch(PAYMENTS, own)],
        subscriptions=[SubscriptionNow(*r) for r in await connection.fetch(SUBSCRIPTIONS, own)],
        checks=[CheckOnFile(*row) for row in await connection.fetch(CHECKS, own)],
        requests=[RequestOnFile(*row) for row in await connection.fetch(REQUESTS, own)],
        watched=[WatchOnFile(*row) for row in await connection.fetch(WATCHED, members)],
    )
