"""The embedded server: shared by its users, taken over from killed ones, never lost under one."""

import asyncio
import os
import resource
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from shared.db.away import DATABASE_AWAY
from shared.db.folder import DataFolderInUse
from shared.db.pool import DatabaseUnreachable, open_pool
from shared.db.server.cluster import DataFolderOtherVersion
from shared.db.server.embedded import EmbeddedServer, Role, embedded_server
from tests.db.programs import a_program, listen, start

ACCOUNTS = [pytest.param("", id="as_we_are")]
if os.geteuid() == 0:
    ACCOUNTS.append(pytest.param("daemon", id="as_an_ordinary_account"))
DEADLINE_S = 30.0


async def ask(server: EmbeddedServer, question: str) -> Any:
    connection = await asyncpg.connect(server.dsn)
    try:
        return await connection.fetchval(question)
    finally:
        await connection.close()


def server_number(folder: Path) -> int:
    return int((folder / "postgres" / "postmaster.pid").read_text().splitlines()[0])


def is_alive(process_id: int) -> bool:
    try:
        state = Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def wait_until(condition: Callable[[], bool], what: str) -> None:
    deadline_s = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < deadline_s, f"Not in {DEADLINE_S} s: {what}"
        time.sleep(0.01)


async def test_data_outlives_the_server(folder: Path) -> None:
    async with embedded_server(folder, role="serve") as server:
        await ask(server, "CREATE TABLE kept AS SELECT 7 AS number")
    assert not (folder / "postgres/postmaster.pid").exists()
    async with embedded_server(folder, role="serve") as server:
        assert await ask(server, "SELECT number FROM kept") == 7


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("fsync", "on"),
        ("full_page_writes", "on"),
        ("synchronous_commit", "on"),
        ("data_checksums", "on"),
        ("listen_addresses", ""),
        ("server_encoding", "UTF8"),
        ("TimeZone", "UTC"),
    ],
)
async def test_the_server_runs_with(
    postgres_server: EmbeddedServer, setting: str, value: str
) -> None:
    assert await ask(postgres_server, f"SELECT current_setting('{setting}')") == value


async def test_the_log_of_the_server_never_quotes_a_value(folder: Path) -> None:
    async with embedded_server(folder, role="join") as server:
        connection = await asyncpg.connect(server.dsn)
        await connection.execute("CREATE TABLE people (email text UNIQUE)")
        await connection.execute("INSERT INTO people VALUES ('ada@example.com')")
        with pytest.raises(asyncpg.UniqueViolationError, match="people_email_key"):
            await connection.execute("INSERT INTO people VALUES ('ada@example.com')")
        with pytest.raises(asyncpg.InvalidTextRepresentationError):
            await connection.execute("SELECT 'ada@example.com'::integer")
        await connection.close()
    log = (folder / "postgres.log").read_text()
    assert "ready to accept connections" in log
    assert "ada" not in log


async def test_a_second_serve_on_the_folder_is_refused(folder: Path) -> None:
    with a_program("serve", folder) as first:
        number = server_number(folder)
        with pytest.raises(DataFolderInUse, match=f"process {first.process.pid}") as refusal:
            async with embedded_server(folder, role="serve"):
                pass
        assert refusal.value.code == "data_folder_in_use"
        assert server_number(folder) == number
        first.leave()
    async with embedded_server(folder, role="serve") as server:
        assert await ask(server, "SELECT 1") == 1


@pytest.mark.parametrize("account", ACCOUNTS)
def test_the_server_of_a_killed_serve_is_taken_over(place: Path, account: str) -> None:
    with a_program("serve", place / "data", account=account) as killed:
        killed.kill()
        number = server_number(place / "data")
        assert is_alive(number)
    with a_program("serve", place / "data", account=account) as heir:
        assert heir.said["server_started_at"] == killed.said["server_started_at"]
        heir.leave()
    assert not is_alive(number)


@pytest.mark.parametrize("account", ACCOUNTS)
def test_a_command_joins_the_running_server_and_leaves_it_running(
    place: Path, account: str
) -> None:
    with a_program("serve", place / "data", account=account) as serve:
        with a_program("join", place / "data", account=account) as command:
            assert command.said == serve.said
            command.leave()
        assert is_alive(server_number(place / "data"))
        serve.leave()
    assert not (place / "data/postgres/postmaster.pid").exists()


@pytest.mark.parametrize("first_role", ["join", "serve"])
def test_who_started_the_server_may_leave_before_the_others(folder: Path, first_role: str) -> None:
    with a_program(first_role, folder) as first:
        number = server_number(folder)
        with a_program("join", folder) as second:
            first.leave()
            assert is_alive(number)
            with a_program("serve", folder) as third:
                second.leave()
                assert third.said == first.said
                third.leave()
    assert not is_alive(number)


def test_commands_that_start_at_once_on_a_new_folder_share_one_server(place: Path) -> None:
    with ExitStack() as stack:
        processes = [stack.enter_context(start("join", place / "data")) for _ in range(5)]
        for process in processes:
            stack.callback(process.kill)
        programs = [listen(process) for process in processes]
        assert len({program.said["server_started_at"] for program in programs}) == 1
        number = server_number(place / "data")
        for program in programs:
            assert is_alive(number)
            program.leave()
        assert not is_alive(number)


async def test_users_that_come_and_go_always_have_a_server(place: Path) -> None:
    async def use(role: Role) -> None:
        for turn in range(5):
            async with embedded_server(place / "data", role=role) as server:
                assert await ask(server, f"SELECT {turn}") == turn

    await asyncio.gather(use("serve"), *(use("join") for _ in range(3)))


async def test_a_server_that_dies_under_serve_is_started_again(folder: Path) -> None:
    reports: list[str] = []
    async with embedded_server(folder, role="serve", report=reports.append) as server:
        pool = await open_pool(server.dsn, application_name="tests", size_max=4)
        await pool.execute("CREATE TABLE kept AS SELECT 7 AS number")
        os.kill(server_number(folder), signal.SIGKILL)
        async with asyncio.timeout(DEADLINE_S):
            while len(reports) < 2:
                await asyncio.sleep(0.01)
        assert reports == [
            "PostgreSQL stopped on its own; starting it again.",
            "PostgreSQL is running again.",
        ]
        assert await until_answered(pool, "SELECT number FROM kept") == 7
        await pool.close()


async def test_a_server_that_cannot_start_again_is_reported_until_it_can(folder: Path) -> None:
    reports: list[str] = []
    version = folder / "postgres" / "PG_VERSION"
    async with embedded_server(folder, role="serve", report=reports.append) as server:
        version.write_text("17\n")
        os.kill(server_number(folder), signal.SIGKILL)
        async with asyncio.timeout(DEADLINE_S):
            while len(reports) < 2:
                await asyncio.sleep(0.01)
        assert "could not be started again" in reports[1]
        assert "incompatible" in reports[1]
        version.write_text("18\n")
        async with asyncio.timeout(DEADLINE_S):
            while reports[-1] != "PostgreSQL is running again.":
                await asyncio.sleep(0.01)
        assert await ask(server, "SELECT 1") == 1


async def test_a_watch_that_may_open_no_file_for_a_while_goes_on(folder: Path) -> None:
    reports: list[str] = []
    async with embedded_server(folder, role="serve", report=reports.append) as server:
        files_max, files_hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (3, files_hard))
        try:
            async with asyncio.timeout(DEADLINE_S):
                while not reports:
                    await asyncio.sleep(0.01)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (files_max, files_hard))
        assert reports[0].startswith("PostgreSQL cannot be checked right now: ")
        os.kill(server_number(folder), signal.SIGKILL)
        async with asyncio.timeout(DEADLINE_S):
            while reports[-1] != "PostgreSQL is running again.":
                await asyncio.sleep(0.01)
        assert await ask(server, "SELECT 1") == 1


async def test_a_server_that_cannot_be_seen_is_not_joined_by_a_second_one(folder: Path) -> None:
    # As from another container: its socket is in the folder, its process is not in our list.
    path = folder / "socket" / ".s.PGSQL.5432"
    hidden = await asyncio.start_unix_server(lambda _, writer: writer.close(), path)
    async with hidden:
        with pytest.raises(DataFolderInUse, match="another container"):
            async with embedded_server(folder, role="join"):
                pass
    async with embedded_server(folder, role="join") as server:
        assert await ask(server, "SELECT 1") == 1


async def test_a_busy_session_of_a_killed_server_does_not_block_the_next(folder: Path) -> None:
    async with embedded_server(folder, role="serve") as server:
        busy = await asyncpg.connect(server.dsn)
        session = await busy.fetchval("SELECT pg_backend_pid()")
        endless = asyncio.ensure_future(
            busy.fetchval("SELECT count(*) FROM generate_series(1, 1e15)")
        )
        # It counts in memory and never waits, so it does not notice that its server is gone.
        other = await asyncpg.connect(server.dsn)
        while not await other.fetchval(
            "SELECT true FROM pg_stat_activity WHERE pid = $1 AND state = 'active'", session
        ):
            await asyncio.sleep(0.01)
        os.kill(server_number(folder), signal.SIGKILL)
        pool = await open_again(server.dsn)
        assert await until_answered(pool, "SELECT 1") == 1
        assert not is_alive(session)
        with pytest.raises((asyncpg.PostgresError, OSError)):
            await endless
        other.terminate()
        await pool.close()


async def open_again(dsn: str) -> asyncpg.Pool:
    async with asyncio.timeout(DEADLINE_S):
        while True:
            try:
                return await open_pool(dsn, application_name="tests", size_max=2)
            except DatabaseUnreachable:
                await asyncio.sleep(0.05)


async def until_answered(pool: asyncpg.Pool, question: str) -> Any:
    async with asyncio.timeout(DEADLINE_S):
        while True:
            try:
                return await pool.fetchval(question)
            except DATABASE_AWAY:
                await asyncio.sleep(0.02)


def test_a_number_that_belongs_to_a_stranger_by_now_is_left_alone(folder: Path) -> None:
    # A stranger of the same account: PostgreSQL by itself would refuse to start beside it.
    identity: dict[str, Any] = {}
    if os.geteuid() == 0:
        status = (folder / "postgres").stat()
        identity = {"user": status.st_uid, "group": status.st_gid, "extra_groups": []}
    with subprocess.Popen(["/bin/sleep", "600"], cwd=folder, **identity) as stranger:
        try:
            forge_number(folder, stranger.pid)
            with a_program("serve", folder) as next_user:
                assert "dsn" in next_user.said, next_user.said
                next_user.leave()
            assert stranger.poll() is None
        finally:
            stranger.kill()


async def test_a_number_that_belongs_to_another_server_by_now_is_left_alone(
    folder: Path, postgres_server: EmbeddedServer
) -> None:
    forge_number(folder, server_number(postgres_server.folder))
    async with embedded_server(folder, role="serve") as server:
        number = await ask(server, "SELECT pg_postmaster_start_time()::text")
        assert number != await ask(postgres_server, "SELECT pg_postmaster_start_time()::text")
    assert await ask(postgres_server, "SELECT 1") == 1


def forge_number(folder: Path, process_id: int) -> None:
    lines = [
        str(process_id),
        f"{folder}/postgres",
        "1",
        "5432",
        f"{folder}/socket",
        "",
        "1",
        "ready",
    ]
    # PostgreSQL writes its number into the lock of its socket as well.
    for place in ("postgres/postmaster.pid", "socket/.s.PGSQL.5432.lock"):
        (folder / place).write_text("\n".join(lines) + "\n")


async def test_a_folder_of_another_major_version_is_refused(folder: Path) -> None:
    (folder / "postgres" / "PG_VERSION").write_text("17\n")
    roles: tuple[Role, ...] = ("serve", "join")
    for role in roles:
        with pytest.raises(DataFolderOtherVersion, match="PostgreSQL 17") as refusal:
            async with embedded_server(folder, role=role):
                pass
        assert refusal.value.code == "data_folder_other_version"


async def test_making_the_data_that_was_interrupted_starts_over(place: Path) -> None:
    folder = place / "data"
    (folder / "postgres.unfinished").mkdir(parents=True)
    (folder / "postgres.unfinished" / "PG_VERSION").write_text("18\n")
    (folder / "start.lock").touch()
    async with embedded_server(folder, role="serve") as server:
        assert await ask(server, "SELECT 1") == 1


async def test_a_canceled_start_leaves_no_server(place: Path) -> None:
    async def use() -> None:
        async with embedded_server(place / "data", role="serve"):
            raise AssertionError("The start was to be canceled.")

    starting = asyncio.create_task(use())
    while not (place / "data/users.lock").exists():
        await asyncio.sleep(0.001)
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert not (place / "data/postgres/postmaster.pid").exists()
    async with embedded_server(place / "data", role="serve") as server:
        assert await ask(server, "SELECT 1") == 1
