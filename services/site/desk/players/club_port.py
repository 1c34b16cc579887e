"""What the pages about a club's players ask for; the wiring hands in what keeps these promises."""

from collections.abc import Sequence
from datetime import date
from typing import Protocol

from services.accounts.logging_in.logins import Login
from services.site.desk.players.club import ClubList, ClubPerson, ClubSeason, WrongField


class ClubPlayers(Protocol):
    """The people of a club, and what they played there."""

    async def listed(self, source: str, typed: str) -> ClubList:
        """Return who has a word in their name that begins with what was typed, or everybody.

        Raises RosterTakesTooLong.
        """
        ...

    async def person(self, source: str, entry: str) -> ClubPerson:
        """Return somebody on the list. Raises UnknownEntry."""
        ...

    async def season(self, source: str, first: date, last: date) -> ClubSeason:
        """Return who played from one day to another, both of them included."""
        ...

    async def board(self, source: str) -> ClubSeason:
        """Return the public players who ever played, with where they stand now."""
        ...

    async def add(self, login: Login, source: str, address: str, name: str) -> Sequence[WrongField]:
        """Put an address, which may begin with PRIVATE:, on the list; return what is wrong."""
        ...

    async def rename(
        self, login: Login, source: str, entry: str, name: str
    ) -> Sequence[WrongField]:
        """Call somebody otherwise; return what is wrong. Raises UnknownEntry."""
        ...

    async def take_off(self, login: Login, source: str, entry: str) -> None:
        """Take somebody off the list; what they played stays. Raises UnknownEntry."""
        ...
