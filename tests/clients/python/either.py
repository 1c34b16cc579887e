"""The client of either kind, called in one way, so that a test says once what both must do."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from mahjic_client import AsyncMahjic, Mahjic, Patience

# Tries often, and hardly waits: what goes wrong in tests is over at once.
HURRIED = Patience(tries_max=60, wait_s_first=0.002, wait_s_max=0.004)


class Either:
    """A client whose methods are all awaited; those that go through rows return them in a list."""

    def __init__(self, client: Mahjic | AsyncMahjic) -> None:
        self.client = client
        self.called: set[str] = set()

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        self.called.add(name)
        method = getattr(self.client, name)
        if isinstance(self.client, AsyncMahjic):

            async def called(*arguments: Any, **named: Any) -> Any:
                came = method(*arguments, **named)
                return [each async for each in came] if hasattr(came, "__anext__") else await came

            return called

        def blocking(*arguments: Any, **named: Any) -> Any:
            came = method(*arguments, **named)
            return list(came) if hasattr(came, "__next__") else came

        async def in_a_thread(*arguments: Any, **named: Any) -> Any:
            return await asyncio.to_thread(blocking, *arguments, **named)

        return in_a_thread
