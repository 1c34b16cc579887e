"""Reads from the views what summaries tell of a night."""

from collections.abc import Sequence
from dataclasses import dataclass

from services.invitations.summing_up import ShownNight
from services.projections.answering.reading import ViewBeingBuilt, ViewReader
from services.projections.profiles.queries import read_standings
from services.projections.sessions.queries import rated_sessions
from shared.errors import ServiceUnavailable


@dataclass(frozen=True, slots=True)
class NightViews:
    """Keeps the promise of RatedNights."""

    reader: ViewReader

    async def shown(
        self, session_ids: Sequence[str], player_ids: Sequence[str]
    ) -> ShownNight | None:
        """Return what the views show; None while they can't be read."""
        try:
            # Before the sessions, which may only be further than that.
            seq, standings = await read_standings(self.reader, player_ids)
            sessions = await rated_sessions(self.reader, session_ids)
        except (ViewBeingBuilt, ServiceUnavailable):
            return None
        ratings = {player_id: row["rating_centi"] for player_id, row in standings.items()}
        return ShownNight(seq, list(sessions.values()), ratings)
