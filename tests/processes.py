"""Runs what serves as a process of its own, as an operator does, for tests of the whole."""

import asyncio
import os
import re
import signal
import sys
from asyncio.subprocess import PIPE, STDOUT
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

READY = re.compile(r"Mahjic (?:\w+ )?serves on (http://\S+)")
# Six processes that start at once beside other tests take most of a minute on two cores.
READY_S_MAX = 240.0
# As many that end at once, because they may not start, take their time too.
END_S_MAX = 180.0

# The database of an installation whose logs are on Kafka, as `mahjic kafka init` leaves it.
MOVED = "INSERT INTO mahjic.kafka (cluster_id, prefix, is_moved) VALUES ('one', 'mahjic', true)"


@dataclass(slots=True)
class Served:
    """A running process: where it is, and every line of its log so far."""

    process: asyncio.subprocess.Process
    url: str = ""
    lines: list[str] = field(default_factory=list)
    # Set when it serves, or has ended.
    ready: asyncio.Event = field(default_factory=asyncio.Event)
    reader: "asyncio.Task[None] | None" = None

    async def serves(self) -> None:
        """Wait until it is ready; fail with its log if it has ended before."""
        try:
            await asyncio.wait_for(self.ready.wait(), READY_S_MAX)
        except TimeoutError:
            raise AssertionError(f"It does not serve yet: {self.log}") from None
        assert self.url, f"It ended at once: {self.log}"

    async def ended(self) -> int:
        """Wait for the end of the process and return its exit code."""
        code = await asyncio.wait_for(self.process.wait(), END_S_MAX)
        assert self.reader is not None
        await self.reader
        return code

    async def stop(self) -> int:
        """Stop it as an operator does, and return its exit code."""
        if self.process.returncode is None:
            self.process.send_signal(signal.SIGTERM)
        return await self.ended()

    async def kill(self) -> None:
        """Kill it without a chance to say goodbye."""
        if self.process.returncode is None:
            self.process.kill()
        await self.ended()

    @property
    def log(self) -> str:
        """All that it has written."""
        return "".join(self.lines)


async def start_serving(
    environment: Mapping[str, str],
    *arguments: str,
    command: str = "serve",
    before: Sequence[str] = (),
) -> Served:
    """Start `mahjic serve`, or another command, on a free port; return it once it is ready."""
    served = await start(environment, command, "--port", "0", *arguments, before=before)
    await served.serves()
    return served


async def start(
    environment: Mapping[str, str], *arguments: str, before: Sequence[str] = ()
) -> Served:
    """Start a command of `mahjic`, by way of another command if need be; return it at once."""
    process = await launch(environment, *arguments, before=before, stderr=STDOUT)
    served = Served(process)

    async def read() -> None:
        assert process.stdout is not None
        async for line in process.stdout:
            served.lines.append(line.decode())
            found = READY.search(served.lines[-1])
            if found:
                served.url = found[1]
                served.ready.set()
        served.ready.set()

    served.reader = asyncio.create_task(read())
    return served


@asynccontextmanager
async def serving(
    environment: Mapping[str, str],
    *arguments: str,
    command: str = "serve",
    before: Sequence[str] = (),
) -> AsyncIterator[Served]:
    """Run `mahjic serve`, or another command, while the context is open, whatever becomes of it."""
    served = await start_serving(environment, *arguments, command=command, before=before)
    try:
        yield served
    finally:
        await served.stop()


@asynccontextmanager
async def working(environment: Mapping[str, str], *command: str) -> AsyncIterator[Served]:
    """Run a command that works on a free port while the context is open; it must end well."""
    served = await start(environment, *command, "--port", "0")
    try:
        await served.serves()
        yield served
    finally:
        assert await served.stop() == 0, served.log


async def mahjic(environment: Mapping[str, str], *arguments: str) -> str:
    """Run another command of `mahjic` and return what it printed; it must succeed."""
    process = await launch(environment, *arguments)
    printed, told = await asyncio.wait_for(process.communicate(), END_S_MAX)
    assert process.returncode == 0, told.decode()
    return printed.decode().strip()


async def launch(
    environment: Mapping[str, str],
    *arguments: str,
    before: Sequence[str] = (),
    stderr: int = PIPE,
) -> asyncio.subprocess.Process:
    """Start a command of `mahjic`, with pipes for what it says, and return its process."""
    return await asyncio.create_subprocess_exec(
        *before,
        sys.executable,
        "-m",
        "services.cli",
        *arguments,
        env=clean_environment() | dict(environment),
        stdout=PIPE,
        stderr=stderr,
    )


def clean_environment() -> dict[str, str]:
    """Return our environment without settings of Mahjic."""
    return {name: value for name, value in os.environ.items() if not name.startswith("MAHJIC_")}
