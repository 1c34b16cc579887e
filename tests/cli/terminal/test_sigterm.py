"""A command that a signal stops, at whatever moment, takes down the database that it started."""

import asyncio
import shutil
import signal
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import asyncpg
import psutil  # type: ignore[import-untyped]
import pytest

from services.database import open_server
from shared.settings import Settings
from tests.folders import open_folder
from tests.log.deadlines import until, until_seen
from tests.processes import clean_environment

DEADLINE_S = 30.0
WAITING = "SELECT count(*) FROM pg_locks WHERE NOT granted"


@pytest.fixture
def folder() -> Iterator[Path]:
    """Give a folder in which nothing may be running in the end."""
    folder = open_folder()
    yield folder
    assert_nothing_runs_in(folder)
    shutil.rmtree(folder)


async def test_a_terminated_command_leaves_no_database_running(folder: Path) -> None:
    data = folder / "data"
    await terminate_at_work(data, "source", "list")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
async def test_a_service_that_is_stopped_while_it_starts_leaves_no_database_running(
    folder: Path, number: signal.Signals
) -> None:
    data = folder / "data"
    process = await start(data, "serve", "--port", "0")
    await until_seen((data / "postgres" / "postmaster.pid").exists)
    process.send_signal(number)
    assert await asyncio.wait_for(process.wait(), DEADLINE_S) == 0


async def test_a_terminated_backup_leaves_neither_a_database_nor_half_a_file(folder: Path) -> None:
    data = folder / "data"
    await terminate_at_work(data, "backup", str(folder / "file"))
    assert names_in(folder) == ["data"]


async def terminate_at_work(data: Path, *arguments: str) -> None:
    """Terminate a command in the middle of its work, where it waits for a table."""
    async with open_server(Settings(data=data), role="join") as dsn:
        await start_and_end(data, "key", "create", "--operator", "--new")
        holder = await asyncpg.connect(dsn)
        async with holder.transaction():
            await holder.execute("LOCK TABLE mahjic.sources IN ACCESS EXCLUSIVE MODE")
            process = await start(data, *arguments)
            await until(partial(holder.fetchval, WAITING))
            process.send_signal(signal.SIGTERM)
            assert await asyncio.wait_for(process.wait(), DEADLINE_S) == 128 + signal.SIGTERM
        await holder.close()


async def start(data: Path, *arguments: str) -> asyncio.subprocess.Process:
    command = [sys.executable, "-m", "services.cli", *arguments, "--data", str(data)]
    return await asyncio.create_subprocess_exec(*command, env=clean_environment())


async def start_and_end(data: Path, *arguments: str) -> None:
    process = await start(data, *arguments)
    assert await asyncio.wait_for(process.wait(), DEADLINE_S) == 0


def names_in(folder: Path) -> list[str]:
    return [each.name for each in folder.iterdir()]


def assert_nothing_runs_in(folder: Path) -> None:
    lines = [" ".join(each.info["cmdline"] or []) for each in psutil.process_iter(["cmdline"])]
    assert not [line for line in lines if str(folder) in line]
