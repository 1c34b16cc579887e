"""What accounts ask of the room that keeps people, which the wiring hands in."""

from typing import Protocol

import asyncpg
from asyncpg.pool import PoolConnectionProxy

Connection = asyncpg.Connection | PoolConnectionProxy


class PlayerAddresses(Protocol):
    """The addresses by which players are known."""

    async def detach(self, connection: Connection, address: str) -> None:
        """Take an address from its player for good, in the open transaction.

        The player stays. Whoever is named by the address later is someone new.
        """
