"""The merge of somebody who has played for years holds nobody up for long, and misses nothing."""

import random
from datetime import date, timedelta

import asyncpg

from services.ingest.changes.linking import Linked, merge_players, unmerge_players
from services.ingest.record.deciding import Change
from services.ingest.record.judging.identified import Submission
from services.ingest.record.judging.judgment import Accepted, Replayed
from services.ingest.record.known.groups import SESSIONS_AT_ONCE
from services.ingest.record.waterline import Waterline, Writing
from shared.log.postgres import Connection
from tests.ingest.changes.linking.merges import id_of
from tests.ingest.claims import a_round, a_session
from tests.ingest.office import a_submission, ids_and_times_of, record

IDS_AND_TIMES = ids_and_times_of(random.Random(5))
# One more than are printed anew at once.
NIGHTS = SESSIONS_AT_ONCE + 1
STATEMENTS_MAX = 25


def nights_of(who: str, first_number: int) -> list[Submission]:
    first = date(2020, 1, 1)
    return [
        a_submission(
            first_number + night,
            a_session(a_round({who: 2, "bo": night % 3}), on=str(first + timedelta(days=night))),
        )
        for night in range(NIGHTS)
    ]


async def test_many_sessions_are_printed_anew_by_few_statements_and_all_of_them(
    pool: asyncpg.Pool,
) -> None:
    nights = nights_of("ada", 1)
    recorded = await record(pool, nights, IDS_AND_TIMES)
    assert {type(each) for each in recorded} == {Accepted}
    await record(pool, [a_submission(0, a_session(a_round(zoe=1, cy=1)))], IDS_AND_TIMES)
    ada, zoe = await id_of(pool, "ada@example.com"), await id_of(pool, "zoe@example.com")

    async def merge(connection: Connection, writing: Writing) -> Linked:
        return await merge_players(connection, writing, ada, zoe, IDS_AND_TIMES)

    async def unmerge(connection: Connection, writing: Writing) -> Linked:
        return await unmerge_players(connection, writing, ada, IDS_AND_TIMES)

    for change, who in ((merge, "zoe"), (unmerge, "ada")):
        statements = await statements_of(pool, change)
        assert len(statements) <= STATEMENTS_MAX, statements
        again = await record(pool, nights_of(who, 2 * NIGHTS), IDS_AND_TIMES)
        assert [each.session_id for each in again if isinstance(each, Replayed)] == [
            each.session_id for each in nights
        ]


async def statements_of(pool: asyncpg.Pool, change: Change[Linked]) -> list[str]:
    """Decide on a change, and return what was asked of the database."""
    statements: list[str] = []

    def note(query: asyncpg.connection.LoggedQuery) -> None:
        statements.append(query.query)

    async with pool.acquire() as connection:
        with connection.query_logger(note):
            async with Waterline().writing(connection) as writing:
                await change(connection, writing)
    return statements
