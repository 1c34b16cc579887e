"""Tells waiting followers in this process that a log has grown, by Postgres LISTEN and NOTIFY. A
bell only makes things faster: every follower also looks when its wait is over, so nothing is lost
if a ring is lost while the connection is down.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Final

import asyncpg
import structlog
from asyncpg.pool import PoolConnectionProxy

from shared.db.away import DATABASE_AWAY

RECONNECT_S: Final = 0.5
# A standby server refuses to listen until it is promoted; until then followers look regularly.
STANDBY_S: Final = 10.0
# Only asking shows that a connection broke silently (a firewall, a machine that is gone).
ASK_S: Final = 10.0
ANSWER_S_MAX: Final = 5.0

_log = structlog.get_logger(__name__)


class Bell:
    """The last seq that was rung on each channel, and the tasks waiting for a higher one."""

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
        """Wake every task that waits on the channel."""
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
        except asyncpg.ReadOnlySQLTransactionError:
            await asyncio.sleep(STANDBY_S)
            continue
        except (*DATABASE_AWAY, asyncpg.PostgresError) as error:
            # Whatever it is, the parts that need the database report it; a bell just tries again.
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
            while not lost.is_set():
                await _wait_or_ask(lost, connection)
        finally:
            # Without saying goodbye: a database that does not answer would hold up our stop.
            with contextlib.suppress(asyncpg.InterfaceError):  # It broke, and is already gone.
                connection.terminate()


async def _wait_or_ask(lost: asyncio.Event, connection: PoolConnectionProxy) -> None:
    """Wait a while for the connection to be lost, then ask the server if it is still there."""
    try:
        async with asyncio.timeout(ASK_S):
            await lost.wait()
    except TimeoutError:
        await connection.execute("SELECT 1", timeout=ANSWER_S_MAX)
