"""Runs what is measured and what measures, each in a process of its own."""

import asyncio
import json
import os
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any


@asynccontextmanager
async def a_server(*arguments: str) -> AsyncIterator[tuple[int, str]]:
    """Run the measured service; gives its port and a source's key."""
    with a_folder() as folder:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "bench.server",
            "--data",
            str(folder),
            *arguments,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,  # The log is written as ever, and no one reads it.
        )
        assert process.stdout is not None
        try:
            async with asyncio.timeout(600):
                words = (await process.stdout.readline()).decode().split()
            assert words, "The measured service did not start."
            yield int(words[1]), words[2]
        finally:
            if process.returncode is None:
                process.terminate()
            await process.wait()


@asynccontextmanager
async def a_redis() -> AsyncIterator[str]:
    """Run a Redis server on a socket of its own, without persistence."""
    with a_folder() as folder:
        socket = str(folder / "redis.sock")
        process = await asyncio.create_subprocess_exec(
            "redis-server",
            "--port",
            "0",
            "--unixsocket",
            socket,
            "--save",
            "",
            "--dir",
            str(folder),
            stdout=asyncio.subprocess.DEVNULL,
        )
        try:
            async with asyncio.timeout(10):
                while not os.path.exists(socket):  # noqa: ASYNC240, PTH110 - once, before it all.
                    await asyncio.sleep(0.02)
            yield socket
        finally:
            process.terminate()
            await process.wait()


class a_folder:  # noqa: N801 - it reads as words.
    """A temporary folder that every account may pass through."""

    def __enter__(self) -> Path:
        self._parent = Path(tempfile.mkdtemp(prefix="mahjic-bench-", dir="/tmp"))
        self._parent.chmod(0o755)
        folder = self._parent / "data"
        folder.mkdir()
        return folder

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._parent)


async def load(
    port: int,
    path: str,
    key: str | None = None,
    *,
    seconds: float,
    seed: int = 1,
    rate: float | None = None,
    connections: int = 64,
    prefer: str | None = None,
    count: int | None = None,
    each: bool = False,
) -> dict[str, Any]:
    """Run the load in a process of its own and return what it measured."""
    options = ["--port", port, "--path", path, "--seconds", seconds, "--seed", seed]
    options += ["--connections", connections]
    options += ["--key", key] if key else []
    options += ["--rate", rate] if rate else []
    options += ["--prefer", prefer] if prefer else []
    options += ["--count", count] if count else []
    options += ["--each"] if each else []
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bench.load", *map(str, options), stdout=asyncio.subprocess.PIPE
    )
    printed, _ = await process.communicate()
    assert process.returncode == 0, "The load failed."
    result: dict[str, Any] = json.loads(printed)
    return result


def check_statuses(results: Sequence[dict[str, Any]], allowed: set[str]) -> None:
    """A rate of refusals is no rate: every answer must be one of the allowed."""
    for each in results:
        assert set(each["statuses"]) <= allowed, each["statuses"]
