"""Starts processes at once, by asking the one process that has read the program (forking.py)."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.processes import clean_environment


@dataclass(frozen=True, slots=True)
class Started:
    """A process that was started, and its exit code once that is known."""

    pid: int
    exit_code: "asyncio.Future[int]"


class Starter:
    """The way to the process that forks."""

    def __init__(self, forking: asyncio.subprocess.Process) -> None:
        self._forking = forking
        self._asked: dict[int, asyncio.Future[Started]] = {}
        self._running: dict[int, Started] = {}

    async def start(
        self, arguments: Sequence[str], *, environment: Mapping[str, str], log: Path
    ) -> Started:
        """Start a command of `mahjic`, which writes to a log."""
        number = len(self._asked)
        answer = self._asked[number] = asyncio.get_running_loop().create_future()
        wanted = {
            "number": number,
            "arguments": list(arguments),
            "environment": clean_environment() | dict(environment),
            "log": str(log),
        }
        assert self._forking.stdin is not None
        self._forking.stdin.write(json.dumps(wanted).encode() + b"\n")
        return await asyncio.shield(answer)

    async def listen(self) -> None:
        """Hear what has started and what has ended."""
        assert self._forking.stdout is not None
        async for line in self._forking.stdout:
            told = json.loads(line)
            if "number" in told:
                exit_code = asyncio.get_running_loop().create_future()
                started = self._running[told["pid"]] = Started(told["pid"], exit_code)
                self._asked[told["number"]].set_result(started)
            else:
                self._running.pop(told["pid"]).exit_code.set_result(told["exit_code"])


@asynccontextmanager
async def a_starter() -> AsyncIterator[Starter]:
    """Give a way to start processes; those that still run at the end are killed."""
    forking = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.chaos_kafka.forking",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    starter = Starter(forking)
    listening = asyncio.create_task(starter.listen())
    try:
        yield starter
    finally:
        assert forking.stdin is not None
        forking.stdin.close()
        await forking.wait()
        await listening
