"""What accounts ask of the room that keeps people, which the wiring hands in."""

from collections.abc import Sequence
from typing import Protocol

import asyncpg
from asyncpg.pool import PoolConnectionProxy

Connection = asyncpg.Connection | PoolConnectionProxy


class PlayerAddresses(Protocol):
    """The addresses by which players are known."""

    async def begin(self, connection: Connection) -> None:
        """Lock what players are written under, before accounts are locked."""

    async def detach(self, connection: Connection, address: str, *, others: Sequence[str]) -> None:
        """Take an address from its player for good, in the open transaction.

        The player stays with its person, who has proved `others`, too: without an address among
        them it gets the first that is no player's yet. Raises OnlyAddressOfPlayer if there is none.
        Whoever is named by the address later is someone new.
        """
