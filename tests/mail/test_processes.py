"""Mail as an operator runs it: by processes, to a real server, as files, or by hand."""

import asyncio
import contextlib
import shutil
import stat
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime
from pathlib import Path

import asyncpg
import httpx
import pytest
import trustme

from shared.db.pool import close_pool, open_pool
from shared.db.server.embedded import embedded_server
from shared.mail.address_hash import AddressHashes
from shared.mail.key_file import KEY_FILE
from shared.mail.outbox import MailOutbox, erase_mails
from tests.conftest import Database
from tests.folders import open_folder
from tests.log.deadlines import until_seen
from tests.mail.letters import KEY, a_letter
from tests.mail.post_office import parsed, post_office, server_context
from tests.processes import END_S_MAX, MOVED, Served, launch, mahjic, serving, working

CODE = "7K3Q-9XZM"
MAILING = {
    "MAHJIC_MAIL_FROM": "Mahjic <ratings@mahjic.example>",
    "MAHJIC_ADDRESS_HASH_KEY": "0123456789abcdef0123456789abcdef",
}


def sending(environment: Mapping[str, str]) -> AbstractAsyncContextManager[Served]:
    """Run `mahjic mail send` while the context is open."""
    return working(environment, "mail", "send")


@contextlib.asynccontextmanager
async def on_folder(folder: Path) -> AsyncIterator[asyncpg.Pool]:
    async with embedded_server(folder, role="join") as server:
        pool = await open_pool(server.dsn, application_name="mahjic tests", size_max=2)
        try:
            yield pool
        finally:
            await close_pool(pool)


async def queue(pool: asyncpg.Pool, address: str) -> str:
    """Queue a mail by the clock of the machine."""
    outbox = MailOutbox(AddressHashes(KEY), lambda: datetime.now(UTC))
    async with pool.acquire() as connection, connection.transaction():
        mail_id = await outbox.queue(connection, a_letter(address))
    assert mail_id is not None
    return mail_id


def assert_silent(told: str) -> None:
    """Check that nothing is told of what a mail says, or to whom."""
    assert not [each for each in ("carol", "example.com", CODE, "Your code") if each in told], told


async def test_processes_of_their_own_send_to_a_server_that_proves_itself(
    database: Database, tmp_path: Path
) -> None:
    ca = trustme.CA()
    ca.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    async with post_office(tls=server_context(ca)) as office:
        environment = MAILING | {
            "MAHJIC_DATABASE_URL": database.dsn,
            "MAHJIC_SMTP_URL": f"smtps://localhost:{office.port}",
            "SSL_CERT_FILE": str(tmp_path / "ca.pem"),
        }
        async with sending(environment) as one, sending(environment) as other:
            await queue(database.pool, "carol@example.com")
            await queue(database.pool, "dan@example.com")
            await until_seen(lambda: len(office.envelopes) == 2)
        listed = await mahjic(environment, "mail", "list", "--all")
    addresses = sorted(each.rcpt_tos[0] for each in office.envelopes)
    assert addresses == ["carol@example.com", "dan@example.com"]
    assert listed.count("\tsent\t") == 2
    assert "mail_is_sent" in one.log
    assert_silent(one.log + other.log + listed)


async def test_beside_kafka_mail_is_sent_while_kafka_is_away(database: Database) -> None:
    await database.pool.execute(MOVED)
    async with post_office() as office:
        environment = MAILING | {
            "MAHJIC_DATABASE_URL": database.dsn,
            "MAHJIC_KAFKA_SERVERS": "127.0.0.1:1",
            "MAHJIC_SMTP_URL": f"smtp://localhost:{office.port}",
        }
        async with sending(environment) as served, httpx.AsyncClient() as client:
            await queue(database.pool, "carol@example.com")
            await until_seen(lambda: "mail_sent" in served.log)
            metrics = (await client.get(f"{served.url}/metrics")).text
            assert (await client.get(f"{served.url}/readyz")).status_code == 200
    assert [each.rcpt_tos for each in office.envelopes] == [["carol@example.com"]]
    assert 'mahjic_mails_total{kind="proof",outcome="sent"} 1.0' in metrics
    assert "mahjic_mail_queued" in metrics
    assert_silent(served.log + metrics)


async def test_with_a_database_of_ones_own_and_no_server_the_operator_hands_mail_on(
    database: Database,
) -> None:
    environment = {"MAHJIC_DATABASE_URL": database.dsn}
    mail_id = await queue(database.pool, "carol@example.com")
    async with sending(environment) as served:
        await until_seen(lambda: "mail_waits_for_you" in served.log)
        listed = await mahjic(environment, "mail", "list")
        shown = await mahjic(environment, "mail", "show", mail_id)
        acts = await database.pool.fetch("SELECT act, about, staff_id FROM mahjic.staff_acts")
        assert [tuple(row) for row in acts] == [("see_mail", [mail_id], None)]
    assert mail_id in listed
    assert "c…@e….com" in listed
    assert_silent(served.log + listed)
    assert shown.splitlines() == [
        "To: carol@example.com",
        "Subject: Your code",
        "",
        f"Type {CODE}.",
    ]


@pytest.mark.parametrize("mail_id", ["mail_0", "carol@example.com", "ü", "x" * 5000])
async def test_a_mail_that_is_not_there_is_told_with_what_to_do(
    database: Database, mail_id: str
) -> None:
    process = await launch({"MAHJIC_DATABASE_URL": database.dsn}, "mail", "show", mail_id)
    printed, told = await asyncio.wait_for(process.communicate(), END_S_MAX)
    assert process.returncode not in {0, 70}
    assert printed == b""
    assert told.startswith(b"unknown_mail: ")
    assert b"`mahjic mail list` shows the ids" in told


async def test_the_embedded_default_writes_files_that_go_when_the_address_is_erased() -> None:
    parent = open_folder()
    folder = parent / "data"
    try:
        async with serving({"MAHJIC_DATA": str(folder)}) as served, on_folder(folder) as pool:
            mail_id = await queue(pool, "carol@example.com")
            await queue(pool, "dan@example.com")
            await until_seen(lambda: len(list((folder / "mail").glob("*.eml"))) == 2)
            (file,) = (folder / "mail").glob(f"*{mail_id}.eml")
            assert stat.S_IMODE(file.stat().st_mode) == 0o600
            assert stat.S_IMODE((folder / "mail").stat().st_mode) == 0o700
            assert stat.S_IMODE((folder / KEY_FILE).stat().st_mode) == 0o600
            message = parsed(file.read_bytes())
            assert str(message["To"]) == "carol@example.com"
            assert CODE in next(iter(message.iter_parts())).get_content()
            (folder / "mail" / "notes.eml").write_text("The operator's own.")
            async with pool.acquire() as connection, connection.transaction():
                await erase_mails(connection, "carol@example.com")
            await until_seen(lambda: not file.exists())
            left = [each.read_text() for each in (folder / "mail").iterdir()]
            assert len(left) == 2
            assert not [each for each in left if "carol" in each]
        assert "mail_is_written_to_files" in served.log
        assert str(folder / "mail") in served.log
        assert_silent(served.log)
    finally:
        shutil.rmtree(parent)
