"""Lets the tests run where signals are ignored, as after `nohup make test &`.

An ignored signal stays ignored in every program that is started from there, and those that tests
start must hear it. So the run itself catches it and does nothing, which no program inherits.
"""

import os
import signal

# What a terminal or a shell may have told a run to ignore.
SIGNALS = (signal.SIGINT, signal.SIGHUP)
# The workers of a run on several processes are programs too: here they are told what it ignores.
TOLD = "PYTEST_SIGNALS_IGNORED"


def catch_ignored_signals() -> None:
    """Go on as if ignoring what is ignored here, and let whatever is started from here hear it."""
    told = os.environ.get(TOLD, "").split()
    ignored = [
        each for each in SIGNALS if each.name in told or signal.getsignal(each) == signal.SIG_IGN
    ]
    for each in ignored:
        signal.signal(each, lambda *_: None)
    os.environ[TOLD] = " ".join(each.name for each in ignored)
