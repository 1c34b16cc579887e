"""Ends a run that takes longer than it may, so that what it found is told, and what it was at.

`MAHJIC_TESTS_MINUTES_MAX` says how long a run of several processes may take; without it, and in one
process, where each test has the clock for itself, a run takes as long as it takes.
"""

import os
import signal
import time
from types import FrameType

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Watch the run from the process that hands out the work."""
    minutes_max = float(os.environ.get("MAHJIC_TESTS_MINUTES_MAX") or 0)
    if minutes_max and config.getoption("numprocesses", None):
        config.pluginmanager.register(_Watch(minutes_max))


class _Watch:
    """Ends the run when its time is over; knows the tests that run, and since when."""

    def __init__(self, minutes_max: float) -> None:
        self._minutes_max = minutes_max
        self._began: dict[str, float] = {}
        self._is_over = False
        signal.signal(signal.SIGALRM, self._end)
        signal.setitimer(signal.ITIMER_REAL, minutes_max * 60)

    def _end(self, _number: int, _frame: FrameType | None) -> None:
        self._is_over = True
        # As somebody would at the keyboard: pytest then tells all that it knows.
        raise KeyboardInterrupt

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._began[nodeid] = time.monotonic()

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self._began.pop(nodeid, None)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if not self._is_over:
            return
        terminalreporter.section(f"not done in {self._minutes_max:g} minutes", red=True)
        now = time.monotonic()
        for nodeid, began in self._began.items():
            terminalreporter.write_line(f"{nodeid} has been running for {now - began:.0f} s")

    def pytest_unconfigure(self) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
