"""A service whose words nobody can read serves all the same."""

import asyncio
import shutil
import signal
import socket
import sys

import httpx
import pytest

from tests.folders import open_folder
from tests.processes import clean_environment

DEADLINE_S = 60.0


def a_free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
    return port


@pytest.mark.parametrize("stderr", ["2>&-", "2>/dev/full"], ids=["closed", "on a full disk"])
async def test_a_service_that_cannot_log_serves(stderr: str) -> None:
    folder, port = open_folder(), a_free_port()
    command = f"exec {sys.executable} -m services.cli serve --data {folder}/data --port {port}"
    process = await asyncio.create_subprocess_shell(f"{command} {stderr}", env=clean_environment())
    async with asyncio.timeout(DEADLINE_S):
        try:
            await until_ready(f"http://127.0.0.1:{port}/readyz", process)
        finally:
            if process.returncode is None:
                process.send_signal(signal.SIGTERM)
        assert await process.wait() == 0
    shutil.rmtree(folder)


async def until_ready(url: str, process: asyncio.subprocess.Process) -> None:
    async with httpx.AsyncClient() as client:
        while True:
            assert process.returncode is None, "The service ended by itself."
            try:
                answer = await client.get(url)
            except httpx.TransportError:
                await asyncio.sleep(0.02)
            else:
                assert answer.status_code == 200
                return
