"""Makes one of two players whose addresses one account has proved, as their owner asks."""

from dataclasses import dataclass
from typing import Final, Literal

from services.accounts.logging_in.logins import Login, NotLoggedIn, check_fresh
from services.accounts.owners import lock_account
from services.accounts.ports import Connection
from services.accounts.room import Accounts
from services.accounts.telling import tell_change
from services.ingest.changes.linking import PlayersMet
from services.ingest.people.own_merges import AskStaffToMerge, look_at_merge
from services.ingest.people.room import PeopleOfAccounts
from services.people.own import players_of_login
from services.site.me.rights import MergeLook, MergeRefused
from shared.errors import MahjicError, NotFound

TOLD: Final = "Two players of yours were made one."


@dataclass(frozen=True, slots=True)
class Merging:
    """Keeps the promises of MergesPlayers."""

    accounts: Accounts
    people: PeopleOfAccounts

    async def look(self, login: Login, player_id: str, into: str) -> MergeLook:
        """Return what it would do."""

        async def look(connection: Connection) -> MergeLook:
            await check_own(connection, login, player_id, into)
            seen = await look_at_merge(connection, player_id, into)
            why_not = seen.why_not
            return MergeLook(
                player_id=seen.player_id,
                into=seen.into,
                rounds=seen.rounds,
                sessions=seen.sessions,
                sources=seen.sources,
                first_day=seen.first_day,
                last_day=seen.last_day,
                is_private=seen.would_be_private,
                why_not=_kind(why_not),
                why_not_words=why_not.detail if why_not else "",
                met=why_not.extra.get("session_ids", ()) if why_not else (),
            )

        return await self.accounts.settled(look)

    async def merge(self, login: Login, player_id: str, into: str, *, is_private: bool) -> None:
        """Make the two one, and show or hide them."""
        check_fresh(self.accounts, login)

        async def merge(connection: Connection) -> None:
            # First, as whoever forgets or merges a player locks that first, too.
            await self.people.begin(connection)
            if await lock_account(connection, login.account_id) is None:
                raise NotLoggedIn
            await check_own(connection, login, player_id, into)
            linked = await self.people.merge(connection, player_id, into, is_private=is_private)
            if linked is not None:
                await tell_change(self.accounts, connection, login.account_id, TOLD)

        try:
            await self.accounts.settled(merge)
        except (AskStaffToMerge, PlayersMet) as refused:
            raise MergeRefused(refused.detail) from None


async def check_own(connection: Connection, login: Login, *player_ids: str) -> None:
    """Check that players are those of a login, by any of their ids. Raises NotFound."""
    players = await players_of_login(connection, login)
    if not {each for player in players for each in player.player_ids}.issuperset(player_ids):
        raise NotFound("That is not a player of yours. Load the page again.")


def _kind(why_not: MahjicError | None) -> Literal["met", "ask_staff"] | None:
    if why_not is None:
        return None
    return "met" if isinstance(why_not, PlayersMet) else "ask_staff"
