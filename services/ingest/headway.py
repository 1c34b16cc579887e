"""Keeps batches from running far ahead of what is shown.

An import is recorded sooner than the views can show it. Were it let go on, a night that is played
meanwhile would be on the pages only once all years of the import are. So lines wait, and single
submissions never do.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Final

from services.ingest.waterline import Waterline

# Whoever shows nothing new for so long is not slow but away, and recording goes on without.
AWAY_S: Final = 5.0


class Headway:
    """How far the log is ahead of the view that is behind most, and who waits for that."""

    def __init__(
        self, waterline: Waterline, *, facts_max: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._waterline = waterline
        self._facts_max = facts_max
        self._clock = clock
        self._shown: int | None = None
        self._moved_s = clock()
        self._looked = asyncio.Condition()

    async def show(self, fact_seq: int | None) -> None:
        """Take note of the last fact that every view shows; None while nobody keeps any."""
        if fact_seq != self._shown:
            self._shown, self._moved_s = fact_seq, self._clock()
        async with self._looked:
            self._looked.notify_all()

    async def room(self) -> None:
        """Wait until another line may be recorded, or nobody shows anything anyway."""
        if self._is_too_far():
            async with self._looked:
                await self._looked.wait_for(lambda: not self._is_too_far())

    def _is_too_far(self) -> bool:
        if self._shown is None or self._clock() - self._moved_s > AWAY_S:
            return False
        return self._waterline.seq - self._shown > self._facts_max
