"""Reads what voided or corrected sessions, and which session has their place now.

Call it only under the lock on the head: what it returns is then true until the transaction ends.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from services.ingest.record.judging.on_record import Ended

# Each session once, even if many of those asked for are in one chain of corrections. The time of a
# fact comes before everything long in it.
READ_ENDINGS: Final = """
WITH RECURSIVE later AS (
    SELECT s.session_id, s.status, s.corrected_by, s.end_reason, s.ended_fact_seq
    FROM mahjic.submissions AS s WHERE s.session_id = ANY($1)
    UNION
    SELECT s.session_id, s.status, s.corrected_by, s.end_reason, s.ended_fact_seq
    FROM later JOIN mahjic.submissions AS s ON s.session_id = later.corrected_by
)
SELECT later.session_id, later.status, later.corrected_by, later.end_reason,
    substring(ending.body FROM 1 FOR 400) AS head
FROM later LEFT JOIN mahjic.facts AS ending ON ending.seq = later.ended_fact_seq
"""
_TIME: Final = re.compile(rb'"time":"([0-9TZ:.+-]{10,40})"')

Connection = asyncpg.Connection | PoolConnectionProxy


async def read_endings(connection: Connection, session_ids: Sequence[str]) -> dict[str, Ended]:
    """Return how sessions that no longer count ended, by session id."""
    if not session_ids:
        return {}
    rows = {row["session_id"]: row for row in await connection.fetch(READ_ENDINGS, session_ids)}
    newest = _newest({each: row["corrected_by"] for each, row in rows.items()})
    return {
        each: Ended(
            at=_time_of(rows[each]["head"]),
            reason=rows[each]["end_reason"],
            newest=None if newest[each] == each else newest[each],
            newest_counts=rows[newest[each]]["status"] == "accepted",
        )
        for each in session_ids
    }


def _newest(corrected_by: Mapping[str, str | None]) -> dict[str, str]:
    """Return which session has the place of each now. A chain is followed only once."""
    newest: dict[str, str] = {}
    for each in corrected_by:
        passed = [each]
        while passed[-1] not in newest and (later := corrected_by[passed[-1]]) is not None:
            passed.append(later)
        end = newest.get(passed[-1], passed[-1])
        newest.update(dict.fromkeys(passed, end))
    return newest


def _time_of(head: bytes | None) -> datetime | None:
    told = None if head is None else _TIME.search(head)
    return None if told is None else datetime.fromisoformat(told[1].decode())
