"""What is stored of mail to somebody, for that person alone."""

from collections.abc import Sequence
from typing import Any, Final

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from shared.mail.address_hash import AddressHashes

# What a proof says lets in whoever has it: it comes by mail, and by no other way.
READ_MAILS: Final = """
SELECT address, kind, is_asked_for, queued_at, good_until, state, settled_at, tries, smtp_code,
    CASE WHEN kind <> 'proof' THEN subject END AS subject,
    CASE WHEN kind <> 'proof' THEN plain END AS text
FROM mahjic.mails WHERE address = ANY($1) ORDER BY number
"""
READ_UNREACHABLE: Final = """
SELECT address, since, smtp_code FROM mahjic.unreachable_addresses
WHERE address = ANY($1) ORDER BY address
"""
READ_NO_MORE: Final = """
SELECT given.address, ended.since
FROM unnest($1::text[], $2::bytea[]) AS given (address, address_hash)
JOIN mahjic.no_more_mail AS ended USING (address_hash) ORDER BY given.address
"""

Connection = asyncpg.Connection | PoolConnectionProxy


async def mails_to(connection: Connection, addresses: Sequence[str]) -> list[dict[str, Any]]:
    """Return every mail to some addresses; those that still wait with what they say."""
    return [dict(row) for row in await connection.fetch(READ_MAILS, addresses)]


async def unreachable_among(
    connection: Connection, addresses: Sequence[str]
) -> list[dict[str, Any]]:
    """Return to which of some addresses mail was refused for good, and since when."""
    return [dict(row) for row in await connection.fetch(READ_UNREACHABLE, addresses)]


async def ended_among(
    connection: Connection, hashes: AddressHashes | None, addresses: Sequence[str]
) -> list[dict[str, Any]]:
    """Return which of some addresses want no mail that was not asked for, and since when."""
    if hashes is None:
        return []
    hashed = [hashes.of(each) for each in addresses]
    return [dict(row) for row in await connection.fetch(READ_NO_MORE, addresses, hashed)]
