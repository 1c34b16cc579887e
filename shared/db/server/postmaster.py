"""Finds and signals the PostgreSQL that runs on a cluster, and never an unrelated process.

The number in `postmaster.pid` may be left from a dead server and belong to someone else by now.
So a process counts only if it is a postgres, in the cluster's folder and under its account.
"""

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

import psutil  # type: ignore[import-untyped]

from shared.machine.own_files import open_own

POLL_S: Final = 0.01


@dataclass(frozen=True, slots=True)
class Postmaster:
    """A running server: its process and whether it says that it takes connections."""

    process_id: int
    is_ready: bool


def find_postmaster(cluster: Path, user_id: int) -> Postmaster | None:
    """Return the server that runs on the cluster, if one does."""
    try:
        with open_own(cluster / "postmaster.pid", "rb") as file:
            lines = file.read().decode().splitlines()
    except FileNotFoundError:
        return None
    if not lines or not lines[0].isdigit():
        return None
    process_id = int(lines[0])
    if not is_postgres_of(process_id, cluster, user_id):
        return None
    # The eighth line is the server's state: starting, ready or stopping.
    return Postmaster(process_id, is_ready=len(lines) >= 8 and lines[7].strip() == "ready")


def is_postgres_of(process_id: int, cluster: Path, user_id: int) -> bool:
    """Return whether a process is a living postgres of this cluster."""
    try:
        process = psutil.Process(process_id)
        if process.name() != "postgres" or process.status() == psutil.STATUS_ZOMBIE:
            return False
        works_here = cast("str", process.cwd()) == str(cluster)
        return works_here and bool(process.uids().effective == user_id)
    except psutil.Error:
        return False


def stop_postmaster(postmaster: Postmaster, cluster: Path, user_id: int, wait_s_max: float) -> bool:
    """Ask for a fast stop and wait; then stop at once, which a restart repairs from the log.

    Returns False if the server still runs after that.
    """
    for number, wait_s in ((signal.SIGINT, wait_s_max), (signal.SIGQUIT, wait_s_max / 4)):
        deadline_s = time.monotonic() + wait_s
        if is_postgres_of(postmaster.process_id, cluster, user_id):
            _send(postmaster.process_id, number)
        while time.monotonic() < deadline_s:
            if not is_postgres_of(postmaster.process_id, cluster, user_id):
                return True
            time.sleep(POLL_S)
    return False


def end_orphans(cluster: Path, user_id: int, wait_s_max: float) -> None:
    """End the sessions that outlive a killed postmaster: they keep a new one from starting."""
    deadline_s = time.monotonic() + wait_s_max
    while orphans := _postgres_of(cluster, user_id):
        is_late = time.monotonic() > deadline_s
        for process_id in orphans:
            _send(process_id, signal.SIGKILL if is_late else signal.SIGQUIT)
        time.sleep(POLL_S)


def _postgres_of(cluster: Path, user_id: int) -> list[int]:
    return [number for number in psutil.pids() if is_postgres_of(number, cluster, user_id)]


def _send(process_id: int, number: signal.Signals) -> None:
    try:
        os.kill(process_id, number)
    except ProcessLookupError:
        return
