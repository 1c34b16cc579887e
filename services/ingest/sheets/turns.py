"""Shares a few turns among sources: they alternate, and no source has all of them.

A source that sends many files waits for itself. A source that sends one file waits for one file of
each other source, and not for everything they have sent.
"""

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Turns:
    """At most `at_once` turns are held at once, and at most `of_one` of them by one source."""

    def __init__(self, *, at_once: int, of_one: int) -> None:
        assert 1 <= of_one <= at_once
        self._free = at_once
        self._of_one = of_one
        self._held: Counter[str] = Counter()
        # Who is waiting. The source with the next turn comes first.
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    @asynccontextmanager
    async def one(self, source: str, *, wait_s_max: float) -> AsyncIterator[None]:
        """Hold a turn for a source. Raises TimeoutError if none comes in time."""
        async with asyncio.timeout(wait_s_max):
            await self._take(source)
        try:
            yield
        finally:
            self._give_back(source)

    async def _take(self, source: str) -> None:
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(source, deque()).append(turn)
        self._give()
        try:
            await turn
        except asyncio.CancelledError:
            # The turn may have come at the very moment when we stopped waiting for it.
            if turn.done() and not turn.cancelled():
                self._give_back(source)
            raise

    def _give_back(self, source: str) -> None:
        self._free += 1
        self._held[source] -= 1
        if not self._held[source]:
            del self._held[source]
        self._give()

    def _give(self) -> None:
        """Give the free turns to those who are waiting and may have one."""
        while self._free and (source := self._next()) is not None:
            waiting = self._waiting[source]
            waiting.popleft().set_result(None)
            self._free -= 1
            self._held[source] += 1
            self._waiting.move_to_end(source)

    def _next(self) -> str | None:
        """Return the source that gets the next turn, and forget sources with no one waiting."""
        for source, waiting in list(self._waiting.items()):
            while waiting and waiting[0].done():
                waiting.popleft()
            if not waiting:
                del self._waiting[source]
            elif self._held[source] < self._of_one:
                return source
        return None
