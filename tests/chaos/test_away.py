"""PostgreSQL away for seconds, or short of disk, under load: 503 meanwhile, and nothing is lost."""

import asyncio
import fcntl
import os
import subprocess
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from itertools import islice
from pathlib import Path

import asyncpg
import httpx
import pytest

from shared.db.embedded import embedded_server
from tests.chaos.accounts import (
    assert_answered_truly,
    assert_each_fact_has_its_verdict,
    assert_rated_by_the_rules,
    assert_recorded_once,
)
from tests.chaos.by_hand import read_logs, replayed
from tests.chaos.claims import errands
from tests.chaos.clients import ANSWER_S_MAX, Crowd
from tests.chaos.site import Site, a_place, a_site
from tests.chaos.system import gone, kill
from tests.log.chances import seeded_chance
from tests.log.deadlines import until

# A second is enough to see that a database is away; clients of a real service are given longer.
SOON = {"MAHJIC_DATABASE_WAIT_S_MAX": "1"}
ERRANDS = 40
UNAVAILABLE_MIN = 5
# A fresh folder with its copy of the programs takes half of it.
DISK_MIB = 200


async def test_postgres_is_away_for_seconds() -> None:
    supply = errands(seeded_chance())
    with a_place() as place:
        async with a_site(place / "data", **SOON) as site, a_crowd(site) as crowd:
            await crowd.send_all(islice(supply, ERRANDS))
            postmaster = await site.living_postmaster()
            with nobody_starts_postgres_in(site.folder):
                kill(postmaster)
                await gone(postmaster)
                working = asyncio.create_task(crowd.send_all(islice(supply, ERRANDS)))
                await until_told_to_come_again(crowd)
                assert (await crowd.http.get(f"{site.url}/healthz")).status_code == 200
                assert (await crowd.http.get(f"{site.url}/readyz")).status_code == 503
            await working
            await assert_nothing_was_lost(site, crowd)


@pytest.mark.parametrize("what", ["tables", "the write-ahead log"])
async def test_the_disk_fills_up(what: str) -> None:
    supply = errands(seeded_chance())
    with a_small_disk() as disk:
        async with a_site(disk / "data", **SOON) as site, a_crowd(site) as crowd:
            await crowd.send_all(islice(supply, ERRANDS))
            with filled(disk):
                if what == "the write-ahead log":
                    await begin_a_new_segment(site)
                working = asyncio.create_task(crowd.send_all(islice(supply, ERRANDS)))
                await until_told_to_come_again(crowd)
                assert (await crowd.http.get(f"{site.url}/healthz")).status_code == 200
            await working
            await assert_nothing_was_lost(site, crowd)


@asynccontextmanager
async def a_crowd(site: Site) -> AsyncIterator[Crowd]:
    """Give clients of a site."""
    async with httpx.AsyncClient(timeout=ANSWER_S_MAX) as http:
        yield Crowd(site, http)


async def until_told_to_come_again(crowd: Crowd) -> None:
    """Wait until some clients were told, as the documents say, to send the same again later."""

    async def are_told() -> bool:
        return len(crowd.unavailable) >= UNAVAILABLE_MIN

    await until(are_told)
    for response in crowd.unavailable:
        assert response.json()["code"] == "database_unavailable"
        assert int(response.headers["Retry-After"]) > 0


async def assert_nothing_was_lost(site: Site, crowd: Crowd) -> None:
    """Settle all accounts once the views show all facts."""
    site.assert_alive()
    async with site.database() as pool:
        logs = await read_logs(pool)
    replay = replayed(logs.facts)
    assert_recorded_once(crowd.answers, logs)
    assert_each_fact_has_its_verdict(logs)
    assert_rated_by_the_rules(logs, replay)
    assert_answered_truly(crowd.answers, logs, replay)


@contextmanager
def nobody_starts_postgres_in(folder: Path) -> Iterator[None]:
    """Hold the lock under which the server of a folder is started."""
    with (folder / "start.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextmanager
def a_small_disk() -> Iterator[Path]:
    """Mount a disk that holds little more than a fresh data folder; this takes root's rights."""
    mount_point = Path(tempfile.mkdtemp(prefix="mahjic-tests-", dir="/tmp"))
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK_MIB}m,mode=0755", "tmpfs", str(mount_point)]
    done = subprocess.run(mount, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        mount_point.rmdir()
        pytest.skip(f"NOT TESTED, no disk can be mounted to be filled: {done.stderr.strip()}")
    try:
        yield mount_point
    finally:
        subprocess.run(["umount", "--lazy", mount_point], check=True)
        mount_point.rmdir()


@contextmanager
def filled(disk: Path) -> Iterator[None]:
    """Leave not a byte free on a disk while the context is open."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(4096))
    assert os.statvfs(disk).f_bavail == 0
    try:
        yield
    finally:
        filler.unlink()


async def begin_a_new_segment(site: Site) -> None:
    """Let the next commit need a new file of the write-ahead log."""
    async with embedded_server(site.folder, role="join") as server:
        connection = await asyncpg.connect(server.dsn)
        await connection.execute("SELECT pg_switch_wal()")
        await connection.close()
