"""The logs as Postgres tables.

Facts are appended inside the transaction of whoever holds the lock on `mahjic.head`, so commit
order is seq order. Verdicts are appended by the writer whose epoch stands in `mahjic.rater`.
"""

import asyncio
import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import asyncpg
import structlog
from asyncpg.pool import PoolConnectionProxy

from shared.db.away import DATABASE_AWAY
from shared.db.bell import Bell
from shared.errors import MahjicError
from shared.events.chain import first_chain
from shared.log.port import (
    HistorySplit,
    LogAway,
    Position,
    Record,
    WriterReplaced,
    chained,
    check_beginning,
    check_held,
    continued,
)

FACTS_CHANNEL: Final = "mahjic_facts"
VERDICTS_CHANNEL: Final = "mahjic_verdicts"

# The first key of the advisory lock that a living writer holds; the second is its epoch. It is held
# shared: a writer whose connection broke must not wait for the server to notice that.
WRITER_LOCK: Final = 0x4D4A52
RETRY_S: Final = 0.2

LOCK_HEAD: Final = """
SELECT log_id, fact_seq, fact_chain, people_seq FROM mahjic.head FOR UPDATE
"""
APPEND_FACTS: Final = """
WITH moved AS (
    UPDATE mahjic.head SET fact_seq = $1, fact_chain = $2
), rung AS (
    SELECT pg_notify('mahjic_facts', $1::bigint::text)
), written AS (
    INSERT INTO mahjic.facts (seq, chain, body)
    SELECT seq, chain, body
    FROM unnest($3::bigint[], $4::bytea[], $5::bytea[]) AS f (seq, chain, body)
)
SELECT 1 FROM rung
"""
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
READ_FACTS: Final = """
SELECT seq, chain, body FROM mahjic.facts WHERE seq >= $1 ORDER BY seq LIMIT $2
"""
READ_VERDICTS: Final = """
SELECT seq, chain, body FROM mahjic.verdicts WHERE seq >= $1 ORDER BY seq LIMIT $2
"""
LAST_FACT: Final = "SELECT seq, chain, body FROM mahjic.facts ORDER BY seq DESC LIMIT 1"
LAST_VERDICT: Final = "SELECT seq, chain, body FROM mahjic.verdicts ORDER BY seq DESC LIMIT 1"
FACT_TAIL: Final = "SELECT log_id, fact_seq AS seq, fact_chain AS chain FROM mahjic.head"
VERDICT_TAIL: Final = """
SELECT head.log_id, rater.verdict_seq AS seq, rater.verdict_chain AS chain
FROM mahjic.head CROSS JOIN mahjic.rater
"""
FOUND_HEAD: Final = """
INSERT INTO mahjic.head (log_id, fact_seq, fact_chain, people_seq) VALUES ($1, 0, $2, 0)
"""
FOUND_RATER: Final = """
INSERT INTO mahjic.rater (epoch, fact_seq, verdict_seq, verdict_chain) VALUES (0, 0, 0, $1)
"""
LOCK_RATER: Final = """
SELECT epoch, fact_seq, verdict_seq, verdict_chain, holder, displaced FROM mahjic.rater FOR UPDATE
"""
SHOW_LIFE: Final = "SELECT pg_advisory_lock_shared($1, $2)"
IS_DEAD: Final = "SELECT pg_try_advisory_xact_lock($1, $2)"
RAISE_EPOCH: Final = """
UPDATE mahjic.rater SET epoch = $1, holder = $2, displaced = $3
"""

Connection = asyncpg.Connection | PoolConnectionProxy

_log = structlog.get_logger(__name__)


class RatingTakenOver(MahjicError):
    """This instance was replaced by one that is alive, and must not take the rating back."""

    code = "rating_taken_over"
    title = "Another running instance has taken the rating over"
    exit_code = 3


@dataclass(frozen=True, slots=True)
class Head:
    """The end of the fact log, read under the lock that every writer of facts takes."""

    log_id: str
    fact_seq: int
    fact_chain: bytes
    people_seq: int

    @property
    def position(self) -> Position:
        """The position of the last fact."""
        return Position(self.log_id, self.fact_seq, self.fact_chain)


async def lock_head(connection: Connection) -> Head:
    """Lock the head until the transaction ends. It must be the first statement of it."""
    row = await connection.fetchrow(LOCK_HEAD)
    assert row is not None, "A database is founded before anything is written."
    return Head(row["log_id"], row["fact_seq"], row["fact_chain"], row["people_seq"])


async def append_facts(connection: Connection, head: Head, bodies: Sequence[bytes]) -> list[Record]:
    """Append facts in the transaction that locked `head`; durable when that commits."""
    records = chained(head.position, bodies)
    await connection.execute(
        APPEND_FACTS,
        records[-1].seq,
        records[-1].chain,
        [record.seq for record in records],
        [record.chain for record in records],
        [record.body for record in records],
    )
    return records


async def found_logs(connection: Connection, log_id: str) -> None:
    """Create both logs, empty, in the caller's transaction."""
    await connection.execute(FOUND_HEAD, log_id, first_chain(log_id, "facts"))
    await connection.execute(FOUND_RATER, first_chain(log_id, "verdicts"))


class _PostgresLog:
    """What both logs have in common: reading and waiting."""

    def __init__(
        self,
        pool: asyncpg.Pool,
        bell: Bell,
        *,
        name: str,
        tail: str,
        last: str,
        read: str,
        channel: str,
    ) -> None:
        self._pool = pool
        self._bell = bell
        self._name = name
        self._tail = tail
        self._read = read
        self._last = last
        self._channel = channel

    async def beginning(self) -> Position:
        log_id = (await self.tail()).log_id
        return Position(log_id, 0, first_chain(log_id, self._name))

    async def tail(self) -> Position:
        with _told_as_away():
            row = await self._pool.fetchrow(self._tail)
        assert row is not None, "A database is founded before its logs are read."
        return Position(row["log_id"], row["seq"], row["chain"])

    async def last(self) -> Record | None:
        with _told_as_away():
            row = await self._pool.fetchrow(self._last)
        return None if row is None else Record(row["seq"], row["chain"], row["body"])

    async def read(self, after: Position, records_max: int) -> list[Record]:
        if after.seq == 0:
            check_beginning(after, await self.beginning())
        with _told_as_away():
            rows = await self._pool.fetch(self._read, after.seq, records_max + 1)
        records = [Record(row["seq"], row["chain"], row["body"]) for row in rows]
        check_held(after, records)
        return continued(after, records)[:records_max]

    async def wait_beyond(self, seq: int, wait_s: float) -> None:
        await self._bell.wait_beyond(self._channel, seq, wait_s)


class PostgresFactLog(_PostgresLog):
    """The log of facts, in the table mahjic.facts."""

    def __init__(self, pool: asyncpg.Pool, bell: Bell) -> None:
        super().__init__(
            pool,
            bell,
            name="facts",
            tail=FACT_TAIL,
            last=LAST_FACT,
            read=READ_FACTS,
            channel=FACTS_CHANNEL,
        )

    async def append(self, bodies: Sequence[bytes]) -> list[Record]:
        """Append records in a transaction of their own, durably."""
        with _told_as_away():
            async with self._pool.acquire() as connection, connection.transaction():
                return await append_facts(connection, await lock_head(connection), bodies)


class PostgresVerdictLog(_PostgresLog):
    """The log of verdicts, in the table mahjic.verdicts."""

    def __init__(self, pool: asyncpg.Pool, bell: Bell) -> None:
        super().__init__(
            pool,
            bell,
            name="verdicts",
            tail=VERDICT_TAIL,
            last=LAST_VERDICT,
            read=READ_VERDICTS,
            channel=VERDICTS_CHANNEL,
        )

    async def open_writer(self, holder: str) -> "PostgresVerdictWriter":
        """Become the one writer by raising the epoch, which waits for a commit in flight.

        Raises RatingTakenOver when a living instance has displaced `holder` before: two supervised
        services would otherwise take the rating from each other for ever.
        """
        with _told_as_away():
            connection = await self._pool.acquire()
        try:
            with _told_as_away():
                async with connection.transaction():
                    return await _raise_epoch(self._pool, connection, holder)
        except BaseException:
            await _give_back(self._pool, connection)
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
        """Raise WriterReplaced if the epoch was raised since."""
        with _told_as_away():
            epoch = await self._pool.fetchval("SELECT epoch FROM mahjic.rater")
        if epoch != self._epoch:
            raise _replaced()

    async def close(self) -> None:
        """Give up the sign of life, so that the next writer need not displace anybody."""
        if self._connection is not None:
            connection, self._connection = self._connection, None
            await _give_back(self._pool, connection)

    async def _is_written(self, records: list[Record], end: Position, fact_seq: int) -> bool:
        try:
            if self._connection is None or _is_lost(self._connection):
                await self._reconnect()
                if await self._is_settled_at(end):
                    return True
            # Nothing moves when another writer has opened, or when the statement of a connection
            # that broke came through after all, since we looked.
            return await self._write(records, fact_seq) or await self._is_settled_at(end)
        except DATABASE_AWAY as error:
            _log.warning("verdicts_not_written_yet", error=type(error).__name__)
            await self._drop_connection()
            return False

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

    async def _reconnect(self) -> None:
        self._connection = await self._pool.acquire()
        await self._connection.execute(SHOW_LIFE, WRITER_LOCK, self._epoch)

    async def _is_settled_at(self, end: Position) -> bool:
        """Wait for a commit that may still be in flight, then tell whether it was ours and held.

        Raises WriterReplaced, and HistorySplit when the verdicts end neither before ours nor after.
        """
        assert self._connection is not None
        # Locked for this one statement only: a connection that breaks leaves no lock behind.
        row = await self._connection.fetchrow(LOCK_RATER)
        assert row is not None
        if row["epoch"] != self._epoch:
            raise _replaced()
        found = Position(end.log_id, row["verdict_seq"], row["verdict_chain"])
        if found not in (self._tail, end):
            raise HistorySplit(
                f"The verdicts end at {found.seq}, but were read and written up to "
                f"{self._tail.seq}. Stop, and see docs/operations.md on repairing a log."
            )
        return found == end

    async def _drop_connection(self) -> None:
        if self._connection is not None:
            connection, self._connection = self._connection, None
            if not _is_lost(connection):
                connection.terminate()
            await _give_back(self._pool, connection)


def _is_lost(connection: PoolConnectionProxy) -> bool:
    try:
        return connection.is_closed()
    except asyncpg.InterfaceError:
        # The pool takes a connection that breaks back by itself, and leaves an empty proxy.
        return True


async def _give_back(pool: asyncpg.Pool, connection: PoolConnectionProxy) -> None:
    """Release a connection that may be broken: the pool then closes it, and says so in an error."""
    with contextlib.suppress(*DATABASE_AWAY):
        await pool.release(connection)


@contextlib.contextmanager
def _told_as_away() -> Iterator[None]:
    try:
        yield
    except DATABASE_AWAY as error:
        raise LogAway(f"The database of the log is away: {type(error).__name__}.") from error


def _replaced() -> WriterReplaced:
    return WriterReplaced(
        "Another instance has taken the rating over; this one wrote nothing more and leaves."
    )
