"""What everything about accounts is done with: a database, a clock, chance, and an outbox."""

import hashlib
import secrets
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, TypeVar

import asyncpg

from services.accounts.ports import Connection, PlayerAddresses
from services.accounts.tokens import ID_BYTES, TOKEN_BYTES, id_of, token_of
from shared.db.away import DATABASE_AWAY
from shared.db.patience import answered_within
from shared.errors import ServiceUnavailable
from shared.mail.address_hash import AddressHashes
from shared.mail.outbox import MailOutbox

Done = TypeVar("Done")

# Whoever waits longer for a page reloads it.
TRANSACTION_S_MAX: Final = 8.0


def now_utc() -> datetime:
    """Return the time by the real clock."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Chance:
    """The clock, and random bytes that nobody foresees. Tests hand in their own."""

    now: Callable[[], datetime] = now_utc
    random_bytes: Callable[[int], bytes] = secrets.token_bytes

    def new_token(self) -> str:
        """Return a token that nobody has."""
        return token_of(self.random_bytes(TOKEN_BYTES))

    def new_id(self, prefix: str) -> str:
        """Return an id that nothing else has."""
        return id_of(prefix, self.random_bytes(ID_BYTES))


@dataclass(frozen=True, slots=True)
class Accounts:
    """What the functions of this room are handed first. Links in mails begin with `site_url()`."""

    pool: asyncpg.Pool = field(repr=False)
    outbox: MailOutbox = field(repr=False)
    site_url: Callable[[], str]
    players: PlayerAddresses
    hashes: AddressHashes | None = field(default=None, repr=False)
    chance: Chance = field(default_factory=Chance)
    # What other rooms move when one account becomes one with another: from which, and to which.
    on_join: Sequence[Callable[[Connection, str, str], Awaitable[None]]] = ()

    def counted_as(self, what: str) -> bytes:
        """Return what is kept of an address or a network while its mails are counted: a day."""
        if self.hashes is not None:
            return self.hashes.of(what)
        return hashlib.sha256(what.encode()).digest()

    async def settled(self, work: Callable[[Connection], Awaitable[Done]]) -> Done:
        """Return what some work in one transaction gives, once that is committed.

        Raises ServiceUnavailable if the database is away or takes too long, and what the work
        raises; then nothing of it was done.
        """
        try:
            return await answered_within(self._work(work), TRANSACTION_S_MAX)
        except DATABASE_AWAY:
            raise ServiceUnavailable from None

    async def _work(self, work: Callable[[Connection], Awaitable[Done]]) -> Done:
        async with self.pool.acquire() as connection, connection.transaction():
            return await work(connection)
