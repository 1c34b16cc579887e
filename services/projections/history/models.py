"""The answers about a player's history, and about why a rating changed."""

from datetime import date
from typing import Any

from pydantic import BaseModel, Field

from services.projections.people import Opponent


class SourceName(BaseModel):
    """Who submitted a session."""

    slug: str = Field(examples=["bam-good-time"])
    name: str = Field(examples=["Bam Good Time"])


class PoolChange(BaseModel):
    """What a round did in one pool."""

    rating_before: float = Field(examples=[1500.0])
    rating_change: float = Field(examples=[12.34])
    rating_after: float = Field(examples=[1512.34])
    games_before: int
    games_after: int = Field(description="The same as before when the round did not count here.")


class RatedOpponent(Opponent):
    """Somebody at the table, as rated before the round."""

    rating_before: float = Field(description="In the mahjic pool.", examples=[1500.0])


class Change(BaseModel):
    """One round of a player's history."""

    change_id: str = Field(
        description="For good: player, fact, round.", examples=["MJ-7K3Q9XZM.7.1"]
    )
    session_id: str = Field(examples=["ses_01HZX3Y5ZQ8W6V4T2R0PNMKJHG"])
    source: SourceName
    session_date: date
    game_type: str = Field(examples=["league"])
    round_number: int = Field(description="From 1, in the order of the session.")
    games_played: int
    wall_games: int
    mahjongs: int = Field(description="Games that the player won.")
    points: float | None = Field(description="League and tournament points; null if social.")
    mahjic: PoolChange
    verified: PoolChange
    opponents: list[RatedOpponent]


class History(BaseModel):
    """A page of a player's history, newest first."""

    player_id: str = Field(examples=["MJ-7K3Q9XZM"])
    seq: int = Field(description="The last fact that the page stands on.")
    changes: list[Change]
    next_cursor: str | None = Field(description="For the next page; null on the last one.")


class PairLine(Opponent):
    """What the comparison with one opponent contributed."""

    rating_before: float = Field(description="The opponent's.", examples=[1500.0])
    expected: float = Field(description="The expected score against this opponent.")
    actual: float = Field(description="1 for more mahjongs, 0.5 for as many, 0 for fewer.")
    k: int = Field(description="How strongly one comparison moves this player.")
    points_bonus: float = Field(description="A fiftieth of the difference in points, -5 to 5.")
    pair_gain: float = Field(description="k * (actual - expected) + points_bonus, as read.")
    pair_gain_nano: int = Field(description="The same exactly, in billionths of a point.")


class PoolReason(BaseModel):
    """Why a round moved the player in one pool: the lines add up to the change exactly."""

    counted: bool = Field(description="False when the round did not count in this pool.")
    rating_before: float
    games_before: int
    lines: list[PairLine]
    sum_nano: int = Field(description="The sum of all `pair_gain_nano`.")
    rounding_nano: int = Field(description="What rounding to hundredths, half to even, adds.")
    rating_change: float
    rating_after: float


class Why(BaseModel):
    """The full reason for one change."""

    change_id: str = Field(examples=["MJ-7K3Q9XZM.7.1"])
    player_id: str = Field(examples=["MJ-7K3Q9XZM"])
    session_id: str
    source: SourceName
    session_date: date
    game_type: str
    round_number: int
    games_played: int
    mahjongs: int
    points: float | None
    formula: str = Field(examples=["mahjic-elo/1"])
    mahjic: PoolReason
    verified: PoolReason


class Band(BaseModel):
    """A stretch of the rating scale."""

    name: str = Field(examples=["Expert"])
    rating_min: float | None = Field(description="Null for the lowest.", examples=[1800.0])
    text: str


class FormulaAnswer(BaseModel):
    """The formula that holds, with all its numbers."""

    name: str = Field(examples=["mahjic-elo/1"])
    parameters: dict[str, Any]
    bands: list[Band]
