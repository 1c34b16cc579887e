"""Measures recording by size of group, against COPY of the same rows with no checks."""

import asyncio
import itertools
import random
import time
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

import asyncpg

from bench.load import a_session
from services.database import ids_and_times
from services.ingest.claim.reading import read_session
from services.ingest.record.ids_and_times import SessionIds, latest_day
from services.ingest.record.judging.identified import Submission
from services.ingest.record.known.acquaintances import MetBefore
from services.ingest.record.known.refusals import ForeignRefusals
from services.ingest.record.transaction import record_submissions
from services.ingest.record.waterline import Waterline
from shared.access.sources import SourceDetails, add_source
from shared.machine.memory import settle_collector

TABLES = ("facts", "submissions", "round_prints", "people", "players")
_seeds = itertools.count(100)

# The rows of all sessions from a fact on, in the order in which they were written.
READ_ROWS: Final = {
    "facts": "SELECT seq, chain, body FROM mahjic.facts WHERE seq >= $1 ORDER BY seq",
    "submissions": "SELECT * FROM mahjic.submissions WHERE fact_seq >= $1 ORDER BY fact_seq",
    "round_prints": "SELECT r.* FROM mahjic.round_prints r JOIN mahjic.submissions"
    " USING (session_id) WHERE fact_seq >= $1 ORDER BY fact_seq, round_no",
    "seats": "SELECT s.* FROM mahjic.seats s JOIN mahjic.submissions USING (session_id)"
    " WHERE fact_seq >= $1 ORDER BY fact_seq, player_id",
}


def submissions(count: int) -> list[Submission]:
    """Return lawful sessions, read from JSON beforehand."""
    chance = random.Random(next(_seeds))
    today, ids = latest_day(datetime.now(UTC)), SessionIds()
    return [
        Submission(
            ids.new(),
            "a-league",
            read_session(a_session(chance), source="a-league", today_latest=today),
            None,
        )
        for _ in range(count)
    ]


async def prepare(pool: asyncpg.Pool) -> None:
    """Add the source, and record once, so that everything is warm, as in a service that serves."""
    details = SourceDetails("A League", "league", None)
    await add_source(pool, "a-league", details, now=datetime.now(UTC))
    await record(pool, submissions(2000), group=500)
    settle_collector()


async def record(pool: asyncpg.Pool, sessions: Sequence[Submission], *, group: int) -> float:
    """Record sessions in groups and return how many a second."""
    waterline, met, refusals = Waterline(), MetBefore(), ForeignRefusals(100)
    started = time.perf_counter()
    async with pool.acquire() as connection:
        for start in range(0, len(sessions), group):
            await record_submissions(
                connection,
                sessions[start : start + group],
                ids_and_times(),
                waterline=waterline,
                refusals=refusals,
                met=met,
                before_commit=lambda _: None,
            )
    return len(sessions) / (time.perf_counter() - started)


async def copy_same_rows(pool: asyncpg.Pool, count: int, *, group: int) -> float:
    """COPY the rows of the last `count` sessions into bare twins of the tables, same commits.

    Returns sessions a second.
    """
    async with pool.acquire() as connection:
        tail = await connection.fetchval("SELECT fact_seq FROM mahjic.head")
        rows_of = {
            table: await connection.fetch(query, tail - count + 1)
            for table, query in READ_ROWS.items()
        }
        schema = f"bench_{uuid.uuid4().hex[:8]}"
        await connection.execute(f"CREATE SCHEMA {schema}")
        for table in rows_of:
            await connection.execute(
                f"CREATE TABLE {schema}.{table} (LIKE mahjic.{table} INCLUDING INDEXES)"
            )
        started = time.perf_counter()
        for start in range(0, count, group):
            async with connection.transaction():
                for table, rows in rows_of.items():
                    each = len(rows) // count
                    part = rows[start * each : (start + group) * each]
                    await connection.copy_records_to_table(
                        table, schema_name=schema, records=map(tuple, part)
                    )
        took_s = time.perf_counter() - started
        await connection.execute(f"DROP SCHEMA {schema} CASCADE")
    return count / took_s


async def measure(
    pool: asyncpg.Pool, *, rounds: int, counts: dict[int, int]
) -> dict[int, list[float]]:
    """Return sessions a second by size of group (0 is COPY at the largest), in turns."""
    await prepare(pool)
    rates: dict[int, list[float]] = {group: [] for group in [*counts, 0]}
    largest = max(counts)
    for _ in range(rounds):
        for group, count in counts.items():
            rates[group].append(await record(pool, submissions(count), group=group))
            await asyncio.sleep(0)
        rates[0].append(await copy_same_rows(pool, counts[largest], group=largest))
    return rates
