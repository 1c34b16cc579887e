"""Backup and restore: everything or nothing, on the embedded server and on the operator's own."""

import asyncio
import os
import random
import signal
import stat
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from shared.db.backup import BackupExists, BackupFailed, backup
from shared.db.backup_file import BackupDamaged, NotABackup, seal_backup
from shared.db.binaries import packaged_binaries
from shared.db.embedded import EmbeddedServer
from shared.db.migrations import migrate
from shared.db.pool import DatabaseUnreachable, open_pool
from shared.db.programs import Progress
from shared.db.restore import (
    BackupNewer,
    DatabaseInUse,
    DatabaseNotEmpty,
    RestoreFailed,
    restore,
)
from tests.conftest import Database, fresh_database
from tests.db.own_server import OWN_SERVERS, PASSWORD, an_own_server, needs_an_own_server
from tests.db.programs import CHECKOUT

FACTS = 3_000
CHAIN = bytes(range(32))


@pytest.fixture
async def source(database: Database) -> Database:
    """Return a migrated database with facts in it, incompressible ones, and a view."""
    await fill(database.pool)
    return database


@pytest.fixture
async def target(postgres_server: EmbeddedServer) -> AsyncIterator[Database]:
    """Return an empty database."""
    async with fresh_database(postgres_server, template="template0") as empty:
        yield empty


async def fill(pool: asyncpg.Pool) -> None:
    randomness = random.Random(1)
    facts = [(seq, CHAIN, randomness.randbytes(400)) for seq in range(1, FACTS + 1)]
    await pool.copy_records_to_table("facts", schema_name="mahjic", records=facts)
    await make_view(pool, "view_board_v1_1")
    await pool.execute("INSERT INTO view_board_v1_1.rows VALUES ($1)", "Ünï \\ \t \n'\"")


async def make_view(pool: asyncpg.Pool, schema: str) -> None:
    await pool.execute(f"CREATE SCHEMA {schema} CREATE TABLE rows (x text)")
    row = (schema, "board", 1, "log", 0, CHAIN, 0, 0)
    await pool.copy_records_to_table("view_builds", schema_name="mahjic", records=[row])


async def everything(dsn: str) -> dict[str, Sequence[Any]]:
    """Return every row of every table that is ours, by name."""
    connection = await asyncpg.connect(dsn)
    try:
        tables = await connection.fetch(
            "SELECT schemaname || '.' || tablename AS name FROM pg_tables "
            "WHERE schemaname ~ '^(mahjic$|view_)' ORDER BY 1"
        )
        return {
            row["name"]: [
                tuple(values) for values in await connection.fetch(f"TABLE {row['name']}")
            ]
            for row in tables
        }
    finally:
        await connection.close()


def names_in(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


async def leave(database: Database) -> None:
    """Close the test's own connections, which count as a Mahjic at work."""
    await database.pool.close()


async def test_what_was_backed_up_comes_back_whole(
    source: Database, target: Database, tmp_path: Path
) -> None:
    await leave(target)
    await backup(source.dsn, tmp_path / "b")
    await restore(target.dsn, tmp_path / "b")
    restored = await everything(target.dsn)
    assert restored == await everything(source.dsn)
    assert len(restored["mahjic.facts"]) == FACTS
    assert "view_board_v1_1.rows" in restored
    admin = await asyncpg.connect(target.dsn)
    assert await migrate(admin) == ()
    with pytest.raises(asyncpg.RaiseError, match="is a log"):
        await admin.execute("DELETE FROM mahjic.facts")
    await admin.close()


async def test_a_backup_is_for_its_owner_alone(source: Database, tmp_path: Path) -> None:
    await backup(source.dsn, tmp_path / "b")
    assert stat.S_IMODE((tmp_path / "b").stat().st_mode) == 0o600
    assert names_in(tmp_path) == ["b"]


async def test_a_backup_holds_one_instant_of_a_database_at_work(
    source: Database, target: Database, tmp_path: Path
) -> None:
    await leave(target)
    pool = source.pool
    await pool.execute("CREATE TABLE mahjic.one (n int); CREATE TABLE mahjic.two (n int)")

    async def work() -> None:
        while True:
            async with pool.acquire() as connection, connection.transaction():
                await connection.execute("INSERT INTO mahjic.one VALUES (1)")
                await connection.execute("INSERT INTO mahjic.two VALUES (1)")

    async def rows() -> int:
        return int(await pool.fetchval("SELECT count(*) FROM mahjic.two"))

    working = asyncio.create_task(work())
    async with asyncio.timeout(30):
        while not await rows():
            await asyncio.sleep(0)
    await backup(source.dsn, tmp_path / "b")
    working.cancel()
    await asyncio.wait([working])
    assert working.cancelled()
    await restore(target.dsn, tmp_path / "b")
    restored = await everything(target.dsn)
    assert 0 < len(restored["mahjic.one"]) == len(restored["mahjic.two"]) < await rows()


async def test_progress_goes_up_to_all_tables(
    source: Database, target: Database, tmp_path: Path
) -> None:
    await leave(target)
    for reports in (
        await reports_of(backup, source.dsn, tmp_path / "b"),
        await reports_of(restore, target.dsn, tmp_path / "b"),
    ):
        total = reports[-1].tables_total
        assert total == len(await everything(source.dsn))
        assert reports[-1].tables_done == total
        assert reports[-1].bytes_done > FACTS * 400
        done = [report.tables_done for report in reports]
        assert done == sorted(done)


async def reports_of(function: Any, dsn: str, file: Path) -> list[Progress]:
    reports: list[Progress] = []
    await function(dsn, file, report=reports.append)
    return reports


async def test_a_file_that_exists_is_kept_unless_told_otherwise(
    source: Database, tmp_path: Path
) -> None:
    (tmp_path / "b").write_text("precious")
    with pytest.raises(BackupExists) as refusal:
        await backup(source.dsn, tmp_path / "b")
    assert refusal.value.code == "backup_exists"
    assert (tmp_path / "b").read_text() == "precious"
    await backup(source.dsn, tmp_path / "b", overwrite=True)
    assert (tmp_path / "b").read_bytes().startswith(b"PGDMP")


async def test_a_failed_backup_leaves_the_older_file_and_nothing_else(
    source: Database, tmp_path: Path
) -> None:
    (tmp_path / "b").write_text("precious")
    # A damaged catalog: pg_dump reads it only after the file was begun.
    await source.pool.execute("CREATE TABLE mahjic.odd ()")
    await source.pool.execute("UPDATE pg_class SET relnamespace = 9 WHERE relname = 'odd'")
    with pytest.raises(BackupFailed, match="pg_dump failed") as failure:
        await backup(source.dsn, tmp_path / "b", overwrite=True)
    assert failure.value.code == "backup_failed"
    assert (tmp_path / "b").read_text() == "precious"
    assert names_in(tmp_path) == ["b"]


async def test_an_empty_database_is_not_backed_up(target: Database, tmp_path: Path) -> None:
    with pytest.raises(BackupFailed, match="nothing to back up"):
        await backup(target.dsn, tmp_path / "b")
    assert names_in(tmp_path) == []


async def test_a_folder_that_is_not_there_is_a_clear_error(
    source: Database, tmp_path: Path
) -> None:
    with pytest.raises(BackupFailed, match="No such file or directory"):
        await backup(source.dsn, tmp_path / "nowhere" / "b")


async def test_what_is_not_ours_is_neither_saved_nor_touched(
    source: Database, target: Database, tmp_path: Path
) -> None:
    await source.pool.execute("CREATE TABLE public.theirs_too (x int)")
    await target.pool.execute("CREATE TABLE public.theirs AS SELECT 5 AS x")
    await leave(target)
    await backup(source.dsn, tmp_path / "b")
    await restore(target.dsn, tmp_path / "b")
    after = await asyncpg.connect(target.dsn)
    assert await after.fetchval("SELECT x FROM public.theirs") == 5
    assert await after.fetchval("SELECT to_regclass('public.theirs_too')") is None
    await after.close()


async def test_data_that_is_there_is_refused_or_replaced_when_told(
    source: Database, database_of_another: Database, tmp_path: Path
) -> None:
    other = database_of_another
    before = await everything(other.dsn)
    await backup(source.dsn, tmp_path / "b")
    with pytest.raises(DatabaseNotEmpty) as refusal:
        await restore(other.dsn, tmp_path / "b")
    assert refusal.value.code == "database_not_empty"
    assert await everything(other.dsn) == before
    await restore(other.dsn, tmp_path / "b", replace=True)
    assert await everything(other.dsn) == await everything(source.dsn)


@pytest.fixture
async def database_of_another(postgres_server: EmbeddedServer) -> AsyncIterator[Database]:
    """Return a database with other data, and a view that no backup knows."""
    async with fresh_database(postgres_server, template="mahjic_template") as other:
        await make_view(other.pool, "view_old_v1_7")
        await other.pool.execute("INSERT INTO mahjic.facts VALUES (1, $1, 'other')", CHAIN)
        await leave(other)
        yield other


async def test_a_database_that_somebody_uses_is_refused(
    source: Database, target: Database, tmp_path: Path
) -> None:
    await backup(source.dsn, tmp_path / "b")
    await target.pool.fetchval("SELECT 1")
    with pytest.raises(DatabaseInUse, match="mahjic tests") as refusal:
        await restore(target.dsn, tmp_path / "b")
    assert refusal.value.code == "database_in_use"
    assert await everything(target.dsn) == {}


@pytest.mark.parametrize("seed", [random.randrange(1 << 32)])
async def test_a_changed_byte_anywhere_is_found_before_anything_is_touched(
    source: Database, target: Database, tmp_path: Path, seed: int
) -> None:
    await leave(target)
    seal = await backup(source.dsn, tmp_path / "b")
    whole = (tmp_path / "b").read_bytes()
    places = [5, seal.dump_bytes - 1, *random.Random(seed).sample(range(seal.dump_bytes), 20)]
    for place in places:
        damaged = bytearray(whole)
        damaged[place] ^= 1
        (tmp_path / "b").write_bytes(damaged)
        with pytest.raises((BackupDamaged, NotABackup)):
            await restore(target.dsn, tmp_path / "b")
    assert await everything(target.dsn) == {}


@pytest.mark.parametrize("cut_bytes", [1, 3, 1_000, 100_000])
async def test_a_file_that_was_cut_off_is_refused(
    source: Database, target: Database, tmp_path: Path, cut_bytes: int
) -> None:
    await leave(target)
    await backup(source.dsn, tmp_path / "b")
    os.truncate(tmp_path / "b", (tmp_path / "b").stat().st_size - cut_bytes)
    with pytest.raises(NotABackup, match="cut off") as refusal:
        await restore(target.dsn, tmp_path / "b")
    assert refusal.value.code == "not_a_backup"


@pytest.mark.parametrize("content", [b"", b"hello", b"PGDMP", b"\nMAHJIC BACKUP {}\n"])
async def test_other_files_are_refused(target: Database, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "b").write_bytes(content)
    with pytest.raises(NotABackup):
        await restore(target.dsn, tmp_path / "b")


async def test_a_file_that_is_not_there_is_a_clear_error(target: Database, tmp_path: Path) -> None:
    with pytest.raises(NotABackup, match="No such file"):
        await restore(target.dsn, tmp_path / "b")


async def test_a_backup_of_a_newer_program_is_refused(
    source: Database, target: Database, tmp_path: Path
) -> None:
    await leave(target)
    await source.pool.execute("INSERT INTO mahjic.migrations VALUES (9999, 'tomorrow', 'x')")
    await backup(source.dsn, tmp_path / "b")
    with pytest.raises(BackupNewer) as refusal:
        await restore(target.dsn, tmp_path / "b")
    assert refusal.value.code == "backup_newer"
    assert await everything(target.dsn) == {}


async def test_a_dump_that_breaks_halfway_leaves_the_database_as_it_was(
    source: Database, database_of_another: Database, tmp_path: Path
) -> None:
    # Cut first and sealed afterwards, so that only pg_restore can find out, in the middle of it.
    seal = await backup(source.dsn, tmp_path / "b")
    os.truncate(tmp_path / "b", seal.dump_bytes // 2)
    seal_backup(tmp_path / "b", migrations=1, server_version="18", tables=seal.tables)
    before = await everything(database_of_another.dsn)
    with pytest.raises(RestoreFailed, match="pg_restore failed") as failure:
        await restore(database_of_another.dsn, tmp_path / "b", replace=True)
    assert failure.value.code == "restore_failed"
    assert await everything(database_of_another.dsn) == before


async def test_a_server_that_refuses_halfway_leaves_the_database_as_it_was(
    source: Database, database_of_another: Database, tmp_path: Path
) -> None:
    await backup(source.dsn, tmp_path / "b")
    before = await everything(database_of_another.dsn)
    psql = packaged_binaries().bin_folder / "psql"
    cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
    cut += "AND application_name = 'mahjic restore'"
    is_cut = False

    def cut_the_connection(progress: Progress) -> None:
        nonlocal is_cut
        if not is_cut and progress.bytes_done > 500_000:
            is_cut = True
            subprocess.run([psql, "-c", cut, database_of_another.dsn], check=True)

    with pytest.raises(RestoreFailed, match="terminating connection"):
        await restore(
            database_of_another.dsn, tmp_path / "b", replace=True, report=cut_the_connection
        )
    assert is_cut
    assert await everything(database_of_another.dsn) == before


RESTORE_AND_DIE = """
import asyncio, os, pathlib, signal, sys
from shared.db.restore import restore
def die(progress):
    if progress.bytes_done > int(sys.argv[3]):
        os.kill(os.getpid(), signal.SIGKILL)
asyncio.run(restore(sys.argv[1], pathlib.Path(sys.argv[2]), replace=True, report=die))
"""


@pytest.mark.parametrize("bytes_before", [0, 300_000, 1_000_000])
async def test_a_restore_that_is_killed_leaves_the_database_as_it_was(
    source: Database, database_of_another: Database, tmp_path: Path, bytes_before: int
) -> None:
    await backup(source.dsn, tmp_path / "b")
    before = await everything(database_of_another.dsn)
    arguments = [database_of_another.dsn, str(tmp_path / "b"), str(bytes_before)]
    killed = await asyncio.create_subprocess_exec(
        sys.executable, "-c", RESTORE_AND_DIE, *arguments, cwd=CHECKOUT
    )
    assert await killed.wait() == -signal.SIGKILL
    await until_nobody_restores(database_of_another.dsn)
    assert await everything(database_of_another.dsn) == before


async def until_nobody_restores(dsn: str) -> None:
    connection = await asyncpg.connect(dsn)
    question = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'mahjic restore'"
    async with asyncio.timeout(30):
        while await connection.fetchval(question):
            await asyncio.sleep(0.02)
    await connection.close()


async def test_a_cancelled_restore_leaves_the_database_as_it_was(
    source: Database, database_of_another: Database, tmp_path: Path
) -> None:
    await backup(source.dsn, tmp_path / "b")
    before = await everything(database_of_another.dsn)

    def cancel(progress: Progress) -> None:
        if progress.bytes_done > 500_000:
            restoring.cancel()

    restoring = asyncio.create_task(
        restore(database_of_another.dsn, tmp_path / "b", replace=True, report=cancel)
    )
    with pytest.raises(asyncio.CancelledError):
        await restoring
    await until_nobody_restores(database_of_another.dsn)
    assert await everything(database_of_another.dsn) == before


async def test_the_password_of_an_own_server_is_never_on_a_command_line(
    own_server: str, tmp_path: Path
) -> None:
    seen: list[str] = []

    def look(_: Progress) -> None:
        for process in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                seen.append(process.read_bytes().decode(errors="replace"))
            except OSError:
                continue

    pool = await open_pool(own_server, application_name="tests", size_max=1)
    await migrate(pool)
    await pool.close()
    await backup(own_server, tmp_path / "b", report=look)
    await restore(own_server, tmp_path / "b", replace=True, report=look)
    programs = [line for line in seen if "127.0.0.1" in line]
    assert any("pg_dump" in line for line in programs)
    assert any("psql" in line for line in programs)
    assert not any(PASSWORD in line or "%41" in line or "p%40ss" in line for line in programs)


async def test_a_wrong_password_is_told_without_it(own_server: str, tmp_path: Path) -> None:
    dsn = own_server.replace("operator:", "operator:wr0ng")
    with pytest.raises(DatabaseUnreachable, match='failed for user "operator"') as failure:
        await backup(dsn, tmp_path / "b")
    assert "wr0ng" not in failure.value.detail


@needs_an_own_server
async def test_moving_between_major_versions_keeps_everything(
    place: Path, target: Database, tmp_path: Path
) -> None:
    """Old own server to the newer embedded one, as docs/operations.md says, and back again."""
    await leave(target)
    with an_own_server(place, OWN_SERVERS[0]) as old:
        pool = await open_pool(old, application_name="tests", size_max=1)
        await migrate(pool)
        await fill(pool)
        await pool.close()
        before = await everything(old)
        await backup(old, tmp_path / "from_old")
        await restore(target.dsn, tmp_path / "from_old")
        assert await everything(target.dsn) == before
        await backup(target.dsn, tmp_path / "from_new")
        await restore(old, tmp_path / "from_new", replace=True)
        assert await everything(old) == before
    new = await asyncpg.connect(target.dsn)
    assert new.get_server_version().major > int(OWN_SERVERS[0].parent.name)
    await new.close()
