"""Copies facts, in order, from the log that ingest writes to the one that the rater reads.

Its position is the end of the copy and nothing else. A fact may be copied twice, which its seq and
chain make harmless; none is left out, and nothing is copied next to a different history.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import Any, Final, NoReturn

import structlog

from shared.log.port import FactCopy, Log, Position
from shared.log.until_there import until_there

# Sent together, and confirmed together. Larger batches gain nothing.
BATCH_FACTS: Final = 500
# After a batch the next one gathers for this long. A batch of one costs its readers as much as one
# of three, at the expense of submissions.
GATHER_S: Final = 0.02
# How long to sleep without a ring before checking anyway.
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

    `copied` reads what `open_copy` writes, and `check` compares it with the facts. Raises
    HistorySplit or LogGap when their histories differ, and LogWriterLost at any error of
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
    """Copy a batch of facts, or wait for one; return the last fact that has been copied."""
    records = await until_there(partial(facts.read, held, BATCH_FACTS))
    if not records:
        await facts.wait_beyond(held.seq, LOOK_S)
        return held
    await copy.append(records)
    if len(records) < BATCH_FACTS:
        await asyncio.sleep(GATHER_S)
    return Position(held.log_id, records[-1].seq, records[-1].chain)
