"""What the pages read, by group of pages: the wiring hands in what keeps these promises.

Every answer is one that anyone may see. Players are asked for by their Mahjic ID in its written
form; a player who is private, erased or unknown raises `UnknownPlayer`, as does one who is merged
into another (`merged_into` says whether pages should lead on). Cursors come from the answers and
raise an error with status 422 if they do not fit. Every read can raise errors with status 503 while
views are being built or the database is away.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Protocol, TypeAlias

from services.projections.charts.answers import RatingChart
from services.projections.history.answers import Adoption, FormulaAnswer, Why, WhyCorrected
from services.projections.history.session_answers import SessionHistory
from services.projections.lately.answers import Lately
from services.projections.leaderboards.answers import BoardWithChanges
from services.projections.profiles.answers import FindAnswer, Profile
from services.projections.seasons.answers import PlayedSeason, PresentRating
from services.projections.sources.answers import OneSourceSince, SourcesSince
from services.projections.together.answers import HeadToHead, SideBySide
from shared.http.routes import handed_in


class BoardReads(Protocol):
    """Boards, sources, and what happened lately."""

    async def leaderboard(
        self,
        *,
        region: str | None = None,
        source: str | None = None,
        limit: int = 50,
        cursor: str | None = None,
        offset: int | None = None,
        min_games: int = 10,
        active_within_days: int | None = None,
    ) -> BoardWithChanges:
        """Return a page of the global board, or of the board of a region or a source.

        A page by its offset comes with the total, unless there are filters.

        Raises UnknownSource, UnknownRegion, and BoardTakesTooLong with filters that are not the
        default. Give a cursor or an offset, not both.
        """
        ...

    async def sources(self) -> SourcesSince:
        """Return all sources, by slug."""
        ...

    async def source(self, slug: str) -> OneSourceSince:
        """Return one source. Raises UnknownSource."""
        ...

    async def lately(self) -> Lately:
        """Return what happened lately."""
        ...


class RatingReads(Protocol):
    """One player: standing, chart, sessions and reasons, and whom the player met."""

    async def profile(self, player_id: str) -> Profile:
        """Return a player's current standing."""
        ...

    async def chart(self, player_id: str) -> RatingChart:
        """Return a player's rating chart, with record and best rating; the points oldest first."""
        ...

    async def sessions(self, player_id: str, *, cursor: str | None = None) -> SessionHistory:
        """Return a page of the sessions of a player, newest first."""
        ...

    async def change(
        self, player_id: str, change_id: str, *, cursor: str | None = None, limit: int = 50
    ) -> Why | WhyCorrected:
        """Return the full reason for one change. Raises UnknownChange and BeingComputed."""
        ...

    async def head_to_head(self, player_id: str) -> HeadToHead:
        """Return whom a player met most."""
        ...


class OwnReads(Protocol):
    """What people read about themselves."""

    def of(self, player_id: str) -> RatingReads:
        """Return the reads about a player for that player alone, who may be private.

        Only for whoever has proved to be this player. Others at the table stay as everyone sees
        them.
        """
        ...


class PlayerReads(RatingReads, Protocol):
    """One player, two players, and how to find them."""

    async def merged_into(self, player_id: str) -> str | None:
        """Return the public player that an id is merged into, if there is one."""
        ...

    async def comparison(
        self, player_id: str, other_id: str, *, cursor: str | None = None
    ) -> SideBySide:
        """Return two players side by side, with a page of their rounds together.

        If either is not public, the error is the same, whichever of them it is.
        """
        ...

    async def find(self, words: str, *, limit: int = 20) -> FindAnswer:
        """Return the players that a name, the beginning of names, or a Mahjic ID may mean.

        Raises InvalidParameter for words that cannot be searched, and SearchTakesTooLong.
        """
        ...


class FormulaReads(Protocol):
    """The formula."""

    async def formula(self) -> FormulaAnswer:
        """Return the formula in force, with all its numbers, and the rating bands."""
        ...

    async def adoptions(self) -> list[Adoption]:
        """Return every formula that was ever adopted, the newest first."""
        ...


class SeasonReads(Protocol):
    """What a source reads at its own desk, and nobody else."""

    async def season(self, source: str, first: date, last: date) -> PlayedSeason:
        """Return who played in the sessions of a source from one day to another.

        Private players are in it. Only for whoever works at the desk of this source.
        """
        ...

    async def present(self, player_ids: Sequence[str]) -> Mapping[str, PresentRating]:
        """Return where the public ones of these players stand now. Nobody else is in it."""
        ...


class SitemapReads(Protocol):
    """Who may be found from outside: players who chose a public name themselves."""

    async def count_players(self) -> int:
        """Return about how many players there are."""
        ...

    async def players(self, part: int, parts: int, *, limit: int) -> list[str]:
        """Return the Mahjic IDs in one of `parts` parts, from 0. Parts are of about equal size.

        The number of parts is a power of two, and at most 1,024.
        """
        ...


@dataclass(frozen=True, slots=True)
class SiteReads:
    """Everything that the pages read."""

    boards: BoardReads
    players: PlayerReads
    formula: FormulaReads
    sitemap: SitemapReads


Reads: TypeAlias = Annotated[SiteReads, handed_in(SiteReads)]
