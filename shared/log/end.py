"""Keeps reporting where a log ends, to show how far behind its readers are."""

import asyncio
import contextlib
from collections.abc import Callable
from typing import Final, NoReturn

from shared.log.port import Log, LogAway

# More often than metrics are collected.
LOOK_S: Final = 1.0


async def tell_end(log: Log, tell: Callable[[int], None], *, look_s: float = LOOK_S) -> NoReturn:
    """Report the last seq of a log forever; while the log is away, the last known one stays."""
    while True:
        # The readers of the log report that it is away; the next attempt may find it.
        with contextlib.suppress(LogAway):
            tell((await log.tail()).seq)
        await asyncio.sleep(look_s)
