"""Compiles the loop of the kernel beside the rater, once enough was waiting to be worth it."""

import asyncio
from typing import Final

from shared.rating.kernel import can_be_compiled, compiled_loop, ready_loop

# From so many facts at once on it rates them sooner.
TOGETHER_FACTS_MIN: Final = 8
# After so many of them there will be more: somebody imports, or many submit at once.
FACTS_MIN: Final = 2_000


class Compiling:
    """Begins to compile at most once; the rater goes on meanwhile, one session at a time."""

    def __init__(self) -> None:
        self._facts = 0
        self._task: asyncio.Task[object] | None = None

    def saw(self, facts: int) -> None:
        """Note how many facts were answered at once. Raises what the compiler did."""
        if facts >= TOGETHER_FACTS_MIN:
            self._facts += facts
        if self._task is not None and self._task.done():
            self._task.result()
        is_worth_it = self._facts >= FACTS_MIN and ready_loop() is None
        if self._task is None and is_worth_it and can_be_compiled():
            self._task = asyncio.create_task(asyncio.to_thread(compiled_loop))
