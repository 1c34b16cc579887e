"""What was erased is in no file of its table, indexes and long values, once that can be."""

import random
from collections.abc import Sequence
from pathlib import Path

import asyncpg
import pytest

from services.ingest.changes.notes import erase_note, write_note
from services.ingest.players.acts import forget, set_privacy
from services.ingest.record.waterline import Waterline
from shared.db.erasing import clean_erased
from shared.db.locks import CLEANING_LOCK
from tests.conftest import Database
from tests.ingest.claims import Claim, a_round, a_session
from tests.ingest.office import a_submission, found, ids_and_times_of, record

ADDRESS = "Zebedee.Forgotten@example.com"
SECRETS = ("zebedee.forgotten@", "Zebedee Oblivion", "Nobody Knows", "zebedee's long story")
TABLES = ("people", "acquaintances", "private_words", "notes", "idempotency_keys")
FILES = """
SELECT pg_relation_filepath(c.oid) FROM pg_class AS c
WHERE pg_relation_filepath(c.oid) IS NOT NULL
    AND c.oid >= 16384 OR c.relname IN ('pg_statistic', 'pg_statistic_ext_data')
"""


def a_night(number: int) -> Claim:
    """Return a night of four others, so that the erased rows lie in the middle of their pages."""
    names = {f"other{number}-{seat}": seat for seat in range(4)}
    return a_session(a_round(names), on="2026-01-02")


async def some_people(pool: asyncpg.Pool) -> tuple[str, str]:
    """Put people on record, among them one who is to be forgotten, and a nickname."""
    ids_and_times = ids_and_times_of(random.Random(2))
    await found(pool, ids_and_times)
    before = [a_submission(number, a_night(number)) for number in range(40)]
    played = a_round({ADDRESS: 1, "ANON:Nobody Knows": 0, "bo": 0})
    played["players"][0]["name"] = "Zebedee Oblivion"
    after = [a_submission(number, a_night(number)) for number in range(100, 140)]
    night = a_submission(50, a_session(played), key="k")
    await record(pool, [*before, night, *after], ids_and_times)
    rows = await pool.fetch(
        "SELECT player_id, email FROM mahjic.people WHERE email = $1 OR nickname IS NOT NULL "
        "ORDER BY email NULLS LAST",
        ADDRESS.lower(),
    )
    person, nobody = (row["player_id"] for row in rows)
    # Older versions of the row, and samples of what the table holds.
    await set_privacy(pool, Waterline(), person, "private")
    await set_privacy(pool, Waterline(), person, "normal")
    async with pool.acquire() as connection:
        # Long values stand in a table of their own; uncompressed, so that they can be looked for.
        await connection.execute("ALTER TABLE mahjic.notes ALTER COLUMN note SET STORAGE EXTERNAL")
        words = "".join(f"{number:x} zebedee's long story " for number in range(2_000))
        await write_note(connection, 41, words)
        await write_note(connection, 42, "Somebody else's.")
        await connection.execute("ANALYZE")
    return person, nobody


async def forget_both(pool: asyncpg.Pool, ids: Sequence[str]) -> None:
    for each in ids:
        await forget(pool, Waterline(), each, ids_and_times_of(random.Random(3)))
    await erase_note(pool, 41)


async def secrets_in_files(pool: asyncpg.Pool) -> set[str]:
    """Return which secrets are in the real files of this database, as they stand on the disk."""
    await pool.execute("CHECKPOINT")
    folder = Path(await pool.fetchval("SHOW data_directory"))
    oid = await pool.fetchval("SELECT oid FROM pg_database WHERE datname = current_database()")
    files = [path for path in (folder / "base" / str(oid)).iterdir() if path.is_file()]
    of_tables = {
        path.name for (name,) in await pool.fetch(FILES) for path in (folder / name,) if name
    }
    assert of_tables <= {path.name.partition(".")[0] for path in files}
    content = [path.read_bytes().lower() for path in files]
    return {each for each in SECRETS if any(each.lower().encode() in text for text in content)}


@pytest.fixture
async def pool(database: Database) -> asyncpg.Pool:
    return database.pool


async def test_what_is_erased_is_in_no_file_of_the_database_any_more(pool: asyncpg.Pool) -> None:
    ids = await some_people(pool)
    await clean_erased(pool)
    # It is all there before.
    assert await secrets_in_files(pool) == set(SECRETS)
    await forget_both(pool, ids)
    # Neither the erasure alone nor a plain VACUUM takes it out.
    for table in TABLES:
        await pool.execute(f"VACUUM mahjic.{table}")
    assert await secrets_in_files(pool) & set(SECRETS[:2])
    cleaned, left = await clean_erased(pool)
    assert (set(cleaned), left) == ({"people", "acquaintances", "private_words", "notes"}, [])
    assert await secrets_in_files(pool) == set()
    assert await pool.fetchval("SELECT count(*) FROM mahjic.people") == 4 * 80 + 1
    assert await pool.fetchval("SELECT note FROM mahjic.notes") == "Somebody else's."
    assert await clean_erased(pool) == ([], [])


async def test_while_an_older_transaction_could_read_it_the_cleaning_is_tried_again(
    database: Database, pool: asyncpg.Pool
) -> None:
    ids = await some_people(pool)
    await clean_erased(pool)
    reader = await asyncpg.connect(database.dsn)
    try:
        old = reader.transaction(isolation="repeatable_read")
        await old.start()
        assert await reader.fetchval("SELECT count(*) FROM mahjic.sources") > 0
        await forget_both(pool, ids)
        cleaned, left = await clean_erased(pool)
        assert cleaned == []
        assert set(left) == {"people", "acquaintances", "private_words", "notes"}
        await old.rollback()
        # A table that somebody reads from just now is not waited for, nor is it forgotten.
        busy = reader.transaction()
        await busy.start()
        await reader.execute("LOCK TABLE mahjic.people IN ACCESS SHARE MODE")
        # The reader's own snapshot is gone; it holds no more than the lock.
        cleaned, left = await clean_erased(pool)
        assert left == ["people"]
        await busy.rollback()
    finally:
        await reader.close()
    assert await clean_erased(pool) == (["people"], [])
    assert await secrets_in_files(pool) == set()


async def test_one_process_cleans_at_a_time(database: Database, pool: asyncpg.Pool) -> None:
    ids = await some_people(pool)
    await forget_both(pool, ids)
    other = await asyncpg.connect(database.dsn)
    await other.execute("SELECT pg_advisory_lock($1)", CLEANING_LOCK)
    assert await clean_erased(pool) == ([], [])
    await other.close()
    cleaned, _ = await clean_erased(pool)
    assert "people" in cleaned


async def test_no_statistics_of_the_database_hold_an_address_or_a_name(pool: asyncpg.Pool) -> None:
    await some_people(pool)
    rows = await pool.fetch(
        "SELECT tablename, most_common_vals::text, histogram_bounds::text, most_common_elems::text "
        "FROM pg_stats WHERE schemaname = 'mahjic'"
    )
    assert any(row["tablename"] == "people" for row in rows)
    told = " ".join(str(tuple(row)) for row in rows)
    assert "example.com" not in told
    for each in SECRETS[1:]:
        assert each not in told
