"""What a click on "no more mail" does: it ends mail to the address that the link is about."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

import asyncpg

from shared.db.away import DATABASE_AWAY
from shared.errors import NotFound, ServiceUnavailable
from shared.mail.address_hash import AddressHashes
from shared.mail.no_more import end_mail, hash_in_token


@dataclass(frozen=True, slots=True)
class MailLinks:
    """Reads our links. Nobody learns from one which address it is about."""

    pool: asyncpg.Pool
    hashes: AddressHashes | None = field(repr=False)
    now: Callable[[], datetime]

    def check(self, token: str) -> None:
        """Raise NotFound unless we made the link that ends with this."""
        self._read(token)

    async def end_mail(self, token: str) -> None:
        """End mail to the address. Raises NotFound and ServiceUnavailable."""
        address_hash = self._read(token)
        try:
            await end_mail(self.pool, address_hash, at=self.now())
        except DATABASE_AWAY as error:
            raise ServiceUnavailable from error

    def _read(self, token: str) -> bytes:
        address_hash = None if self.hashes is None else hash_in_token(self.hashes, token)
        if address_hash is None:
            raise NotFound("This link is not complete. Open it again from the mail.")
        return address_hash
