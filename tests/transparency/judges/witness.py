"""Runs a witness that others wrote: litewitness, with its key in an ssh-agent."""

import asyncio
import re
import signal
import socket
import sqlite3
import subprocess
from asyncio.subprocess import DEVNULL, PIPE, STDOUT
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from shared.tlog.notes import VerifierKey
from tests.log.deadlines import until
from tests.transparency.judges.tools import litewitness

NAME: Final = "witness.example"
KEY: Final = re.compile(r"vkey=\"?(witness\.example\+\S+?)\"?$")
LISTENS: Final = "msg=listening"
EMPTY_ROOT: Final = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
READY_S_MAX: Final = 60.0
END_S_MAX: Final = 60.0
READS: Final = "SELECT tree_size FROM log WHERE origin = ?"


@dataclass(frozen=True, slots=True)
class RunningWitness:
    """A witness that runs: where it is, its key, and the logs that it knows."""

    url: str
    key: str
    database: Path

    @property
    def setting(self) -> str:
        """The witness as MAHJIC_WITNESSES names it."""
        return f"{self.url} {self.key}"

    def know(self, key: VerifierKey) -> None:
        """Let the witness know a log, as whoever runs it does."""
        with closing(sqlite3.connect(self.database, timeout=30)) as opened, opened:
            opened.execute("INSERT INTO log VALUES (?, 0, ?)", (key.name, EMPTY_ROOT))
            opened.execute("INSERT INTO key VALUES (?, ?)", (key.name, str(key)))

    def size(self, origin: str) -> int:
        """Return the size of the tree of a log that it saw last."""
        with closing(sqlite3.connect(self.database, timeout=30)) as opened:
            [size] = opened.execute(READS, (origin,)).fetchone()
        return int(size)


@asynccontextmanager
async def running_witness(folder: Path, port: int | None = None) -> AsyncIterator[RunningWitness]:
    """Run a witness while the context is open. Raises GoToolMissing.

    One that runs in the same folder later is the same, and may be asked to come to the same port.
    """
    program = litewitness()
    key_file = folder / "key"
    if not key_file.exists():
        made = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key_file)]
        await asyncio.to_thread(subprocess.run, made, check=True)
    agent_socket = folder / "agent"
    agent_socket.unlink(missing_ok=True)
    agent = await asyncio.create_subprocess_exec(
        "ssh-agent", "-D", "-a", str(agent_socket), stdin=DEVNULL, stdout=DEVNULL
    )
    try:
        await _hand_over(key_file, agent_socket)
        fingerprint = await _fingerprint(key_file)
        process = await asyncio.create_subprocess_exec(
            str(program),
            *("-name", NAME, "-db", str(folder / "witness.db"), "-key", fingerprint),
            *("-ssh-agent", str(agent_socket), "-listen", f"127.0.0.1:{port or free_port()}"),
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=STDOUT,
        )
        try:
            yield await asyncio.wait_for(_ready(process, folder), READY_S_MAX)
        finally:
            await _end(process, signal.SIGINT)
    finally:
        await _end(agent, signal.SIGTERM)


def free_port() -> int:
    """Return a port at which nobody listens."""
    with closing(socket.socket()) as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


async def _hand_over(key_file: Path, agent_socket: Path) -> None:
    """Give the agent the key, once it listens."""

    async def listens() -> bool:
        return await asyncio.to_thread(agent_socket.exists)

    await until(listens)
    added = await asyncio.create_subprocess_exec(
        "ssh-add", "-q", str(key_file), env={"SSH_AUTH_SOCK": str(agent_socket)}, stdin=DEVNULL
    )
    assert await asyncio.wait_for(added.wait(), READY_S_MAX) == 0


async def _fingerprint(key_file: Path) -> str:
    told = await asyncio.create_subprocess_exec(
        "ssh-keygen", "-l", "-f", f"{key_file}.pub", stdout=PIPE
    )
    out, _ = await asyncio.wait_for(told.communicate(), READY_S_MAX)
    return out.decode().split()[1]


async def _ready(process: asyncio.subprocess.Process, folder: Path) -> RunningWitness:
    assert process.stdout is not None
    key, told = "", []
    async for line in process.stdout:
        text = line.decode().strip()
        told.append(text)
        if found := KEY.search(text):
            key = found[1]
        if LISTENS in text:
            address = text.rpartition("addr=")[2]
            return RunningWitness(f"http://{address}", key, folder / "witness.db")
    raise AssertionError(f"The witness ended at once: {told}")


async def _end(process: asyncio.subprocess.Process, how: signal.Signals) -> None:
    if process.returncode is None:
        process.send_signal(how)
    await asyncio.wait_for(process.communicate(), END_S_MAX)
