"""The one writer of verdicts: reads facts in order, decides, and appends the verdicts.

Its position is in the verdicts and nowhere else. It starts by replaying the log in silence, and by
proving that it would have written the last verdict that is there.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, NoReturn

import structlog

from services.rater.decide import decide
from services.rater.state import State
from shared.errors import MahjicError
from shared.events.codec import Verdict, decode_fact, decode_verdict, encode_verdict
from shared.events.fields import UnreadableRecord
from shared.events.verdicts import Answers, FactRefused
from shared.log.port import (
    HistorySplit,
    Log,
    Position,
    Record,
    VerdictLog,
    VerdictWriter,
)
from shared.log.until_there import until_there
from shared.rating.expected import published_table

BATCH_FACTS: Final = 128
# Deciding so many bytes of facts takes about 10 ms, for which nothing else of this process runs:
# 64 facts of one round, or two of a hundred.
TURN_BYTES: Final = 32 * 1024
# How long to sleep without a ring before looking anyway.
LOOK_S: Final = 1.0

_log = structlog.get_logger(__name__)


class RaterDisagrees(MahjicError):
    """The program concludes something else from the log than what was published."""

    code = "rater_disagrees"
    title = "This program does not reproduce the published ratings"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the rater is: the last fact answered, and how many it refused since it started."""

    fact_seq: int
    facts_refused: int


class Rater:
    """The state, the position that it stands for, and the way from a fact to a verdict's bytes."""

    def __init__(self, log_id: str, beginning: Position, engine: str) -> None:
        self._log_id = log_id
        self._engine = engine
        self.state = State()
        self.position = beginning
        self.facts_refused = 0

    def answer(self, record: Record) -> bytes:
        """Decide one fact, take the verdict in, and return the verdict's bytes.

        Raises UnknownEventType: a fact of a newer program must not be skipped.
        """
        try:
            fact = decode_fact(record.body)
        except UnreadableRecord as error:
            return self._refuse(record, error)
        event = decide(self.state, fact.event)
        self.state.evolve(event, fact.time)
        if isinstance(event, FactRefused):
            self._sound_alarm(record, event.reason)
        self._move_to(record)
        return self._encode(Verdict(fact.time, fact.subject, self._answers(record), event))

    def _refuse(self, record: Record, error: UnreadableRecord) -> bytes:
        self._sound_alarm(record, error.detail)
        self._move_to(record)
        event = FactRefused(UnreadableRecord.code, None)
        subject = f"fact {record.seq}"
        return self._encode(Verdict(self.state.time, subject, self._answers(record), event))

    def _answers(self, record: Record) -> Answers:
        formula = self.state.formula
        return Answers(
            fact_seq=record.seq,
            fact_chain=record.chain,
            part=1,
            parts=1,
            formula="" if formula is None else formula.name,
            engine=self._engine,
        )

    def _encode(self, verdict: Verdict) -> bytes:
        return encode_verdict(
            verdict.event,
            verdict.answers,
            log_id=self._log_id,
            time=verdict.time,
            subject=verdict.subject,
        )

    def _move_to(self, record: Record) -> None:
        self.position = Position(self._log_id, record.seq, record.chain)

    def _sound_alarm(self, record: Record, reason: str) -> None:
        self.facts_refused += 1
        _log.error("fact_refused", fact_seq=record.seq, reason=reason)


async def run_rater(
    facts: Log,
    verdicts: VerdictLog,
    *,
    holder: str,
    engine: str,
    tell: Callable[[Progress], None] = lambda _: None,
) -> NoReturn:
    """Rate facts for ever.

    Raises WriterReplaced once another rater has taken over, RatingTakenOver when it must not take
    over itself, RaterDisagrees, UnknownEventType, UnknownFormula, FormulaDiffers, and LogGap or
    HistorySplit.
    """
    published_table()  # A machine that computes another table must not come to be the writer.
    writer = await until_there(partial(verdicts.open_writer, holder))
    try:
        rater = await _caught_up(facts, verdicts, writer, engine)
        _log.info("rater_started", fact_seq=rater.position.seq, holder=holder, engine=engine)
        while True:
            tell(Progress(rater.position.seq, rater.facts_refused))
            await _rate_next(facts, writer, rater)
    finally:
        await writer.close()


async def _rate_next(facts: Log, writer: VerdictWriter, rater: Rater) -> None:
    records = await until_there(partial(facts.read, rater.position, BATCH_FACTS))
    if not records:
        # Before the wait: after a time without the database, others take us for dead until then.
        await until_there(writer.confirm)
        await facts.wait_beyond(rater.position.seq, LOOK_S)
        return
    bodies: list[bytes] = []
    try:
        async for record in _in_turns(records):
            bodies.append(rater.answer(record))  # noqa: PERF401 - what precedes an error is kept.
    finally:
        # What stands before a fact that this program does not know is answered all the same.
        if bodies:
            await writer.append(bodies, fact_seq=rater.position.seq)


async def _caught_up(facts: Log, verdicts: VerdictLog, writer: VerdictWriter, engine: str) -> Rater:
    """Replay the log in silence up to the last fact that was answered."""
    beginning = await until_there(facts.beginning)
    rater = Rater(beginning.log_id, beginning, engine)
    last_body = b""
    while rater.position.seq < writer.fact_seq:
        wanted = min(BATCH_FACTS, writer.fact_seq - rater.position.seq)
        records = await until_there(partial(facts.read, rater.position, wanted))
        if not records:
            raise HistorySplit(
                f"Fact {writer.fact_seq} was rated and is gone: the fact log ends at "
                f"{rater.position.seq}. See docs/operations.md on repairing a log."
            )
        async for record in _in_turns(records):
            last_body = rater.answer(record)
    published = await until_there(verdicts.last)
    if writer.fact_seq > 0 or published is not None:
        _compare(last_body, published, writer.fact_seq)
    rater.facts_refused = 0
    return rater


async def _in_turns(records: Sequence[Record]) -> AsyncIterator[Record]:
    """Yield the records; whoever waits for an answer meanwhile gets a turn now and then."""
    bytes_in_turn = 0
    for record in records:
        if bytes_in_turn >= TURN_BYTES:
            await asyncio.sleep(0)
            bytes_in_turn = 0
        yield record
        bytes_in_turn += len(record.body)
    await asyncio.sleep(0)


def _compare(ours: bytes, published: Record | None, fact_seq: int) -> None:
    """Compare the last verdict: byte for byte by the same engine, else number for number."""
    if published is None or not ours:
        raise HistorySplit(
            f"The last fact that was rated is {fact_seq}, and the last verdict does not go with "
            "it. See docs/operations.md on repairing a log."
        )
    if ours == published.body:
        return
    theirs, mine = decode_verdict(published.body), decode_verdict(ours)
    if theirs.answers.fact_chain != mine.answers.fact_chain:
        raise HistorySplit(
            f"Verdict {published.seq} answers another fact {theirs.answers.fact_seq} than the one "
            "on the fact log. See docs/operations.md on repairing a log."
        )
    is_same_engine = theirs.answers.engine == mine.answers.engine
    renamed = replace(theirs, answers=replace(theirs.answers, engine=mine.answers.engine))
    if is_same_engine or renamed != mine:
        raise RaterDisagrees(
            f"Verdict {published.seq} (on fact {theirs.answers.fact_seq}, written by engine "
            f"{theirs.answers.engine}) says something else than this program (engine "
            f"{mine.answers.engine}) concludes. Run the program that wrote it, and report this."
        )
