"""Copies the logs in the tables to another place, byte for byte, with the same seq and chain.

It continues at the copy's own end, so it can be killed at any time and started again.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from shared.events.codec import decode_verdict
from shared.log.agreement import compare
from shared.log.port import FactCopy, HistorySplit, Log, Position, Record, VerdictWriter

# Sent together, and confirmed together. Larger batches gain nothing.
BATCH_RECORDS: Final = 500

# Gets the last seq that was copied, and the last one there is to copy.
Tell = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Pair:
    """A log in its table and its copy on a topic, with the words for both."""

    table: Log
    topic: Log
    table_name: str
    topic_name: str


async def check_facts(pair: Pair) -> Position:
    """Return the end of the copy of the facts, which is never ahead of its table.

    Raises HistorySplit, LogGap and LogAway.
    """
    held = await check_verdicts(pair)
    end = await pair.table.tail()
    if held.seq > end.seq:
        raise HistorySplit(
            f"{pair.table_name} ends at fact {end.seq}, and {pair.topic_name} at {held.seq}: "
            "the database was restored to an older state. Run `mahjic kafka recover`, and see "
            "docs/operations.md on a split history."
        )
    return held


async def check_verdicts(pair: Pair) -> Position:
    """Return the end of the copy of the verdicts; it may have more than the table.

    Raises HistorySplit, LogGap and LogAway.
    """
    found = await compare(pair.table, pair.topic)
    if found.is_split:
        raise HistorySplit(
            f"{pair.table_name} and {pair.topic_name} are the same up to record "
            f"{found.common_seq}, and differ after it: they do not belong together, or one of "
            "them was restored to an older state and then written to again. Nothing was "
            "written. Leave both as they are, and see docs/operations.md on a split history."
        )
    return found.other


async def copy_facts(pair: Pair, copy: FactCopy, tell: Tell) -> Position:
    """Copy the facts that are in the table so far, and return the last one."""
    held, end = await check_facts(pair), await pair.table.tail()
    while held.seq < end.seq:
        tell(held.seq, end.seq)
        records = await pair.table.read(held, BATCH_RECORDS)
        await copy.append(records)
        held = _position(held, records[-1])
    tell(held.seq, end.seq)
    return held


async def copy_verdicts(pair: Pair, writer: VerdictWriter, tell: Tell) -> Position:
    """Copy the verdicts, of which the table gets no more, and return the last one.

    All verdicts on a fact come in one append, as the rater wrote them.
    """
    held, end = await check_verdicts(pair), await pair.table.tail()
    while held.seq < end.seq:
        tell(held.seq, end.seq)
        records, fact_seq = await _whole_answers(pair.table, held)
        written = await writer.append([record.body for record in records], fact_seq=fact_seq)
        assert written == records, "What was copied has the same seq and chain."
        held = _position(held, records[-1])
    tell(held.seq, end.seq)
    return held


async def _whole_answers(log: Log, held: Position) -> tuple[Sequence[Record], int]:
    """Return the next verdicts up to the last part of one, and the fact that it answers."""
    records: list[Record] = []
    while True:
        fresh = await log.read(_position(held, records[-1]) if records else held, BATCH_RECORDS)
        assert fresh, "A log ends with the last part of a verdict."
        records += fresh
        for count in range(len(records), len(records) - len(fresh), -1):
            answers = decode_verdict(records[count - 1].body).answers
            if answers.part == answers.parts:
                return records[:count], answers.fact_seq


def _position(held: Position, last: Record) -> Position:
    return Position(held.log_id, last.seq, last.chain)
