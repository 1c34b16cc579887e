"""Shows that someone is at work, with shared advisory locks on a separate connection.

They last as long as that connection, so a process that dies is missed at once. Any number of
processes can show the same without waiting for each other, and `locks.py` reads who is there.
"""

import asyncio
import contextlib
from collections.abc import Iterable
from typing import Final, NoReturn

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from shared.db.away import DATABASE_AWAY
from shared.db.turns import ANSWER_S_MAX, ASK_S, PROVE_S, own_connection

SHOW: Final = "SELECT pg_advisory_lock_shared($1, $2)"


async def show_presence(pool: asyncpg.Pool, keys: Iterable[tuple[int, int]]) -> NoReturn:
    """Hold the locks of all keys until canceled, again whenever the connection is lost."""
    while True:
        # Whatever it is, the workers report it; a sign of life must not end them.
        with contextlib.suppress(*DATABASE_AWAY, asyncpg.PostgresError):
            async with own_connection(pool) as connection:
                await _hold(connection, keys)
        await asyncio.sleep(ASK_S)


async def _hold(connection: PoolConnectionProxy, keys: Iterable[tuple[int, int]]) -> None:
    """Hold the locks until the connection is lost, which may raise its error."""
    lost = asyncio.Event()

    def ended(_connection: object) -> None:
        lost.set()

    connection.add_termination_listener(ended)
    for key in keys:
        await connection.execute(SHOW, *key, timeout=ANSWER_S_MAX)
    while not lost.is_set():
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PROVE_S):
                await lost.wait()
        if not lost.is_set():
            await connection.execute("SELECT 1", timeout=ANSWER_S_MAX)
