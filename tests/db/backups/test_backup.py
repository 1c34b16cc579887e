"""Backups: what they hold, where they may go, and that they come back whole on any server."""

import asyncio
import stat
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from shared.db.backups.backup import BackupExists, BackupFailed, backup
from shared.db.backups.programs import BackupProgress
from shared.db.backups.restore import restore
from shared.db.migrations import migrate
from shared.db.pool import DatabaseUnreachable, open_pool
from tests.conftest import Database
from tests.db.backups.contents import FACTS, everything, fill, leave
from tests.db.own_server import OWN_SERVERS, PASSWORD, an_own_server, needs_an_own_server


def names_in(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


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


async def reports_of(function: Any, dsn: str, file: Path) -> list[BackupProgress]:
    reports: list[BackupProgress] = []
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


async def test_the_password_of_an_own_server_is_never_on_a_command_line(
    own_server: str, tmp_path: Path
) -> None:
    seen: list[str] = []

    def look(_: BackupProgress) -> None:
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
