"""How sessions ended is told of each, in work that the length of their chain bounds."""

import json
from datetime import UTC, date, datetime
from typing import Any

import asyncpg
import pytest

from services.ingest.record.known.endings import READ_ENDINGS, read_endings
from tests.conftest import Database

ADD_SOURCE = """
INSERT INTO mahjic.sources (slug, name, type, created_at) VALUES ('a-club', 'A', 'club', $1)
"""
ADD_SESSION = """
INSERT INTO mahjic.submissions
    (session_id, source, status, fact_seq, place_seq, content_print, allowed_duplicate,
     submitted_at, session_date, end_reason, ended_fact_seq)
VALUES ($1, 'a-club', $2, $3, 1, 'print', false, $4, $5, $6, $7)
"""
AT = datetime(2026, 2, 1, tzinfo=UTC)


async def a_chain(pool: asyncpg.Pool, length: int, *, last: str) -> list[str]:
    """Put sessions on record each of which corrects the one before, and return them."""
    ids = [f"{last}-{length}-{number:04}" for number in range(length)]
    for number, each in enumerate(ids):
        status = "corrected" if number < length - 1 else last
        ended = status != "accepted"
        reason, fact = ("wrong_result", number + 2) if ended else (None, None)
        row = (each, status, number + 1, AT, date(2026, 1, 31), reason, fact)
        await pool.execute(ADD_SESSION, *row)
    links = list(zip(ids[1:], ids, strict=False))
    change = "UPDATE mahjic.submissions SET corrected_by = $1 WHERE session_id = $2"
    await pool.executemany(change, links)
    return ids


def rows_of(plan: dict[str, Any]) -> int:
    """Return how many rows all steps of a plan gave."""
    below = sum(map(rows_of, plan.get("Plans", ())))
    return int(plan["Actual Rows"] * plan["Actual Loops"]) + below


@pytest.mark.parametrize("last", ["accepted", "voided"])
async def test_of_each_session_of_a_chain_the_end_of_it_is_told(
    database: Database, last: str
) -> None:
    await database.pool.execute(ADD_SOURCE, AT)
    ids = await a_chain(database.pool, 5, last=last)
    asked = ids[3::-1] if last == "accepted" else ids[::-1]
    async with database.pool.acquire() as connection:
        told = await read_endings(connection, asked)
    assert list(told) == asked
    for each in ids[:4]:
        assert (told[each].newest, told[each].newest_counts) == (ids[4], last == "accepted")
    if last == "voided":
        assert (told[ids[4]].newest, told[ids[4]].newest_counts) == (None, False)


async def test_a_chain_twice_as_long_is_at_most_so_much_more_work(database: Database) -> None:
    await database.pool.execute(ADD_SOURCE, AT)
    work = []
    for length in (100, 200):
        ids = await a_chain(database.pool, length, last="accepted")
        await database.pool.execute("ANALYZE mahjic.submissions")
        explain = f"EXPLAIN (ANALYZE, FORMAT JSON) {READ_ENDINGS}"
        plan = json.loads(await database.pool.fetchval(explain, ids))
        work.append(rows_of(plan[0]["Plan"]))
    assert work[1] <= 2.5 * work[0]
