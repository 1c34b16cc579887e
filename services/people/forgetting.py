"""Forgets whoever asks for it: the account and its players, in one transaction."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from services.accounts.acts import note_act
from services.accounts.forgetting import erase_owners, erase_proofs, owners_among
from services.accounts.logging_in.logins import Login, check_fresh
from services.accounts.owners import lock_accounts
from services.accounts.ports import Connection
from services.accounts.room import Accounts
from services.ingest.people.own_addresses import KnownPlayer
from services.ingest.people.room import PeopleOfAccounts
from services.people.own import players_of_login
from services.site.me.rights import FORGET_WORDS, NotTheMahjicId
from shared.errors import ServiceUnavailable
from shared.ids import MistypedPlayerIdError, read_player_id

# Another address or account can have come in while we waited for the locks. Who adds them at this
# pace is no person.
TRIES_MAX: Final = 5


class _CameInError(Exception):
    """Something else belongs to the person since we looked, so we look again."""


@dataclass(frozen=True, slots=True)
class Forgetting:
    """Keeps the promises of ForgetsPeople."""

    accounts: Accounts
    people: PeopleOfAccounts

    async def forget(self, login: Login, typed: str) -> None:
        """Erase the account of a login and its players, all of it or nothing.

        An account that is gone already was forgotten meanwhile, which is what was asked for.
        """
        check_fresh(self.accounts, login)
        for _ in range(TRIES_MAX):
            try:
                return await self.accounts.settled(lambda c: self._forget(c, login, typed))
            except _CameInError:
                continue
        raise ServiceUnavailable

    async def _forget(self, connection: Connection, login: Login, typed: str) -> None:
        # First, as whoever forgets or merges a player locks that first, too.
        await self.people.begin(connection)
        own = login.account_id
        found = await players_of_login(connection, login)
        addresses = sorted({address for player in found for address in player.addresses})
        owners = {own} | await owners_among(connection, addresses)
        asked = await erase_proofs(connection, addresses, owners)
        if own not in await lock_accounts(connection, owners):
            return
        again = await players_of_login(connection, login)
        if again != found or not await owners_among(connection, addresses) <= owners:
            raise _CameInError
        _check_typed(found, typed)
        if login.role is not None:
            at = self.accounts.chance.now()
            await note_act(connection, at=at, staff_id=own, act="forget_oneself", about=[own])
        for player in found:
            await self.people.forget(connection, player.player_id)
        # Also of somebody without a player, such as a club's secretary who never played.
        erased = await erase_owners(connection, {own}, asked_before=asked)
        await self.people.forget_addresses(connection, erased)


def _check_typed(found: Sequence[KnownPlayer], typed: str) -> None:
    """Check what was typed to be sure. Raises NotTheMahjicId."""
    if not found:
        if " ".join(typed.lower().split()) != FORGET_WORDS:
            raise NotTheMahjicId(f"Type the words: {FORGET_WORDS}. Nothing was erased.")
        return
    try:
        typed_id = read_player_id(typed)
    except MistypedPlayerIdError as error:
        raise NotTheMahjicId(f"{error} Nothing was erased.") from None
    # One that was merged meanwhile, in another window, is still its own.
    if not any(typed_id in player.player_ids for player in found):
        raise NotTheMahjicId(
            f"That is another player’s Mahjic ID. Yours is {found[0].player_id}. Nothing was "
            "erased."
        )
