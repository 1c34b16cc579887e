"""Keeps batches from running far ahead of what is shown.

An import is recorded faster than the views can show it. If it ran on, a night played in the
meantime would reach the pages only after all years of the import. So batch lines wait, and single
submissions never do.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from services.ingest.record.waterline import Waterline

# A view that shows nothing new for this long is not slow but down, and recording goes on without
# it.
AWAY_S: Final = 5.0
# After this a line goes on whatever the views do, so that its sender sees that we are alive.
HOLD_S_MAX: Final = 30.0


@dataclass(slots=True)
class _Shown:
    fact_seq: int
    moved_s: float


class Headway:
    """How far the log is ahead of the views, and the lines that wait for views to catch up."""

    def __init__(
        self,
        waterline: Waterline,
        *,
        facts_max: int,
        hold_s_max: float = HOLD_S_MAX,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._waterline = waterline
        self._facts_max = facts_max
        self._hold_s_max = hold_s_max
        self._clock = clock
        self._views: dict[str, _Shown] = {}
        self._looked = asyncio.Condition()

    async def show(self, places: Mapping[str, int]) -> None:
        """Take note of the last fact that each view shows, for views that are kept up to date."""
        now_s = self._clock()
        for view in self._views.keys() - places.keys():
            del self._views[view]
        for view, fact_seq in places.items():
            shown = self._views.get(view)
            if shown is None or shown.fact_seq != fact_seq:
                self._views[view] = _Shown(fact_seq, now_s)
        async with self._looked:
            self._looked.notify_all()

    async def room(self) -> None:
        """Wait until another line may be recorded, or has waited long enough."""
        if self._is_too_far():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._hold_s_max), self._looked:
                    await self._looked.wait_for(lambda: not self._is_too_far())

    def _is_too_far(self) -> bool:
        away_s = self._clock() - AWAY_S
        reached = self._waterline.seq - self._facts_max
        return any(
            view.fact_seq < reached and view.moved_s >= away_s for view in self._views.values()
        )
