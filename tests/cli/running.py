"""Runs the `mahjic` command, inside the test or as a program, and tells how it ended."""

import asyncio
import contextlib
import io
import os
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from services.cli import main
from tests.processes import END_S_MAX

ROOT = Path(__file__).parents[2]
PROGRAM = (sys.executable, "-m", "services.cli")


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended."""

    exit_code: int | None
    stdout: str
    stderr: str

    @property
    def rows(self) -> list[list[str]]:
        """The lines of a table, its head included."""
        return [line.split("\t") for line in self.stdout.splitlines()]


def call(*arguments: str) -> Ended:
    """Run a command inside this process. It must not be called from a running event loop."""
    out, err = _stream(), _stream()
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        pytest.raises(SystemExit) as ended,
    ):
        main(arguments)
    code = ended.value.code
    assert isinstance(code, int)
    return Ended(code, _written(out), _written(err))


def _stream() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="", write_through=True)


def _written(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


async def mahjic(*arguments: str) -> Ended:
    """Run a command inside this process, in a thread, so that its own event loop can run."""
    return await asyncio.to_thread(call, *arguments)


async def start(*arguments: str, **environment: str) -> asyncio.subprocess.Process:
    """Start a command as a program, with no settings but those given."""
    return await asyncio.create_subprocess_exec(
        *PROGRAM,
        *arguments,
        cwd=ROOT,
        env=without_settings() | environment,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


async def end_of(program: asyncio.subprocess.Process, stdin: bytes = b"") -> Ended:
    """Wait until a program has ended."""
    async with asyncio.timeout(END_S_MAX):
        stdout, stderr = await program.communicate(stdin)
    return Ended(program.returncode, stdout.decode(), stderr.decode())


def without_settings() -> dict[str, str]:
    """Return the environment of the tests without what would change what a command does."""
    ours = ("MAHJIC_", "FORCE_COLOR", "TTY_", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)}
