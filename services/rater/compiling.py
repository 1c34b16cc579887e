"""Compiles the kernel's loop while the rater runs, once enough facts waited to be worth it."""

import asyncio
from typing import Final

import structlog

from services.rater.together import TOGETHER_MIN
from shared.rating.kernel import Loop, can_be_compiled, compiled_loop, ready_loop

# After this many facts were answered together, more are coming: an import, or many submissions at
# once.
FACTS_MIN: Final = 2_000

_log = structlog.get_logger(__name__)


class Compiling:
    """Starts compiling at most once; the rater goes on meanwhile, one session at a time.

    A rater that ends does not wait for it, since its folder must be free for the next one.
    """

    def __init__(self) -> None:
        self._facts_left = FACTS_MIN
        self._task: asyncio.Task[Loop] | None = None

    def saw(self, facts: int) -> None:
        """Note how many facts were answered at once."""
        if facts < TOGETHER_MIN or self._facts_left <= 0:
            return
        self._facts_left -= facts
        if self._facts_left <= 0 and ready_loop() is None and can_be_compiled():
            self._task = asyncio.create_task(asyncio.to_thread(compiled_loop))
            self._task.add_done_callback(_tell_failure)


def _tell_failure(task: asyncio.Task[Loop]) -> None:
    """Log why there is no compiled loop; the readable formula keeps rating everything."""
    error = None if task.cancelled() else task.exception()
    if error is not None:
        _log.warning("loop_not_compiled", error=f"{type(error).__name__}: {error}")
