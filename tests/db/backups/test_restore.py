"""Restoring: everything or nothing, whatever breaks halfway and whoever is in the database."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest

from shared.db.backups.backup import backup
from shared.db.backups.backup_file import BackupDamaged, BackupNewer, NotABackup, seal_backup
from shared.db.backups.programs import BackupProgress
from shared.db.backups.restore import (
    DatabaseInUse,
    DatabaseNotEmpty,
    RestoreFailed,
    restore,
)
from shared.db.server.binaries import packaged_binaries
from shared.db.server.embedded import EmbeddedServer
from tests.conftest import Database, fresh_database
from tests.db.backups.contents import CHAIN, everything, leave, make_view
from tests.db.programs import CHECKOUT
from tests.log.chances import seeded_chance


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


async def test_a_changed_byte_anywhere_is_found_before_anything_is_touched(
    source: Database, target: Database, tmp_path: Path
) -> None:
    await leave(target)
    seal = await backup(source.dsn, tmp_path / "b")
    whole = (tmp_path / "b").read_bytes()
    places = [5, seal.dump_bytes - 1, *seeded_chance().sample(range(seal.dump_bytes), 20)]
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


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"hello",
        b"PGDMP",
        b"\nMAHJIC BACKUP {}\n",
        b'\nMAHJIC BACKUP {"format": 2}\n',
        b"PGDMP\nMAHJIC BACKUP {}\n",
        b"PGDMP\nMAHJIC BACKUP 7\n",
        b'PGDMP\nMAHJIC BACKUP {"format": "2"}\n',
    ],
)
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


async def test_a_backup_in_a_newer_format_is_refused_whatever_its_seal_holds(
    source: Database, target: Database, tmp_path: Path
) -> None:
    await leave(target)
    await backup(source.dsn, tmp_path / "b")
    dump, _, _ = (tmp_path / "b").read_bytes().rpartition(b"\nMAHJIC BACKUP ")
    (tmp_path / "b").write_bytes(dump + b'\nMAHJIC BACKUP {"format": 2, "blake3": "ab"}\n')
    with pytest.raises(BackupNewer) as refusal:
        await restore(target.dsn, tmp_path / "b")
    assert refusal.value.code == "backup_newer"
    assert await everything(target.dsn) == {}


async def test_a_dump_that_breaks_halfway_leaves_the_database_as_it_was(
    source: Database, database_of_another: Database, tmp_path: Path
) -> None:
    # Cut first and sealed afterward, so that only pg_restore can find out, in the middle of it.
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

    def cut_the_connection(progress: BackupProgress) -> None:
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
from shared.db.backups.restore import restore
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


async def test_a_canceled_restore_leaves_the_database_as_it_was(
    source: Database, database_of_another: Database, tmp_path: Path
) -> None:
    await backup(source.dsn, tmp_path / "b")
    before = await everything(database_of_another.dsn)

    def cancel(progress: BackupProgress) -> None:
        if progress.bytes_done > 500_000:
            restoring.cancel()

    restoring = asyncio.create_task(
        restore(database_of_another.dsn, tmp_path / "b", replace=True, report=cancel)
    )
    with pytest.raises(asyncio.CancelledError):
        await restoring
    await until_nobody_restores(database_of_another.dsn)
    assert await everything(database_of_another.dsn) == before
