"""The logs as Postgres tables.

Facts are appended inside the transaction that holds the lock on `mahjic.head`, so commit order
is seq order. Verdicts are appended by the writer whose epoch is in `mahjic.rater`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from shared.db.bell import Bell
from shared.events.chain import first_chain
from shared.log.away import told_as_away
from shared.log.port import (
    REPAIR,
    HistorySplit,
    Position,
    Record,
    chained,
    check_beginning,
    check_found,
    check_held,
    continued,
)
from shared.log.postgres_writer import PostgresVerdictWriter, open_writer

FACTS_CHANNEL: Final = "mahjic_facts"
VERDICTS_CHANNEL: Final = "mahjic_verdicts"

# What was seen committed is in every later snapshot, even one from before a wait for the lock.
LOCK_HEAD: Final = """
SELECT log_id, fact_seq, fact_chain, people_seq,
    (SELECT facts.chain FROM mahjic.facts AS facts WHERE facts.seq = $1) AS seen_chain
FROM mahjic.head FOR UPDATE
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
# About what one read holds in memory; parts of a long verdict have 500 KB each.
READ_BYTES_MAX: Final = 2 * 1024 * 1024
# The record held and the next one always come, whatever their size.
_READ: Final = f"""
SELECT seq, chain, body FROM (
    SELECT seq, chain, body, sum(octet_length(body)) OVER (ORDER BY seq) AS bytes
    FROM (
        SELECT seq, chain, body FROM {{log}} WHERE seq >= $1 ORDER BY seq LIMIT $2
    ) AS next
) AS summed
WHERE bytes <= {READ_BYTES_MAX} OR seq <= $1 + 1
ORDER BY seq
"""
READ_FACTS: Final = _READ.format(log="mahjic.facts")
READ_VERDICTS: Final = _READ.format(log="mahjic.verdicts")
FIND_FACT: Final = """
SELECT head.log_id, found.seq, found.chain
FROM mahjic.head AS head CROSS JOIN LATERAL (
    SELECT f.seq, f.chain FROM mahjic.facts AS f WHERE f.seq >= $1 ORDER BY f.seq LIMIT 1
) AS found
"""
FIND_VERDICT: Final = """
SELECT head.log_id, found.seq, found.chain
FROM mahjic.head AS head CROSS JOIN LATERAL (
    SELECT v.seq, v.chain FROM mahjic.verdicts AS v WHERE v.seq >= $1 ORDER BY v.seq LIMIT 1
) AS found
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
Connection = asyncpg.Connection | PoolConnectionProxy


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


async def lock_head(connection: Connection, *, seen: Position | None = None) -> Head:
    """Lock the head until the transaction ends. It must be the first statement of it.

    Raises HistorySplit when the log does not hold a fact that was already seen committed.
    """
    row = await connection.fetchrow(LOCK_HEAD, 0 if seen is None else seen.seq)
    assert row is not None, "A database is founded before anything is written."
    head = Head(row["log_id"], row["fact_seq"], row["fact_chain"], row["people_seq"])
    if seen is not None and seen.seq > 0:
        held = (head.log_id, row["seen_chain"])
        if seen.seq > head.fact_seq or held != (seen.log_id, seen.chain):
            raise HistorySplit(
                f"Fact {seen.seq} was on the log of this database, which now ends at fact "
                f"{head.fact_seq} and does not have it: the database was restored to an older "
                f"state. Nothing was written. {REPAIR}"
            )
    return head


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
        find: str,
        read: str,
        channel: str,
    ) -> None:
        self._pool = pool
        self._bell = bell
        self._name = name
        self._tail = tail
        self._read = read
        self._last = last
        self._find = find
        self._channel = channel

    async def beginning(self) -> Position:
        log_id = (await self.tail()).log_id
        return Position(log_id, 0, first_chain(log_id, self._name))

    async def tail(self) -> Position:
        with told_as_away():
            row = await self._pool.fetchrow(self._tail)
        assert row is not None, "A database is founded before its logs are read."
        return Position(row["log_id"], row["seq"], row["chain"])

    async def last(self) -> Record | None:
        with told_as_away():
            row = await self._pool.fetchrow(self._last)
        return None if row is None else Record(row["seq"], row["chain"], row["body"])

    async def at(self, seq: int) -> Position | None:
        if seq == 0:
            return await self.beginning()
        with told_as_away():
            row = await self._pool.fetchrow(self._find, seq)
        if row is None:
            return None
        check_found(seq, row["seq"])
        return Position(row["log_id"], seq, row["chain"])

    async def read(self, after: Position, records_max: int) -> list[Record]:
        if after.seq == 0:
            check_beginning(after, await self.beginning())
        with told_as_away():
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
            find=FIND_FACT,
            read=READ_FACTS,
            channel=FACTS_CHANNEL,
        )

    async def append(self, bodies: Sequence[bytes]) -> list[Record]:
        """Append records in a transaction of their own, durably."""
        with told_as_away():
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
            find=FIND_VERDICT,
            read=READ_VERDICTS,
            channel=VERDICTS_CHANNEL,
        )

    async def open_writer(self, holder: str) -> PostgresVerdictWriter:
        """Become the one writer by raising the epoch, which waits for a commit in flight.

        Raises RatingTakenOver if a living instance has already displaced `holder`: otherwise two
        supervised services would take the rating from each other forever.
        """
        return await open_writer(self._pool, holder)
