"""Lets only one of the processes on a database do a piece of work at a time.

The turn is an advisory lock on a connection of its own, and lasts as long as that connection: a
process that dies gives it up, and one that lost its connection must stop: another may have begun.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any, Final, NoReturn

import asyncpg
import structlog
from asyncpg.pool import PoolConnectionProxy

from shared.db.away import DATABASE_AWAY

# A standby asks this often whether it is its turn, and whether the database is back.
ASK_S: Final = 0.5
# Only asking shows that a connection broke silently (a firewall, a machine that is gone).
PROVE_S: Final = 2.0
ANSWER_S_MAX: Final = 5.0
# A database that does not answer must not hold up our stop.
CLOSE_S_MAX: Final = 2.0

TAKE: Final = "SELECT pg_try_advisory_lock($1)"
GIVE_BACK: Final = "SELECT pg_advisory_unlock_all()"

Work = Callable[[], Coroutine[Any, Any, NoReturn]]

_log = structlog.get_logger(__name__)


async def in_turn(pool: asyncpg.Pool, key: int, name: str, work: Work) -> None:
    """Wait for the turn and do the work; return once the turn is lost and the work has ended.

    Raises what the work raises. Waits for a database that is away, and says once if another process
    has the turn.
    """
    working: asyncio.Task[NoReturn] | None = None
    try:
        async with own_connection(pool) as connection:
            await _wait_for_turn(connection, key, name)
            working = asyncio.create_task(work())
            try:
                await _hold_turn(connection, working)
            finally:
                # Before the turn is given back: no other process may begin until then.
                working.cancel()
                await asyncio.wait([working])
    except DATABASE_AWAY as error:
        _log.warning("turn_needs_database", work=name, error=type(error).__name__)
        await asyncio.sleep(ASK_S)
    if working is not None and not working.cancelled():
        await working


@contextlib.asynccontextmanager
async def own_connection(pool: asyncpg.Pool) -> AsyncIterator[PoolConnectionProxy]:
    """Give a connection that is closed afterward, along with any lock it holds."""
    connection = await pool.acquire()
    try:
        yield connection
    finally:
        try:
            with contextlib.suppress(*DATABASE_AWAY):
                # By a statement, so that it is free before anyone else asks; closing takes time.
                await connection.execute(GIVE_BACK, timeout=CLOSE_S_MAX)
        finally:  # Also if whoever had it is canceled once more meanwhile.
            with contextlib.suppress(asyncpg.InterfaceError):  # It broke, and is already gone.
                connection.terminate()
            with contextlib.suppress(*DATABASE_AWAY):
                await pool.release(connection)


async def _wait_for_turn(connection: PoolConnectionProxy, key: int, name: str) -> None:
    is_told = False
    while not await connection.fetchval(TAKE, key, timeout=ANSWER_S_MAX):
        if not is_told:
            _log.warning("stands_by", work=name, detail="Another process does this work now.")
            is_told = True
        await asyncio.sleep(ASK_S)


async def _hold_turn(connection: PoolConnectionProxy, working: "asyncio.Task[NoReturn]") -> None:
    """Return when the work has ended. Raises the error that says the connection is lost."""
    lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def ended(_connection: object) -> None:
        if not lost.done():
            lost.set_result(None)

    connection.add_termination_listener(ended)
    either: list[asyncio.Future[Any]] = [working, lost]
    while not working.done():
        await asyncio.wait(either, timeout=PROVE_S, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            await connection.execute("SELECT 1", timeout=ANSWER_S_MAX)
