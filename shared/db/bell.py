"""Tells waiting followers in this process that a log has grown, by Postgres LISTEN and NOTIFY.

A bell only makes things quicker: everybody who waits on it also looks for himself when his wait is
over, so a ring that is lost while the connection is down loses nothing.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Final

import asyncpg
import structlog

from shared.db.away import DATABASE_AWAY

RECONNECT_S: Final = 0.5

_log = structlog.get_logger(__name__)


class Bell:
    """The last seq that was rung per channel, and those who wait for a higher one."""

    def __init__(self) -> None:
        self._rung: dict[str, int] = {}
        self._waiting: dict[str, asyncio.Event] = {}

    async def wait_beyond(self, channel: str, seq: int, wait_s: float) -> None:
        """Return once a seq above `seq` was rung on the channel, or after `wait_s` seconds."""
        if self._rung.get(channel, 0) > seq:
            return
        event = self._waiting.setdefault(channel, asyncio.Event())
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(wait_s):
                await event.wait()

    def ring(self, channel: str, seq: int) -> None:
        """Wake everybody who waits on the channel."""
        self._rung[channel] = max(seq, self._rung.get(channel, 0))
        event = self._waiting.pop(channel, None)
        if event is not None:
            event.set()


@contextlib.asynccontextmanager
async def listening(
    pool: asyncpg.Pool, bell: Bell, channels: tuple[str, ...]
) -> AsyncIterator[None]:
    """Ring the bell for every NOTIFY on the channels while the context is open."""
    task = asyncio.create_task(_listen(pool, bell, channels))
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def _listen(pool: asyncpg.Pool, bell: Bell, channels: tuple[str, ...]) -> None:
    while True:
        try:
            await _listen_once(pool, bell, channels)
        except DATABASE_AWAY as error:
            _log.warning("bell_connection_lost", error=type(error).__name__)
        await asyncio.sleep(RECONNECT_S)


async def _listen_once(pool: asyncpg.Pool, bell: Bell, channels: tuple[str, ...]) -> None:
    lost = asyncio.Event()

    def heard(_connection: object, _pid: int, channel: str, payload: object) -> None:
        bell.ring(channel, int(str(payload)))

    def ended(_connection: object) -> None:
        lost.set()

    async with pool.acquire() as connection:
        connection.add_termination_listener(ended)
        try:
            for channel in channels:
                await connection.add_listener(channel, heard)
            await lost.wait()
        finally:
            connection.remove_termination_listener(ended)
            if not connection.is_closed():
                for channel in channels:
                    await connection.remove_listener(channel, heard)
