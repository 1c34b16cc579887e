"""Whoever watches a log hears where it ends, also after it was away."""

import asyncio
import contextlib

from shared.log.end import tell_end
from shared.log.memory import MemoryFactLog
from shared.log.port import LogAway, Position

DEADLINE_S = 20


class Moody(MemoryFactLog):
    """A log that is away whenever its mood says so."""

    is_away = False

    async def tail(self) -> Position:
        if self.is_away:
            raise LogAway("The log is away.")
        return await super().tail()


async def test_the_end_is_told_as_the_log_grows_and_after_it_was_away() -> None:
    log = Moody("log")
    told: list[int] = []
    watching = asyncio.create_task(tell_end(log, told.append, look_s=0))

    async def until_told(seq: int) -> None:
        async with asyncio.timeout(DEADLINE_S):
            while not told or told[-1] != seq:
                await asyncio.sleep(0)

    await until_told(0)
    await log.append([b"one", b"two"])
    await until_told(2)
    log.is_away = True
    heard = len(told)
    for _ in range(10):
        await asyncio.sleep(0)
    assert len(told) == heard, "Nobody knows where a log ends that is away."
    log.is_away = False
    await log.append([b"three"])
    await until_told(3)
    watching.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await watching
