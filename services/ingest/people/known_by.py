"""The addresses by which players are known, as services/accounts asks for them."""

from dataclasses import dataclass

from services.ingest.people.own_addresses import detach
from services.ingest.record.waterline import Waterline
from shared.log.postgres import Connection


@dataclass(frozen=True, slots=True)
class KnownAddresses:
    """Keeps a port of services/accounts: what a person does with an address of their own."""

    waterline: Waterline

    async def detach(self, connection: Connection, address: str) -> None:
        """Take an address from its player, in the open transaction, which locks the head."""
        async with self.waterline.writing(connection) as writing:
            await detach(connection, writing, address)
