"""The examples that take webhooks end with what the interface says, whatever comes twice."""

import asyncio
import json
import os
import re
import sqlite3
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from services.notices.webhooks.endpoints import (
    WebhookEndpoint,
    add_endpoint,
    hold_endpoint,
    new_endpoint_id,
    send_since,
)
from tests.conftest import Database
from tests.ingest.claims import a_round, a_session
from tests.javascript.skipping import not_tried
from tests.javascript.tools import ROOT, NodeMissing, find_node
from tests.processes import mahjic, serving
from tests.service import bearer

CLUB = "a-club"
LISTENING = re.compile(rb"Listening on port (\d+)")
DEADLINE_S = 60
READY_S_MAX = 60


@dataclass
class Club:
    """A club at a served Mahjic: it sends nights, and names a server."""

    client: httpx.AsyncClient
    key: str
    database: Database

    async def post(self, path: str, body: Any) -> Any:
        headers = {**bearer(self.key), "prefer": "wait=30"}
        answer = await self.client.post(path, json=body, headers=headers)
        assert answer.status_code in {200, 201}, answer.text
        return answer.json()

    async def night(self, on: str) -> str:
        """Send a night, and return its session."""
        claim = a_session(a_round({"ann": 2, "ben": 1}), on=on)
        return str((await self.post("/v1/sessions", claim))["session_id"])

    async def correct(self, session_id: str, on: str) -> None:
        claim = {**a_session(a_round({"ann": 1, "ben": 2}), on=on), "reason": "wrong_result"}
        await self.post(f"/v1/sessions/{session_id}/corrections", claim)

    async def void(self, session_id: str) -> None:
        await self.post(f"/v1/sessions/{session_id}/void", {"reason": "test_entry"})

    async def name(self) -> WebhookEndpoint:
        """Name a server, which nobody runs yet."""
        endpoint_id = new_endpoint_id()
        async with self.database.pool.acquire() as connection, connection.transaction():
            url = "http://127.0.0.1:1024/"
            await add_endpoint(connection, CLUB, endpoint_id, url, now=datetime.now(UTC))
            return await hold_endpoint(connection, CLUB, endpoint_id)

    async def move(self, endpoint: WebhookEndpoint, port: int, *, since: int = 0) -> None:
        """Have an address lead to a port, and send there everything since a number."""
        async with self.database.pool.acquire() as connection, connection.transaction():
            await connection.execute(
                "UPDATE mahjic.webhook_endpoints SET url = $2 WHERE endpoint_id = $1",
                endpoint.endpoint_id,
                f"http://127.0.0.1:{port}/mahjic-events",
            )
            if since:
                await send_since(connection, endpoint, since)

    async def until_told(self, count: int) -> None:
        """Wait until so many things were told to the club."""
        await self._until("SELECT count(*) = $1 FROM mahjic.notices", count)

    async def until_sent(self, count: int) -> None:
        """Wait until so many events have arrived, and none waits."""
        settled = "outcome = 'delivered' AND due_at IS NULL"
        query = f"SELECT count(*) = $1 AND bool_and({settled}) FROM mahjic.webhook_deliveries"
        await self._until(query, count)

    async def _until(self, query: str, count: int) -> None:
        async with asyncio.timeout(DEADLINE_S):
            while not await self.database.pool.fetchval(query, count):
                await asyncio.sleep(0.05)

    async def sessions(self) -> Mapping[str, str]:
        """Return how the sessions stand, as the interface says."""
        headers = bearer(self.key)
        rows = (await self.client.get("/v1/sessions", headers=headers)).json()["sessions"]
        return {each["session_id"]: each["status"] for each in rows}


@asynccontextmanager
async def receiving(command: Sequence[str], environment: Mapping[str, str]) -> AsyncIterator[int]:
    """Run a receiver at a free port, and return the port."""
    process = await asyncio.create_subprocess_exec(
        *command, "0", env={**os.environ, **environment}, stdout=asyncio.subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        line = await asyncio.wait_for(process.stdout.readline(), READY_S_MAX)
        found = LISTENING.search(line)
        assert found is not None, line
        yield int(found[1])
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


def python_example(folder: Path) -> tuple[list[str], Callable[[], Mapping[str, str]]]:
    file = folder / "sessions.db"

    def kept() -> Mapping[str, str]:
        return dict(sqlite3.connect(file).execute("SELECT session_id, status FROM sessions"))

    return [sys.executable, str(ROOT / "examples" / "webhook_receiver.py"), str(file)], kept


def node_example(folder: Path) -> tuple[list[str], Callable[[], Mapping[str, str]]]:
    try:
        node = find_node()
    except NodeMissing as missing:
        not_tried(missing)
    # The package as npm would put it there.
    modules = folder / "node_modules"
    modules.mkdir()
    (modules / "mahjic-client").symlink_to(ROOT / "clients" / "js")
    example = folder / "webhook-receiver.mjs"
    example.write_text((ROOT / "examples" / example.name).read_text())
    file = folder / "sessions.json"

    def kept() -> Mapping[str, str]:
        sessions = json.loads(file.read_text())["sessions"]
        return {session_id: each["status"] for session_id, each in sessions.items()}

    return [node, str(example), str(file)], kept


@pytest.mark.parametrize("example", [python_example, node_example])
async def test_a_receiver_ends_with_what_the_interface_says(
    database: Database,
    tmp_path: Path,
    example: Callable[[Path], tuple[list[str], Callable[[], Mapping[str, str]]]],
) -> None:
    command, kept = example(tmp_path)
    environment = {"MAHJIC_DATABASE_URL": database.dsn, "MAHJIC_WEBHOOKS_LOOPBACK": "true"}
    async with (
        serving(environment) as served,
        httpx.AsyncClient(base_url=served.url, timeout=60) as client,
    ):
        await mahjic(environment, "source", "add", CLUB, "--name", "A Club", "--type", "club")
        club = Club(client, await mahjic(environment, "key", "create", CLUB), database)
        # What happened before there was a server, and what is sent while none runs.
        first, second = [await club.night(f"2026-01-0{day}") for day in (1, 2)]
        await club.until_told(2)
        endpoint = await club.name()
        known = {
            "MAHJIC_URL": served.url,
            "MAHJIC_KEY": club.key,
            "MAHJIC_WEBHOOK_SECRET": endpoint.secrets[0],
            "PYTHONPATH": str(ROOT / "clients" / "python" / "src"),
        }
        async with receiving(command, known) as port:
            assert kept() == {first: "rated", second: "rated"}
            await club.move(endpoint, port)
            third = await club.night("2026-01-03")
            await club.void(second)
            await club.until_sent(2)
            forged = await client.post(f"http://127.0.0.1:{port}/", json={"number": 99})
            assert forged.status_code == 400
            assert kept() == await club.sessions()
        await club.correct(first, "2026-01-01")
        fourth = await club.night("2026-01-04")
        await club.until_told(6)
        async with receiving(command, known) as port:
            assert kept() == await club.sessions()
            # Everything comes again, in whatever order.
            await club.move(endpoint, port, since=1)
            await club.until_sent(6)
            ended = await club.sessions()
            assert kept() == ended
        statuses = [ended[each] for each in (first, second, third, fourth)]
        assert statuses == ["corrected", "voided", "rated", "rated"]
        assert sorted(ended.values()) == ["corrected", "rated", "rated", "rated", "voided"]
