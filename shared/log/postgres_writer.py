"""The one writer of verdicts on Postgres: who may be it, and that no commit is lost or doubled.

The epoch in `mahjic.rater` says who the writer is. An append moves that row and writes the verdicts
in one statement, which does nothing once the epoch is another.
"""

import asyncio
import contextlib
from collections.abc import Sequence
from typing import Final

import asyncpg
import structlog
from asyncpg.pool import PoolConnectionProxy

from shared.db.away import DATABASE_AWAY
from shared.errors import MahjicError
from shared.log.away import told_as_away
from shared.log.port import HistorySplit, Position, Record, WriterReplaced, chained

# The first key of the advisory lock that a living writer holds; the second is its epoch. It is held
# shared: a writer whose connection broke must not wait for the server to notice that.
WRITER_LOCK: Final = 0x4D4A52
RETRY_S: Final = 0.2

APPEND_VERDICTS: Final = """
WITH moved AS (
    UPDATE mahjic.rater SET fact_seq = $3, verdict_seq = $4, verdict_chain = $5
    WHERE epoch = $1 AND fact_seq = $2
    RETURNING pg_notify('mahjic_verdicts', $4::bigint::text)
), written AS (
    INSERT INTO mahjic.verdicts (seq, chain, body)
    SELECT seq, chain, body
    FROM unnest($6::bigint[], $7::bytea[], $8::bytea[]) AS v (seq, chain, body)
    WHERE EXISTS (SELECT 1 FROM moved)
)
SELECT count(*) FROM moved
"""
LOCK_RATER: Final = """
SELECT epoch, fact_seq, verdict_seq, verdict_chain, holder, displaced FROM mahjic.rater FOR UPDATE
"""
READ_EPOCH: Final = "SELECT epoch FROM mahjic.rater"
READ_RATER: Final = "SELECT epoch, verdict_seq, verdict_chain FROM mahjic.rater"
SHOW_LIFE: Final = "SELECT pg_advisory_lock_shared($1, $2)"
HIDE_LIFE: Final = "SELECT pg_advisory_unlock_all()"
# A database that does not answer must not hold up whoever stops us.
CLOSE_S_MAX: Final = 2.0
IS_DEAD: Final = "SELECT pg_try_advisory_xact_lock($1, $2)"
RAISE_EPOCH: Final = """
UPDATE mahjic.rater SET epoch = $1, holder = $2, displaced = $3
"""

_log = structlog.get_logger(__name__)


class RatingTakenOver(MahjicError):
    """This instance was replaced by one that is alive, and must not take the rating back."""

    code = "rating_taken_over"
    title = "Another running instance has taken the rating over"
    exit_code = 3


async def open_writer(pool: asyncpg.Pool, holder: str) -> "PostgresVerdictWriter":
    """Become the one writer by raising the epoch, which waits for a commit in flight.

    Raises RatingTakenOver when a living instance has displaced `holder` before: two supervised
    services would otherwise take the rating from each other for ever. Raises LogAway.
    """
    with told_as_away():
        connection = await pool.acquire()
    try:
        with told_as_away():
            async with connection.transaction():
                return await _raise_epoch(pool, connection, holder)
    except BaseException:
        await _close(pool, connection)
        raise


async def _raise_epoch(
    pool: asyncpg.Pool, connection: PoolConnectionProxy, holder: str
) -> "PostgresVerdictWriter":
    row = await connection.fetchrow(LOCK_RATER)
    assert row is not None, "A database is founded before a rater starts."
    is_dead = await connection.fetchval(IS_DEAD, WRITER_LOCK, row["epoch"])
    if not is_dead and row["displaced"] == holder:
        raise RatingTakenOver(
            f"{row['holder']} has taken the rating over from {holder} and is running. "
            "Stop it first, or leave it to it."
        )
    epoch = row["epoch"] + 1
    displaced = None if is_dead or row["holder"] == holder else row["holder"]
    await connection.execute(SHOW_LIFE, WRITER_LOCK, epoch)
    await connection.execute(RAISE_EPOCH, epoch, holder, displaced)
    if displaced is not None:
        _log.warning("rating_taken_over", taken_from=displaced, by=holder, epoch=epoch)
    log_id = await connection.fetchval("SELECT log_id FROM mahjic.head")
    tail = Position(log_id, row["verdict_seq"], row["verdict_chain"])
    return PostgresVerdictWriter(pool, connection, epoch, row["fact_seq"], tail)


class PostgresVerdictWriter:
    """The right to append verdicts, on a connection of its own that shows that it is alive."""

    def __init__(
        self,
        pool: asyncpg.Pool,
        connection: PoolConnectionProxy,
        epoch: int,
        fact_seq: int,
        tail: Position,
    ) -> None:
        self._pool = pool
        self._connection: PoolConnectionProxy | None = connection
        self._epoch = epoch
        self._fact_seq = fact_seq
        self._tail = tail

    @property
    def fact_seq(self) -> int:
        """The last fact that was answered."""
        return self._fact_seq

    async def append(self, bodies: Sequence[bytes], *, fact_seq: int) -> list[Record]:
        """Append the verdicts on all facts up to `fact_seq`. Raises WriterReplaced.

        While the database is away this tries again and again; a commit whose answer was lost is
        found again by its chain, so nothing is written twice.
        """
        assert fact_seq > self._fact_seq, "A fact is answered once."
        records = chained(self._tail, bodies)
        end = Position(self._tail.log_id, records[-1].seq, records[-1].chain)
        while not await self._is_written(records, end, fact_seq):
            await asyncio.sleep(RETRY_S)
        self._tail, self._fact_seq = end, fact_seq
        return records

    async def confirm(self) -> None:
        """Raise WriterReplaced if the epoch was raised since.

        It is asked on the connection that shows our life: one that was cut while nothing was to be
        written is replaced, or whom we displaced would take us for dead.
        """
        with told_as_away():
            try:
                connection = await self._living_connection()
                epoch = await connection.fetchval(READ_EPOCH)
            except DATABASE_AWAY:
                await self._drop_connection()
                raise
        if epoch != self._epoch:
            raise _replaced()

    async def close(self) -> None:
        """Give up the sign of life, so that the next writer need not displace anybody."""
        if self._connection is not None:
            # In words, so that it is given up before anybody else asks; closing takes its time.
            with contextlib.suppress(*DATABASE_AWAY):
                await self._connection.execute(HIDE_LIFE, timeout=CLOSE_S_MAX)
            await self._drop_connection()

    async def _is_written(self, records: list[Record], end: Position, fact_seq: int) -> bool:
        try:
            await self._living_connection()
            # Nothing moves when another writer has opened, or when this was written before and its
            # answer was lost, or is in flight on a connection that broke.
            if not await self._write(records, fact_seq):
                await self._check_written(end)
        except DATABASE_AWAY as error:
            _log.warning("verdicts_not_written_yet", error=type(error).__name__)
            await self._drop_connection()
            return False
        return True

    async def _write(self, records: list[Record], fact_seq: int) -> bool:
        assert self._connection is not None
        moved = await self._connection.fetchval(
            APPEND_VERDICTS,
            self._epoch,
            self._fact_seq,
            fact_seq,
            records[-1].seq,
            records[-1].chain,
            [record.seq for record in records],
            [record.chain for record in records],
            [record.body for record in records],
        )
        return bool(moved)

    async def _living_connection(self) -> PoolConnectionProxy:
        if self._connection is None or _is_lost(self._connection):
            self._connection = await self._pool.acquire()
            await self._connection.execute(SHOW_LIFE, WRITER_LOCK, self._epoch)
        return self._connection

    async def _check_written(self, end: Position) -> None:
        """Check that the verdicts end with ours. Raises WriterReplaced or HistorySplit."""
        assert self._connection is not None
        row = await self._connection.fetchrow(READ_RATER)
        assert row is not None
        if row["epoch"] != self._epoch:
            raise _replaced()
        if (row["verdict_seq"], row["verdict_chain"]) != (end.seq, end.chain):
            raise HistorySplit(
                f"The verdicts end at {row['verdict_seq']} otherwise than this instance, their one "
                f"writer, left them at {self._tail.seq}. "
                "Stop, and see docs/operations.md on repairing a log."
            )

    async def _drop_connection(self) -> None:
        if self._connection is not None:
            connection, self._connection = self._connection, None
            await _close(self._pool, connection)


def _replaced() -> WriterReplaced:
    return WriterReplaced(
        "Another instance has taken the rating over; this one wrote nothing more and leaves."
    )


def _is_lost(connection: PoolConnectionProxy) -> bool:
    try:
        return connection.is_closed()
    except asyncpg.InterfaceError:
        # The pool takes a connection that breaks back by itself, and leaves an empty proxy.
        return True


async def _close(pool: asyncpg.Pool, connection: PoolConnectionProxy) -> None:
    """Close a connection, and the sign of life on it; the pool opens another when it needs one."""
    if not _is_lost(connection):
        connection.terminate()
    with contextlib.suppress(*DATABASE_AWAY):
        await pool.release(connection)
