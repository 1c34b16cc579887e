"""Real processes that keep the public logs, in both modes, killed at any time and begun again."""

import asyncio
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import httpx
import pytest

from services.transparency.beginning import init_public_logs
from services.transparency.folder import TransparencyFolder
from shared.tlog.leaves import LogName
from tests.conftest import Database
from tests.ingest.claims import a_round, a_session
from tests.kafka.broker import Broker
from tests.log.chances import seeded_chance
from tests.log.deadlines import until
from tests.processes import Served, mahjic, start
from tests.service import bearer
from tests.transparency.town import PUBLIC_URL
from tests.transparency.watching import Watcher
from tests.whole.kafka.kafka_site import a_kafka_site, environment_of

KILLS: Final = int(os.environ.get("MAHJIC_KILLS", "3"))
LIVES_S_MAX: Final = 2.0


@pytest.fixture
def transparency(tmp_path: Path) -> Mapping[str, str]:
    """Return the settings of public logs that were just made."""
    path = tmp_path / "transparency"
    init_public_logs(path, PUBLIC_URL)
    return {"MAHJIC_TRANSPARENCY": str(path), "MAHJIC_PUBLIC_URL": PUBLIC_URL}


async def until_signed(path: Path, size: int, log_name: LogName = "facts") -> None:
    """Wait until a log is signed at a size or beyond."""

    async def signed() -> bool:
        return TransparencyFolder(path).current(log_name).signed_size() >= size

    await until(signed)


async def test_serve_is_killed_while_it_signs(
    database: Database, transparency: Mapping[str, str]
) -> None:
    chance, path = seeded_chance(), Path(transparency["MAHJIC_TRANSPARENCY"])
    environment = {"MAHJIC_DATABASE_URL": database.dsn, **transparency}
    watcher, key = Watcher(path), ""
    for turn in range(KILLS):
        async with started(environment, "serve") as served:
            key = key or await new_key(environment)
            await submit_some(served.url, key, turn)
            await until_signed(path, 4 * turn + 1)
            watcher.look()
            # The instant of the kill is what this is about.
            await asyncio.sleep(chance.uniform(0, LIVES_S_MAX))
            await served.kill()
        watcher.look()
    async with started(environment, "serve") as served:
        await settle(database, path, watcher)
        assert await served.stop() == 0, served.log


async def test_on_kafka_the_follower_is_killed_while_it_signs(
    database: Database, kafka_broker: Broker, kafka_prefix: str, transparency: Mapping[str, str]
) -> None:
    chance, path = seeded_chance(), Path(transparency["MAHJIC_TRANSPARENCY"])
    environment = environment_of(database.dsn, kafka_broker, kafka_prefix) | dict(transparency)
    watcher = Watcher(path)
    async with a_kafka_site(environment, roles=("ingest", "relay", "rater", "read")) as site:
        for turn in range(KILLS):
            async with started(environment, "transparency", "follow") as served:
                await submit_some(site.served["ingest"].url, site.key, turn)
                await until_signed(path, 4 * turn + 1)
                watcher.look()
                await asyncio.sleep(chance.uniform(0, LIVES_S_MAX))
                await served.kill()
            watcher.look()
        async with started(environment, "transparency", "follow") as served:
            await settle(database, path, watcher)
            note = TransparencyFolder(path).current("verdicts").checkpoint()
            answer = await site.get("read", "/log/verdicts/checkpoint")
            assert (answer.status_code, answer.text) == (200, note)
            async with httpx.AsyncClient(trust_env=False) as client:
                figures = (await client.get(f"{served.url}/metrics")).text
            assert "mahjic_transparency_stopped 0.0" in figures
            assert await served.stop() == 0, served.log


async def settle(database: Database, path: Path, watcher: Watcher) -> None:
    """Wait until everything on the logs is signed, and look once more."""
    facts = await database.pool.fetchval("SELECT fact_seq FROM mahjic.head")
    await until_signed(path, facts)
    # Each fact has its verdict.
    await until_signed(path, facts, "verdicts")
    watcher.look()
    assert len(watcher.seen["facts"]) >= KILLS
    assert TransparencyFolder(path).stopped() is None


@asynccontextmanager
async def started(environment: Mapping[str, str], *command: str) -> AsyncIterator[Served]:
    """Run a command that serves while the context is open; whatever happens, it ends."""
    served = await start(environment, *command, "--port", "0")
    try:
        await served.serves()
        yield served
    finally:
        await served.kill()


async def new_key(environment: Mapping[str, str]) -> str:
    """Add a club, and return its key."""
    await mahjic(environment, "source", "add", "a-club", "--name", "A Club", "--type", "club")
    return await mahjic(environment, "key", "create", "a-club")


async def submit_some(url: str, key: str, turn: int) -> None:
    """Submit four sessions that nobody has submitted yet."""
    async with httpx.AsyncClient(base_url=url, timeout=60, trust_env=False) as client:
        for number in range(4):
            day = f"2026-{turn + 1:02}-{number + 1:02}"
            claim = a_session(a_round(ada=2, bo=1), on=day)
            answer = await client.post("/v1/sessions", json=claim, headers=bearer(key))
            assert answer.status_code in {200, 201, 202}, answer.text
