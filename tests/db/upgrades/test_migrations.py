"""The migrations: in order, once, all or nothing, one program at a time."""

import asyncio
import hashlib
from pathlib import Path

import asyncpg
import pytest

from shared.db.migrations import (
    DatabaseNewer,
    Migration,
    MigrationAltered,
    migrate,
    read_migrations,
)
from tests.conftest import Database

CORE_FILE = Path(__file__).parents[3] / "shared/db/migrations/0001_core.sql"
KNOWN = read_migrations()
NEXT = len(KNOWN) + 1


def a_migration(number: int, sql: str, name: str = "more") -> Migration:
    return Migration(number, name, sql)


async def tables(database: Database) -> set[str]:
    rows = await database.pool.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'mahjic'")
    return {row["tablename"] for row in rows}


async def test_a_migrated_database_has_nothing_left_to_do(database: Database) -> None:
    assert await migrate(database.pool) == ()
    assert "facts" in await tables(database)


async def test_the_ledger_holds_the_digest_of_the_files_bytes(database: Database) -> None:
    row = await database.pool.fetchrow("SELECT * FROM mahjic.migrations WHERE number = 1")
    assert row is not None
    assert row["sha256"] == hashlib.sha256(CORE_FILE.read_bytes()).hexdigest()
    assert row["name"] == "core"


async def test_a_missing_file_is_applied_and_noted(database: Database) -> None:
    more = a_migration(NEXT, "CREATE TABLE mahjic.one (); CREATE TABLE mahjic.two ();")
    assert await migrate(database.pool, [*KNOWN, more]) == [more]
    assert {"one", "two"} <= await tables(database)
    assert await migrate(database.pool, [*KNOWN, more]) == []


async def test_nothing_of_a_failed_file_stays(database: Database) -> None:
    good = a_migration(NEXT, "CREATE TABLE mahjic.one ()")
    bad = a_migration(NEXT + 1, "CREATE TABLE mahjic.two (); SELECT 1 / 0;")
    with pytest.raises(asyncpg.DivisionByZeroError):
        await migrate(database.pool, [*KNOWN, good, bad])
    assert "one" in await tables(database)
    assert "two" not in await tables(database)
    mended = a_migration(NEXT + 1, "CREATE TABLE mahjic.two ()")
    assert await migrate(database.pool, [*KNOWN, good, mended]) == [mended]


async def test_an_altered_applied_file_is_refused(database: Database) -> None:
    altered = Migration(1, KNOWN[0].name, KNOWN[0].sql + "\n-- a remark")
    with pytest.raises(MigrationAltered, match="0001_core") as refusal:
        await migrate(database.pool, [altered, *KNOWN[1:]])
    assert refusal.value.code == "migration_altered"


async def test_a_renamed_applied_file_is_refused(database: Database) -> None:
    with pytest.raises(MigrationAltered):
        await migrate(database.pool, [Migration(1, "kernel", KNOWN[0].sql), *KNOWN[1:]])


async def test_a_database_newer_than_the_program_is_refused(database: Database) -> None:
    await migrate(database.pool, [*KNOWN, a_migration(NEXT, "SELECT 1", name="tomorrow")])
    with pytest.raises(DatabaseNewer, match="tomorrow") as refusal:
        await migrate(database.pool)
    assert refusal.value.code == "database_newer"


async def test_programs_that_start_at_once_apply_each_file_once(database: Database) -> None:
    # Without turns, two of them would see the table absent and one would fail to create it.
    more = a_migration(NEXT, "CREATE TABLE mahjic.slow (); SELECT pg_sleep(0.05);")
    done = await asyncio.gather(*(migrate(database.pool, [*KNOWN, more]) for _ in range(6)))
    assert sorted(len(applied) for applied in done) == [0, 0, 0, 0, 0, 1]


async def test_a_refused_migration_lets_the_next_program_go_on(database: Database) -> None:
    with pytest.raises(DatabaseNewer):
        await migrate(database.pool, [])
    other = await asyncpg.connect(database.dsn)
    assert await asyncio.wait_for(migrate(other), timeout=5) == ()
    await other.close()
