"""Waits for what must come, and fails when it does not come in time."""

import asyncio
from collections.abc import Awaitable, Callable

# Much longer than anything here takes on a busy machine.
DEADLINE_S = 120.0
LOOK_S = 0.005


def deadline() -> asyncio.Timeout:
    """Return a context that fails with TimeoutError when what is inside never comes to an end."""
    return asyncio.timeout(DEADLINE_S)


async def until(is_so: Callable[[], Awaitable[object]]) -> None:
    """Wait until a condition holds."""
    async with deadline():
        while not await is_so():
            await asyncio.sleep(LOOK_S)


async def until_seen(is_so: Callable[[], object]) -> None:
    """Wait until a condition holds that nobody else has to be asked for."""
    async with deadline():
        while not is_so():
            await asyncio.sleep(LOOK_S)
