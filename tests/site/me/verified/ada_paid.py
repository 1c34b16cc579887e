"""Somebody who paid, was checked, and left a row in every table about being Verified."""

from typing import Final

import asyncpg

# Her account is in the id, so that whoever looks for it finds every row of hers.
ENROLLMENT: Final = "'enr_' || $1"
STATEMENTS: Final = (
    f"""
    INSERT INTO mahjic.enrollments (
        enrollment_id, account_id, player_id, customer_id, begun_at, looked_at
    ) VALUES ({ENROLLMENT}, $1, $2, 'cus_of_ada', '2026-02-01', '2026-02-03')
    """,
    f"""
    INSERT INTO mahjic.stripe_requests (key, kind, enrollment_id, object_id, asked_at)
    SELECT 'ask_pay', 'checkout', {ENROLLMENT}, 'cs_of_ada', '2026-02-01' WHERE $2 <> ''
    """,
    f"""
    INSERT INTO mahjic.identity_checks (
        key, enrollment_id, session_id, state, begun_at, changed_at, passed_at
    )
    SELECT 'ask_check', {ENROLLMENT}, 'vs_of_ada', 'verified', '2026-02-01', '2026-02-02',
        '2026-02-02'
    WHERE $2 <> ''
    """,
    f"""
    INSERT INTO mahjic.document_hashes (document_hash, person_hash, enrollment_id)
    SELECT sha256('document'), sha256('person'), {ENROLLMENT} WHERE $2 <> ''
    """,
    f"""
    INSERT INTO mahjic.subscriptions (
        subscription_id, enrollment_id, status, renews, period_end
    )
    SELECT 'sub_of_ada', {ENROLLMENT}, 'active', true, '2027-02-01' WHERE $2 <> ''
    """,
    f"""
    INSERT INTO mahjic.payments (
        invoice_id, enrollment_id, subscription_id, amount_cents, currency, paid_at, period_end,
        refunded_cents, dispute
    )
    SELECT 'in_of_ada', {ENROLLMENT}, 'sub_of_ada', 2000, 'usd', '2026-02-01', '2027-02-01', 0,
        'none'
    WHERE $2 <> ''
    """,
)


async def ada_pays(pool: asyncpg.Pool, account_id: str, player_id: str) -> None:
    """Write down what would be on record once she has paid and passed."""
    for statement in STATEMENTS:
        await pool.execute(statement, account_id, player_id)
