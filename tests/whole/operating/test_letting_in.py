"""When a site lets people in: after every check, whatever is away in between, and never else."""

import asyncio
from collections.abc import Awaitable, Callable

import asyncpg
import pytest
from prometheus_client import CollectorRegistry

from services.parts import let_people_in
from shared.log.port import HistorySplit, LogAway
from tests.conftest import Database
from tests.log.deadlines import until


def opening(
    pool: asyncpg.Pool, *checks: Callable[[], Awaitable[None]]
) -> tuple["asyncio.Task[None]", asyncio.Event, CollectorRegistry]:
    is_open, registry = asyncio.Event(), CollectorRegistry()
    return asyncio.create_task(let_people_in(pool, checks, is_open, registry)), is_open, registry


@pytest.mark.parametrize(
    "away", [LogAway("Kafka is away."), ConnectionRefusedError(), asyncpg.CannotConnectNowError()]
)
async def test_people_come_in_once_what_was_away_is_back(
    database: Database, away: Exception
) -> None:
    asked: list[str] = []

    async def first() -> None:
        asked.append("first")
        if len(asked) < 4:
            assert not is_open.is_set()
            assert registry.get_sample_value("mahjic_people_can_log_in") == 0
            raise away

    async def second() -> None:
        asked.append("second")
        assert not is_open.is_set()

    task, is_open, registry = opening(database.pool, first, second)
    async with asyncio.timeout(30):
        await is_open.wait()
    assert asked == ["first"] * 4 + ["second"]

    async def is_told() -> bool:
        return registry.get_sample_value("mahjic_people_can_log_in") == 1

    await until(is_told)
    assert not task.done()
    task.cancel()


async def test_a_history_that_split_lets_nobody_in_and_ends_the_process(
    database: Database,
) -> None:
    async def split() -> None:
        raise HistorySplit("The table ends before its topic.")

    task, is_open, _ = opening(database.pool, split)
    with pytest.raises(HistorySplit):
        async with asyncio.timeout(30):
            await task
    assert not is_open.is_set()
