"""A founded database with sources, and ways to record on it: at once, or as several processes."""

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import asyncpg

from services.ingest.changes.answering import ChangePorts
from services.ingest.record.founding import found_log
from services.ingest.record.ids_and_times import IdsAndTimes
from services.ingest.record.judging.identified import Submission
from services.ingest.record.judging.judgment import Accepted, Judgment, Replayed
from services.ingest.record.judging.prints import key_print
from services.ingest.record.known.acquaintances import MetBefore
from services.ingest.record.known.refusals import ForeignRefusals
from services.ingest.record.recorder import Recorder
from services.ingest.record.transaction import record_submissions
from services.ingest.record.waterline import Waterline
from shared.access.sources import SourceDetails, add_source
from shared.db.pool import open_pool
from shared.events.codec import decode_fact
from shared.events.facts import SessionSubmitted
from shared.ids import PLAYER_ID_SPACE, session_id
from tests.ingest.claims import Claim, read
from tests.log.deadlines import until

NOW = datetime(2026, 2, 1, 12, tzinfo=UTC)
SOURCES = ("a-club", "b-club")
RECORDER_NAME = "mahjic recorder of a test"
RECORDERS_THAT_WAIT = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND application_name = $1 AND wait_event_type = 'Lock'
"""


def ids_and_times_of(chance: random.Random) -> IdsAndTimes:
    """Return ids and times that can be had again."""
    return IdsAndTimes(player_number=lambda: chance.randrange(PLAYER_ID_SPACE), now=lambda: NOW)


async def found(pool: asyncpg.Pool, ids_and_times: IdsAndTimes) -> None:
    """Found the log, and add two sources."""
    await found_log(pool, "log_of_a_test", ids_and_times)
    for slug in SOURCES:
        await add_source(pool, slug, SourceDetails(slug.title(), "club"), now=NOW)


def a_submission(
    number: int, claim: Claim, *, source: str = SOURCES[0], key: str | None = None
) -> Submission:
    """Return a submission with a session id of its own for each number."""
    printed = None if key is None else key_print(source, "POST", "/v1/sessions", key)
    session = read(claim, source=source)
    return Submission(session_id(1_770_000_000_000, number), source, session, printed)


async def record(
    pool: asyncpg.Pool, submissions: Sequence[Submission], ids_and_times: IdsAndTimes
) -> list[Judgment]:
    """Record submissions in one transaction."""
    judged: list[Judgment] = []
    async with pool.acquire() as connection:
        await record_submissions(
            connection,
            submissions,
            ids_and_times,
            waterline=Waterline(),
            refusals=ForeignRefusals(10_000),
            met=MetBefore(),
            before_commit=judged.extend,
        )
    return judged


@asynccontextmanager
async def recording(
    dsn: str,
    ids_and_times: IdsAndTimes,
    *,
    group_max: int = 500,
    queue_max: int = 10_000,
    lines_max: int = 2_000,
    wait_s_max: float = 60.0,
) -> AsyncIterator[Recorder]:
    """Run a recorder on connections of its own, as each process has one."""
    pool = await open_pool(dsn, application_name=RECORDER_NAME, size_max=4)
    recorder = Recorder(
        pool,
        ids_and_times,
        Waterline(),
        group_max=group_max,
        queue_max=queue_max,
        lines_max=lines_max,
        wait_s_max=wait_s_max,
        foreign_refusals_max=10_000,
    )
    running = asyncio.create_task(recorder.run())
    try:
        yield recorder
    finally:
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await running
        pool.terminate()


@asynccontextmanager
async def the_head_locked(pool: asyncpg.Pool) -> AsyncIterator[None]:
    """Hold the lock that every recording takes first."""
    async with pool.acquire() as connection, connection.transaction():
        await connection.execute("SELECT FROM mahjic.head FOR UPDATE")
        yield


async def recorders_that_wait(pool: asyncpg.Pool) -> int:
    """Return how many recorders wait for a lock."""
    count: int = await pool.fetchval(RECORDERS_THAT_WAIT, RECORDER_NAME)
    return count


async def until_recorders_wait(pool: asyncpg.Pool, count: int) -> None:
    """Wait until so many recorders wait for a lock."""

    async def they_do() -> bool:
        return await recorders_that_wait(pool) == count

    await until(they_do)


def outcome_of(judgment: Judgment) -> str:
    """Return what was decided, and on which session."""
    match judgment:
        case Accepted(submission=submission):
            return f"accepted {submission.session_id}"
        case Replayed(session_id=earlier, status=status, by_key=by_key):
            return f"replayed {earlier} ({status}) by {'key' if by_key else 'content'}"
        case _:
            return f"{judgment.code} {judgment.extra}"


async def facts_on(pool: asyncpg.Pool) -> list[SessionSubmitted]:
    """Return the sessions on the log, in order."""
    rows = await pool.fetch("SELECT body FROM mahjic.facts ORDER BY seq")
    events = [decode_fact(row["body"]).event for row in rows]
    return [event for event in events if isinstance(event, SessionSubmitted)]


async def people_on(pool: asyncpg.Pool) -> dict[str, dict[str, Any]]:
    """Return everybody on record by id, with all that is kept of them."""
    rows = await pool.fetch("SELECT * FROM mahjic.people JOIN mahjic.players USING (player_id)")
    return {row["player_id"]: dict(row) for row in rows}


def named(people: dict[str, dict[str, Any]]) -> Callable[[str], str]:
    """Return how to call each id by what is the same on every database."""
    names = {
        player_id: row["email"] or f"{row['nickname_source']}/{row['nickname_key']}"
        for player_id, row in people.items()
    }
    return lambda player_id: names.get(player_id, player_id)


def recorder_of(ports: ChangePorts) -> Recorder:
    """Return the recorder behind the ports of changes, which also records sessions."""
    assert isinstance(ports.recorder, Recorder)
    return ports.recorder
