"""What other rooms are handed of this one, where all they have is an open transaction.

Whoever calls takes nothing else first that a writer of facts could wait for: the head is locked
before anything else is written.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from services.ingest.changes.linking import Linked
from services.ingest.people.choices import Choices, choose
from services.ingest.people.own_addresses import claim, detach
from services.ingest.people.own_merges import merge_own
from services.ingest.players.acts import Registered
from services.ingest.players.forgetting import Erasable, forget_person
from services.ingest.players.grouped import WholePerson
from services.ingest.record.ids_and_times import IdsAndTimes
from services.ingest.record.waterline import Waterline
from shared.log.postgres import Connection


@dataclass(frozen=True, slots=True)
class PeopleOfAccounts:
    """What people do about themselves, each in the open transaction of whoever knows them.

    All of them can raise HistorySplit, after which nothing may be committed.
    """

    waterline: Waterline
    ids_and_times: IdsAndTimes
    erasables: Sequence[Erasable]

    async def begin(self, connection: Connection) -> None:
        """Lock the head before anything is read that the rest of the transaction relies on."""
        await self.waterline.joining(connection)

    async def claim(self, connection: Connection, address: str) -> Registered:
        """Return the player of a proved address; a new one if there is none."""
        writing = await self.waterline.joining(connection)
        return await claim(connection, writing, address, self.ids_and_times)

    async def detach(
        self, connection: Connection, address: str, *, others: Sequence[str] = ()
    ) -> None:
        """Take an address from its player for good. The player stays with whoever has `others`."""
        writing = await self.waterline.joining(connection)
        await detach(connection, writing, address, others=others)

    async def choose(self, connection: Connection, player_id: str, choices: Choices) -> None:
        """Write down name, region and privacy."""
        await choose(connection, await self.waterline.joining(connection), player_id, choices)

    async def merge(
        self, connection: Connection, player_id: str, into: str, *, is_private: bool
    ) -> Linked | None:
        """Merge a person's own player into their other one."""
        writing = await self.waterline.joining(connection)
        return await merge_own(
            connection, writing, player_id, into, self.ids_and_times, is_private=is_private
        )

    async def forget(self, connection: Connection, player_id: str) -> WholePerson:
        """Forget a player, in this room and in all others that keep something."""
        writing = await self.waterline.joining(connection)
        return await forget_person(
            connection, writing, player_id, self.ids_and_times, self.erasables
        )

    async def forget_addresses(self, connection: Connection, addresses: Sequence[str]) -> None:
        """Forget what other rooms keep of addresses that no player has."""
        for erase in self.erasables:
            await erase(connection, WholePerson((), addresses))
