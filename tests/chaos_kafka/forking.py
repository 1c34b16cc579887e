"""Starts commands of `mahjic` as processes of their own: imports the program once, then forks.

Reading the program takes seconds of a slow core, the same ones at each start. Whoever runs this
module writes a line of JSON for each process to be started, and reads one when it has started and
one when it has ended. At the end of its input, as when it is killed, all processes are killed.
"""

import contextlib
import json
import os
import select
import signal
import sys
from typing import Any, Final

from services.cli import main as mahjic

STDIN: Final = 0
READ_BYTES_MAX: Final = 65536


class Forker:
    """The processes that run."""

    def __init__(self) -> None:
        self._running: set[int] = set()
        self._unread = b""
        self._rung, self._bell = os.pipe()
        os.set_blocking(self._rung, False)
        os.set_blocking(self._bell, False)

    def work(self) -> None:
        """Start what is asked for, and tell what has ended, until nobody asks anymore."""
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._bell)
        while True:
            ready, _, _ = select.select([STDIN, self._rung], [], [])
            if self._rung in ready:
                os.read(self._rung, READ_BYTES_MAX)
                self._tell_ends()
            if STDIN in ready:
                read = os.read(STDIN, READ_BYTES_MAX)
                if not read:
                    break
                *lines, self._unread = (self._unread + read).split(b"\n")
                for line in lines:
                    self._start(json.loads(line))
        for pid in self._running:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def _start(self, wanted: dict[str, Any]) -> None:
        pid = os.fork()
        if pid == 0:
            self._become(wanted)
        self._running.add(pid)
        _say({"number": wanted["number"], "pid": pid})

    def _become(self, wanted: dict[str, Any]) -> None:
        """Run a command in this process, which is a new one, and end it as the command ends."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDONLY)
        log = os.open(wanted["log"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        for held, standard in ((nothing, 0), (log, 1), (log, 2)):
            os.dup2(held, standard)
        for descriptor in (nothing, log, self._rung, self._bell):
            os.close(descriptor)
        os.environ.clear()
        os.environ.update(wanted["environment"])
        sys.argv = ["mahjic", *wanted["arguments"]]
        mahjic()
        sys.exit(0)

    def _tell_ends(self) -> None:
        while self._running:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            self._running.discard(pid)
            _say({"pid": pid, "exit_code": os.waitstatus_to_exitcode(status)})


def _say(told: dict[str, int]) -> None:
    sys.stdout.write(json.dumps(told) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    Forker().work()
