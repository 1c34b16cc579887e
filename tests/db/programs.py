"""Users of a data folder that run as processes of their own, so that they can be killed.

Run as `python -m tests.db.programs ROLE FOLDER ACCOUNT`: uses the folder's server until its
standard input ends, and says in one line of JSON what it got. Root can have it run as another
account.
"""

import asyncio
import contextlib
import json
import os
import pwd
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncpg

from shared.db.server.embedded import EmbeddedServer, embedded_server
from shared.errors import MahjicError

CHECKOUT = Path(__file__).parents[2]
ORDINARY_ACCOUNT = "daemon"


@dataclass(frozen=True, slots=True)
class Program:
    """A started program: what it said first, and its process to kill or let go."""

    process: subprocess.Popen[str]
    said: dict[str, Any]

    def leave(self) -> None:
        """Let the program leave the folder in good order, and wait until it has."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        assert self.process.wait(timeout=60) == 0

    def kill(self) -> None:
        """End the program as a power cut would."""
        self.process.kill()
        self.process.wait(timeout=60)


@contextlib.contextmanager
def a_program(
    role: str, folder: Path, *, account: str = "", python_path: Path = CHECKOUT
) -> Iterator[Program]:
    """Start a user of the folder and wait until it has the server, or an error."""
    with start(role, folder, account=account, python_path=python_path) as process:
        try:
            yield listen(process)
        finally:
            process.kill()


def start(
    role: str, folder: Path, *, account: str = "", python_path: Path = CHECKOUT
) -> subprocess.Popen[str]:
    """Start a user of the folder without waiting for it, as another account if one is named."""
    return subprocess.Popen(
        [sys.executable, "-B", "-m", "tests.db.programs", role, str(folder), account],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd="/",
        env={"PYTHONPATH": f"{python_path}:{CHECKOUT}", "PATH": os.defpath},
    )


def listen(process: subprocess.Popen[str]) -> Program:
    """Wait for what a started program says."""
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line, "The program ended without a word; its own error stands above."
    return Program(process, json.loads(line))


async def _use(role: str, folder: Path) -> None:
    try:
        async with embedded_server(folder, role=role) as server:  # type: ignore[arg-type]
            _say(dsn=server.dsn, server_started_at=await _started_at(server))
            await asyncio.to_thread(sys.stdin.read)
    except MahjicError as error:
        _say(code=error.code, detail=error.detail)


async def _started_at(server: EmbeddedServer) -> str:
    connection = await asyncpg.connect(server.dsn)
    try:
        return str(await connection.fetchval("SELECT pg_postmaster_start_time()"))
    finally:
        await connection.close()


def _become(account: str) -> None:
    """Stop being root, now that Python is loaded from where the account may not go."""
    asyncio.run(asyncio.to_thread(os.getpid))  # Loads what threads need.
    entry = pwd.getpwnam(account)
    os.setgroups([])
    os.setgid(entry.pw_gid)
    os.setuid(entry.pw_uid)


def _say(**facts: str) -> None:
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    if sys.argv[3]:
        _become(sys.argv[3])
    asyncio.run(_use(sys.argv[1], Path(sys.argv[2])))
