"""Keeps notices for 30 days."""

from datetime import datetime, timedelta
from typing import Final

import asyncpg

KEPT_FOR: Final = timedelta(days=30)

# All before the first that is not old yet, so that what is left of a source has no holes. Whoever
# reads from before what is gone is told so.
SWEEP: Final = """
WITH kept AS (
    SELECT numbers.source, coalesce(
        (
            SELECT min(notices.number) FROM mahjic.notices AS notices
            WHERE notices.source = numbers.source AND notices.at >= $1
        ),
        numbers.last + 1
    ) AS first
    FROM mahjic.notice_numbers AS numbers ORDER BY numbers.source FOR UPDATE
), noted AS (
    UPDATE mahjic.notice_numbers AS numbers SET swept = kept.first - 1
    FROM kept WHERE numbers.source = kept.source AND numbers.swept < kept.first - 1
), gone AS (
    DELETE FROM mahjic.notices AS notices USING kept
    WHERE notices.source = kept.source AND notices.number < kept.first RETURNING notices.number
)
SELECT count(*) FROM gone
"""
# What was sent is kept as long as what it tells.
SWEEP_DELIVERIES: Final = """
DELETE FROM mahjic.webhook_deliveries AS sent
USING mahjic.webhook_endpoints AS endpoints, mahjic.notice_numbers AS numbers
WHERE endpoints.endpoint_id = sent.endpoint_id AND numbers.source = endpoints.source
    AND sent.number <= numbers.swept
"""


async def sweep_notices(pool: asyncpg.Pool, now: datetime) -> int:
    """Erase what is older than 30 days, and return how much that was."""
    gone = int(await pool.fetchval(SWEEP, now - KEPT_FOR))
    await pool.execute(SWEEP_DELIVERIES)
    return gone
