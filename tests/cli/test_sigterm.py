"""A command that is told to stop takes the database that it started down with it."""

import asyncio
import shutil
import signal
import sys
import time
from pathlib import Path

import asyncpg
import psutil  # type: ignore[import-untyped]

from services.wiring import open_server
from shared.settings import Settings
from tests.conftest import open_folder
from tests.processes import clean_environment

DEADLINE_S = 30.0


async def test_a_terminated_command_leaves_no_database_running() -> None:
    folder = open_folder()
    data = folder / "data"
    # Somebody holds a table, so that the command has to wait in the middle of its work.
    async with open_server(Settings(data=data), role="join") as dsn:
        await start_and_end(data, "source", "list")
        holder = await asyncpg.connect(dsn)
        async with holder.transaction():
            await holder.execute("LOCK TABLE mahjic.sources IN ACCESS EXCLUSIVE MODE")
            process = await start(data, "source", "list")
            await until_waiting(holder)
            process.send_signal(signal.SIGTERM)
            assert await asyncio.wait_for(process.wait(), DEADLINE_S) == 128 + signal.SIGTERM
        await holder.close()
    assert not [each for each in psutil.process_iter(["cmdline"]) if is_of(each, data)]
    shutil.rmtree(folder)


async def start(data: Path, *arguments: str) -> asyncio.subprocess.Process:
    command = [sys.executable, "-m", "services.cli", *arguments, "--data", str(data)]
    return await asyncio.create_subprocess_exec(*command, env=clean_environment())


async def start_and_end(data: Path, *arguments: str) -> None:
    process = await start(data, *arguments)
    assert await asyncio.wait_for(process.wait(), DEADLINE_S) == 0


async def until_waiting(connection: asyncpg.Connection) -> None:
    deadline = time.monotonic() + DEADLINE_S
    waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted"
    while not await connection.fetchval(waiting):
        assert time.monotonic() < deadline, "The command never came to the lock."
        await asyncio.sleep(0.02)


def is_of(process: psutil.Process, data: Path) -> bool:
    return str(data) in " ".join(process.info["cmdline"] or [])
