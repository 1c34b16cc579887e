"""Who may write verdicts: the epoch in `mahjic.rater`, and a sign of life from the instance that
raised it.

It is the same on both kinds of log: opening takes over the right, and an instance displaced by a
living one is refused, so two supervised instances do not take it from each other forever.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

import asyncpg
import structlog
from asyncpg.pool import PoolConnectionProxy

from shared.db.away import DATABASE_AWAY
from shared.db.locks import BEGUN_LOCK, WRITER_LOCK
from shared.errors import MahjicError
from shared.log.away import told_as_away
from shared.log.port import WriterReplaced

T = TypeVar("T")

LOCK_RATER: Final = """
SELECT epoch, holder, displaced FROM mahjic.rater FOR UPDATE
"""
READ_EPOCH: Final = "SELECT epoch FROM mahjic.rater"
# It waits for a writer that is opening now, until that has become the writer or given up.
READ_SETTLED_EPOCH: Final = "SELECT epoch FROM mahjic.rater FOR SHARE"
SHOW_LIFE: Final = "SELECT pg_advisory_lock_shared($1, $2)"
HIDE_LIFE: Final = "SELECT pg_advisory_unlock_all()"
# A database that does not answer must not hold up our stop.
CLOSE_S_MAX: Final = 2.0
IS_DEAD: Final = "SELECT pg_try_advisory_xact_lock($1, $2)"
RAISE_EPOCH: Final = """
UPDATE mahjic.rater SET epoch = $1, holder = $2, displaced = $3
"""

_log = structlog.get_logger(__name__)


class RatingTakenOver(MahjicError):
    """This instance was replaced by a running one, and must not take the rating back."""

    code = "rating_taken_over"
    title = "Another running instance has taken over the rating"
    exit_code = 3


async def take_right(
    pool: asyncpg.Pool, holder: str, settle: Callable[[PoolConnectionProxy], Awaitable[T]]
) -> tuple["WritersRight", T]:
    """Become the one writer by raising the epoch, which waits for a commit in flight.

    `settle` runs in the same transaction, before anyone else can take the right: what it returns
    comes back with the right. Raises RatingTakenOver, LogAway, and what `settle` raises.
    """
    with told_as_away():
        connection = await pool.acquire()
    try:
        with told_as_away():
            async with connection.transaction():
                epoch = await _raise_epoch(connection, holder)
                settled = await settle(connection)
    except BaseException:
        await _close(pool, connection)
        raise
    return WritersRight(pool, connection, epoch), settled


async def _raise_epoch(connection: PoolConnectionProxy, holder: str) -> int:
    row = await connection.fetchrow(LOCK_RATER)
    assert row is not None, "A database is founded before a rater starts."
    is_dead = await connection.fetchval(IS_DEAD, WRITER_LOCK, row["epoch"])
    if not is_dead and row["displaced"] == holder:
        raise RatingTakenOver(
            f"{row['holder']} has taken over the rating from {holder} and is running. Stop it "
            "first, or let it do the rating."
        )
    epoch: int = row["epoch"] + 1
    displaced = None if is_dead or row["holder"] == holder else row["holder"]
    await connection.execute(SHOW_LIFE, WRITER_LOCK, epoch)
    await connection.execute(RAISE_EPOCH, epoch, holder, displaced)
    if displaced is not None:
        _log.warning("rating_taken_over", taken_from=displaced, by=holder, epoch=epoch)
    return epoch


class WritersRight:
    """The right to write verdicts, on a connection of its own that shows that its holder lives."""

    def __init__(self, pool: asyncpg.Pool, connection: PoolConnectionProxy, epoch: int) -> None:
        self._pool = pool
        self._connection: PoolConnectionProxy | None = connection
        self.epoch = epoch
        self._has_begun = False

    async def confirm_settled(self, wait_s_max: float) -> None:
        """First wait for a writer that is opening now, then do the same as `confirm`."""
        with told_as_away():
            async with asyncio.timeout(wait_s_max):
                await self._confirm(READ_SETTLED_EPOCH)

    async def confirm(self) -> None:
        """Raise WriterReplaced if the epoch was raised since, and LogAway if that is unknown.

        The query runs on the connection that shows we are alive. If it was cut while there was
        nothing to write, it is replaced, or the instance we displaced would think we are dead.
        """
        with told_as_away():
            await self._confirm(READ_EPOCH)

    async def _confirm(self, question: str) -> None:
        try:
            connection = await self.connection()
            epoch = await connection.fetchval(question)
        except DATABASE_AWAY:
            await self.drop_connection()
            raise
        if epoch != self.epoch:
            raise replaced()

    async def show_begun(self) -> None:
        """Show that its holder answers facts from now on. Raises LogAway."""
        self._has_begun = True
        with told_as_away():
            try:
                await (await self.connection()).execute(SHOW_LIFE, BEGUN_LOCK, self.epoch)
            except DATABASE_AWAY:
                await self.drop_connection()
                raise

    async def connection(self) -> PoolConnectionProxy:
        """Return the connection that shows we are alive; a new one if it was cut."""
        if self._connection is None or _is_lost(self._connection):
            self._connection = await self._pool.acquire()
            await self._connection.execute(SHOW_LIFE, WRITER_LOCK, self.epoch)
            if self._has_begun:
                await self._connection.execute(SHOW_LIFE, BEGUN_LOCK, self.epoch)
        return self._connection

    async def drop_connection(self) -> None:
        """Close a connection that can no longer be trusted."""
        if self._connection is not None:
            connection, self._connection = self._connection, None
            await _close(self._pool, connection)

    async def close(self) -> None:
        """Give up the sign of life, so that the next writer need not displace anyone."""
        if self._connection is not None:
            # By a statement, so that it is given up before anyone else asks; closing takes time.
            with contextlib.suppress(*DATABASE_AWAY):
                await self._connection.execute(HIDE_LIFE, timeout=CLOSE_S_MAX)
            await self.drop_connection()


def replaced() -> WriterReplaced:
    """Return the error of a writer whose epoch is over."""
    return WriterReplaced(
        "Another instance has taken over the rating; this one has written nothing more and is "
        "stopping."
    )


def _is_lost(connection: PoolConnectionProxy) -> bool:
    try:
        return connection.is_closed()
    except asyncpg.InterfaceError:
        # The pool takes back a broken connection by itself, and leaves an empty proxy.
        return True


async def _close(pool: asyncpg.Pool, connection: PoolConnectionProxy) -> None:
    """Close a connection, and the sign of life on it; the pool opens another when it needs one."""
    if not _is_lost(connection):
        connection.terminate()
    with contextlib.suppress(*DATABASE_AWAY):
        await pool.release(connection)
