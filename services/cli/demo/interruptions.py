"""Lets Ctrl-C and the like end the demo at once, but never halfway through making or removing
something."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

# The keyboard, an operator or supervisor, and a terminal that is closed.
SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interruptions:
    """Turns the first signal into a KeyboardInterrupt; later ones are ignored during cleanup."""

    def __init__(self) -> None:
        self.signal_number: int | None = None
        self._is_held = False

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Listen to the signals while the context is open; ignored signals stay ignored."""
        before = {number: signal.getsignal(number) for number in SIGNALS}
        for number, handler in before.items():
            if handler != signal.SIG_IGN:
                signal.signal(number, self._on_signal)
        try:
            yield
        finally:
            for number, handler in before.items():
                # After an interrupt we are on the way out, and a second signal changes nothing.
                is_leaving = self.signal_number is not None
                signal.signal(number, signal.SIG_IGN if is_leaving else handler)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Let the work inside finish; a first signal meanwhile acts after it."""
        came_before, was_held = self.signal_number, self._is_held
        self._is_held = True
        try:
            yield
        finally:
            self._is_held = was_held
        if self.signal_number != came_before and not was_held:
            raise KeyboardInterrupt

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        if self.signal_number is not None:
            return
        self.signal_number = number
        if not self._is_held:
            raise KeyboardInterrupt
