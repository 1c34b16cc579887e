"""Counts once, from the database, what no log tells of a year."""

from datetime import UTC, datetime

import asyncpg

from services.applications.counted import count_declined
from services.ingest.people.counted import count_disputes, count_forgotten, count_seats
from services.report.shapes import CountedBeside, MoneyCounted
from services.report.telling import counts_told
from services.report.withholding import LEAST, told, told_part
from services.verification.paid import PaidInCurrency, count_paid
from shared.access.counted import count_sources, regions_of_sources


async def count_year(
    pool: asyncpg.Pool,
    year: int,
    *,
    log_id: str,
    facts: tuple[int, int],
    now: datetime,
    so_far: bool,
) -> CountedBeside:
    """Return what is counted of a year, all as of one moment, without what is not told.

    `facts` are the first and the last fact of the year.
    """
    begin, end = datetime(year, 1, 1, tzinfo=UTC), datetime(year + 1, 1, 1, tzinfo=UTC)
    async with pool.acquire() as c, c.transaction(isolation="repeatable_read", readonly=True):
        sources = await count_sources(c, begin, end)
        return {
            "format": "mahjic-figures/1",
            "year": year,
            "log_id": log_id,
            "so_far": so_far,
            "counted_on": now.date().isoformat(),
            "regions": await regions_of_sources(c),
            "sources": {
                "came": told(sources.came),
                "declined": told(await count_declined(c, begin, end)),
                "suspended": told(sources.suspended),
            },
            "disputes": counts_told(await count_disputes(c, begin, end)),
            "seats": counts_told(await count_seats(c, *facts)),
            "money": [
                _money(paid) for paid in await count_paid(c, begin, end) if paid.payments >= LEAST
            ],
            "forgotten": told(await count_forgotten(c)),
        }


def _money(paid: PaidInCurrency) -> MoneyCounted:
    """Return what is told: a sum that was paid back to few is as good as their number."""
    refunds = told_part(paid.refunds, paid.payments)
    return {
        "currency": paid.currency,
        "payments": paid.payments,
        "paid_cents": paid.paid_cents,
        "refunds": refunds,
        "refunded_cents": None if refunds is None else paid.refunded_cents,
    }
