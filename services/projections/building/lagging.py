"""Keeps reporting how far the views that people read are behind what is on record."""

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from typing import Final, NoReturn

import asyncpg

from shared.db.away import DATABASE_AWAY
from shared.feed.views import View

LOOK_S: Final = 5.0

# The views of another program, which nobody here reads, may stand still forever.
READ_LAG: Final = """
SELECT head.fact_seq AS end_seq, min(b.fact_seq) AS shown_seq
FROM mahjic.head AS head
JOIN mahjic.views AS v ON v.name = ANY($1::text[])
JOIN mahjic.view_builds AS b ON b.schema_name = v.live_schema
GROUP BY head.fact_seq
"""


async def tell_lag(
    pool: asyncpg.Pool,
    views: Sequence[View],
    tell: Callable[[int, int, float], None],
    *,
    look_s: float = LOOK_S,
) -> NoReturn:
    """Report the last fact that all views show, the last one on record, and the time.

    While the database is away, or no view has been built, nothing is reported.
    """
    names = [view.name for view in views]
    while True:
        with contextlib.suppress(*DATABASE_AWAY):
            row = await pool.fetchrow(READ_LAG, names)
            if row is not None:
                tell(row["shown_seq"], row["end_seq"], asyncio.get_running_loop().time())
        await asyncio.sleep(look_s)
