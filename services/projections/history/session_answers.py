"""The answer that tells a player's history by session, for people to read. Pure."""

from datetime import date
from typing import Literal, TypeAlias

from typing_extensions import TypedDict

from services.projections.answering.correcting import Correcting
from services.projections.history.answers import Change, Correction, PoolChange, SourceName


class SessionEntry(TypedDict):
    """One session of a player as it was rated and published, with its rounds in order.

    `played_as` is the id that it moved, if that id is merged into this player. `mahjic` and
    `verified` are from before the first of the player's rounds to after the last one.
    """

    type: Literal["session"]
    fact_seq: int
    session_id: str
    source: SourceName
    session_date: date
    game_type: str
    played_as: str | None
    voided: bool
    superseded_by: str | None
    games_played: int
    mahjongs: int
    wall_games: int
    mahjic: PoolChange
    verified: PoolChange
    rounds: list[Change]


SessionItem: TypeAlias = SessionEntry | Correction


class SessionHistory(TypedDict):
    """A page of a player's history, newest first: sessions, and corrections as they happened.

    `older_cursor` is for the page below, and null on the last one. `newer_cursor` is for the page
    above; it is null if that is the first page, or if this is (`is_newest`).
    """

    player_id: str
    seq: int
    correcting: Correcting | None
    items: list[SessionItem]
    is_newest: bool
    newer_cursor: str | None
    older_cursor: str | None
