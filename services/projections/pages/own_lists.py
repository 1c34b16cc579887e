"""What a player's own download holds of ratings: where they stand, and every change with its
reason."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from typing import Any, Final

from services.projections.history.reads import Histories, HistoryRequest, answer_history
from services.projections.profiles.reads import answer_profile

CHANGES_AT_ONCE: Final = 200


@dataclass(frozen=True, slots=True)
class OwnRatings:
    """Where a player stands now, in both pools; also a private one."""

    histories: Histories
    name: str = field(default="ratings", init=False)

    async def check(self, player_id: str) -> None:
        """Check that it can be read now. Raises errors with status 503."""
        await answer_profile(self.histories.reader.for_oneself(player_id), player_id)

    async def about(self, player_id: str) -> AsyncIterator[Any]:
        """Yield where the player stands."""
        yield await answer_profile(self.histories.reader.for_oneself(player_id), player_id)


@dataclass(frozen=True, slots=True)
class OwnChanges:
    """Every change of a player's ratings, newest first; also of a private one."""

    histories: Histories
    name: str = field(default="changes", init=False)

    async def check(self, player_id: str) -> None:
        """Check that they can be read now. Raises errors with status 503."""
        reader = self.histories.reader.for_oneself(player_id)
        await answer_history(reader, player_id, HistoryRequest(limit=1))

    async def about(self, player_id: str) -> AsyncIterator[Any]:
        """Yield each change, read in pages, so that nobody waits for a long history."""
        reader = self.histories.reader.for_oneself(player_id)
        asked = HistoryRequest(limit=CHANGES_AT_ONCE)
        while True:
            page = await answer_history(reader, player_id, asked)
            for change in page["changes"]:
                yield change
            if page["next_cursor"] is None:
                return
            asked = replace(asked, cursor=page["next_cursor"])
