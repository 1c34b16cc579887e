"""Runs the work of a command so that a signal stops it cleanly, along with what it started."""

import asyncio
import signal
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Final, TypeVar

T = TypeVar("T")

# The keyboard, an operator or supervisor, and a terminal that is closed.
SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# What a shell adds to the number of the signal that ended a program.
SIGNAL_EXIT_CODE: Final = 128


class StoppedBySignal(Exception):
    """A signal stopped the work before its end; what it had started has ended."""

    def __init__(self, signal_number: int) -> None:
        super().__init__(f"Signal {signal_number} stopped the work.")
        self.exit_code = SIGNAL_EXIT_CODE + signal_number


def run_until_stopped(
    work: Coroutine[Any, Any, T],
    *,
    loop_factory: Callable[[], asyncio.AbstractEventLoop] | None = None,
) -> T:
    """Run work on an event loop of its own. Raises StoppedBySignal when a signal canceled it.

    Without this a signal would end the process on the spot and leave its database running, or do
    nothing at all if the process is the first one in a container. Later signals find the work
    already ending.
    """
    came: list[int] = []

    async def run() -> T:
        task, loop = asyncio.current_task(), asyncio.get_running_loop()
        assert task is not None

        def on_signal(number: int, _frame: FrameType | None) -> None:
            if not came:
                came.append(number)
                loop.call_soon_threadsafe(task.cancel)

        with _listening(on_signal):
            return await work

    with asyncio.Runner(loop_factory=loop_factory) as runner:
        try:
            return runner.run(run())
        except asyncio.CancelledError:
            if not came:
                raise
            raise StoppedBySignal(came[0]) from None


@contextmanager
def _listening(on_signal: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Listen to the signals while the context is open; ignored signals stay ignored."""
    if threading.current_thread() is not threading.main_thread():
        yield  # Only the main thread can handle signals.
        return
    before = {number: signal.getsignal(number) for number in SIGNALS}
    for number, handler in before.items():
        if handler != signal.SIG_IGN:
            signal.signal(number, on_signal)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
