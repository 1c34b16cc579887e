"""2,400 events to ten servers while those who send them are killed: none is lost.

`MAHJIC_WEBHOOKS_SEED` repeats a run; its seed is printed.
"""

import asyncio
import os
import random
import secrets
import time
from collections import defaultdict

import asyncpg
import pytest

from services.notices.webhooks.endpoints import add_endpoint, new_endpoint_id
from shared.access.sources import SourceDetails, add_source
from shared.notices.writing import Notice, write_notices
from tests.conftest import Database
from tests.mail.killed.hurried import hurried
from tests.notices.webhooks.receiver import Answer, Receiver, Request, a_receiver, says
from tests.programs import Program

SOURCES = 5
SERVERS_EACH = 2
EVENTS_EACH = 240
KILLS = 12
AT_WORK_S_MAX = 240.0
COUNT_WAITING = """
SELECT (SELECT count(*) FROM mahjic.webhook_deliveries WHERE due_at IS NOT NULL)
    + (
        SELECT count(*) FROM mahjic.webhook_endpoints
        JOIN mahjic.notice_numbers USING (source) WHERE spread_to < last
    )
"""


def unreliable(chance: random.Random) -> Answer:
    """Return what takes most of what it gets, and says no, or nothing, to some that is new.

    What was sent before is taken: by the clock of the test, a fourth failure in a row waits for as
    long as the whole test may last.
    """
    seen: set[str] = set()

    async def answer(request: Request, writer: asyncio.StreamWriter) -> None:
        message = request.headers["webhook-id"]
        luck = 1.0 if message in seen else chance.random()
        seen.add(message)
        if luck < 0.01:
            await says(500)(request, writer)
        elif luck > 0.02:
            await asyncio.sleep(chance.random() * 0.01)
            await says(204)(request, writer)

    return answer


async def write_some(pool: asyncpg.Pool, numbers: range, began_s: float) -> None:
    for number in numbers:
        notices = [
            Notice(f"club-{source}", "test", f"test {number}", hurried(began_s), {})
            for source in range(SOURCES)
        ]
        async with pool.acquire() as connection, connection.transaction():
            await write_notices(connection, notices)


async def name_servers(pool: asyncpg.Pool, receiver: Receiver, began_s: float) -> dict[str, str]:
    """Have all clubs name their servers, and return the clubs by the paths of the servers."""
    paths = {}
    for number in range(SOURCES):
        slug = f"club-{number}"
        await add_source(pool, slug, SourceDetails(slug, "club", None), now=hurried(began_s))
        for _ in range(SERVERS_EACH):
            endpoint_id = new_endpoint_id()
            paths[f"/{endpoint_id}"] = slug
            url = receiver.url(f"/{endpoint_id}")
            async with pool.acquire() as connection, connection.transaction():
                await add_endpoint(connection, slug, endpoint_id, url, now=hurried(began_s))
    return paths


@pytest.mark.timeout(600)
async def test_every_event_arrives_whoever_is_killed_and_repeats_have_one_id(
    database: Database,
) -> None:
    seed = int(os.environ.get("MAHJIC_WEBHOOKS_SEED") or secrets.randbelow(1 << 32))
    print(f"MAHJIC_WEBHOOKS_SEED={seed}")  # noqa: T201
    chance, pool, began_s = random.Random(seed), database.pool, time.time()
    sending = ("tests.notices.webhooks.killed.sending", database.dsn, str(began_s))
    programs = [Program(sending), Program(sending)]
    async with a_receiver(usual=unreliable(chance)) as receiver:
        paths = await name_servers(pool, receiver, began_s)
        try:
            for program in programs:
                await program.start()
            for kill in range(KILLS):
                each = EVENTS_EACH // KILLS
                await write_some(pool, range(kill * each, (kill + 1) * each), began_s)
                await asyncio.sleep(chance.random() * 0.5)
                killed = chance.choice(programs)
                await killed.kill()
                await killed.start()
            async with asyncio.timeout(AT_WORK_S_MAX):
                while await pool.fetchval(COUNT_WAITING):
                    await asyncio.sleep(0.1)
        finally:
            for program in programs:
                await program.kill()
        assert_all_arrived(receiver, paths)


def assert_all_arrived(receiver: Receiver, paths: dict[str, str]) -> None:
    """Check that each server got all events of its club, each under one id of its own."""
    ids: defaultdict[tuple[str, int], set[str]] = defaultdict(set)
    for request in receiver.requests:
        event = request.event
        assert event["source"] == paths[request.path]
        ids[request.path, event["number"]].add(request.headers["webhook-id"])
    wanted = {(path, number) for path in paths for number in range(1, EVENTS_EACH + 1)}
    assert ids.keys() == wanted
    assert all(len(each) == 1 for each in ids.values())
    assert len({each for every in ids.values() for each in every}) == len(wanted)
    assert len(receiver.requests) > len(wanted), (
        "Nothing was sent twice: nobody was killed at work."
    )
