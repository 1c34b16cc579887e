"""Tells whoever asks for it everything that is stored about them, as one document."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from services.accounts.forgetting import owners_among
from services.accounts.logging_in.logins import Login, check_fresh
from services.accounts.own.own_addresses import proved_addresses
from services.accounts.ports import Connection
from services.accounts.room import Accounts
from services.accounts.stored import account_sections
from services.ingest.people.download import PlayerSection, Section, everything_about
from services.ingest.people.own_addresses import players_of
from shared.db.away import DATABASE_AWAY
from shared.errors import ServiceUnavailable


@dataclass(frozen=True, slots=True)
class Downloading:
    """Keeps the promises of TellsEverything.

    `sections` and `player_sections` are what rooms beside accounts and ingest have stored.
    """

    accounts: Accounts
    sections: Sequence[Section] = ()
    player_sections: Sequence[PlayerSection] = ()

    async def everything(self, login: Login) -> AsyncIterator[bytes]:
        """Return the document in pieces."""
        check_fresh(self.accounts, login)
        player_ids, addresses = await self.accounts.settled(lambda c: self._whose(c, login))
        own = account_sections(self.accounts, login.account_id)
        try:
            return await everything_about(
                self.accounts.pool,
                player_ids,
                now=self.accounts.chance.now(),
                addresses=addresses,
                sections=(*own, *self.sections),
                player_sections=self.player_sections,
            )
        except DATABASE_AWAY:
            raise ServiceUnavailable from None

    async def _whose(
        self, connection: Connection, login: Login
    ) -> tuple[Sequence[str], Sequence[str]]:
        """Return the players of a login, and the addresses that nobody else has proved."""
        proved = await proved_addresses(connection, login.account_id)
        players = await players_of(connection, proved)
        known = {address for player in players for address in player.addresses}
        beside = [
            address
            for address in sorted(known.difference(proved))
            if not await owners_among(connection, [address])
        ]
        return [player.player_id for player in players], [*proved, *beside]
