"""Addresses on record are brought to the form in which they are read now, and no two become one."""

import re
import unicodedata
from collections.abc import AsyncIterator

import asyncpg
import pytest
from email_validator import EmailSyntaxError
from email_validator.syntax import validate_email_local_part

from services.operating.alike import alike_addresses
from shared.addresses import read_address
from shared.db.migrations import migrate, read_migrations
from shared.db.server.embedded import EmbeddedServer
from tests.conftest import Database, fresh_database

(NUMBER,) = [each.number for each in read_migrations() if each.name == "one_spelling"]
BEFORE = read_migrations()[: NUMBER - 1]
# Letters that are drawn as nothing, which were refused before too.
BLANK = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
ADD_PLAYERS = "INSERT INTO mahjic.players (player_id) SELECT unnest($1::text[])"
ADD_PEOPLE = """
INSERT INTO mahjic.people (player_id, email, is_private, privacy_by)
SELECT *, false, 'source' FROM unnest($1::text[], $2::text[])
"""


@pytest.fixture
async def before(postgres_server: EmbeddedServer) -> AsyncIterator[Database]:
    """Return a database of before."""
    async with fresh_database(postgres_server, template="template1") as database:
        await migrate(database.pool, BEFORE)
        yield database


async def upgraded(pool: asyncpg.Pool, emails: dict[str, str]) -> dict[str, str]:
    """Put people on record as before, upgrade, and return the addresses by player."""
    await pool.execute(ADD_PLAYERS, list(emails))
    await pool.execute(ADD_PEOPLE, list(emails), list(emails.values()))
    await migrate(pool)
    rows = await pool.fetch("SELECT player_id, email FROM mahjic.people")
    return {row["player_id"]: row["email"] for row in rows}


def old_address(local: str) -> str | None:
    """Return the address that the program before made of a local part, None if it refused it."""
    local = unicodedata.normalize("NFC", unicodedata.normalize("NFC", local).lower())
    try:
        validate_email_local_part(local)
        validate_email_local_part(unicodedata.normalize("NFKC", local))
    except EmailSyntaxError:
        return None
    is_seen = set(local).isdisjoint(BLANK)
    return f"{local}@example.com" if is_seen and len(local.encode()) <= 64 else None


async def test_every_letter_comes_to_the_form_in_which_it_is_read_now(before: Database) -> None:
    letters = [chr(code) for code in range(0x80, 0x110000) if not 0xD800 <= code < 0xE000]
    odd = [each for each in letters if unicodedata.normalize("NFKC", each) != each]
    # Each has a number of its own before it, so that no two come to one address here.
    found = (old_address(f"{number}x{each}y") for number, each in enumerate([*odd, "é", "ł", "和"]))
    emails = {f"MJ-{number:08}": each for number, each in enumerate(found) if each is not None}
    assert len(emails) > 3000
    after = await upgraded(before.pool, emails)
    assert after == {player: read_address(email) for player, email in emails.items()}
    assert await alike_addresses(before.pool) == ()


async def test_two_that_come_to_one_address_stay_two_and_are_told(before: Database) -> None:
    emails = {
        "MJ-1": "ada@example.com",
        "MJ-2": "\uff41da@example.com",
        "MJ-3": "\uff41\uff44\uff41@example.com",
        "MJ-4": "b\uff4f@example.com",
        "MJ-5": "\uff42o@example.com",
        "MJ-6": "cy@example.com",
    }
    after = await upgraded(before.pool, emails)
    assert after == emails | {"MJ-4": "bo@example.com"}
    told = await alike_addresses(before.pool)
    assert [re.findall(r"MJ-\d", each)[:2] for each in told] == [
        ["MJ-2", "MJ-1"],
        ["MJ-3", "MJ-1"],
        ["MJ-5", "MJ-4"],
    ]
    # Who is merged, or forgotten, is told of no more.
    await before.pool.execute(
        "UPDATE mahjic.players SET merged_into = 'MJ-1' WHERE player_id = 'MJ-2'"
    )
    await before.pool.execute("DELETE FROM mahjic.people WHERE player_id = 'MJ-3'")
    assert len(await alike_addresses(before.pool)) == 1
