"""The promises of a log; every adapter keeps all of them, and one contract suite proves it.

1. What `append` returns is durable.
2. Every record has a `seq` (1, 2, 3 ... without gaps) and a `chain` (SHA-256 over the chain before
   it and its bytes). A position stands for the whole history up to it.
3. A reader sees every seq once, in order, and never skips one that commits late. It reads from the
   record that it holds, which must still be there with the same chain. A gap or another chain stops
   it, with `log_gap` or `history_split`.
4. There is one writer of verdicts; one that was replaced finds out at its next append, which
   writes nothing.
5. Verdicts are the rater's position: each names the fact that it answers.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from shared.errors import MahjicError
from shared.events.chain import next_chain

# Computing the chain over this many bytes takes a millisecond.
TURN_BYTES: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Position:
    """A place on a log; it identifies the whole history up to there. `seq` 0 is the beginning."""

    log_id: str
    seq: int
    chain: bytes


@dataclass(frozen=True, slots=True)
class Record:
    """One record as it is on a log."""

    seq: int
    chain: bytes
    body: bytes


class LogGap(MahjicError):
    """A record is missing between the last one read and the next one."""

    code = "log_gap"
    title = "A record is missing from the log"


class HistorySplit(MahjicError):
    """The log has a different history than the one that was read before."""

    code = "history_split"
    title = "The log's history is not the one read before"


class LogAway(MahjicError):
    """The log cannot be reached at the moment; nothing is lost, and trying again may help."""

    code = "log_away"
    title = "The log cannot be reached at the moment"
    status = 503


class WriterReplaced(MahjicError):
    """Another rater has taken over; this one must stop."""

    code = "writer_replaced"
    title = "Another rater has taken over"
    exit_code = 3


class LogWriterLost(MahjicError):
    """A writer cannot tell what became of what it sent; only a restart can find out."""

    code = "log_writer_lost"
    title = "The writer of a log was lost"
    exit_code = 75


class LogToRead(Protocol):
    """A log that is read from its beginning on."""

    async def beginning(self) -> Position: ...

    async def read(self, after: Position, records_max: int) -> list[Record]:
        """Return the next records in order, at most `records_max`; none when there are none yet.

        Raises LogGap or HistorySplit when the log does not continue from `after` (promise 3), even
        when `after` is the beginning of another log.
        """
        ...


class Log(LogToRead, Protocol):
    """One of the two logs, for reading. Everything but waiting raises LogAway when it is away."""

    async def tail(self) -> Position:
        """Return the position of the last durable record."""
        ...

    async def last(self) -> Record | None:
        """Return the last durable record; None when there is none."""
        ...

    async def at(self, seq: int) -> Position | None:
        """Return the position of a record; None when the log does not reach that far.

        `at(0)` is the beginning, even of an empty log. Only durable records have a position. Raises
        LogGap when the log continues beyond `seq` without that record. The record is found by its
        seq and its chain is not checked: reading from there on checks it.
        """
        ...

    async def wait_beyond(self, seq: int, wait_s: float) -> None:
        """Return as soon as there may be a record after `seq`, or after `wait_s` seconds."""
        ...


class FactLog(Log, Protocol):
    """The log of facts, which only ingest appends to."""

    async def append(self, bodies: Sequence[bytes]) -> list[Record]:
        """Append records in one step, durably, and return them with seq and chain.

        After LogAway, either all of them are there or none; the tail shows which.
        """
        ...


class FactCopy(Protocol):
    """Where the relay copies facts to; it is good until its first error."""

    async def append(self, records: Sequence[Record]) -> None:
        """Append records as they are, in order; they are durable when this returns.

        Raises LogWriterLost at any error, even when the answer does not come in time: some of them
        may be there, and nothing more may be appended here. They may already be on the copy.
        """
        ...


class VerdictLog(Log, Protocol):
    """The log of verdicts, with at most one writer."""

    async def open_writer(self, holder: str) -> "VerdictWriter":
        """Become the one writer, after what the previous writer had in flight has settled."""
        ...


class VerdictWriter(Protocol):
    """The right to append verdicts, until another writer opens."""

    @property
    def fact_seq(self) -> int:
        """The last fact that was answered."""
        ...

    async def append(self, bodies: Sequence[bytes], *, fact_seq: int) -> list[Record]:
        """Append the verdicts on all facts up to `fact_seq` in one step, durably.

        Raises WriterReplaced, and writes nothing, when another writer has opened since. A commit
        whose answer was lost is found again: here, or, where this raises LogWriterLost, by the next
        writer to open.
        """
        ...

    async def confirm(self) -> None:
        """Raise WriterReplaced if another writer has opened since; an idle writer asks this.

        It also shows others that this one is alive. Raises LogAway.
        """
        ...

    async def show_begun(self) -> None:
        """Show others that this writer answers facts from now on. Raises LogAway."""
        ...

    async def close(self) -> None:
        """Stop being the writer without being replaced."""
        ...


def chained(after: Position, bodies: Sequence[bytes]) -> list[Record]:
    """Return the records that `bodies` become when appended after a position."""
    assert bodies, "An append holds at least one record."
    records = []
    chain = after.chain
    for seq, body in enumerate(bodies, start=after.seq + 1):
        chain = next_chain(chain, body)
        records.append(Record(seq, chain, body))
    return records


async def chained_in_turns(after: Position, bodies: Sequence[bytes]) -> list[Record]:
    """Return the same, but give others turns: the parts of a correction are megabytes."""
    records: list[Record] = []
    bytes_in_turn = 0
    for body in bodies:
        records += chained(after, [body])
        after = Position(after.log_id, records[-1].seq, records[-1].chain)
        bytes_in_turn += len(body)
        if bytes_in_turn >= TURN_BYTES:
            await asyncio.sleep(0)
            bytes_in_turn = 0
    assert records, "An append holds at least one record."
    return records


def continued(after: Position, rows: Sequence[Record]) -> list[Record]:
    """Return the new records of `rows`, which were read from the held record on (promise 3).

    Rows at or before the position that repeat known history are dropped, so that at-least-once
    delivery is exact. Raises LogGap or HistorySplit.
    """
    fresh: list[Record] = []
    held = after
    for row in rows:
        if row.seq < held.seq:
            continue
        if row.seq == held.seq:
            _check_same(held, row)
            continue
        if row.seq != held.seq + 1:
            raise LogGap(f"Record {row.seq} follows record {held.seq}. {REPAIR}")
        if next_chain(held.chain, row.body) != row.chain:
            raise HistorySplit(f"The chain of record {row.seq} does not fit. {REPAIR}")
        fresh.append(row)
        held = Position(held.log_id, row.seq, row.chain)
    return fresh


def check_held(after: Position, rows: Sequence[Record]) -> None:
    """Check that the first row is the record held. Raises HistorySplit."""
    if after.seq == 0:
        return
    if not rows or rows[0].seq != after.seq:
        raise HistorySplit(f"Record {after.seq} was read before and is gone. {REPAIR}")
    _check_same(after, rows[0])


def check_found(seq: int, found_seq: int) -> None:
    """Check that the first record that is not before `seq` is that record. Raises LogGap."""
    if found_seq != seq:
        raise LogGap(f"Record {seq} is missing; the next one is {found_seq}. {REPAIR}")


def check_beginning(after: Position, beginning: Position) -> None:
    """Check that a position before the first record is on this log. Raises HistorySplit."""
    if after.seq == 0 and after != beginning:
        raise HistorySplit(f"The position is on another log than {beginning.log_id}. {REPAIR}")


def _check_same(held: Position, row: Record) -> None:
    if row.chain != held.chain:
        raise HistorySplit(f"Record {row.seq} is not the one that was read before. {REPAIR}")


REPAIR = "Stop, and see docs/operations.md on repairing a log."
