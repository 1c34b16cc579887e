"""The one writer of verdicts on Postgres: no commit is lost or doubled, and none comes too late.

The epoch in `mahjic.rater` says who the writer is (right.py). An append moves that row and writes
the verdicts in one statement, which does nothing once the epoch is another.
"""

import asyncio
from collections.abc import Iterator, Sequence
from typing import Final

import asyncpg
import structlog
from asyncpg.pool import PoolConnectionProxy

from shared.db.away import DATABASE_AWAY
from shared.log.place import check_in_tables
from shared.log.port import HistorySplit, Position, Record, chained_in_turns
from shared.log.right import WritersRight, replaced, take_right

RETRY_S: Final = 0.2
# Handing over this much takes a millisecond or two.
PAGE_BYTES: Final = 1 << 20

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
# What is too much for one statement is sent to the server first, where no one else sees it or waits
# for it: a connection that breaks meanwhile leaves no lock behind.
CREATE_STAGE: Final = """
CREATE TEMPORARY TABLE IF NOT EXISTS staged_verdicts (seq bigint, chain bytea, body bytea)
"""
CLEAR_STAGE: Final = "TRUNCATE pg_temp.staged_verdicts"
STAGE_VERDICTS: Final = """
INSERT INTO pg_temp.staged_verdicts (seq, chain, body)
SELECT seq, chain, body
FROM unnest($1::bigint[], $2::bytea[], $3::bytea[]) AS v (seq, chain, body)
"""
APPEND_STAGED: Final = """
WITH moved AS (
    UPDATE mahjic.rater SET fact_seq = $3, verdict_seq = $4, verdict_chain = $5
    WHERE epoch = $1 AND fact_seq = $2
    RETURNING pg_notify('mahjic_verdicts', $4::bigint::text)
), written AS (
    INSERT INTO mahjic.verdicts (seq, chain, body)
    SELECT seq, chain, body FROM pg_temp.staged_verdicts
    WHERE EXISTS (SELECT 1 FROM moved)
)
SELECT count(*) FROM moved
"""
READ_PLACE: Final = """
SELECT head.log_id, rater.fact_seq, rater.verdict_seq, rater.verdict_chain
FROM mahjic.head CROSS JOIN mahjic.rater
"""
READ_RATER: Final = "SELECT epoch, verdict_seq, verdict_chain FROM mahjic.rater"

_log = structlog.get_logger(__name__)


async def open_writer(pool: asyncpg.Pool, holder: str) -> "PostgresVerdictWriter":
    """Become the one writer. Raises RatingTakenOver, LogsOnKafka and LogAway."""
    right, (fact_seq, tail) = await take_right(pool, holder, _read_place)
    return PostgresVerdictWriter(right, fact_seq, tail)


async def _read_place(connection: PoolConnectionProxy) -> tuple[int, Position]:
    """Return the last fact that was answered, and the last verdict. Raises LogsOnKafka.

    A service that runs while the logs move comes here when the move replaces it.
    """
    await check_in_tables(connection)
    row = await connection.fetchrow(READ_PLACE)
    assert row is not None, "A database is founded before a rater starts."
    return row["fact_seq"], Position(row["log_id"], row["verdict_seq"], row["verdict_chain"])


class PostgresVerdictWriter:
    """The right to append verdicts to the table."""

    def __init__(self, right: WritersRight, fact_seq: int, tail: Position) -> None:
        self._right = right
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
        records = await chained_in_turns(self._tail, bodies)
        end = Position(self._tail.log_id, records[-1].seq, records[-1].chain)
        while not await self._is_written(records, end, fact_seq):
            await asyncio.sleep(RETRY_S)
        self._tail, self._fact_seq = end, fact_seq
        return records

    async def confirm(self) -> None:
        """Raise WriterReplaced if the epoch was raised since. Raises LogAway."""
        await self._right.confirm()

    async def show_begun(self) -> None:
        """Show others that this writer answers facts from now on. Raises LogAway."""
        await self._right.show_begun()

    async def close(self) -> None:
        """Give the right back."""
        await self._right.close()

    async def _is_written(self, records: list[Record], end: Position, fact_seq: int) -> bool:
        try:
            connection = await self._right.connection()
            # Nothing moves when another writer has opened, or when this was already written and the
            # answer was lost, or is in flight on a connection that broke.
            if not await self._write(connection, records, fact_seq):
                await self._check_written(connection, end)
        except DATABASE_AWAY as error:
            _log.warning("verdicts_not_written_yet", error=type(error).__name__)
            await self._right.drop_connection()
            return False
        return True

    async def _write(
        self, connection: PoolConnectionProxy, records: list[Record], fact_seq: int
    ) -> bool:
        pages = list(_pages(records))
        place = (self._right.epoch, self._fact_seq, fact_seq, records[-1].seq, records[-1].chain)
        if len(pages) == 1:
            return bool(await connection.fetchval(APPEND_VERDICTS, *place, *_columns(records)))
        # Nothing else in this process would get a turn while this much is handed over at once.
        await connection.execute(CREATE_STAGE)
        await connection.execute(CLEAR_STAGE)
        for page in pages:
            await connection.execute(STAGE_VERDICTS, *_columns(page))
        is_written = bool(await connection.fetchval(APPEND_STAGED, *place))
        await connection.execute(CLEAR_STAGE)
        return is_written

    async def _check_written(self, connection: PoolConnectionProxy, end: Position) -> None:
        """Check that the verdicts end with ours. Raises WriterReplaced or HistorySplit."""
        row = await connection.fetchrow(READ_RATER)
        assert row is not None
        if row["epoch"] != self._right.epoch:
            raise replaced()
        if (row["verdict_seq"], row["verdict_chain"]) != (end.seq, end.chain):
            raise HistorySplit(
                f"The verdicts end at {row['verdict_seq']}, but this instance, their only "
                f"writer, left them at {self._tail.seq}. Stop, and see docs/operations.md on "
                "repairing a log."
            )


def _pages(records: Sequence[Record]) -> Iterator[Sequence[Record]]:
    """Yield the records in pages of about a megabyte."""
    begin, size = 0, 0
    for number, record in enumerate(records):
        if size >= PAGE_BYTES:
            yield records[begin:number]
            begin, size = number, 0
        size += len(record.body)
    yield records[begin:]


def _columns(records: Sequence[Record]) -> tuple[list[int], list[bytes], list[bytes]]:
    return (
        [record.seq for record in records],
        [record.chain for record in records],
        [record.body for record in records],
    )
