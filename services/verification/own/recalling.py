"""Reads what is on record about somebody and being Verified, for pages and for their download."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any, Final, Protocol

import asyncpg

from services.accounts.logging_in.logins import Login
from services.ingest.players.grouped import PersonIds, find_group
from services.verification.deciding import read_decided, read_notes
from services.verification.enrolling import Enrollment, find_enrollment, look_soon
from services.verification.entitlement import entitlement
from services.verification.on_file import is_nothing_on_file, read_filed
from services.verification.own.told import OwnCheck, OwnPayment, ToldVerified, VerifiedRecord, tell
from services.verification.returning import MONEY_BACK_FOR, returnable
from services.verification.room import Connection, VerificationRoom
from services.verification.starting import LIVE

# However often somebody comes back from Stripe or loads the page.
LOOKS_APART: Final = timedelta(seconds=10)

# What was asked back is on its way until Stripe was asked whether it has given it.
PAYMENTS: Final = """
SELECT amount_cents, currency, paid_at, period_end, refunded_cents, dispute, EXISTS (
    SELECT FROM mahjic.stripe_requests AS asked
    WHERE asked.kind = 'refund' AND asked.object_id = paid.invoice_id
        AND (asked.done_at IS NULL OR asked.outcome = 'done' AND asked.done_at >= own.looked_at)
) AS is_asked_back
FROM mahjic.payments AS paid JOIN mahjic.enrollments AS own USING (enrollment_id)
WHERE account_id = $1 ORDER BY paid_at DESC, invoice_id
"""
CHECKS: Final = """
SELECT state, error_code, held_for IS NOT NULL AND passed_at IS NULL AS is_held
FROM mahjic.identity_checks AS checks JOIN mahjic.enrollments USING (enrollment_id)
WHERE account_id = $1 ORDER BY checks.begun_at DESC, key
"""
PAID_AT: Final = "SELECT paid_at FROM mahjic.payments WHERE invoice_id = $1"
AWAY: Final = "SELECT away_since FROM mahjic.verification_place"
IS_LOOKED_AT: Final = """
SELECT look_due_at IS NOT NULL FROM mahjic.enrollments WHERE enrollment_id = $1
"""
LOOK_TIMES: Final = """
SELECT looked_at, look_due_at FROM mahjic.enrollments WHERE enrollment_id = $1 FOR UPDATE
"""
ENROLLMENTS: Final = """
SELECT enrollment_id, player_id, customer_id, begun_at, looked_at FROM mahjic.enrollments
WHERE player_id = ANY($1) AND account_id IS NOT NULL ORDER BY begun_at, enrollment_id
"""
STORED_PAYMENTS: Final = """
SELECT invoice_id, subscription_id, amount_cents, currency, paid_at, period_end, refunded_cents,
    dispute
FROM mahjic.payments WHERE enrollment_id = $1 ORDER BY paid_at, invoice_id
"""
STORED_SUBSCRIPTIONS: Final = """
SELECT subscription_id, status, renews, period_end FROM mahjic.subscriptions
WHERE enrollment_id = $1 ORDER BY subscription_id
"""
STORED_CHECKS: Final = """
SELECT session_id, begun_at, changed_at, state, error_code, passed_at, held_for, is_redacted
FROM mahjic.identity_checks WHERE enrollment_id = $1 ORDER BY begun_at, key
"""
WATCHED: Final = """
SELECT player_id, is_verified, until, is_in_grace FROM mahjic.verification_watch
WHERE player_id = ANY($1) ORDER BY player_id
"""


class Somebody(Protocol):
    """Somebody as they are known here: by their players."""

    @property
    def player_ids(self) -> Sequence[str]: ...


async def read_told(room: VerificationRoom, login: Login, player_id: str) -> ToldVerified:
    """Return what the person of a login is told, whose player this is. Raises UnknownPlayer."""
    now = room.now()
    return tell(await room.settled(lambda c: _read(c, login.account_id, player_id, now)), now)


async def _read(
    connection: Connection, account_id: str, player_id: str, now: datetime
) -> VerifiedRecord:
    own = await find_enrollment(connection, account_id)
    group = await _told_of(connection, own, player_id)
    filed = await read_filed(connection, group)
    is_empty = await is_nothing_on_file(connection, group.members)
    return VerifiedRecord(
        on_file=filed.on_file,
        found=entitlement(filed.on_file, now),
        is_known_verified=is_empty and bool(group.verified),
        payments=[OwnPayment(*row) for row in await connection.fetch(PAYMENTS, account_id)],
        checks=[OwnCheck(*row) for row in await connection.fetch(CHECKS, account_id)],
        is_live=await connection.fetchval(LIVE, account_id),
        is_customer=own is not None and own.customer_id is not None,
        money_back_until=await _money_back_until(connection, own, now),
        away_since=await connection.fetchval(AWAY),
        is_looking=own is not None and await connection.fetchval(IS_LOOKED_AT, own.enrollment_id),
    )


async def _told_of(connection: Connection, own: Enrollment | None, player_id: str) -> PersonIds:
    """Return of whom is told: where an account was made of two, it may be for another player of it.

    Whoever is Verified by their own player is told so.
    """
    group = await find_group(connection, player_id)
    if own is None or own.player_id in group.members or group.verified:
        return group
    other = await find_group(connection, own.player_id)
    return other if other.is_a_person else group


async def _money_back_until(
    connection: Connection, own: Enrollment | None, now: datetime
) -> datetime | None:
    if own is None:
        return None
    invoice_id = await returnable(connection, own.account_id, own.enrollment_id, now)
    if invoice_id is None:
        return None
    paid_at: datetime = await connection.fetchval(PAID_AT, invoice_id)
    return paid_at + MONEY_BACK_FOR


async def ask_for_look(room: VerificationRoom, login: Login) -> None:
    """Have Stripe asked how things stand for a login, soon, and not too often."""

    async def work(connection: Connection) -> None:
        own = await find_enrollment(connection, login.account_id)
        if own is None:
            return
        row = await connection.fetchrow(LOOK_TIMES, own.enrollment_id)
        if row is None:
            return
        now, due_at = room.now(), row["look_due_at"]
        # However far ahead the clock was when it was asked for, or looked at, before.
        looked_at = min(row["looked_at"] or now - LOOKS_APART, now)
        at = max(now, looked_at + LOOKS_APART)
        if due_at is None or at < due_at:
            await look_soon(connection, own.enrollment_id, at)

    await room.settled(work)


class VerificationSection:
    """What is stored about being Verified, for those who download everything about themselves."""

    name = "verification"

    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool

    async def about(self, person: Somebody) -> AsyncIterator[Mapping[str, Any]]:
        """Yield what was decided, what stands, and each account with payments and checks."""
        ids = list(person.player_ids)
        async with self._pool.acquire() as connection:
            for each in await read_decided(connection, ids):
                yield {"kind": "decided_by_staff", **asdict(each)}
            for noted in await read_notes(connection, ids):
                yield {"kind": "said_by_staff", **asdict(noted)}
            for row in await connection.fetch(WATCHED, ids):
                yield {"kind": "standing", **row}
            for row in await connection.fetch(ENROLLMENTS, ids):
                yield {"kind": "begun", **await _stored(connection, row)}


async def _stored(connection: Connection, row: asyncpg.Record) -> dict[str, Any]:
    own_id = row["enrollment_id"]
    listed = {
        "payments": STORED_PAYMENTS,
        "subscriptions": STORED_SUBSCRIPTIONS,
        "identity_checks": STORED_CHECKS,
    }
    told = {
        name: [dict(each) for each in await connection.fetch(query, own_id)]
        for name, query in listed.items()
    }
    return {
        "player_id": row["player_id"],
        "stripe_customer": row["customer_id"],
        "begun_at": row["begun_at"],
        "asked_stripe_at": row["looked_at"],
        **told,
    }
