"""`mahjic read` answers from a hot standby, and nothing of Mahjic writes to one."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import asyncpg
import httpx
import pytest

from services.projections.answering.reading import ViewReader
from services.projections.views import all_views
from shared.db.bell import Bell
from shared.db.folder import prepare_folder
from shared.db.pool import close_pool, open_pool
from shared.db.server.binaries import server_binaries
from shared.errors import ServiceUnavailable
from tests.db.own_server import an_own_server
from tests.db.standby import a_standby
from tests.folders import open_folder
from tests.log.deadlines import until
from tests.processes import Served, mahjic, serving, start
from tests.whole.operating.test_takeover import a_session
from tests.whole.web_visitor import WebVisitor, a_visitor

LAST: Final = "SELECT max(number) FROM mahjic.migrations"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two servers, one of which follows the other."""

    primary: str
    standby: str


@pytest.fixture
def programs() -> Iterator[Path]:
    """Give the folder of the programs of PostgreSQL, where any account can run them."""
    place = open_folder()
    yield server_binaries(prepare_folder(place / "data")).bin_folder
    shutil.rmtree(place)


@pytest.fixture
def pair(programs: Path) -> Iterator[Pair]:
    place = open_folder()
    with (
        an_own_server(place, programs) as primary,
        a_standby(place, programs, primary) as standby,
    ):
        yield Pair(primary, standby)
    shutil.rmtree(place, ignore_errors=True)


@asynccontextmanager
async def reading(pair: Pair) -> AsyncIterator[tuple[Served, httpx.AsyncClient]]:
    async with (
        serving({"MAHJIC_DATABASE_URL": pair.standby}, command="read") as served,
        httpx.AsyncClient(base_url=served.url, timeout=60, trust_env=False) as client,
    ):
        yield served, client


async def made(pair: Pair) -> None:
    """Let the primary make all that is read, and the standby follow."""
    async with (
        serving({"MAHJIC_DATABASE_URL": pair.primary}) as served,
        httpx.AsyncClient(base_url=served.url, timeout=60, trust_env=False) as client,
    ):

        async def are_there() -> bool:
            return (await client.get("/v1/leaderboard")).status_code == 200

        await until(are_there)
    await followed(pair)


async def followed(pair: Pair) -> None:
    """Wait until the standby has all that the primary has now."""
    primary = await asyncpg.connect(pair.primary)
    standby = await asyncpg.connect(pair.standby)
    try:
        end = await primary.fetchval("SELECT pg_current_wal_lsn()::text")

        async def has_it() -> bool:
            asked = "SELECT pg_last_wal_replay_lsn() >= $1::text::pg_lsn"
            return bool(await standby.fetchval(asked, end))

        await until(has_it)
    finally:
        await primary.close()
        await standby.close()


async def refusal(environment: dict[str, str], *arguments: str) -> str:
    """Run a command that is refused, and return what it says."""
    served = await start(environment, *arguments)
    assert await served.ended() == 1
    return served.log


async def test_what_is_written_on_the_primary_is_read_on_the_standby(pair: Pair) -> None:
    primary = {"MAHJIC_DATABASE_URL": pair.primary}
    standby = {"MAHJIC_DATABASE_URL": pair.standby}
    async with (
        serving(primary) as service,
        httpx.AsyncClient(base_url=service.url, timeout=60, trust_env=False) as writer,
    ):
        await mahjic(primary, "source", "add", "a", "--name", "A", "--type", "club")
        key = await mahjic(primary, "key", "create", "a")
        auditor = await mahjic(primary, "key", "create", "--auditor")
        await followed(pair)
        async with reading(pair) as (_, reader):
            ready = await reader.get("/readyz")
            assert ready.json() == {"status": "ready", "checks": {"database": "standby"}}
            source = {"Authorization": f"Bearer {key}"}
            for day in range(1, 6):
                claim = a_session(1) | {"session_date": f"2026-02-0{day}"}
                done = (await writer.post("/v1/sessions", json=claim, headers=source)).json()
                # At once, and yet none of them comes too early.
                for result in done["results"]:
                    player = f"/v1/players/{result['player_id']}?min_seq={done['seq']}"
                    profile = await reader.get(player)
                    assert profile.status_code == 200, profile.text
                    assert profile.json() == (await writer.get(player)).json()
                session = f"/v1/sessions/{done['session_id']}"
                answer = await reader.get(session, headers=source)
                assert answer.json() == (await writer.get(session, headers=source)).json()
            for path in ("/v1/leaderboard", "/v1/sources", "/v1/formula", "/v1/log/facts"):
                headers = {"Authorization": f"Bearer {auditor}"}
                theirs = (await writer.get(path, headers=headers)).text
                assert (await reader.get(path, headers=headers)).text == theirs, path
            never = await reader.get("/v1/leaderboard?min_seq=1000000")
            assert (never.status_code, never.json()["code"]) == (503, "view_behind")
            # That is for the primary, behind the same address.
            assert (await reader.post("/v1/sessions", json={})).status_code == 405
            figures = (await reader.get("/metrics")).text
            assert 'mahjic_view_fact_seq{view="profiles"}' in figures
            assert "mahjic_view_is_kept{" not in figures
        assert "database_is_standby" in await refusal(standby, "serve", "--port", "0")
        assert "database_is_standby" in await refusal(standby, "key", "create", "a")
        await mahjic(standby, "status")
        assert "is_standby" in await refusal(standby, "verify")


async def test_a_standby_that_is_promoted_is_read_on(pair: Pair) -> None:
    await made(pair)
    async with reading(pair) as (served, reader):
        assert (await reader.get("/v1/leaderboard")).status_code == 200
        connection = await asyncpg.connect(pair.standby)
        assert await connection.fetchval("SELECT pg_promote()")
        await connection.close()

        async def is_primary() -> bool:
            answer = await reader.get("/readyz")
            assert answer.status_code == 200
            return bool(answer.json()["checks"] == {"database": "ok"})

        await until(is_primary)
        assert (await reader.get("/v1/leaderboard")).status_code == 200
        assert served.process.returncode is None


async def test_a_site_on_a_standby_shows_its_pages_and_lets_people_in_once_it_is_promoted(
    pair: Pair,
) -> None:
    await made(pair)
    primary = {"MAHJIC_DATABASE_URL": pair.primary}
    connection = await asyncpg.connect(pair.primary)
    async with (
        serving({"MAHJIC_DATABASE_URL": pair.standby}, command="site") as served,
        a_visitor(served, connection) as visitor,
    ):
        async with serving(primary, command="site") as first, a_visitor(first, connection) as ann:
            await until(partial(is_open, ann))
            await ann.log_in("ann@example.com")
            # Somebody who is logged in at the primary comes to the standby.
            visitor.client.cookies.update(ann.client.cookies)
            await connection.execute("UPDATE mahjic.logins SET used_at = used_at - '1 h'::interval")
        await connection.close()
        await followed(pair)
        for path in ("/", "/leaderboard", "/about", "/readyz"):
            assert (await visitor.get(path)).status_code == 200, path
        assert not await is_open(visitor)
        assert (await visitor.get("/account")).status_code == 503
        assert (await visitor.send("/logout")).status_code == 503
        promoted = await asyncpg.connect(pair.standby)
        assert await promoted.fetchval("SELECT pg_promote()")
        await until(partial(is_open, visitor))
        assert (await visitor.get("/account")).status_code == 200
        async with a_visitor(served, promoted) as ben:
            await ben.log_in("ben@example.com")
        await promoted.close()
        assert await served.stop() == 0


async def is_open(visitor: WebVisitor) -> bool:
    """Return whether people can log in; if not, a page says to come again."""
    answer = await visitor.get("/login")
    assert answer.status_code in {200, 503}, answer.text
    return answer.status_code == 200


async def test_a_question_that_is_in_the_way_of_the_primary_is_503(pair: Pair) -> None:
    await made(pair)
    pool = await open_pool(pair.standby, application_name="mahjic read", size_max=5)
    reader = ViewReader(pool, all_views(), Bell())
    slow = asyncio.create_task(reader.fetch_plain("SELECT pg_sleep(60) FROM mahjic.head"))

    async def has_begun() -> bool:
        asked = (
            "SELECT count(*) FROM pg_stat_activity "
            "WHERE state = 'active' AND query LIKE 'SELECT pg_sleep%'"
        )
        return bool(await pool.fetchval(asked))

    await until(has_begun)
    primary = await asyncpg.connect(pair.primary)
    async with primary.transaction():
        await primary.execute("LOCK TABLE mahjic.head IN ACCESS EXCLUSIVE MODE")
        with pytest.raises(ServiceUnavailable):
            async with asyncio.timeout(20):
                await slow
    await primary.close()
    await close_pool(pool)


async def test_a_standby_of_another_version_is_refused_in_words(pair: Pair) -> None:
    standby = {"MAHJIC_DATABASE_URL": pair.standby}
    nothing = await refusal(standby, "read", "--port", "0")
    assert "database_older: This standby has 0 migrations" in nothing
    async with serving({"MAHJIC_DATABASE_URL": pair.primary}):
        pass
    primary = await asyncpg.connect(pair.primary)
    last = await primary.fetchval(LAST)
    await primary.execute("UPDATE mahjic.migrations SET sha256 = 'x' WHERE number = $1", last)
    await followed(pair)
    assert "migration_altered: " in await refusal(standby, "read", "--port", "0")
    await primary.execute(
        "INSERT INTO mahjic.migrations (number, name, sha256) VALUES ($1, 'later', 'x')", last + 1
    )
    await followed(pair)
    assert "database_newer: " in await refusal(standby, "read", "--port", "0")
    await primary.execute("DELETE FROM mahjic.migrations WHERE number >= $1", last)
    await followed(pair)
    older = await refusal(standby, "read", "--port", "0")
    assert f"database_older: This standby has {last - 1} migrations" in older
    await primary.close()


async def test_without_kafka_nothing_is_made_to_be_read(programs: Path) -> None:
    place = open_folder()
    with an_own_server(place, programs) as url:
        environment = {"MAHJIC_DATABASE_URL": url}
        assert "nothing_there: " in await refusal(environment, "read", "--port", "0")
        connection = await asyncpg.connect(url)
        assert await connection.fetchval("SELECT to_regnamespace('mahjic')") is None
        await connection.close()
    shutil.rmtree(place, ignore_errors=True)
