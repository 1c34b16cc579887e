"""Waits for the database as long as a reader can be asked to, and no longer.

A server that stands still (its machine is frozen, its disk does not answer) never says so. A
statement to it can be given up, but its connection cannot be given back before the server has
answered, so whoever waits for that waits as long as the server stands still.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any, Final, TypeVar

from shared.errors import ServiceUnavailable

Answer = TypeVar("Answer")

# The loop itself does not keep tasks that nobody waits for anymore.
_given_up: Final[set["asyncio.Task[Any]"]] = set()


async def answered_within(asked: Coroutine[Any, Any, Answer], limit_s: float) -> Answer:
    """Return what was asked for. Raises ServiceUnavailable if that takes longer.

    What is given up goes on alone: it ends when the server answers, or its connection is cut.
    """
    task = asyncio.create_task(asked)
    try:
        await asyncio.wait([task], timeout=limit_s)
        if not task.done():
            raise ServiceUnavailable
        return task.result()
    finally:
        if not task.done():
            _given_up.add(task)
            task.add_done_callback(_forget)
            task.cancel()


def _forget(task: "asyncio.Task[Any]") -> None:
    _given_up.discard(task)
    if not task.cancelled():
        task.exception()  # It is looked at, or the loop would log it; nobody waits for it now.
