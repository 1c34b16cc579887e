"""Compiles the loop of the kernel beside the rater, once so much waits that it is worth it."""

import asyncio
from typing import Final

from shared.rating.kernel import can_be_compiled, compiled_loop, ready_loop

# So many full batches in a row are a backlog: an import, or a start behind others.
FULL_BATCHES_MIN: Final = 16


class Compiling:
    """Begins to compile at most once; the rater goes on meanwhile, one session at a time."""

    def __init__(self) -> None:
        self._full_batches = 0
        self._task: asyncio.Task[object] | None = None

    def saw(self, *, has_more: bool) -> None:
        """Note whether more facts waited behind a batch. Raises what the compiler did."""
        self._full_batches = self._full_batches + 1 if has_more else 0
        if self._task is not None and self._task.done():
            self._task.result()
        is_behind = self._full_batches >= FULL_BATCHES_MIN and ready_loop() is None
        if self._task is None and is_behind and can_be_compiled():
            self._task = asyncio.create_task(asyncio.to_thread(compiled_loop))
