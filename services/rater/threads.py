"""Runs long work in a thread of its own, beside everything else that this process does."""

import asyncio
from collections.abc import Callable
from threading import Event
from typing import TypeVar

Result = TypeVar("Result")


class Stopped(Exception):
    """No one waits for the work anymore, so it stops."""


async def in_a_thread(work: Callable[[Callable[[], None]], Result]) -> Result:
    """Do some work in a thread, and return what it returns.

    The work is given a function to call now and then. When the caller is canceled, that function
    raises Stopped, and this waits until the work has ended: nothing goes on behind our back.
    """
    stop = Event()

    def check_stopped() -> None:
        if stop.is_set():
            raise Stopped

    working = asyncio.get_running_loop().run_in_executor(None, work, check_stopped)
    try:
        return await asyncio.shield(working)
    except asyncio.CancelledError:
        stop.set()
        await asyncio.wait([working])
        if not working.cancelled():
            working.exception()  # Whatever it was, it is too late to report.
        raise
