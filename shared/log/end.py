"""Keeps reporting where a log ends, to show how far its readers are behind."""

import asyncio
import contextlib
from collections.abc import Callable
from typing import Final, NoReturn

from shared.log.port import Log, LogAway

# Oftener than anyone collects figures.
LOOK_S: Final = 1.0


async def tell_end(log: Log, tell: Callable[[int], None], *, look_s: float = LOOK_S) -> NoReturn:
    """Tell the last seq of a log forever; while the log is away, the last one known stands."""
    while True:
        # Whoever reads the log says that it is away; the next look may find it.
        with contextlib.suppress(LogAway):
            tell((await log.tail()).seq)
        await asyncio.sleep(look_s)
