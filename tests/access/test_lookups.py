"""Look-ups of keys: they act at once, they share queries, and they outlive a lost connection."""

import asyncio
import inspect
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, cast

import asyncpg
import pytest

from shared.access.keys import create_key, revoke_key
from shared.access.lookups import KeyLookups, SourceSuspended
from shared.access.sources import (
    SourceDetails,
    add_source,
    change_source,
    resume_source,
    suspend_source,
)
from shared.errors import ServiceUnavailable
from shared.http.callers import Caller
from shared.ids import api_key
from tests.conftest import Database

USED_TODAY = "UPDATE mahjic.api_keys SET used_on = (now() AT TIME ZONE 'UTC')::date"
NOON = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)


class WatchedPool:
    """A pool that counts its queries, and that holds each answer back while `gate` is closed."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool
        self.queries = 0
        self.answered = asyncio.Event()
        self.gate = asyncio.Event()
        self.gate.set()

    async def fetch(self, *arguments: Any) -> Sequence[asyncpg.Record]:
        self.queries += 1
        rows: Sequence[asyncpg.Record] = await self._pool.fetch(*arguments)
        self.answered.set()
        await self.gate.wait()
        return rows


class BrokenPool:
    """A pool that fails the first `failures` times."""

    def __init__(self, pool: asyncpg.Pool, failures: int) -> None:
        self._pool = pool
        self.failures = failures

    async def fetch(self, *arguments: Any) -> Sequence[asyncpg.Record]:
        if self.failures > 0:
            self.failures -= 1
            raise ConnectionRefusedError
        rows: Sequence[asyncpg.Record] = await self._pool.fetch(*arguments)
        return rows


def lookups(pool: object, *, database_wait_s: float = 20.0) -> KeyLookups:
    return KeyLookups(cast("asyncpg.Pool", pool), database_wait_s=database_wait_s)


async def a_club_with_a_key(pool: asyncpg.Pool, slug: str = "columbus") -> tuple[str, str]:
    await add_source(pool, slug, SourceDetails("Columbus", "club"), now=NOON)
    key, text = await create_key(pool, "source", slug, now=NOON)
    # As of a day on which it was used before: nothing is left to note.
    await pool.execute(USED_TODAY)
    return key.key_id, text


async def test_a_key_tells_whom_it_stands_for(database: Database) -> None:
    key_id, text = await a_club_with_a_key(database.pool)
    auditor, auditor_text = await create_key(database.pool, "auditor", now=NOON)
    asked = lookups(database.pool)

    assert await asked.authenticate(text) == Caller("source", "columbus", key_id, None)
    assert await asked.authenticate(auditor_text) == Caller("auditor", None, auditor.key_id, None)


@pytest.mark.parametrize(
    "text",
    [api_key(bytes(32)), "", "mjk_", "mjk_" + "é" * 43, "mjk_\0" + "0" * 42, "\ud800" * 47],
    ids=["unknown", "empty", "short", "letters", "nul", "surrogates"],
)
async def test_what_is_no_key_stands_for_nobody(database: Database, text: str) -> None:
    await a_club_with_a_key(database.pool)
    assert await lookups(database.pool).authenticate(text) is None


async def test_a_key_id_and_a_hash_open_nothing(database: Database) -> None:
    key_id, _ = await a_club_with_a_key(database.pool)
    stored = await database.pool.fetchval("SELECT encode(key_hash, 'hex') FROM mahjic.api_keys")
    for text in (key_id, stored, "mjk_" + stored[:43]):
        assert await lookups(database.pool).authenticate(text) is None


async def test_a_revoked_key_is_refused_from_the_next_request_on(database: Database) -> None:
    key_id, text = await a_club_with_a_key(database.pool)
    asked = lookups(database.pool)
    assert await asked.authenticate(text) is not None

    await revoke_key(database.pool, key_id, now=NOON)

    assert await asked.authenticate(text) is None


async def test_a_suspended_source_is_told_so_until_it_is_resumed(database: Database) -> None:
    _, text = await a_club_with_a_key(database.pool)
    asked = lookups(database.pool)

    await suspend_source(database.pool, "columbus")
    with pytest.raises(SourceSuspended) as refused:
        await asked.authenticate(text)
    await resume_source(database.pool, "columbus")

    assert (refused.value.status, refused.value.code) == (403, "source_suspended")
    assert await asked.authenticate(text) is not None


async def test_a_new_limit_holds_from_the_next_request_on(database: Database) -> None:
    _, text = await a_club_with_a_key(database.pool)
    asked = lookups(database.pool)

    await change_source(database.pool, "columbus", lambda d: replace(d, limit_per_minute=9000))

    caller = await asked.authenticate(text)
    assert caller is not None
    assert caller.limit_per_minute == 9000


async def test_two_hundred_at_once_need_one_query(database: Database) -> None:
    texts = [await a_club_with_a_key(database.pool, f"club-{n}") for n in range(5)]
    pool = WatchedPool(database.pool)
    asked = lookups(pool)

    callers = await asyncio.gather(*(asked.authenticate(texts[n % 5][1]) for n in range(200)))

    named = [None if caller is None else caller.source for caller in callers]
    assert named == [f"club-{n % 5}" for n in range(200)]
    assert pool.queries == 1


def held_up(database: Database) -> tuple[WatchedPool, KeyLookups]:
    """Return a pool that gives no answer until its gate is opened, and look-ups that use it."""
    pool = WatchedPool(database.pool)
    pool.gate.clear()
    return pool, lookups(pool)


async def test_who_asks_during_a_query_shares_the_next_one(database: Database) -> None:
    _, text = await a_club_with_a_key(database.pool)
    pool, asked = held_up(database)
    first = asyncio.create_task(asked.authenticate(text))
    await pool.answered.wait()
    later = [asyncio.create_task(asked.authenticate(text)) for _ in range(199)]
    await asyncio.sleep(0)
    pool.gate.set()

    callers = await asyncio.gather(first, *later)

    assert None not in callers
    assert pool.queries == 2


async def test_who_asks_after_a_revocation_is_not_answered_by_an_older_query(
    database: Database,
) -> None:
    key_id, text = await a_club_with_a_key(database.pool)
    pool, asked = held_up(database)
    before = asyncio.create_task(asked.authenticate(text))
    await pool.answered.wait()

    await revoke_key(database.pool, key_id, now=NOON)
    after = asyncio.create_task(asked.authenticate(text))
    await asyncio.sleep(0)
    pool.gate.set()

    assert await before is not None
    assert await after is None


async def test_somebody_who_hangs_up_takes_nobody_along(database: Database) -> None:
    _, text = await a_club_with_a_key(database.pool)
    pool, asked = held_up(database)
    impatient = asyncio.create_task(asked.authenticate(text))
    patient = asyncio.create_task(asked.authenticate(text))
    await pool.answered.wait()

    impatient.cancel()
    await asyncio.wait([impatient])
    pool.gate.set()

    assert impatient.cancelled()
    assert await patient is not None


async def test_more_keys_than_a_query_takes_are_all_answered(database: Database) -> None:
    _, text = await a_club_with_a_key(database.pool)
    guesses = [api_key(n.to_bytes(32, "big")) for n in range(2500)]
    pool = WatchedPool(database.pool)
    asked = lookups(pool)

    callers = await asyncio.gather(*map(asked.authenticate, [*guesses, text]))

    assert [caller is None for caller in callers] == [True] * 2500 + [False]
    assert pool.queries == 3


async def test_connections_that_the_server_cut_are_not_the_callers_concern(
    database: Database,
) -> None:
    _, text = await a_club_with_a_key(database.pool)
    await database.pool.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    assert await lookups(database.pool).authenticate(text) is not None


async def test_a_database_that_comes_back_in_time_is_waited_for(database: Database) -> None:
    _, text = await a_club_with_a_key(database.pool)
    asked = lookups(BrokenPool(database.pool, failures=2))
    assert await asked.authenticate(text) is not None


async def test_a_database_that_stays_away_is_told_in_time_and_not_forever(
    database: Database,
) -> None:
    _, text = await a_club_with_a_key(database.pool)
    pool = BrokenPool(database.pool, failures=1_000_000)
    asked = lookups(pool, database_wait_s=0.3)
    started = asyncio.get_running_loop().time()

    answers = await asyncio.gather(
        *(asked.authenticate(text) for _ in range(3)), return_exceptions=True
    )
    waited_s = asyncio.get_running_loop().time() - started
    pool.failures = 0

    assert [type(answer) for answer in answers] == [ServiceUnavailable] * 3
    assert 0.3 <= waited_s < 5
    assert await asked.authenticate(text) is not None


def test_hashes_are_compared_in_constant_time() -> None:
    assert "hmac.compare_digest(" in inspect.getsource(KeyLookups.authenticate)


async def test_the_day_of_the_last_use_is_noted_once_a_day(database: Database) -> None:
    _, text = await a_club_with_a_key(database.pool)
    await database.pool.execute("UPDATE mahjic.api_keys SET used_on = NULL")
    pool = WatchedPool(database.pool)
    asked = lookups(pool)
    for queries in (2, 3):
        assert await asked.authenticate(text) is not None
        assert pool.queries == queries
    used = await database.pool.fetchval("SELECT used_on FROM mahjic.api_keys")
    assert used == await database.pool.fetchval("SELECT (now() AT TIME ZONE 'UTC')::date")
    await database.pool.execute("UPDATE mahjic.api_keys SET used_on = used_on - 1")
    assert await asked.authenticate(text) is not None
    assert await database.pool.fetchval("SELECT used_on FROM mahjic.api_keys") == used


async def test_a_key_that_somebody_else_is_noting_is_answered_for_at_once(
    database: Database,
) -> None:
    _, text = await a_club_with_a_key(database.pool)
    await database.pool.execute("UPDATE mahjic.api_keys SET used_on = NULL")
    async with database.pool.acquire() as connection, connection.transaction():
        await connection.execute("SELECT FROM mahjic.api_keys FOR UPDATE")
        assert await lookups(database.pool, database_wait_s=5.0).authenticate(text) is not None
