"""Counts what was paid in a year, and paid back of it."""

from datetime import datetime
from typing import Final, NamedTuple

import asyncpg
from asyncpg.pool import PoolConnectionProxy

COUNT_PAID: Final = """
SELECT currency, count(*) AS payments, sum(amount_cents)::bigint AS paid_cents,
    count(*) FILTER (WHERE refunded_cents > 0) AS refunds,
    sum(refunded_cents)::bigint AS refunded_cents
FROM mahjic.payments WHERE paid_at >= $1 AND paid_at < $2 GROUP BY currency ORDER BY currency
"""


class PaidInCurrency(NamedTuple):
    """The payments of some time in one currency, and what has been paid back of them so far."""

    currency: str
    payments: int
    paid_cents: int
    refunds: int
    refunded_cents: int


async def count_paid(
    connection: asyncpg.Connection | PoolConnectionProxy, begin: datetime, end: datetime
) -> list[PaidInCurrency]:
    """Return what was paid from `begin` on and before `end`, by currency."""
    return [PaidInCurrency(*row) for row in await connection.fetch(COUNT_PAID, begin, end)]
