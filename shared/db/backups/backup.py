"""Writes a backup of a Mahjic database to a file: complete and sealed, or not there at all."""

import asyncio
import os
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import asyncpg

from shared.db.backups.backup_file import Seal, seal_backup
from shared.db.backups.programs import BackupProgress, ReportProgress, running, target_of
from shared.db.pool import open_pool
from shared.db.schemas import own_schemas, quoted
from shared.db.server.binaries import packaged_binaries
from shared.errors import MahjicError

COUNT_TABLES: Final = """
    SELECT count(*) FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE relkind = 'r' AND nspname = ANY($1)
"""
COUNT_MIGRATIONS: Final = "SELECT count(*) FROM mahjic.migrations"
TICK_S: Final = 0.25
# Who is logged in, and what would let somebody in, is nothing to bring back.
LEFT_OUT: Final = ("logins", "address_proofs", "passkey_challenges", "mails_asked_for")
# A view being swapped holds its tables for an instant; anything longer is a different problem.
LOCK_WAIT: Final = "60s"


class BackupExists(MahjicError):
    """The file already exists, and no one said to replace it."""

    code = "backup_exists"
    title = "The file already exists"


class BackupFailed(MahjicError):
    """No backup was written."""

    code = "backup_failed"
    title = "The backup failed"


async def backup(
    dsn: str, file: Path, *, overwrite: bool = False, report: ReportProgress | None = None
) -> Seal:
    """Write a backup of the state at one instant, while others keep working.

    The file gets its name once it is complete and on disk; until then an older one stays.
    """
    _check_free(file, overwrite=overwrite)
    unfinished = _make_unfinished(file)
    try:
        seal = await _dump(dsn, unfinished, report or _say_nothing)
        _check_free(file, overwrite=overwrite)
        _publish(unfinished, file)
    except OSError as error:
        raise BackupFailed(f"{file} cannot be written: {error.strerror or error}.") from error
    finally:
        unfinished.unlink(missing_ok=True)
    return seal


@dataclass(frozen=True, slots=True)
class _Content:
    """What is dumped, read from the same snapshot as the dump."""

    snapshot: str
    schemas: Sequence[str]
    tables: int
    migrations: int
    server_version: str


async def _dump(dsn: str, unfinished: Path, report: ReportProgress) -> Seal:
    pool = await open_pool(dsn, application_name="mahjic backup", size_max=1)
    try:
        async with (
            pool.acquire() as connection,
            connection.transaction(isolation="repeatable_read", readonly=True),
        ):
            # The snapshot lasts as long as this transaction, which waits for pg_dump.
            await connection.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
            content = await _look_at(connection)
            await _run_pg_dump(dsn, unfinished, content, report)
    finally:
        pool.terminate()
    seal = await asyncio.to_thread(
        seal_backup,
        unfinished,
        migrations=content.migrations,
        server_version=content.server_version,
        tables=content.tables,
    )
    report(BackupProgress("", content.tables, content.tables, seal.dump_bytes))
    return seal


async def _look_at(connection: asyncpg.pool.PoolConnectionProxy) -> _Content:
    snapshot = await connection.fetchval("SELECT pg_export_snapshot()")
    schemas = await own_schemas(connection)
    if not schemas:
        raise BackupFailed("The database has no Mahjic data yet, so there is nothing to back up.")
    return _Content(
        snapshot,
        schemas,
        tables=await connection.fetchval(COUNT_TABLES, schemas),
        migrations=await connection.fetchval(COUNT_MIGRATIONS),
        server_version=connection.get_settings().server_version,
    )


async def _run_pg_dump(
    dsn: str, unfinished: Path, content: _Content, report: ReportProgress
) -> None:
    target = target_of(dsn, "mahjic backup")
    tables: list[str] = []

    def tell() -> None:
        table, done = (tables[-1], len(tables) - 1) if tables else ("", 0)
        report(BackupProgress(table, done, content.tables, unfinished.stat().st_size))

    async with running(
        packaged_binaries().bin_folder / "pg_dump",
        *("--format=custom", "--verbose", "--no-owner", "--no-privileges", "--no-password"),
        *(f"--schema={quoted(schema)}" for schema in content.schemas),
        *(f"--exclude-table-data=mahjic.{table}" for table in LEFT_OUT),
        *(f"--snapshot={content.snapshot}", f"--lock-wait-timeout={LOCK_WAIT}"),
        *(f"--file={unfinished}", f"--dbname={target.url}"),
        environment=target.environment,
        begin_table=tables.append,
    ) as pg_dump:
        ticking = asyncio.create_task(_tick(tell))
        try:
            code, errors = await pg_dump.end()
        finally:
            ticking.cancel()
    if code != 0:
        raise BackupFailed(f"pg_dump failed: {errors}. No backup was written.")


async def _tick(tell: Callable[[], None]) -> None:
    while True:
        tell()
        await asyncio.sleep(TICK_S)


def _check_free(file: Path, *, overwrite: bool) -> None:
    if file.exists() and not overwrite:
        raise BackupExists(
            f"{file} already exists. Choose another name, or use --overwrite to replace it."
        )


def _make_unfinished(file: Path) -> Path:
    try:
        # mkstemp gives mode 0600: a backup holds people's addresses.
        descriptor, name = tempfile.mkstemp(".unfinished", f".{file.name}.", file.parent)
    except OSError as error:
        raise BackupFailed(f"{file} cannot be written: {error.strerror or error}.") from error
    os.close(descriptor)
    return Path(name)


def _publish(unfinished: Path, file: Path) -> None:
    unfinished.rename(file)
    folder = os.open(file.parent, os.O_RDONLY)
    try:
        # Some network file systems cannot sync a folder; the file itself is on disk.
        with suppress(OSError):
            os.fsync(folder)
    finally:
        os.close(folder)


def _say_nothing(_: BackupProgress) -> None:
    """Take a report that no one asked for."""
