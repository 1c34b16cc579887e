"""The outbox: what causes a mail writes it here, in its own transaction, and a worker sends it.

So a mail is sent if and only if what it tells of has happened, and no kill loses one.
"""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from shared.db.erasing import note_erased
from shared.ids import CROCKFORD
from shared.mail.address_hash import AddressHashes
from shared.mail.causes import note_cause
from shared.mail.letters import Letter
from shared.mail.no_more import no_more_token, wants_no_more

# Rung with the number of the newest mail, or with 0 when mails were erased.
MAIL_CHANNEL: Final = "mahjic_mail"
ID_CHARACTERS: Final = 16

QUEUE: Final = """
INSERT INTO mahjic.mails (
    mail_id, kind, address, is_asked_for, subject, plain, html, no_more_url,
    queued_at, good_until, due_at
) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
RETURNING pg_notify('mahjic_mail', number::text)
"""
ERASE: Final = """
WITH erased AS (
    DELETE FROM mahjic.mails WHERE address = $1 AND kind = COALESCE($2, kind) RETURNING mail_id
)
SELECT count(*) AS count, pg_notify('mahjic_mail', '0') FROM erased
"""
ERASE_MARK: Final = "DELETE FROM mahjic.unreachable_addresses WHERE address = $1"
IS_UNREACHABLE: Final = """
SELECT EXISTS (SELECT FROM mahjic.unreachable_addresses WHERE address = $1)
"""

Connection = asyncpg.Connection | PoolConnectionProxy


def new_mail_id() -> str:
    """Return an id that nobody guesses: a mail may be spoken of by it, and is named by it."""
    return "mail_" + "".join(secrets.choice(CROCKFORD) for _ in range(ID_CHARACTERS))


@dataclass(frozen=True, slots=True)
class MailOutbox:
    """Takes letters, and forgets them. `now` is the clock.

    Without `hashes` nobody could end mail that was not asked for, so there is none.
    """

    hashes: AddressHashes | None = field(repr=False)
    now: Callable[[], datetime]
    new_id: Callable[[], str] = new_mail_id
    # In a sandbox, whoever caused a mail is shown it.
    keeps_causes: bool = False

    async def queue(
        self, connection: Connection, letter: Letter, *, not_before: datetime | None = None
    ) -> str | None:
        """Have a letter sent once the open transaction is committed, and return the mail's id.

        A letter that was not asked for is not taken, and None returned, if its address wants no
        more mail, or could not be reached the last time.
        """
        assert connection.is_in_transaction(), "A mail goes with what causes it, or not at all."
        if not letter.is_asked_for and not await self.may_write_unasked(connection, letter.address):
            return None
        mail_id, now = self.new_id(), self.now()
        await connection.execute(
            QUEUE,
            mail_id,
            letter.kind,
            letter.address,
            letter.is_asked_for,
            letter.subject,
            letter.text,
            letter.html,
            letter.no_more_url,
            now,
            now + letter.good_for,
            now if not_before is None else not_before,
        )
        if self.keeps_causes:
            await note_cause(connection, mail_id)
        return mail_id

    async def may_write_unasked(self, connection: Connection, address: str) -> bool:
        """Return whether an address may be sent what it did not ask for."""
        if self.hashes is None or await wants_no_more(connection, self.hashes.of(address)):
            return False
        return not await is_unreachable(connection, address)

    def no_more_token(self, address: str) -> str | None:
        """Return the token of the link that ends mail to an address; None if there is none."""
        return None if self.hashes is None else no_more_token(self.hashes, address)


async def is_unreachable(connection: Connection, address: str) -> bool:
    """Return whether the last mail to an address was refused for good."""
    return bool(await connection.fetchval(IS_UNREACHABLE, address))


async def erase_mails(connection: Connection, address: str, *, kind: str | None = None) -> None:
    """Erase mails to an address, sent or not, and what is known of it, in a transaction.

    All of them, or those of a kind. Files of such mails follow once it is committed. That it wants
    no more mail is kept.
    """
    assert connection.is_in_transaction()
    if await connection.fetchval(ERASE, address, kind):
        await note_erased(connection, "mails")
    if await connection.execute(ERASE_MARK, address) != "DELETE 0":
        await note_erased(connection, "unreachable_addresses")
