"""What is written in the outbox: with its cause or not at all, and never to whom it may not go."""

import asyncio
from datetime import timedelta

import asyncpg
import pytest

from shared.mail.no_more import allow_mail, end_mail
from shared.mail.outbox import MAIL_CHANNEL, erase_mails, is_unreachable
from tests.conftest import Database
from tests.mail.letters import START, AnOutbox, Clock, a_letter

UNREACHABLE = "INSERT INTO mahjic.unreachable_addresses VALUES ($1, $2, 550)"


async def addresses_in(pool: asyncpg.Pool) -> list[str]:
    rows = await pool.fetch("SELECT address FROM mahjic.mails ORDER BY number")
    return [row["address"] for row in rows]


async def test_a_mail_is_there_once_what_causes_it_is_and_whoever_listens_hears_of_it(
    database: Database,
) -> None:
    outbox, heard = AnOutbox(), asyncio.Queue[str]()
    async with database.pool.acquire() as ear, database.pool.acquire() as connection:

        def hear(*told: object) -> None:
            heard.put_nowait(str(told[-1]))

        await ear.add_listener(MAIL_CHANNEL, hear)
        async with connection.transaction():
            mail_id = await outbox.port.queue(connection, a_letter())
            assert await database.pool.fetchval("SELECT count(*) FROM mahjic.mails") == 0
        assert mail_id == "mail_0000000000000001"
        assert await asyncio.wait_for(heard.get(), 10) == "1"
        await ear.remove_listener(MAIL_CHANNEL, hear)
    row = await database.pool.fetchrow("SELECT * FROM mahjic.mails")
    assert row is not None
    assert (row["state"], row["queued_at"], row["due_at"]) == ("queued", START, START)
    assert row["good_until"] == START + timedelta(days=2)
    assert (row["plain"], row["html"]) == ("Type 7K3Q-9XZM.\n", "<p>Type 7K3Q-9XZM.</p>\n")


async def test_a_mail_is_gone_with_what_would_have_caused_it(database: Database) -> None:
    outbox = AnOutbox()
    async with database.pool.acquire() as connection:
        transaction = connection.transaction()
        await transaction.start()
        await outbox.port.queue(connection, a_letter())
        await transaction.rollback()
    assert await addresses_in(database.pool) == []


async def test_a_mail_outside_a_transaction_is_our_own_mistake(database: Database) -> None:
    async with database.pool.acquire() as connection:
        with pytest.raises(AssertionError, match="goes with what causes it"):
            await AnOutbox().port.queue(connection, a_letter())


async def test_who_wants_no_more_mail_gets_what_they_ask_for_and_nothing_else(
    database: Database,
) -> None:
    outbox = AnOutbox()
    assert outbox.hashes is not None
    carol = outbox.hashes.of("carol@example.com")
    await end_mail(database.pool, carol, at=START)
    await end_mail(database.pool, carol, at=START)
    assert await outbox.queue(database.pool, a_letter(is_asked_for=False)) is None
    assert await outbox.queue(database.pool, a_letter()) is not None
    other = a_letter("bob@example.com", is_asked_for=False)
    assert await outbox.queue(database.pool, other) is not None
    await allow_mail(database.pool, carol)
    assert await outbox.queue(database.pool, a_letter(is_asked_for=False)) is not None
    assert len(await addresses_in(database.pool)) == 3


async def test_an_address_that_could_not_be_reached_gets_what_it_asks_for_and_nothing_else(
    database: Database,
) -> None:
    await database.pool.execute(UNREACHABLE, "carol@example.com", START)
    outbox = AnOutbox()
    assert await outbox.queue(database.pool, a_letter(is_asked_for=False)) is None
    assert await outbox.queue(database.pool, a_letter()) is not None


async def test_without_a_key_nobody_is_written_to_unasked(database: Database) -> None:
    outbox = AnOutbox(Clock(), hashes=None)
    assert outbox.port.no_more_token("carol@example.com") is None
    assert await outbox.queue(database.pool, a_letter(is_asked_for=False)) is None
    assert await outbox.queue(database.pool, a_letter()) is not None


async def test_erasing_takes_the_mails_and_the_mark_and_leaves_that_they_want_no_more(
    database: Database,
) -> None:
    outbox = AnOutbox()
    assert outbox.hashes is not None
    await outbox.queue(database.pool, a_letter())
    await outbox.queue(database.pool, a_letter("bob@example.com"))
    await database.pool.execute(UNREACHABLE, "carol@example.com", START)
    await end_mail(database.pool, outbox.hashes.of("carol@example.com"), at=START)
    async with database.pool.acquire() as connection, connection.transaction():
        await erase_mails(connection, "carol@example.com")
    assert await addresses_in(database.pool) == ["bob@example.com"]
    async with database.pool.acquire() as connection:
        assert not await is_unreachable(connection, "carol@example.com")
    assert await outbox.queue(database.pool, a_letter(is_asked_for=False)) is None
    noted = await database.pool.fetch("SELECT table_name FROM mahjic.erasures")
    assert {row["table_name"] for row in noted} == {"mails", "unreachable_addresses"}
