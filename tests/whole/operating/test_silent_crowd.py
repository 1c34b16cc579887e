"""Silent connections by the hundred leave a service with few open files able to answer others."""

import asyncio
import re
import resource
import socket
from collections.abc import Iterator
from typing import Final

import httpx
import pytest

from tests.conftest import Database
from tests.processes import Served, mahjic, serving
from tests.whole.operating.test_takeover import a_session

# A third of what systems give at least; the service needs some sixty for itself.
FILES: Final = 320
SILENT: Final = 1500
DEADLINE_S: Final = 60


@pytest.fixture(autouse=True)
def many_files() -> Iterator[None]:
    """Let the test itself open as many connections as it needs."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * SILENT
    if before[1] != resource.RLIM_INFINITY and before[1] < wanted:
        pytest.skip(f"The hard limit of open files is {before[1]}; {wanted} are needed.")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(before[0], wanted), before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def connect(port: int, count: int, source: str) -> list[socket.socket]:
    """Open connections that say nothing."""
    return [
        socket.create_connection(("127.0.0.1", port), DEADLINE_S, source_address=(source, 0))
        for _ in range(count)
    ]


async def asked_from(source: str, served: Served, path: str) -> httpx.Response:
    """Ask once, on a connection of its own."""
    transport = httpx.AsyncHTTPTransport(local_address=source)
    async with httpx.AsyncClient(transport=transport, timeout=DEADLINE_S) as client:
        return await client.get(served.url + path)


async def test_a_crowd_that_says_nothing_takes_nothing_from_the_others(database: Database) -> None:
    environment = {
        "MAHJIC_DATABASE_URL": database.dsn,
        "MAHJIC_CONNECTIONS_PER_ADDRESS_MAX": "40",
        "MAHJIC_PUBLIC_LIMIT_PER_MINUTE": "100000",
    }
    limited = ("prlimit", f"--nofile={FILES}:{FILES}")
    async with serving(environment, before=limited) as served:
        assert "fewer_connections" in served.log
        await mahjic(environment, "source", "add", "a", "--name", "A", "--type", "club")
        key = await mahjic(environment, "key", "create", "a")
        port = int(served.url.rpartition(":")[2])
        silent = await asyncio.to_thread(connect, port, SILENT, "127.0.0.2")
        try:
            assert (await asked_from("127.0.0.2", served, "/v1/leaderboard")).status_code == 503
            transport = httpx.AsyncHTTPTransport(local_address="127.0.0.3")
            async with httpx.AsyncClient(
                transport=transport, base_url=served.url, timeout=DEADLINE_S
            ) as honest:
                bearer = {"Authorization": f"Bearer {key}"}
                answers = await asyncio.gather(
                    honest.post("/v1/sessions", json=a_session(1), headers=bearer),
                    *(honest.get("/v1/leaderboard") for _ in range(30)),
                    honest.get("/readyz"),
                )
            assert [each.status_code for each in answers] == [201] + [200] * 31
        finally:
            for each in silent:
                each.close()


async def test_a_crowd_from_everywhere_is_answered_503_and_forgotten_when_it_goes(
    database: Database,
) -> None:
    environment = {
        "MAHJIC_DATABASE_URL": database.dsn,
        "MAHJIC_PUBLIC_LIMIT_PER_MINUTE": "100000",
    }
    limited = ("prlimit", f"--nofile={FILES}:{FILES}")
    async with serving(environment, before=limited) as served:
        port = int(served.url.rpartition(":")[2])
        silent = [
            each
            for source in range(2, 17)
            for each in await asyncio.to_thread(connect, port, SILENT // 15, f"127.0.0.{source}")
        ]
        for _ in range(20):
            answer = await asked_from("127.0.0.1", served, "/v1/leaderboard")
            assert (answer.status_code, answer.headers.get("retry-after")) == (503, "5")
            assert answer.json()["code"] == "too_many_connections"
        for each in silent:
            each.close()
        async with asyncio.timeout(DEADLINE_S):
            while (await asked_from("127.0.0.1", served, "/v1/leaderboard")).status_code != 200:
                pass
        figures = (await asked_from("127.0.0.1", served, "/metrics")).text
        found = re.search(r'connections_refused_total\{reason="all"\} ([\d.]+)', figures)
        assert found is not None
        assert float(found[1]) >= SILENT - FILES
        assert "127.0.0" not in figures + served.log.replace(served.url, "")
