"""The answers about a player's history, and about why a rating changed."""

from datetime import date
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, Field, RootModel

from services.projections.answering.correcting import Correcting
from services.projections.answering.names import Opponent
from services.projections.history.corrected import SESSIONS_LISTED_MAX, Cause


class SourceName(BaseModel):
    """Who submitted a session."""

    slug: str = Field(examples=["bam-good-time"])
    name: str = Field(examples=["Bam Good Time"])


class PoolChange(BaseModel):
    """What a round or a correction did in one pool."""

    rating_before: float = Field(examples=[1500.0])
    rating_change: float = Field(examples=[12.34])
    rating_after: float = Field(examples=[1512.34])
    games_before: int
    games_after: int = Field(description="The same as before when the round did not count here.")


class RatedOpponent(Opponent):
    """Somebody at the table, as rated before the round."""

    rating_before: float = Field(description="In the mahjic pool.", examples=[1500.0])


class _Entry(BaseModel):
    """What every entry of a history has."""

    change_id: str = Field(
        description="For good: player, fact, and the round unless it is a correction.",
        examples=["MJ-7K3Q9XZM.7.1"],
    )
    fact_seq: int = Field(
        description="The fact that it follows from; auditors read it with "
        "`GET /v1/log/facts?from=FACT&limit=1`.",
        examples=[7],
    )
    played_as: str | None = Field(
        description="The id that it moved, where that is one merged into this player. The numbers "
        "before and after are those of that id; all changes of the page add up to the rating."
    )


class _Round(BaseModel):
    """What every answer about a round has."""

    type: Literal["round"] = Field(description="A round, as it was rated and published.")
    session_id: str = Field(examples=["ses_01HZX3Y5ZQ8W6V4T2R0PNMKJHG"])
    source: SourceName
    session_date: date
    game_type: str = Field(examples=["league"])
    round_number: int = Field(description="From 1, in the order of the session.")
    games_played: int
    mahjongs: int = Field(description="Games that the player won.")
    points: float | None = Field(description="League and tournament points; null if social.")
    voided: bool = Field(
        description="Whether the session was voided since. The round stays, and the correction "
        "that took it back is an entry of its own."
    )
    superseded_by: str | None = Field(
        description="The session that was put in the place of this one, if it was corrected."
    )


class Change(_Entry, _Round):
    """One round of a player's history."""

    wall_games: int
    mahjic: PoolChange
    verified: PoolChange
    opponents: list[RatedOpponent]


class Merged(BaseModel):
    """Who was merged into whom."""

    player: Opponent
    into: Opponent


class _Correction(BaseModel):
    """What every answer about a correction has."""

    type: Literal["correction"] = Field(description="What a fact about the past did.")
    corrected_on: date = Field(
        description="The day on which that fact was accepted, in UTC. `from` and `to` go by it."
    )
    cause: Cause = Field(
        description="`void` of sessions, `correction` of a session, `merge` or `unmerge` of two "
        "ids of one player, or a `formula` that holds from the beginning."
    )
    reason: str | None = Field(
        description="The code of why sessions were voided or corrected; null for other causes.",
        examples=["wrong_result"],
    )
    sessions: list[str] = Field(
        description=f"The sessions that were left out, the first {SESSIONS_LISTED_MAX} of them. "
        "The id of a session names nobody and tells no more than when it was submitted; what "
        "happened in it is shown to its source and to auditors."
    )
    sessions_count: int = Field(description="How many sessions were left out.")
    replaced_by: str | None = Field(
        description="The session that stands in the place of the one that was corrected."
    )
    merged: Merged | None = Field(description="Who was merged, or is no longer; else null.")
    formula: str | None = Field(description="The formula that was adopted; else null.")
    mahjic: PoolChange
    verified: PoolChange


class Correction(_Entry, _Correction):
    """One correction of a player's history. What came before it stays as it was published."""


HistoryItem: TypeAlias = Annotated[Change | Correction, Field(discriminator="type")]


class History(BaseModel):
    """A page of a player's history, newest first: rounds and corrections as they came to be.

    1500.00 and all changes add up to the rating now, in both pools.
    """

    player_id: str = Field(examples=["MJ-7K3Q9XZM"])
    seq: int = Field(description="The last fact that the page stands on.")
    correcting: Correcting | None = Field(
        description="Told while a large correction is applied part by part: a page has all that it "
        "did to this player, or nothing of it yet. Else null."
    )
    changes: list[HistoryItem]
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
    divided_by: int = Field(
        description="What the formula divides the sum by: the number of opponents, or 1."
    )
    rounding_nano: int = Field(
        description="What rounding to hundredths, half to even, adds to the sum. Sum and rounding, "
        "divided by `divided_by`, are the change exactly."
    )
    rating_change: float
    rating_after: float


class LaterCorrection(BaseModel):
    """A fact that left the session of a round out after it was rated."""

    fact_seq: int
    cause: Literal["void", "correction"]
    reason: str | None
    replaced_by: str | None = Field(description="The session in its place, if it was corrected.")


class Why(_Entry, _Round):
    """The full reason for one change by a round, in the numbers as they were published."""

    seq: int = Field(description="The last fact that the answer stands on.")
    player_id: str = Field(examples=["MJ-7K3Q9XZM"])
    corrections: list[LaterCorrection] = Field(
        description="What was done to the session since, in order. Each moved its players anew, "
        "and has a change of its own: `PLAYER.FACT`."
    )
    formula: str = Field(examples=["mahjic-elo/1"])
    mahjic: PoolReason
    verified: PoolReason


class RoundNumbers(BaseModel):
    """What a round did to the player by one history."""

    mahjic: PoolChange
    verified: PoolChange


class ChangedRound(BaseModel):
    """A round of the player that a correction gave other numbers."""

    session_id: str
    source: SourceName
    session_date: date
    game_type: str
    round_number: int
    before: RoundNumbers | None = Field(
        description="By the facts before the correction; null if it was no round of the player's."
    )
    after: RoundNumbers | None = Field(
        description="By the facts with the correction; null if it is no round of the player's now."
    )


class WhyCorrected(_Entry, _Correction):
    """The full reason for one change by a correction: the rounds whose numbers changed.

    What they give after it less what they gave before it adds up to the change exactly.
    """

    seq: int = Field(description="The last fact that the answer stands on.")
    player_id: str = Field(examples=["MJ-7K3Q9XZM"])
    players_moved: int = Field(description="How many players the correction moved.")
    rounds_count: int | None = Field(
        description="How many rounds of the player have other numbers. Null when this service "
        "keeps no history of that length to replay; the numbers above stand all the same."
    )
    rounds: list[ChangedRound] | None = Field(
        description="Those rounds in the order in which they count, a page of them."
    )
    next_cursor: str | None = Field(description="For the next page; null on the last one.")


class AnyWhy(RootModel[Annotated[Why | WhyCorrected, Field(discriminator="type")]]):
    """The full reason for one change, by a round or by a correction."""


class Band(BaseModel):
    """A stretch of the rating scale."""

    name: str = Field(examples=["Expert"])
    rating_min: float | None = Field(description="Null for the lowest.", examples=[1800.0])
    text: str


class FormulaAnswer(BaseModel):
    """The formula that holds, with all its numbers."""

    seq: int = Field(description="The last fact that the answer stands on.")
    name: str = Field(examples=["mahjic-elo/1"])
    parameters: dict[str, Any]
    bands: list[Band]
