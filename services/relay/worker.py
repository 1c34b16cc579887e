"""Copies facts, in order, from the log that ingest writes to the one that the rater reads.

Its position is the end of the copy and nothing else. A fact may be copied twice, which its seq and
chain make harmless; none is left out, and nothing is copied beside another history.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import Any, Final, NoReturn

import structlog

from shared.log.port import FactCopy, Log, Position
from shared.log.until_there import until_there

# Sent together, and confirmed together. Larger batches no longer gain.
BATCH_FACTS: Final = 500
# After a batch the next one gathers for so long. What a batch of one costs all who read it, one of
# three costs too, and they take it from those who submit.
GATHER_S: Final = 0.02
# How long to sleep without a ring before looking anyway.
LOOK_S: Final = 1.0

# Does work while it is this process's turn, and returns when it no longer is.
InTurn = Callable[[Callable[[], Coroutine[Any, Any, NoReturn]]], Awaitable[None]]

_log = structlog.get_logger(__name__)


async def run_relay(
    facts: Log,
    copied: Log,
    *,
    in_turn: InTurn,
    open_copy: Callable[[], contextlib.AbstractAsyncContextManager[FactCopy]],
    check: Callable[[], Awaitable[None]],
    tell: Callable[[int], None] = lambda _: None,
) -> NoReturn:
    """Copy facts forever, whenever it is our turn; a log that is away is waited for.

    `copied` reads what `open_copy` writes, and `check` holds the two against each other. Raises
    HistorySplit or LogGap when they do not tell one history, and LogWriterLost at any error of
    sending.
    """

    async def copy_on() -> NoReturn:
        await until_there(check)
        held = await until_there(copied.tail)
        async with contextlib.AsyncExitStack() as stack:
            copy = await until_there(lambda: stack.enter_async_context(open_copy()))
            _log.info("relay_started", fact_seq=held.seq)
            while True:
                tell(held.seq)
                held = await _copy_next(facts, copy, held)

    while True:
        await in_turn(copy_on)
        _log.warning("relay_turn_lost")


async def _copy_next(facts: Log, copy: FactCopy, held: Position) -> Position:
    """Copy a batch of facts, or wait for one; return the last fact that is copied then."""
    records = await until_there(partial(facts.read, held, BATCH_FACTS))
    if not records:
        await facts.wait_beyond(held.seq, LOOK_S)
        return held
    await copy.append(records)
    if len(records) < BATCH_FACTS:
        await asyncio.sleep(GATHER_S)
    return Position(held.log_id, records[-1].seq, records[-1].chain)
