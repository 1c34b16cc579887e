"""Runs Stripe's own mock, which judges every request and keeps nothing."""

import asyncio
import re
import shutil
import signal
from asyncio.subprocess import DEVNULL, PIPE, STDOUT
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from tests.verification.stripe.tools import stripe_mock

LISTENS: Final = re.compile(rb"Listening for HTTP at address: (\S+)")
# With no address for HTTPS it would listen on all of them.
ADDRESSES: Final = ("-http-addr", "127.0.0.1:0", "-https-addr", "127.0.0.1:0")
READY_S_MAX: Final = 60.0
END_S_MAX: Final = 60.0


@asynccontextmanager
async def running_mock() -> AsyncIterator[str]:
    """Run the mock while the context is open, and say where; raise GoToolMissing without one."""
    process = await asyncio.create_subprocess_exec(
        *_dying_with_us(), str(stripe_mock()), *ADDRESSES, stdin=DEVNULL, stdout=PIPE, stderr=STDOUT
    )
    assert process.stdout is not None
    try:
        address = await asyncio.wait_for(_address(process.stdout), READY_S_MAX)
        # It tells about every request, and would stand still if nobody listened.
        listener = asyncio.create_task(_let_it_talk(process.stdout))
        yield f"http://{address}"
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
        await asyncio.wait_for(process.wait(), END_S_MAX)
    await listener


async def _address(told: asyncio.StreamReader) -> str:
    lines = []
    async for line in told:
        lines.append(line)
        found = LISTENS.search(line)
        if found:
            return found[1].decode()
    raise AssertionError(f"The mock of Stripe ended at once: {b''.join(lines).decode()}")


async def _let_it_talk(told: asyncio.StreamReader) -> None:
    while await told.read(65_536):
        pass


def _dying_with_us() -> list[str]:
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", "KILL"] if setpriv else []
