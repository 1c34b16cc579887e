"""What the desk of a source reads of its own sessions and its players."""

from collections.abc import Mapping, Sequence
from datetime import date

from services.projections.answering.reading import ViewReader
from services.projections.seasons.answers import PlayedSeason, PresentRating
from services.projections.seasons.reads import answer_present, answer_season


class SeasonPages:
    """Reads for the pages of a desk about players and standings."""

    def __init__(self, reader: ViewReader) -> None:
        self._reader = reader

    async def season(self, source: str, first: date, last: date) -> PlayedSeason:
        """Return who played in the sessions of a source; only for its own people."""
        return await answer_season(self._reader, source, first, last)

    async def present(self, player_ids: Sequence[str]) -> Mapping[str, PresentRating]:
        """Return where the public ones of these players stand now."""
        return await answer_present(self._reader, player_ids)
