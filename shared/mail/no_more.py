"""Who wants no mail that was not asked for, and the links by which people say so.

A link holds the hash of the address and a tag that only we can make, so it works forever, also
after everything else about the address was erased, and nobody can end the mail of others.
"""

import base64
import binascii
import hmac
from datetime import datetime
from typing import Final

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from shared.mail.address_hash import AddressHashes

NO_MORE_PATH: Final = "/mail/no-more/"
HASH_BYTES: Final = 32
TOKEN_CHARACTERS: Final = 64

END_MAIL: Final = """
INSERT INTO mahjic.no_more_mail (address_hash, since) VALUES ($1, $2)
ON CONFLICT (address_hash) DO NOTHING
"""
ALLOW_MAIL: Final = "DELETE FROM mahjic.no_more_mail WHERE address_hash = $1"
WANTS_NO_MORE: Final = "SELECT EXISTS (SELECT FROM mahjic.no_more_mail WHERE address_hash = $1)"

Database = asyncpg.Pool | asyncpg.Connection | PoolConnectionProxy


def no_more_token(hashes: AddressHashes, address: str) -> str:
    """Return what the link for an address ends with."""
    address_hash = hashes.of(address)
    return base64.urlsafe_b64encode(address_hash + hashes.tag_of(address_hash)).decode("ascii")


def hash_in_token(hashes: AddressHashes, token: str) -> bytes | None:
    """Return the hash of the address that a link is about; None if we did not make the link."""
    if len(token) != TOKEN_CHARACTERS or not token.isascii():
        return None
    try:
        data = base64.b64decode(token, altchars=b"-_", validate=True)
    except binascii.Error:
        return None
    address_hash, tag = data[:HASH_BYTES], data[HASH_BYTES:]
    return address_hash if hmac.compare_digest(tag, hashes.tag_of(address_hash)) else None


async def end_mail(database: Database, address_hash: bytes, *, at: datetime) -> None:
    """Note that an address wants no more mail that was not asked for; again changes nothing."""
    await database.execute(END_MAIL, address_hash, at)


async def allow_mail(database: Database, address_hash: bytes) -> None:
    """Take back that an address wants no more mail, as only its proved owner may."""
    await database.execute(ALLOW_MAIL, address_hash)


async def wants_no_more(database: Database, address_hash: bytes) -> bool:
    """Return whether an address wants no mail that was not asked for."""
    return bool(await database.fetchval(WANTS_NO_MORE, address_hash))
