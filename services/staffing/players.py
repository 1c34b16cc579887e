"""Keeps the promises of PlayersAtStaff, by the operator's functions of ingest."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from services.accounts.logging_in.logins import Login
from services.accounts.room import Accounts
from services.ingest.claim.people import Person
from services.ingest.players.acts import forget, register, set_privacy
from services.ingest.players.forgetting import Erasable
from services.ingest.players.looking import find_by_address, look_at_player
from services.ingest.players.naming import with_address
from services.ingest.record.ids_and_times import IdsAndTimes
from services.ingest.record.waterline import Waterline
from services.site.staff.players_at_staff import PlayerAct, PlayerOnRecord
from services.staffing.keeping_acts import keep_act, unless_away
from shared.access.acts import StaffActKind

_KEPT_AS: Final[Mapping[PlayerAct, StaffActKind]] = {
    "hide": "hide_player",
    "show": "show_player",
    "forget": "forget_player",
}


@dataclass(frozen=True, slots=True)
class StaffPlayers:
    """What staff do with players."""

    accounts: Accounts
    waterline: Waterline
    ids_and_times: IdsAndTimes
    erasables: Sequence[Erasable]

    async def find(self, login: Login, typed: str) -> str | None:
        """Return who has an address, once it is kept that somebody looked."""
        found = await self.accounts.settled(lambda c: find_by_address(c, typed))
        await keep_act(self.accounts, login, "find_by_address", *([found] if found else []))
        return found

    async def register(self, login: Login, typed: str) -> str:
        """Put somebody on record."""
        person: Person = with_address(typed)
        known = await unless_away(
            register(self.accounts.pool, self.waterline, person, self.ids_and_times)
        )
        # Only now is it known who it is about.
        await keep_act(self.accounts, login, "register_player", known.player_id)
        return known.player_id

    async def one(self, player_id: str) -> PlayerOnRecord:
        """Return what is on record about a player."""
        found = await self.accounts.settled(lambda c: look_at_player(c, player_id))
        return PlayerOnRecord(
            player_id=found.player_id,
            survivor=found.survivor,
            merged_into=found.merged_into,
            others=[each for each in found.members if each != found.survivor],
            is_known=found.is_known,
            is_verified=found.is_verified,
            is_private=found.is_private,
            privacy_by=found.privacy_by,
            name=found.name,
            sessions=found.sessions,
        )

    async def act(self, login: Login, player_id: str, act: PlayerAct) -> None:
        """Do what is asked, once it is kept."""
        # What was never given out is no player, and nothing was done.
        await self.one(player_id)
        await keep_act(self.accounts, login, _KEPT_AS[act], player_id)
        pool, waterline, made = self.accounts.pool, self.waterline, self.ids_and_times
        if act == "forget":
            await unless_away(forget(pool, waterline, player_id, made, self.erasables))
        else:
            await unless_away(
                set_privacy(pool, waterline, player_id, "private" if act == "hide" else "normal")
            )
