"""The one writer of verdicts: reads facts in order, decides, and appends the verdicts.

Its position is in the verdicts and nowhere else. It starts by replaying the log silently, and by
proving that it would have written the last verdict that is there.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, NoReturn, TypeVar

import structlog

from services.rater.agreement import (
    all_published,
    compare,
    compare_with_last,
    engine_of,
    ill_fitting,
)
from services.rater.answering import Rater, Read, is_about_the_past, read_fact
from services.rater.compiling import Compiling
from services.rater.memory import give_large_arrays_back
from services.rater.saving import DEFAULT_PACE, Keeper, Pace, keeping
from services.rater.threads import in_a_thread
from shared.events.codec import UnknownEventType
from shared.log.port import (
    HistorySplit,
    Log,
    LogAway,
    Position,
    Record,
    VerdictLog,
    VerdictWriter,
)
from shared.log.until_there import until_there
from shared.rating.expected import published_table
from shared.rating.kernel import ready_loop

BATCH_FACTS: Final = 128
# No one waits for the answer to a fact that was already answered.
BATCH_FACTS_ANSWERED: Final = 1_024
# Deciding this many bytes of facts takes about 10 ms, in which nothing else in this process runs:
# 64 facts of one round, or two of a hundred.
TURN_BYTES: Final = 32 * 1024
# Applying them without answers takes about a fifth of that.
TURN_BYTES_TAKEN_IN: Final = 192 * 1024
# How long to sleep without a ring before checking anyway.
LOOK_S: Final = 1.0

Result = TypeVar("Result")

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the rater is: the last fact answered, and how many it refused since it started."""

    fact_seq: int
    facts_refused: int


async def run_rater(
    facts: Log,
    verdicts: VerdictLog,
    *,
    holder: str,
    engine: str,
    folder: Path | None = None,
    pace: Pace = DEFAULT_PACE,
    tell: Callable[[Progress], None] = lambda _: None,
) -> NoReturn:
    """Rate facts forever, and keep in the folder, if there is one, what saves reading them again.

    Raises WriterReplaced once another rater has taken over, RatingTakenOver when it must not take
    over itself, RaterDisagrees, UnknownEventType, UnknownFormula, FormulaDiffers, and LogGap or
    HistorySplit.
    """
    give_large_arrays_back()
    # A machine that computes a different table must not become the writer.
    await in_a_thread(lambda _: published_table())
    writer = await until_there(partial(verdicts.open_writer, holder))
    try:
        async with keeping(folder, engine, pace) as keeper:
            rater = await _while_ours(writer, _caught_up(facts, verdicts, writer, keeper))
            _log.info("rater_started", fact_seq=rater.position.seq, holder=holder, engine=engine)
            await until_there(writer.show_begun)
            tell(Progress(rater.position.seq, rater.facts_refused))
            compiling = Compiling()
            past: Read | None = None
            while True:
                before = rater.position.seq
                if past is None:
                    has_more, past = await _rate_next(facts, writer, rater, keeper)
                else:
                    await _rate_past(past, writer, rater, keeper)
                    has_more, past = True, None
                compiling.saw(rater.position.seq - before)
                tell(Progress(rater.position.seq, rater.facts_refused))
                if not has_more:
                    await facts.wait_beyond(rater.position.seq, LOOK_S)
    finally:
        await writer.close()


async def _rate_next(
    facts: Log, writer: VerdictWriter, rater: Rater, keeper: Keeper
) -> tuple[bool, Read | None]:
    """Answer the next facts, up to the first one about the past.

    Returns whether there were more already, and the one about the past if these end at one.
    """
    records = await until_there(partial(facts.read, rater.position, BATCH_FACTS))
    if not records:
        # Before the wait: after a time without the database, others think we are dead until then.
        await until_there(writer.confirm)
        keeper.save_if_due(rater)
        return False, None
    bodies: list[bytes] = []
    try:
        past = await _answer_now(rater, records, bodies)
    finally:
        # Facts before one that this program does not know are still answered.
        if bodies:
            await writer.append(bodies, fact_seq=rater.position.seq)
    if bodies:
        keeper.answered(rater, bodies[-1])
    return len(records) == BATCH_FACTS or rater.position.seq < records[-1].seq, past


async def _rate_past(past: Read, writer: VerdictWriter, rater: Rater, keeper: Keeper) -> None:
    """Answer a fact about the past. All parts of the answer are written in one step."""
    await keeper.at_rest()
    parts = await _while_ours(writer, in_a_thread(partial(rater.answer_fact, *past)))
    await writer.append(parts, fact_seq=rater.position.seq)
    keeper.answered(rater, parts[-1], has_corrected=True)


async def _answer_now(rater: Rater, records: Sequence[Record], bodies: list[bytes]) -> Read | None:
    """Append the answers to facts to `bodies`, up to the first one about the past; return that one.

    Raises UnknownEventType, UnknownFormula or FormulaDiffers once those before are added.
    """
    for turn in _turns(records, TURN_BYTES):
        read, past, trouble = _read_turn(turn)
        for body in rater.answer_all(read, ready_loop()):
            bodies.append(body)  # noqa: PERF402 -- Those before an error stay.
        if trouble is not None:
            raise trouble
        if past is not None:
            return past  # Those who wait for the ones before need not wait for it.
        await asyncio.sleep(0)  # Requests that wait for an answer get a turn meanwhile.
    return None


def _read_turn(
    turn: Sequence[Record],
) -> tuple[list[Read], Read | None, UnknownEventType | None]:
    """Read facts up to the first about the past, or that this program does not know."""
    read: list[Read] = []
    for record in turn:
        try:
            fact = read_fact(record)
        except UnknownEventType as error:
            return read, None, error
        if is_about_the_past(fact):
            return read, (record, fact), None
        read.append((record, fact))
    return read, None, None


async def _while_ours(writer: VerdictWriter, work: Coroutine[Any, Any, Result]) -> Result:
    """Do long work, and stop it once another writer has opened. Raises WriterReplaced.

    Meanwhile this shows that we are alive, even after a time without the database.
    """
    working = asyncio.create_task(work)
    try:
        while not (await asyncio.wait([working], timeout=LOOK_S))[0]:
            with suppress(LogAway):
                await writer.confirm()
        return working.result()
    finally:
        working.cancel()
        await asyncio.wait([working])


async def _caught_up(
    facts: Log, verdicts: VerdictLog, writer: VerdictWriter, keeper: Keeper
) -> Rater:
    """Return a rater that knows all answered facts and agrees with what was published."""
    beginning = await until_there(facts.beginning)
    published = await until_there(verdicts.last)
    fact_seq = writer.fact_seq
    rater = await keeper.restored(facts, beginning, fact_seq=fact_seq, published=published)
    if published is not None and engine_of(published) != keeper.engine:
        _log.info("rater_compares_all", fact_seq=fact_seq, engine=keeper.engine)
        await _compare_all(facts, verdicts, rater, fact_seq)
    elif rater.position.seq < fact_seq or (fact_seq == 0 and published is not None):
        await _replay_in_silence(facts, rater, fact_seq, published)
    else:
        # What was restored up to here is the state that the last verdict was written from.
        await in_a_thread(rater.settle)
    rater.facts_refused = 0
    if published is not None:
        keeper.answered(rater, published.body)
    return rater


async def _replay_in_silence(
    facts: Log, rater: Rater, fact_seq: int, published: Record | None
) -> None:
    """Apply all facts before the last one that was answered, and answer that one again.

    Raises HistorySplit and RaterDisagrees.
    """
    before = _answered(facts, rater.position, fact_seq - 1, TURN_BYTES_TAKEN_IN)
    async with aclosing(before) as answered:
        async for records in answered:
            for _ in rater.take_in(records):
                await asyncio.sleep(0)
    await in_a_thread(rater.settle)
    bodies: list[bytes] = []
    async with aclosing(_answered(facts, rater.position, fact_seq)) as answered:
        async for records in answered:
            for record in records:
                bodies = await in_a_thread(partial(rater.answer, record))
    compare_with_last(bodies, published, fact_seq)


async def _compare_all(facts: Log, verdicts: Log, rater: Rater, fact_seq: int) -> None:
    """Answer all facts up to one again, and compare every number with what was published.

    Raises HistorySplit and RaterDisagrees.
    """
    published = all_published(verdicts)
    async with aclosing(_answered(facts, rater.position, fact_seq)) as answered:
        async for records in answered:
            for record in records:
                for body in await _answer_again(rater, record):
                    theirs = await anext(published, None)
                    if theirs is None:
                        raise ill_fitting(fact_seq)
                    compare(body, theirs)
    if await anext(published, None) is not None:
        raise ill_fitting(fact_seq)


async def _answer_again(rater: Rater, record: Record) -> list[bytes]:
    read = read_fact(record)
    if is_about_the_past(read):
        return await in_a_thread(partial(rater.answer_fact, record, read))
    return rater.answer_fact(record, read)


async def _answered(
    facts: Log, position: Position, fact_seq: int, turn_bytes: int = TURN_BYTES
) -> AsyncGenerator[list[Record], None]:
    """Yield the facts from a position up to one that was answered, in turns.

    The next ones are read while the previous ones are worked on.
    """
    reading = asyncio.create_task(_read_answered(facts, position, fact_seq))
    try:
        while position.seq < fact_seq:
            records = await reading
            if not records:
                raise HistorySplit(
                    f"Fact {fact_seq} was rated and is gone: the fact log ends at "
                    f"{position.seq}. See docs/operations.md on repairing a log."
                )
            position = Position(position.log_id, records[-1].seq, records[-1].chain)
            reading = asyncio.create_task(_read_answered(facts, position, fact_seq))
            for turn in _turns(records, turn_bytes):
                yield turn
                await asyncio.sleep(0)
    finally:
        reading.cancel()
        await asyncio.wait([reading])


async def _read_answered(facts: Log, position: Position, fact_seq: int) -> list[Record]:
    wanted = min(BATCH_FACTS_ANSWERED, fact_seq - position.seq)
    return await until_there(partial(facts.read, position, wanted)) if wanted > 0 else []


def _turns(records: Sequence[Record], turn_bytes: int) -> Iterator[list[Record]]:
    """Yield the records, as many at once as may be worked on in one turn."""
    turn: list[Record] = []
    bytes_left = turn_bytes
    for record in records:
        turn.append(record)
        bytes_left -= len(record.body)
        if bytes_left <= 0:
            yield turn
            turn, bytes_left = [], turn_bytes
    if turn:
        yield turn
