"""Sources, the formula and scores.

Written by `make docs` from docs/openapi.json.
"""

from typing import Any, TypedDict

from mahjic_client.shapes.choices import GameType, IfSimilar
from mahjic_client.shapes.common import Correcting, RoundClaim


class Band(TypedDict):
    """A range of the rating scale."""

    name: str
    rating_min: float | None
    text: str


class FormulaAnswer(TypedDict):
    """The formula in force, with all its numbers."""

    seq: int
    name: str
    parameters: dict[str, Any]
    proposal: str | None
    bands: list[Band]


class OneSource(TypedDict):
    """One verified source."""

    slug: str
    name: str
    type: str
    region: str | None
    sessions: int
    sessions_voided: int
    rounds: int
    games: int
    players: int
    last_session: str | None
    seq: int


class ScoredGame(TypedDict):
    """What one game brought."""

    line: int
    date: str | None
    winner: str | None
    points: dict[str, float]


class ScoredPlayer(TypedDict):
    """A line of the table; numbers have at most four decimals, and averages need a game."""

    name: str
    game_count: int
    win_count: int
    win_fraction: float | None
    net_score: float
    net_score_per_game: float | None


class ScoresWarning(TypedDict):
    """Something that is odd, but does not keep the games from making a session."""

    pointer: str
    line: int | None
    code: str
    message: str


class _SessionClaim(TypedDict):
    """What is always in SessionClaim."""

    session_date: str
    game_type: GameType
    rounds: list[RoundClaim]


class SessionClaim(_SessionClaim, total=False):
    """What one source submits for one date."""

    source_id: str | None
    allow_duplicate: bool
    whole_night: bool
    if_similar: IfSimilar | None


class _Scores(TypedDict):
    """What is always in Scores."""

    rulebook: str
    players: list[ScoredPlayer]
    games: list[ScoredGame]


class Scores(_Scores, total=False):
    """What games come to under a rule book."""

    sessions: list[SessionClaim] | None
    warnings: list[ScoresWarning] | None


class Source(TypedDict):
    """A verified source, and what it has brought in."""

    slug: str
    name: str
    type: str
    region: str | None
    sessions: int
    sessions_voided: int
    rounds: int
    games: int
    players: int
    last_session: str | None


class Sources(TypedDict):
    """All verified sources, by slug."""

    seq: int
    correcting: Correcting | None
    sources: list[Source]
