"""Keeps a process running as an orchestrator does: whatever it ends with, it is started again."""

import asyncio
import contextlib
import os
import re
import signal
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import psutil  # type: ignore[import-untyped]

from tests.chaos.system import stopped
from tests.chaos_kafka.starting import Started, Starter
from tests.log.deadlines import until

END_S_MAX = 60.0
LOOK_S_MAX = 5.0
LOG_CHARACTERS_SHOWN = 6_000
# A command says so, in its last line, why it ends by itself: "log_writer_lost: Facts could ...".
REASON = re.compile(r"^([a-z_]+): \S")

# Why a process may end by itself while everything around it is broken.
EXPLAINED = {
    "database_unreachable",
    "log_writer_lost",
    "rating_taken_over",
    "writer_replaced",
}


@dataclass(frozen=True, slots=True)
class End:
    """How a process has ended: its exit code, and the last that it has written."""

    exit_code: int
    log_tail: str = field(repr=False)

    @property
    def reason(self) -> str | None:
        """The code of the error that it told last, if it ended with one."""
        lines = self.log_tail.rstrip().splitlines()
        found = REASON.match(lines[-1]) if lines and self.exit_code > 0 else None
        return found[1] if found else None

    @property
    def is_explained(self) -> bool:
        """Tell whether it was killed or told to stop, or left for a reason that a fault gave it."""
        return self.exit_code <= 0 or self.reason in EXPLAINED


@dataclass
class Supervised:
    """One command of `mahjic` that is started again whenever it ends, `pause_s` afterward."""

    command: str
    port: int
    environment: Mapping[str, str]
    log: Path
    pause_s: float
    starter: Starter
    ends: list[End] = field(default_factory=list)
    _started: Started | None = None
    _may_start: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def url(self) -> str:
        """Where it listens, after every start."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int | None:
        """The process that runs now, if one does."""
        if self._started is None or self._started.exit_code.done():
            return None
        return self._started.pid

    @property
    def log_tail(self) -> str:
        """The last that it has written."""
        return self.log.read_text(errors="replace")[-LOG_CHARACTERS_SHOWN:]

    def send(self, number: signal.Signals) -> None:
        """Send a signal to the process, if one runs."""
        if self.pid is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        """Kill the process, if one runs; the supervisor starts another."""
        self.send(signal.SIGKILL)

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Keep the process from running while the context is open, if one runs."""
        with contextlib.ExitStack() as stack:
            if self.pid is not None:
                with contextlib.suppress(psutil.NoSuchProcess):
                    stack.enter_context(stopped(psutil.Process(self.pid)))
            yield

    @asynccontextmanager
    async def held_down(self) -> AsyncIterator[None]:
        """Stop the process in good order, and start no other while the context is open."""
        self._may_start.clear()
        try:
            self.send(signal.SIGTERM)
            await until(self._is_down)
            yield
        finally:
            self._may_start.set()

    async def ready(self) -> None:
        """Wait until it serves."""
        async with httpx.AsyncClient(timeout=LOOK_S_MAX) as http:

            async def serves() -> bool:
                with contextlib.suppress(httpx.TransportError):
                    return (await http.get(f"{self.url}/healthz")).is_success
                return False

            await until(serves)

    async def has_said(self, event: str) -> None:
        """Wait until its log tells of an event."""

        async def is_told() -> bool:
            return self.log.exists() and event in self.log.read_text(errors="replace")

        await until(is_told)

    @asynccontextmanager
    async def running(self, *, is_killed: bool = False) -> AsyncIterator[None]:
        """Keep it running while the context is open; then it ends in good order, or is killed."""
        self._may_start.set()
        keeping = asyncio.create_task(self._keep_running(), name=f"supervisor of {self.command}")
        try:
            yield
        finally:
            keeping.cancel()
            await asyncio.wait([keeping])
            self.send(signal.SIGKILL if is_killed else signal.SIGTERM)
            code = await self._ended()
        # It may have left for a reason just before, or was not even listening to the signal yet.
        end = End(code, self.log_tail)
        assert end.is_explained, f"{self.command}: {end}\n{end.log_tail}"

    async def _keep_running(self) -> None:
        while True:
            await self._may_start.wait()
            self._started = await self.starter.start(
                [self.command, "--port", str(self.port)],
                environment=self.environment,
                log=self.log,
            )
            code = await asyncio.shield(self._started.exit_code)
            self.ends.append(End(code, self.log_tail))
            await asyncio.sleep(self.pause_s)

    async def _is_down(self) -> bool:
        return self.pid is None

    async def _ended(self) -> int:
        if self._started is None:
            return 0
        try:
            return await asyncio.wait_for(asyncio.shield(self._started.exit_code), END_S_MAX)
        except TimeoutError:
            self.kill()
            raise
