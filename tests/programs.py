"""Programs of tests that are killed and started again."""

import asyncio
import signal
import socket
import sys
from asyncio.subprocess import PIPE
from collections.abc import Sequence
from dataclasses import dataclass

from tests.processes import READY_S_MAX


@dataclass
class Program:
    """One of the programs that are killed and started again."""

    arguments: Sequence[str]
    process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        self.process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", *self.arguments, stdout=PIPE
        )
        assert self.process.stdout is not None
        assert (await asyncio.wait_for(self.process.stdout.readline(), READY_S_MAX)).startswith(
            b"It "
        )

    def signal(self, number: signal.Signals) -> None:
        assert self.process is not None
        self.process.send_signal(number)

    async def kill(self) -> None:
        if self.process is not None and self.process.returncode is None:
            self.process.kill()
            await self.process.wait()


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
