"""Parts end although the database is lost at the very moment in which they are asked to."""

import asyncio
import random
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime
from typing import Any, NoReturn, cast

import asyncpg
import pytest
from prometheus_client import CollectorRegistry

from services.notices.following import NoticeRoom
from services.notices.running import run_notices
from services.notices.webhooks.lanes import run_webhooks
from services.notices.webhooks.network import CheckedNetwork
from services.notices.webhooks.posting import WebhookPost
from services.notices.webhooks.sending import WebhookRoom
from shared.db.bell import Bell
from shared.db.retrying import before_retry
from shared.log.memory import MemoryVerdictLog
from tests.log.deadlines import deadline


class LostWhenAsked:
    """A pool whose database does not answer; whoever is canceled hears that it was lost."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()

    async def _never(self, *_: object, **__: object) -> NoReturn:
        self.asked.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise asyncpg.ConnectionDoesNotExistError from None
        raise AssertionError

    fetch = fetchval = fetchrow = execute = _never


def now() -> datetime:
    return datetime.now(UTC)


async def nobody(*_: object, **__: object) -> None:
    """Tell nobody."""


def webhooks(pool: asyncpg.Pool) -> Coroutine[Any, Any, NoReturn]:
    post = WebhookPost(CheckedNetwork(loopback=False), loopback=False)
    room = WebhookRoom(pool, post, nobody, now, random.random)
    return run_webhooks(room, Bell(), CollectorRegistry())


def notices(pool: asyncpg.Pool) -> Coroutine[Any, Any, NoReturn]:
    return run_notices(NoticeRoom(pool, now), MemoryVerdictLog("a log"), CollectorRegistry())


@pytest.mark.parametrize("part", [webhooks, notices])
async def test_a_part_that_is_a_group_of_tasks_is_asked_once_and_ends(
    part: Callable[[asyncpg.Pool], Coroutine[Any, Any, NoReturn]],
) -> None:
    pool = LostWhenAsked()
    running = asyncio.create_task(part(cast("asyncpg.Pool", pool)))
    async with deadline():
        await pool.asked.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running


async def test_whoever_is_not_asked_to_end_waits() -> None:
    loop = asyncio.get_running_loop()
    began_s = loop.time()
    await before_retry(0.05)
    assert loop.time() - began_s >= 0.05
