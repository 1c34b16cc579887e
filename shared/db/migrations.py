"""Brings a database to the tables this program needs, with plain numbered SQL files.

Each file runs once, in a transaction of its own, and is noted in a ledger with its SHA-256. Two
programs that start at once take turns.
"""

import hashlib
import re
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from importlib import resources
from typing import Any, Final

import asyncpg

from shared.db.locks import MIGRATION_LOCK
from shared.errors import MahjicError

MIGRATION_S_MAX: Final = 24 * 3600.0
_FILE_NAME: Final = re.compile(r"(\d{4})_([a-z0-9_]+)\.sql")

CREATE_LEDGER: Final = """
    CREATE SCHEMA IF NOT EXISTS mahjic;
    CREATE TABLE IF NOT EXISTS mahjic.migrations (
        number integer PRIMARY KEY,
        name text NOT NULL,
        sha256 text NOT NULL,
        applied_at timestamptz NOT NULL DEFAULT now()
    );
"""
READ_LEDGER: Final = "SELECT number, name, sha256 FROM mahjic.migrations ORDER BY number"
WRITE_LEDGER: Final = "INSERT INTO mahjic.migrations (number, name, sha256) VALUES ($1, $2, $3)"


class MigrationAltered(MahjicError):
    """A migration that was applied to this database has been changed since."""

    code = "migration_altered"
    title = "An applied migration was altered"


class DatabaseNewer(MahjicError):
    """The database was migrated by a newer program than this one."""

    code = "database_newer"
    title = "The database is newer than the program"


class DatabaseOlder(MahjicError):
    """A hot standby does not have the tables that this program needs, and cannot be given them."""

    code = "database_older"
    title = "The standby is older than the program"


@dataclass(frozen=True, slots=True)
class Migration:
    """One numbered SQL file."""

    number: int
    name: str
    sql: str

    @property
    def sha256(self) -> str:
        """Return the digest that the ledger keeps."""
        return hashlib.sha256(self.sql.encode()).hexdigest()


async def migrate(
    database: "asyncpg.Pool | _Connection",
    migrations: Sequence[Migration] | None = None,
) -> Sequence[Migration]:
    """Apply what is missing, and return it. Raises MigrationAltered or DatabaseNewer.

    A failed file leaves nothing behind; the files before it stay, and the next call continues
    there.
    """
    if migrations is None:
        migrations = read_migrations()
    async with _connection(database) as connection:
        try:
            await connection.execute(
                "SELECT pg_advisory_lock($1)", MIGRATION_LOCK, timeout=MIGRATION_S_MAX
            )
            return await _apply_missing(connection, migrations)
        finally:
            # Also when we gave up waiting for it: the answer may have been on its way.
            if not connection.is_closed():
                await connection.execute("SELECT pg_advisory_unlock_all()")


async def check_standby(pool: asyncpg.Pool) -> None:
    """Check that a read-only database has the tables of this program.

    Raises DatabaseOlder, DatabaseNewer or MigrationAltered.
    """
    migrations = read_migrations()
    try:
        applied = await pool.fetch(READ_LEDGER)
    except (asyncpg.UndefinedTableError, asyncpg.InvalidSchemaNameError):
        applied = []
    if len(applied) < len(migrations):
        raise DatabaseOlder(
            f"This standby has {len(applied)} migrations, and this program needs "
            f"{len(migrations)}. A standby cannot be migrated: start this version of Mahjic on "
            "the primary, wait until the standby has caught up, and start this again.",
            extra={"database": len(applied), "program": len(migrations)},
        )
    _check_applied(applied, migrations)


def read_migrations() -> tuple[Migration, ...]:
    """Read the files that came with the program, in the order of their numbers."""
    migrations = []
    for file in resources.files("shared.db").joinpath("migrations").iterdir():
        if file.name.endswith(".sql"):
            match = _FILE_NAME.fullmatch(file.name)
            assert match is not None, f"{file.name} must have a name like 0001_what_it_does.sql."
            sql = file.read_text(encoding="utf-8")
            migrations.append(Migration(int(match[1]), match[2], sql))
    migrations.sort(key=lambda migration: migration.number)
    numbers = [migration.number for migration in migrations]
    assert numbers == list(range(1, len(numbers) + 1)), f"Numbers are missing or twice: {numbers}."
    return tuple(migrations)


async def _apply_missing(
    connection: "_Connection", migrations: Sequence[Migration]
) -> Sequence[Migration]:
    await connection.execute(CREATE_LEDGER)
    applied = await connection.fetch(READ_LEDGER)
    _check_applied(applied, migrations)
    missing = migrations[len(applied) :]
    for migration in missing:
        async with connection.transaction():
            await connection.execute(migration.sql, timeout=MIGRATION_S_MAX)
            await connection.execute(
                WRITE_LEDGER, migration.number, migration.name, migration.sha256
            )
    return missing


def _check_applied(applied: Sequence[asyncpg.Record], migrations: Sequence[Migration]) -> None:
    if len(applied) > len(migrations):
        raise DatabaseNewer(
            f"The database has {len(applied)} migrations, the last one "
            f"{applied[-1]['number']:04}_{applied[-1]['name']}; this program knows "
            f"{len(migrations)}. Run the newer program, or restore a backup made before it.",
            extra={"database": len(applied), "program": len(migrations)},
        )
    for row, migration in zip(applied, migrations, strict=False):
        noted = (row["number"], row["name"], row["sha256"])
        if noted != (migration.number, migration.name, migration.sha256):
            raise MigrationAltered(
                f"The database was migrated by {row['number']:04}_{row['name']} with SHA-256 "
                f"{row['sha256']}, but the program has {migration.number:04}_{migration.name} "
                f"with {migration.sha256}. An applied file must never change: restore the old "
                "text, and put the change into a new file.",
                extra={"number": row["number"]},
            )


_Connection = asyncpg.Connection | asyncpg.pool.PoolConnectionProxy


def _connection(
    database: asyncpg.Pool | _Connection,
) -> AbstractAsyncContextManager[Any]:
    if isinstance(database, asyncpg.Pool):
        return database.acquire()
    return nullcontext(database)
