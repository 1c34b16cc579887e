"""What mail people want beside what they ask for: chosen with their account, and asked by address.

Links to log in and notices that an account was changed go to everyone, whatever is chosen.
"""

from collections.abc import Iterable, Set
from typing import Final, Literal, TypeAlias

from services.accounts.ports import Connection
from services.accounts.room import Accounts

# `summary`: one after each night, and what is important. `important`: only what needs an answer, or
# is one. `nothing`: neither.
MailChoice: TypeAlias = Literal["nothing", "summary", "important"]

READ: Final = "SELECT wants FROM mahjic.mail_choices WHERE account_id = $1"
READ_OF_ADDRESS: Final = """
SELECT choices.wants FROM mahjic.addresses
JOIN mahjic.mail_choices AS choices USING (account_id)
WHERE addresses.address = $1 AND addresses.proved_at IS NOT NULL
"""
AMONG_SUMMARIES: Final = """
SELECT addresses.address FROM mahjic.addresses
JOIN mahjic.mail_choices AS choices USING (account_id)
WHERE addresses.address = ANY($1) AND addresses.proved_at IS NOT NULL AND choices.wants = 'summary'
"""
WRITE: Final = """
INSERT INTO mahjic.mail_choices (account_id, wants, chosen_at)
SELECT account_id, $2, $3 FROM mahjic.accounts WHERE account_id = $1
ON CONFLICT (account_id) DO UPDATE SET wants = EXCLUDED.wants, chosen_at = EXCLUDED.chosen_at
"""


async def mail_choice_of_address(connection: Connection, address: str) -> MailChoice | None:
    """Return what mail the owner of an address wants.

    None if nobody has proved the address, or its owner has not chosen yet: then nothing is wanted
    that was not asked for.
    """
    found: MailChoice | None = await connection.fetchval(READ_OF_ADDRESS, address)
    return found


async def wanting_summaries(connection: Connection, addresses: Iterable[str]) -> Set[str]:
    """Return those of these addresses whose owners want a summary after each night."""
    return {row["address"] for row in await connection.fetch(AMONG_SUMMARIES, list(addresses))}


async def mail_choice_of(connection: Connection, account_id: str) -> MailChoice | None:
    """Return what mail an account wants; None if its owner has not chosen yet."""
    found: MailChoice | None = await connection.fetchval(READ, account_id)
    return found


async def choose_mail(
    accounts: Accounts, connection: Connection, account_id: str, wants: MailChoice
) -> None:
    """Note what mail an account wants, in the open transaction. One that is gone wants nothing."""
    await connection.execute(WRITE, account_id, wants, accounts.chance.now())
