"""Tests pass, and the programs that they start hear every signal, however a run was started."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.the_run.signals import SIGNALS, TOLD

SAY_HOW_SIGNALS_ARE_TAKEN = """
import signal
print([signal.getsignal(each) == signal.SIG_IGN for each in (signal.SIGINT, signal.SIGHUP)])
"""
INNER = ["test_what_a_test_starts_hears_every_signal", "test_a_run_that_ignores_a_signal_goes_on"]


def test_what_a_test_starts_hears_every_signal() -> None:
    program = [sys.executable, "-c", SAY_HOW_SIGNALS_ARE_TAKEN]
    said = subprocess.run(program, check=True, capture_output=True, text=True).stdout
    assert said.strip() == "[False, False]"
    assert signal.SIG_IGN not in {signal.getsignal(each) for each in SIGNALS}


def test_a_run_that_ignores_a_signal_goes_on() -> None:
    for name in os.environ[TOLD].split():  # None, unless the test below started this run.
        signal.raise_signal(signal.Signals[name])


@pytest.mark.parametrize("workers", [[], ["--numprocesses=1"]], ids=["alone", "with a worker"])
def test_a_run_that_was_started_deaf_passes(workers: list[str]) -> None:
    file = Path(__file__)
    run = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *workers]
    run += [f"{file}::{name}" for name in INNER]
    deaf = ["sh", "-c", "trap '' INT HUP; exec \"$@\"", "sh", *run]
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    ended = subprocess.run(
        deaf, env=own, cwd=file.parents[1], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stdout
    assert "2 passed" in ended.stdout
