"""The answer that says what happened lately. Pure."""

from datetime import date

from typing_extensions import TypedDict

from services.projections.history.answers import SourceName


class LatelySession(TypedDict):
    """A session that was recorded lately and counts. At least two public players sat in it."""

    source: SourceName
    session_date: date
    rounds: int
    games: int


class LatelyPlayer(TypedDict):
    """A player on the global leaderboard who sat in a session that was recorded lately."""

    player_id: str
    name: str
    verified_rating: float
    band: str


class LatelySource(TypedDict):
    """A source that began lately."""

    source: SourceName
    first_session: date


class Lately(TypedDict):
    """What happened lately, newest first: sessions, who played in them, and new sources."""

    seq: int
    sessions: list[LatelySession]
    players: list[LatelyPlayer]
    sources: list[LatelySource]
