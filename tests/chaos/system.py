"""Processes of the operating system: found, killed, paused, and waited for until they are gone."""

import contextlib
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil  # type: ignore[import-untyped]

from tests.log.deadlines import until


def postmaster_in(folder: Path) -> psutil.Process | None:
    """Return the first process of the PostgreSQL in a data folder, if it is alive."""
    try:
        text = (folder / "postgres" / "postmaster.pid").read_text(encoding="ascii")
        process = psutil.Process(int(text.split("\n", 1)[0]))
        works_here = process.cwd() == str(folder / "postgres")
    except (FileNotFoundError, ValueError, psutil.Error):
        return None
    return process if works_here and process.is_running() else None


async def living_postmaster_in(folder: Path) -> psutil.Process:
    """Wait until the PostgreSQL in a folder is there, which it may just not be; return it."""

    async def is_there() -> bool:
        return postmaster_in(folder) is not None

    while (found := postmaster_in(folder)) is None:
        await until(is_there)
    return found


def postgres_in(folder: Path) -> list[psutil.Process]:
    """Return every process of PostgreSQL that works in a data folder."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.cwd() == str(folder / "postgres"):
                found.append(process)
    return found


@contextmanager
def stopped(process: psutil.Process) -> Iterator[None]:
    """Keep a process from running while the context is open; it may be gone or end meanwhile."""
    with contextlib.suppress(psutil.NoSuchProcess):
        process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.send_signal(signal.SIGCONT)


def kill(process: psutil.Process) -> None:
    """Kill a process, which may have ended already."""
    with contextlib.suppress(psutil.NoSuchProcess):
        process.kill()


def children_of(process: psutil.Process) -> list[psutil.Process]:
    """Return the living children of a process, none if it has ended."""
    try:
        return list(process.children())
    except psutil.NoSuchProcess:
        return []


async def gone(process: psutil.Process) -> None:
    """Wait until a killed process is no more."""

    async def is_gone() -> bool:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE

    with contextlib.suppress(psutil.NoSuchProcess):
        await until(is_gone)
