"""Processes for work that must not touch our own: apart, limited, and gone when we are done."""

import asyncio
import os
import resource
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

# The exit code of a child that fails through its own fault.
FAULT_OF_OURS: Final = 70


async def start_child(module: str) -> Process:
    """Start a module as a process that is talked to by pipes."""
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        module,
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
        # Nothing from our own environment: no keys, and no database address.
        env={"PYTHONPATH": os.pathsep.join(sys.path)},
        # A signal from the keyboard is for us. We end the child.
        start_new_session=True,
    )


async def end_child(child: Process) -> None:
    """End a process that was started, whatever it is doing."""
    with suppress(ProcessLookupError):
        child.kill()
    await child.wait()


@asynccontextmanager
async def a_child(module: str) -> AsyncIterator[Process]:
    """Provide a process for one piece of work. It is gone at the end, whatever happens."""
    child = await start_child(module)
    try:
        yield child
    finally:
        await end_child(child)


def limit(what: int, most: int) -> None:
    """Limit what this process may use. Not every system supports every limit."""
    try:
        resource.setrlimit(what, (most, most))
    except (OSError, ValueError):
        return
