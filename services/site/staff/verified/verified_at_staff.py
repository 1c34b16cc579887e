"""What the pages of Verified players at the staff desk ask for."""

from typing import Protocol

from services.accounts.logging_in.logins import Login
from services.verification.entitlement import Decision
from services.verification.staff.holds import Hold
from services.verification.staff.looking_up import PersonOnFile
from services.verification.staff.money import MoneyStanding


class VerifiedAtStaff(Protocol):
    """Looks at what is on file, and decides. Each act is kept before it is done.

    All raise ServiceUnavailable.
    """

    @property
    def is_open(self) -> bool:
        """Whether people can pay here."""
        ...

    async def on_file(self, player_id: str) -> PersonOnFile:
        """Return what is on file about a player. Raises UnknownPlayer."""
        ...

    async def decide(
        self, login: Login, player_id: str, decision: Decision | None, reason: str
    ) -> None:
        """Decide something about a player, or take it back. Raises UnfitText, and why not."""
        ...

    async def money(self) -> MoneyStanding:
        """Return how the money stands, and what waits for staff."""
        ...

    async def hold(self, key: str) -> Hold:
        """Return a check that waits for staff. Raises NotFound."""
        ...

    async def release(self, login: Login, key: str, reason: str) -> str:
        """Let a check count, and return whose it is. Raises UnfitText or NotFound."""
        ...
