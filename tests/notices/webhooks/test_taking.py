"""Who takes which event: each is taken once, and no address is always last."""

import asyncio
from collections import Counter

import asyncpg
import pytest

from services.notices.webhooks.posting import Posted
from services.notices.webhooks.taking import (
    TakenEvent,
    note_delivered,
    spread_events,
    take_events,
)
from shared.access.sources import SourceDetails, add_source
from shared.notices.writing import Notice, write_notices
from tests.conftest import Database
from tests.service import FOUNDED

ADD = """
INSERT INTO mahjic.webhook_endpoints
    (endpoint_id, source, url, secrets, created_at, state_since, spread_to, is_slow)
SELECT 'wh_' || each, 'a-club', 'https://club.example/', '{whsec_AAAA}', $2, $2, 0, $3
FROM generate_series(1, $1::int) AS each
"""
ADDRESSES = 150
PLACES = 100
SLOW_MS = 1_000_000
# By chance alone, one address in a billion runs is not among the first in so many rounds.
ROUNDS = 30


async def fill(pool: asyncpg.Pool, addresses: int, events: int, *, slow: bool) -> None:
    """Give many addresses of a club some events."""
    await add_source(pool, "a-club", SourceDetails("A Club", "club", None), now=FOUNDED)
    await pool.execute(ADD, addresses, FOUNDED, slow)
    notices = [Notice("a-club", "test", f"test {each}", FOUNDED, {}) for each in range(events)]
    async with pool.acquire() as connection, connection.transaction():
        await write_notices(connection, notices)
    while await spread_events(pool, now=FOUNDED):
        pass


async def settle(pool: asyncpg.Pool, event: TakenEvent, took_ms: int) -> None:
    async with pool.acquire() as connection, connection.transaction():
        await note_delivered(connection, event, Posted("delivered", took_ms, 200), now=FOUNDED)


async def test_no_address_is_always_behind_the_others(database: Database) -> None:
    pool = database.pool
    await fill(pool, ADDRESSES, ROUNDS, slow=True)
    served: Counter[str] = Counter()
    for _ in range(ROUNDS):
        taken = await take_events(pool, slow=True, places=PLACES, now=FOUNDED)
        assert len(taken) == PLACES == len({each.endpoint_id for each in taken})
        served.update(each.endpoint_id for each in taken)
        await asyncio.gather(*(settle(pool, each, SLOW_MS) for each in taken))
    assert len(served) == ADDRESSES


@pytest.mark.parametrize("slow", [False, True])
async def test_of_many_who_take_at_once_no_two_take_the_same(
    database: Database, slow: bool
) -> None:
    pool = database.pool
    await fill(pool, 60, 10, slow=slow)
    taken: Counter[tuple[str, int]] = Counter()

    async def take_all() -> None:
        while events := await take_events(pool, slow=slow, places=40, now=FOUNDED):
            taken.update((each.endpoint_id, each.number) for each in events)
            if slow:  # One at a time: the next is there once this one is settled.
                await asyncio.gather(*(settle(pool, each, SLOW_MS) for each in events))

    await asyncio.gather(*(take_all() for _ in range(8)))
    while rest := await take_events(pool, slow=slow, places=1_000, now=FOUNDED):
        taken.update((each.endpoint_id, each.number) for each in rest)
        await asyncio.gather(*(settle(pool, each, SLOW_MS if slow else 1) for each in rest))
    assert set(taken.values()) == {1}
    assert len(taken) == 600
