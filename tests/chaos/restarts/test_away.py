"""PostgreSQL away for seconds, or short of disk, under load: 503 meanwhile, and nothing is lost."""

import asyncio
from itertools import islice

import asyncpg
import pytest

from shared.db.server.embedded import embedded_server
from tests.chaos.accounts import assert_settled
from tests.chaos.by_hand import read_logs
from tests.chaos.claims import errands
from tests.chaos.clients import Crowd, a_crowd
from tests.chaos.restarts.away import (
    SOON,
    a_small_disk,
    filled,
    postgres_away_from,
    until_told_to_come_again,
)
from tests.chaos.site import Site, a_place, a_site
from tests.log.chances import seeded_chance

ERRANDS = 40
# A fresh folder with its copy of the programs takes half of it.
DISK_MIB = 200


async def test_postgres_is_away_for_seconds() -> None:
    supply = errands(seeded_chance())
    with a_place() as place:
        async with a_site(place / "data", **SOON) as site, a_crowd(site) as crowd:
            await crowd.send_all(islice(supply, ERRANDS))
            async with postgres_away_from(site):
                working = asyncio.create_task(crowd.send_all(islice(supply, ERRANDS)))
                await until_told_to_come_again(crowd)
                assert (await crowd.http.get(f"{site.url}/healthz")).status_code == 200
                assert (await crowd.http.get(f"{site.url}/readyz")).status_code == 503
            await working
            await assert_nothing_was_lost(site, crowd)


@pytest.mark.parametrize("what", ["tables", "the write-ahead log"])
async def test_the_disk_fills_up(what: str) -> None:
    supply = errands(seeded_chance())
    with a_small_disk(DISK_MIB) as disk:
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


async def assert_nothing_was_lost(site: Site, crowd: Crowd) -> None:
    """Settle all accounts once the views show all facts."""
    site.assert_alive()
    async with site.database() as pool:
        logs = await read_logs(pool)
    assert_settled(crowd.answers, logs)


async def begin_a_new_segment(site: Site) -> None:
    """Let the next commit need a new file of the write-ahead log."""
    async with embedded_server(site.folder, role="join") as server:
        connection = await asyncpg.connect(server.dsn)
        await connection.execute("SELECT pg_switch_wal()")
        await connection.close()
