"""A service in a process of its own for the tests of this room, with keys of every kind."""

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.folders import open_folder
from tests.processes import READY, READY_S_MAX, clean_environment


@dataclass(frozen=True, slots=True)
class ServedSite:
    """A running service: its address, its keys by kind, its log file, environment and process."""

    url: str
    keys: dict[str, str]
    log: Path
    environment: dict[str, str]
    pid: int

    def run(self, *arguments: str) -> str:
        """Run a command of `mahjic` on the same data and return what it prints."""
        command = [sys.executable, "-m", "services.cli", *arguments]
        done = subprocess.run(
            command, env=self.environment, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()


@contextmanager
def served_site(**settings: str) -> Iterator[ServedSite]:
    """Run `mahjic serve` on a fresh data folder while the context is open.

    `settings` are those that the test is about: `BATCHES_MAX="1"`.
    """
    folder = open_folder()
    environment = clean_environment() | {
        "MAHJIC_DATA": str(folder / "data"),
        "MAHJIC_PUBLIC_LIMIT_PER_MINUTE": "1000000",
        "MAHJIC_SOURCE_LIMIT_PER_MINUTE": "1000000",
        **{f"MAHJIC_{name}": value for name, value in settings.items()},
    }
    log = folder / "log"
    command = [sys.executable, "-m", "services.cli", "serve", "--port", "0"]
    with log.open("w") as lines:
        process = subprocess.Popen(command, env=environment, stdout=lines, stderr=lines)
    try:
        site = ServedSite(_wait_for_url(process, log), {}, log, environment, process.pid)
        site.run("source", "add", "a-club", "--name", "A Club", "--type", "club")
        site.keys["source"] = site.run("key", "create", "a-club")
        for kind in ("operator", "auditor"):
            site.keys[kind] = site.run("key", "create", f"--{kind}")
        yield site
        assert process.poll() is None, f"It has ended by itself: {log.read_text()}"
    finally:
        process.terminate()
        process.wait(60)
        shutil.rmtree(folder)


def _wait_for_url(process: "subprocess.Popen[bytes]", log: Path) -> str:
    deadline = time.monotonic() + READY_S_MAX
    while time.monotonic() < deadline:
        found = READY.search(log.read_text())
        if found:
            return found[1]
        assert process.poll() is None, log.read_text()
        time.sleep(0.02)
    raise AssertionError(f"The service was not ready in {READY_S_MAX} s: {log.read_text()}")


@pytest.fixture(scope="session")
def site() -> Iterator[ServedSite]:
    """Return a service that the tests of this room share."""
    with served_site() as running:
        yield running
