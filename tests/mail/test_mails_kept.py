"""Mails that are erased are in no file of the database, and a restored backup sends none."""

from pathlib import Path

import asyncpg

from shared.db.backups.backup import backup
from shared.db.backups.restore import restore
from shared.db.erasing import clean_erased
from shared.db.server.embedded import EmbeddedServer
from shared.mail.outbox import erase_mails
from shared.mail.taking import MailQueue
from tests.conftest import Database, fresh_database
from tests.mail.letters import START, AnOutbox, a_letter

SECRETS = ("zebedee.forgotten@example.com", "Zebedee's own subject", "what only Zebedee may read")
REFUSED = "INSERT INTO mahjic.unreachable_addresses VALUES ($1, $2, 550)"


async def secrets_in_files(pool: asyncpg.Pool) -> set[str]:
    """Return which secrets are in the files of this database, as they stand on the disk."""
    await pool.execute("CHECKPOINT")
    folder = Path(await pool.fetchval("SHOW data_directory"))
    oid = await pool.fetchval("SELECT oid FROM pg_database WHERE datname = current_database()")
    files = [path for path in (folder / "base" / str(oid)).iterdir() if path.is_file()]
    content = [path.read_bytes() for path in files]
    return {each for each in SECRETS if any(each.encode() in text for text in content)}


async def test_what_was_mailed_to_an_erased_address_is_in_no_file_of_the_database(
    database: Database,
) -> None:
    pool, outbox = database.pool, AnOutbox()
    await pool.execute("ALTER TABLE mahjic.mails ALTER COLUMN plain SET STORAGE EXTERNAL")
    address, subject, words = SECRETS
    for number in range(30):
        await outbox.queue(pool, a_letter(f"p{number}@example.com"))
    for text in (words, words * 500):
        await outbox.queue(pool, a_letter(address, subject=subject, text=text))
    queue = MailQueue(pool, outbox.hashes, "mahjic.example")
    for _ in range(32):
        mail = await queue.take("a lease", now=START)
        assert mail is not None
        await queue.sent(mail, now=START)
    await pool.execute(REFUSED, address, START)
    await pool.execute("ANALYZE")
    assert await secrets_in_files(pool) == set(SECRETS)
    async with pool.acquire() as connection, connection.transaction():
        await erase_mails(connection, address)
    cleaned, left = await clean_erased(pool)
    assert (set(cleaned), left) == ({"mails", "unreachable_addresses"}, [])
    assert await secrets_in_files(pool) == set()
    assert await pool.fetchval("SELECT count(*) FROM mahjic.mails") == 30


async def test_a_restored_backup_sends_nothing_that_waited_when_it_was_made(
    database: Database, postgres_server: EmbeddedServer, tmp_path: Path
) -> None:
    outbox = AnOutbox()
    await outbox.queue(database.pool, a_letter())
    await outbox.queue(database.pool, a_letter("dan@example.com", is_asked_for=False))
    await backup(database.dsn, tmp_path / "backup")
    async with fresh_database(postgres_server, template="template0") as target:
        await target.pool.expire_connections()
        await target.pool.close()
        await restore(target.dsn, tmp_path / "backup")
        connection = await asyncpg.connect(target.dsn)
        rows = await connection.fetch("SELECT state, plain, subject FROM mahjic.mails")
        await connection.close()
    assert [tuple(row) for row in rows] == [("given_up", None, None)] * 2
