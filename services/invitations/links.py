"""What the links of an invitation do: "this is not me" ends mail to the address, and is kept.

The source's desk shows it, so that the address is put right where it came from. A link is no login,
and is good for as long as its reader is not forgotten.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

import asyncpg

from services.accounts.owners import proved_among
from services.accounts.tokens import is_token, token_hash
from services.ingest.people.reaching import addresses_of
from services.invitations.room import Connection, InvitationRoom
from shared.db.away import DATABASE_AWAY
from shared.errors import MahjicError, NotFound, ServiceUnavailable
from shared.mail.no_more import end_mail

LOOK: Final = """
SELECT letter.mail_id, letter.player_id, letter.address_hash, letter.session_date,
    letter.not_me_at, sources.name AS source_name
FROM mahjic.invitations AS letter
JOIN mahjic.listed_sources AS sources ON sources.slug = letter.source
WHERE letter.token_hash = $1
"""
LOCK: Final = "SELECT mail_id FROM mahjic.invitations WHERE token_hash = $1 FOR UPDATE"
NOTE_NOT_ME: Final = "UPDATE mahjic.invitations SET not_me_at = $2 WHERE mail_id = $1"
LIST_NOT_ME: Final = """
SELECT number, player_id, source, session_id, session_date, not_me_at
FROM mahjic.invitations
WHERE not_me_at IS NOT NULL AND number > $2 AND source = COALESCE($1, source)
ORDER BY number LIMIT $3
"""


class AddressIsClaimed(MahjicError):
    """Somebody has proved the address since the invitation was sent."""

    code = "address_claimed"
    title = "Somebody has said that this is their address"
    status = 409

    def __init__(self) -> None:
        super().__init__(
            "Since this mail was sent, somebody has opened a link at its address and said that "
            "the rating is theirs. Log in to change what mail you get."
        )


@dataclass(frozen=True, slots=True)
class InvitedReader:
    """What the reader of an invitation is shown: who rated them, and when."""

    source_name: str
    day: date
    has_said_so: bool


@dataclass(frozen=True, slots=True)
class DisownedAddress:
    """An address at which somebody else reads mail than the player whom a source named by it.

    `number` is that of the invitation.
    """

    number: int
    player_id: str
    source: str
    session_id: str
    session_date: date
    said_at: datetime


@dataclass(frozen=True, slots=True)
class InvitationLinks:
    """Reads our links. Nobody learns from one which address or player it is about."""

    room: InvitationRoom

    async def look(self, token: str) -> InvitedReader:
        """Return what an invitation was about; nothing changes.

        Raises NotFound, AddressIsClaimed and ServiceUnavailable.
        """
        try:
            async with self.room.pool.acquire() as connection:
                return _reader(await self._read(connection, token))
        except DATABASE_AWAY as error:
            raise ServiceUnavailable from error

    async def say_not_me(self, token: str) -> InvitedReader:
        """End mail to the address, and keep that it is wrong; again changes nothing.

        Raises NotFound, AddressIsClaimed and ServiceUnavailable.
        """
        try:
            async with self.room.pool.acquire() as connection, connection.transaction():
                if is_token(token):
                    await connection.fetchval(LOCK, token_hash(token))
                row, now = await self._read(connection, token), self.room.now()
                if row["not_me_at"] is None:
                    await connection.execute(NOTE_NOT_ME, row["mail_id"], now)
                await end_mail(connection, row["address_hash"], at=now)
                return _reader(row)
        except DATABASE_AWAY as error:
            raise ServiceUnavailable from error

    async def _read(self, connection: Connection, token: str) -> asyncpg.Record:
        row = await connection.fetchrow(LOOK, token_hash(token)) if is_token(token) else None
        if row is None:
            raise NotFound(
                "This link is not complete, or what it was about is erased. Open it again from "
                "the mail."
            )
        addresses = (await addresses_of(connection, [row["player_id"]])).values()
        hashes = self.room.outbox.hashes
        written_to = [
            each for each in addresses if hashes and hashes.of(each) == row["address_hash"]
        ]
        if await proved_among(connection, written_to):
            raise AddressIsClaimed
        return row


def _reader(row: asyncpg.Record) -> InvitedReader:
    return InvitedReader(row["source_name"], row["session_date"], row["not_me_at"] is not None)


async def list_wrong_addresses(
    connection: Connection, *, source: str | None, after: int, limit: int
) -> Sequence[DisownedAddress]:
    """Return at whose addresses somebody else reads, in the order of the invitations.

    For the desk of one source, or of all.
    """
    rows = await connection.fetch(LIST_NOT_ME, source, after, limit)
    return [
        DisownedAddress(
            row["number"],
            row["player_id"],
            row["source"],
            row["session_id"],
            row["session_date"],
            row["not_me_at"],
        )
        for row in rows
    ]
