"""Keeps the promises of VerifiedAtStaff, by the functions of verification."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from services.accounts.logging_in.logins import Login
from services.accounts.room import Accounts
from services.staffing.keeping_acts import keep_act, unless_away
from services.verification.deciding import decide
from services.verification.entitlement import Decision
from services.verification.room import VerificationRoom
from services.verification.staff.holds import Hold, find_hold, release
from services.verification.staff.looking_up import PersonOnFile, look_up
from services.verification.staff.money import MoneyStanding, look_at_money
from shared.access.acts import StaffActKind
from shared.own_words.short_texts import SHORT_TEXT_CHARACTERS_MAX, read_prose

_KEPT_AS: Final[Mapping[Decision | None, StaffActKind]] = {
    "grant": "verify_player",
    "block": "end_verification",
    None: "leave_verification",
}


@dataclass(frozen=True, slots=True)
class StaffVerifying:
    """What staff look at and decide about Verified players."""

    accounts: Accounts
    verification: VerificationRoom

    @property
    def is_open(self) -> bool:
        """Whether people can pay here."""
        return self.verification.stripe_account is not None

    async def on_file(self, player_id: str) -> PersonOnFile:
        """Return what is on file about a player."""
        now = self.accounts.chance.now()
        return await self.accounts.settled(lambda c: look_up(c, player_id, now))

    async def decide(
        self, login: Login, player_id: str, decision: Decision | None, reason: str
    ) -> None:
        """Decide something, once it is kept who does."""
        words = read_prose(reason, SHORT_TEXT_CHARACTERS_MAX)
        # What was never given out is no player, and nothing was done.
        await self.on_file(player_id)
        await keep_act(self.accounts, login, _KEPT_AS[decision], player_id)
        await unless_away(decide(self.verification, player_id, decision, words))

    async def money(self) -> MoneyStanding:
        """Return how the money stands."""
        now = self.accounts.chance.now()
        return await self.accounts.settled(lambda c: look_at_money(c, now))

    async def hold(self, key: str) -> Hold:
        """Return a check that waits for staff."""
        return await self.accounts.settled(lambda c: find_hold(c, key))

    async def release(self, login: Login, key: str, reason: str) -> str:
        """Let a check count, once it is kept who lets it."""
        words = read_prose(reason, SHORT_TEXT_CHARACTERS_MAX)
        hold = await self.hold(key)
        await keep_act(self.accounts, login, "release_check", hold.player_id, key)
        return await unless_away(release(self.verification, key, words))
