"""Reads what voided or corrected sessions, and which session stands in their place now.

Call it under the lock on the head only: what it returns is then true until the transaction ends.
"""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Final

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from services.ingest.on_record import Ended

# The time of a fact stands before all that is long in it.
READ_ENDINGS: Final = """
WITH RECURSIVE later AS (
    SELECT s.session_id AS asked, s.session_id, s.status, s.corrected_by
    FROM mahjic.submissions AS s WHERE s.session_id = ANY($1)
    UNION ALL
    SELECT later.asked, s.session_id, s.status, s.corrected_by
    FROM later JOIN mahjic.submissions AS s ON s.session_id = later.corrected_by
)
SELECT own.session_id, own.end_reason, newest.session_id AS newest, newest.status AS newest_status,
    substring(ending.body FROM 1 FOR 400) AS head
FROM mahjic.submissions AS own
JOIN later AS newest ON newest.asked = own.session_id AND newest.corrected_by IS NULL
LEFT JOIN mahjic.facts AS ending ON ending.seq = own.ended_fact_seq
WHERE own.session_id = ANY($1)
"""
_TIME: Final = re.compile(rb'"time":"([0-9TZ:.+-]{10,40})"')

Connection = asyncpg.Connection | PoolConnectionProxy


async def read_endings(connection: Connection, session_ids: Sequence[str]) -> dict[str, Ended]:
    """Return how sessions that no longer count ended, by session."""
    if not session_ids:
        return {}
    rows = await connection.fetch(READ_ENDINGS, session_ids)
    return {
        row["session_id"]: Ended(
            at=_time_of(row["head"]),
            reason=row["end_reason"],
            newest=None if row["newest"] == row["session_id"] else row["newest"],
            newest_counts=row["newest_status"] == "accepted",
        )
        for row in rows
    }


def _time_of(head: bytes | None) -> datetime | None:
    told = None if head is None else _TIME.search(head)
    return None if told is None else datetime.fromisoformat(told[1].decode())
