"""Restores a backup into a database: all of it in one transaction, or nothing."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from shared.db.backups.backup_file import BackupNewer, Seal, check_backup
from shared.db.backups.programs import BackupProgress, ReportProgress, Running, running, target_of
from shared.db.locks import MIGRATION_LOCK
from shared.db.migrations import read_migrations
from shared.db.pool import open_pool
from shared.db.schemas import own_schemas, quoted
from shared.db.server.binaries import packaged_binaries
from shared.errors import MahjicError

FIND_OTHERS: Final = """
    SELECT DISTINCT application_name FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
      AND application_name LIKE 'mahjic%'
    ORDER BY 1
"""
# What waited to be mailed when the backup was made was sent since, or is too late: better never
# than twice. Backups of before there was mail have no such table.
END_MAILS: Final = """
DO $restored$ BEGIN
    IF to_regclass('mahjic.mails') IS NOT NULL THEN
        UPDATE mahjic.mails
        SET state = 'given_up', settled_at = now(), lease = NULL, leased_until = NULL,
            subject = NULL, plain = NULL, html = NULL, no_more_url = NULL
        WHERE state = 'queued';
    END IF;
END $restored$;
"""
# Invitations that were sent since the backup are on record no more, and what was played since is
# sent again: whoever was rated before this moment is invited no more.
MARK_INVITATIONS: Final = """
DO $restored$ BEGIN
    IF to_regclass('mahjic.invitations_place') IS NOT NULL THEN
        UPDATE mahjic.invitations_place SET marked_at = GREATEST(marked_at, now());
    END IF;
END $restored$;
"""
# Stripe knows what was paid and checked since the backup, and whoever has paid for another year
# must not lose it because that is on record no more. So nothing of this ends by time before Stripe
# was asked, which is due at once.
ASK_STRIPE: Final = """
DO $restored$ BEGIN
    IF to_regclass('mahjic.verification_watch') IS NOT NULL THEN
        UPDATE mahjic.verification_watch SET next_at = NULL WHERE next_at IS NOT NULL;
        UPDATE mahjic.enrollments SET look_due_at = now(), look_taken = NULL, look_tries = 0
        WHERE closing_at IS NULL;
    END IF;
END $restored$;
"""
# Sources may have been told more than is on record, by numbers that must not mean something else.
SKIP_NUMBERS: Final = """
DO $restored$ BEGIN
    IF to_regclass('mahjic.notice_numbers') IS NOT NULL THEN
        INSERT INTO mahjic.notice_numbers AS numbers (source, last)
        SELECT slug, 1000000 FROM mahjic.sources
        ON CONFLICT (source) DO UPDATE SET last = numbers.last + 1000000;
    END IF;
END $restored$;
"""
_AFTERWARD: Final = (END_MAILS, MARK_INVITATIONS, ASK_STRIPE, SKIP_NUMBERS)
CHUNK_BYTES: Final = 1 << 18
LOCK_WAIT_S_MAX: Final = 30
ANALYZE_S_MAX: Final = 3600.0
# pg_restore writes this line for every server, and those before 17 refuse it.
NOT_BEFORE_17: Final = b"SET transaction_timeout = 0;\n"
_HEAD_END: Final = b"SET client_encoding"


class DatabaseNotEmpty(MahjicError):
    """There is already Mahjic data, and nothing says to replace it."""

    code = "database_not_empty"
    title = "The database already has data"


class DatabaseInUse(MahjicError):
    """A running Mahjic is connected to the database."""

    code = "database_in_use"
    title = "The database is in use"


class RestoreFailed(MahjicError):
    """The backup could not be restored; the database is unchanged."""

    code = "restore_failed"
    title = "The restore failed"


async def restore(
    dsn: str, file: Path, *, replace: bool = False, report: ReportProgress | None = None
) -> Seal:
    """Restore a backup. The database stays as it was until all of it is there. If it already has
    data, this refuses, or with `replace` drops that data in the same transaction.
    """
    seal = await asyncio.to_thread(check_backup, file)
    known = len(read_migrations())
    if seal.migrations > known:
        raise BackupNewer(
            f"{file} has {seal.migrations} migrations, and this program knows {known}. Restore "
            "it with the mahjic that wrote it, or a newer one."
        )
    pool = await open_pool(dsn, application_name="mahjic restore", size_max=1)
    try:
        state = await _look_at(pool, replace=replace)
        await _relay(dsn, file, state, seal, report or _say_nothing)
        # Without it the first queries would be planned as if the tables were empty.
        await pool.execute("ANALYZE", timeout=ANALYZE_S_MAX)
    finally:
        pool.terminate()
    return seal


@dataclass(frozen=True, slots=True)
class _State:
    schemas: Sequence[str]
    server_major: int


async def check_unused(connection: PoolConnectionProxy) -> None:
    """Check that nobody else uses the database. Raises DatabaseInUse."""
    others = [row[0] for row in await connection.fetch(FIND_OTHERS)]
    if others:
        raise DatabaseInUse(
            f"Still connected to the database: {', '.join(others)}. Stop every mahjic that uses "
            "it, and do it again.",
            extra={"connected": others},
        )


async def _look_at(pool: asyncpg.Pool, *, replace: bool) -> _State:
    async with pool.acquire() as connection:
        await check_unused(connection)
        schemas = await own_schemas(connection)
        server_major = connection.get_server_version().major
    if schemas and not replace:
        raise DatabaseNotEmpty(
            "The database already has Mahjic data. Restore into an empty one, or use --replace "
            "to discard what is in it."
        )
    return _State(schemas, server_major)


async def _relay(dsn: str, file: Path, state: _State, seal: Seal, report: ReportProgress) -> None:
    """Turn the dump into statements with one program, and run them with another.

    Only we send the commit: if any process dies before it, the database stays as it was.
    """
    environment = target_of(dsn, "mahjic restore").environment
    tables: list[str] = []
    bytes_done = 0
    async with (
        running(
            packaged_binaries().bin_folder / "pg_restore",
            *("--verbose", "--no-owner", "--no-privileges", "--file=-", str(file)),
            environment=environment,
            begin_table=tables.append,
        ) as pg_restore,
        _running_psql(dsn) as psql,
    ):
        assert psql.process.stdin is not None
        with suppress(BrokenPipeError, ConnectionResetError):  # What psql says is read below.
            psql.process.stdin.write(_begin(state.schemas))
            async for chunk in _statements(pg_restore, state.server_major):
                psql.process.stdin.write(chunk)
                await psql.process.stdin.drain()
                bytes_done += len(chunk)
                table, done = (tables[-1], len(tables) - 1) if tables else ("", 0)
                report(BackupProgress(table, done, seal.tables, bytes_done))
            code, errors = await pg_restore.end()
            if code != 0:
                raise RestoreFailed(f"pg_restore failed: {errors}. The database is unchanged.")
            psql.process.stdin.write("\n".join(("", *_AFTERWARD, "COMMIT;\n")).encode())
            await psql.process.stdin.drain()
            psql.process.stdin.close()
        code, errors = await psql.end()
    if code != 0:
        raise RestoreFailed(f"The server refused: {errors}. The database is unchanged.")
    report(BackupProgress("", seal.tables, seal.tables, bytes_done))


def _running_psql(dsn: str) -> AbstractAsyncContextManager[Running]:
    target = target_of(dsn, "mahjic restore")
    return running(
        packaged_binaries().bin_folder / "psql",
        *("--no-psqlrc", "--quiet", "--no-password", "--output=/dev/null"),
        # Terse errors quote no rows, which hold people's addresses.
        *("--set=ON_ERROR_STOP=1", "--set=VERBOSITY=terse", f"--dbname={target.url}"),
        environment=target.environment,
        begin_table=_say_nothing,
    )


def _begin(schemas: Sequence[str]) -> bytes:
    """Return how the transaction starts: it keeps migrations out, and drops what was there."""
    statements = [
        "BEGIN",
        f"SET LOCAL lock_timeout = '{LOCK_WAIT_S_MAX}s'",
        f"SELECT pg_advisory_xact_lock({MIGRATION_LOCK})",
        *(f"DROP SCHEMA {quoted(schema)} CASCADE" for schema in schemas),
    ]
    return "".join(f"{statement};\n" for statement in statements).encode()


async def _statements(pg_restore: Running, server_major: int) -> AsyncIterator[bytes]:
    output = pg_restore.process.stdout
    assert output is not None
    try:
        head = await output.readuntil(_HEAD_END)
    except asyncio.IncompleteReadError as error:
        head = error.partial
    yield head.replace(NOT_BEFORE_17, b"") if server_major < 17 else head
    while chunk := await output.read(CHUNK_BYTES):
        yield chunk


def _say_nothing(_: object) -> None:
    """Take a report that no one asked for."""
