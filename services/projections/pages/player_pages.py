"""What the pages about players read."""

from dataclasses import replace

from services.projections.answering.merged import read_survivor
from services.projections.answering.reading import ViewReader
from services.projections.charts.answers import RatingChart
from services.projections.charts.reads import answer_chart
from services.projections.history.answers import Adoption, FormulaAnswer, Why, WhyCorrected
from services.projections.history.by_session import answer_sessions
from services.projections.history.reads import (
    CHANGES_DEFAULT,
    Histories,
    answer_adoptions,
    answer_change,
    answer_formula,
)
from services.projections.history.session_answers import SessionHistory
from services.projections.profiles.answers import FindAnswer, Profile
from services.projections.profiles.finding import FOUND_DEFAULT, answer_find
from services.projections.profiles.reads import answer_profile
from services.projections.together.answers import HeadToHead, SideBySide
from services.projections.together.reads import answer_comparison, answer_head_to_head


class PlayerPages:
    """Reads for the pages about one player, about two, and about finding them."""

    def __init__(self, histories: Histories) -> None:
        self._histories = histories
        self._reader = histories.reader

    async def profile(self, player_id: str) -> Profile:
        """Return a player's current standing."""
        return await answer_profile(self._reader, player_id)

    async def merged_into(self, player_id: str) -> str | None:
        """Return the public player that an id is merged into, if there is one."""
        return await read_survivor(self._reader, player_id)

    async def chart(self, player_id: str) -> RatingChart:
        """Return a player's rating chart, and the record beside it."""
        return await answer_chart(self._reader, player_id)

    async def sessions(self, player_id: str, *, cursor: str | None = None) -> SessionHistory:
        """Return a page of the sessions of a player, newest first."""
        return await answer_sessions(self._reader, player_id, cursor)

    async def change(
        self,
        player_id: str,
        change_id: str,
        *,
        cursor: str | None = None,
        limit: int = CHANGES_DEFAULT,
    ) -> Why | WhyCorrected:
        """Return the full reason for one change."""
        return await answer_change(
            self._histories, player_id, change_id, cursor=cursor, limit=limit
        )

    async def head_to_head(self, player_id: str) -> HeadToHead:
        """Return whom a player met most."""
        return await answer_head_to_head(self._reader, player_id)

    async def comparison(
        self, player_id: str, other_id: str, *, cursor: str | None = None
    ) -> SideBySide:
        """Return two players side by side."""
        return await answer_comparison(self._reader, player_id, other_id, cursor)

    async def find(self, words: str, *, limit: int = FOUND_DEFAULT) -> FindAnswer:
        """Return the players that a name, the beginning of names, or a Mahjic ID may mean."""
        return await answer_find(self._reader, words, limit)


class OwnRatingPages:
    """Reads for the pages on which people read about themselves."""

    def __init__(self, histories: Histories) -> None:
        self._histories = histories

    def of(self, player_id: str) -> PlayerPages:
        """Return the reads of somebody about themselves, also if they are private."""
        reader = self._histories.reader.for_oneself(player_id)
        return PlayerPages(replace(self._histories, reader=reader))


class FormulaPages:
    """Reads for the page about the formula."""

    def __init__(self, reader: ViewReader) -> None:
        self._reader = reader

    async def formula(self) -> FormulaAnswer:
        """Return the formula in force."""
        return await answer_formula(self._reader)

    async def adoptions(self) -> list[Adoption]:
        """Return every formula that was ever adopted, the newest first."""
        return await answer_adoptions(self._reader)
