"""Runs the rater on logs, and waits for what it writes."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from services.rater.worker import run_rater
from shared.errors import MahjicError
from shared.events.codec import Verdict, decode_verdict
from shared.log.port import Log, Position
from tests.log.adapters import Logs
from tests.log.deadlines import deadline
from tests.rater.stories import ENGINE


def start_rater(
    logs: Logs, *, holder: str = "instance one", engine: str = ENGINE
) -> asyncio.Task[None]:
    """Start a rater, which runs until it is canceled or leaves with an error."""
    return asyncio.create_task(
        run_rater(logs.facts, logs.verdicts, holder=holder, engine=engine), name=holder
    )


async def canceled(rater: asyncio.Task[None]) -> None:
    """Stop a rater at once, wherever it is."""
    rater.cancel()
    await asyncio.wait([rater])


@asynccontextmanager
async def a_running_rater(
    logs: Logs, *, holder: str = "instance one", engine: str = ENGINE
) -> AsyncIterator[asyncio.Task[None]]:
    """Run a rater while the context is open."""
    rater = start_rater(logs, holder=holder, engine=engine)
    try:
        yield rater
    finally:
        await canceled(rater)


async def error_of(rater: asyncio.Task[None]) -> MahjicError:
    """Wait until a rater leaves by itself, and return why."""
    async with deadline():
        await asyncio.wait([rater])
    error = rater.exception()
    assert isinstance(error, MahjicError), error
    return error


async def until_answered(logs: Logs, verdicts: int) -> None:
    """Wait until so many verdicts are there."""
    async with deadline():
        while (tail := await logs.verdicts.tail()).seq < verdicts:
            await logs.verdicts.wait_beyond(tail.seq, 0.5)


async def all_bodies(log: Log) -> list[bytes]:
    """Return the bytes of all records, read in pages."""
    position = await log.beginning()
    bodies: list[bytes] = []
    while fresh := await log.read(position, 500):
        bodies += [record.body for record in fresh]
        position = Position(position.log_id, fresh[-1].seq, fresh[-1].chain)
    return bodies


async def all_verdicts(logs: Logs) -> list[Verdict]:
    """Return all verdicts."""
    return [decode_verdict(body) for body in await all_bodies(logs.verdicts)]
