"""The pool: what it sets, and what it says when the server cannot be reached."""

import asyncio
import os
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import quote

import pytest

from shared.db.pool import DatabaseTooOld, DatabaseUnreachable, open_pool
from tests.conftest import Database
from tests.db.own_server import PASSWORD


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("TimeZone", "UTC"),
        ("application_name", "mahjic rater"),
        ("idle_in_transaction_session_timeout", "1min"),
    ],
)
async def test_a_connection_has(database: Database, setting: str, value: str) -> None:
    pool = await open_pool(database.dsn, application_name="rater", size_max=1)
    assert await pool.fetchval(f"SELECT current_setting('{setting}')") == value
    await pool.close()


async def test_the_pool_never_opens_more_than_its_size(database: Database) -> None:
    pool = await open_pool(database.dsn, application_name="rater", size_max=2)
    question = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'mahjic rater'"
    async with pool.acquire(), pool.acquire():
        with pytest.raises(TimeoutError):
            await pool.acquire(timeout=0.05)
        assert await database.pool.fetchval(question) == 2
    await pool.close()


@pytest.mark.parametrize(
    "dsn",
    [
        "postgresql://ada:s3cret@127.0.0.1:1/mahjic",
        "postgresql://ada:s3cret@%2Fnowhere/mahjic",
        "postgresql://ada@127.0.0.1:1/mahjic?password=s3cret",
        "postgresql://ada:x/s3cret@127.0.0.1/mahjic",
        "postgresql://127.0.0.1:1/s3cret@127.0.0.1/mahjic",
        "postgresql://ada:x@s3cret:y@127.0.0.1:s3cret/mahjic",
        "mysql://ada:s3cret@127.0.0.1/mahjic",
        "s3cret",
        "",
    ],
)
async def test_a_url_that_leads_nowhere_is_told_without_the_password(
    dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in os.environ if name.startswith("PG")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PGHOST", "/nowhere")
    with pytest.raises(DatabaseUnreachable) as failure:
        await open_pool(dsn, application_name="rater", size_max=1)
    assert failure.value.code == "database_unreachable"
    told = repr(failure.value) + failure.value.detail + repr(failure.value.__cause__)
    assert "s3cret" not in told
    assert failure.value.__cause__ is not None or failure.value.__suppress_context__


async def test_a_wrong_password_is_told_without_it(own_server: str) -> None:
    dsn = own_server.replace(quote(PASSWORD, safe=""), "wr0ng")
    with pytest.raises(DatabaseUnreachable, match='failed for user "operator"') as failure:
        await open_pool(dsn, application_name="rater", size_max=1)
    assert "wr0ng" not in failure.value.detail


async def test_a_password_with_odd_characters_opens_the_door(own_server: str) -> None:
    pool = await open_pool(own_server, application_name="rater", size_max=1)
    assert await pool.fetchval("SELECT current_user") == "operator"
    await pool.close()


@pytest.mark.parametrize("version", ["14.13", "9.6.24"])
async def test_a_server_too_old_is_refused(version: str) -> None:
    async with a_server_that_says_it_is(version) as port:
        with pytest.raises(DatabaseTooOld, match=f"PostgreSQL {version[:3]}") as refusal:
            await open_pool(f"postgresql://a@127.0.0.1:{port}/b", application_name="x", size_max=1)
        assert refusal.value.code == "database_too_old"


async def test_the_oldest_version_that_is_tried_is_taken() -> None:
    async with a_server_that_says_it_is("15.0") as port:
        dsn = f"postgresql://a@127.0.0.1:{port}/b"
        pool = await open_pool(dsn, application_name="x", size_max=1)
        pool.terminate()


@asynccontextmanager
async def a_server_that_says_it_is(version: str) -> AsyncIterator[int]:
    """Speak the start of the protocol (PostgreSQL manual, 54.2) and take any statement."""

    def message(kind: bytes, body: bytes) -> bytes:
        return kind + struct.pack("!I", len(body) + 4) + body

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        length, code = struct.unpack("!II", await reader.readexactly(8))
        if code == 80877103:  # The client asks for TLS first.
            writer.write(b"N")
            (length,) = struct.unpack("!I", await reader.readexactly(4))
            await reader.readexactly(length - 4)
        else:
            await reader.readexactly(length - 8)
        ready = message(b"Z", b"I")
        writer.write(
            message(b"R", struct.pack("!I", 0))
            + message(b"S", b"server_version\0" + version.encode() + b"\0")
            + message(b"K", struct.pack("!II", 1, 2))
            + ready
        )
        while kind := await reader.read(1):
            (length,) = struct.unpack("!I", await reader.readexactly(4))
            await reader.readexactly(length - 4)
            if kind == b"Q":
                writer.write(message(b"C", b"SELECT 0\0") + ready)
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]
