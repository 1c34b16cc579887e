"""The answers about a player's history, and about why a rating changed. Pure.

The program builds them, the OpenAPI document describes them, and the command line reads them. Their
members are sent in the order in which shown.py builds them.
"""

from collections.abc import Sequence
from datetime import date
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field, RootModel
from typing_extensions import TypedDict

from services.projections.answering.correcting import Correcting
from services.projections.answering.names import Opponent
from services.projections.history.corrected import SESSIONS_LISTED_MAX, Cause, EndingCause

IsRound: TypeAlias = Annotated[
    Literal["round"], Field(description="A round, as it was rated and published.")
]
IsCorrection: TypeAlias = Annotated[
    Literal["correction"], Field(description="What a fact about the past did.")
]


class SourceName(TypedDict):
    """Who submitted a session."""

    slug: Annotated[str, Field(examples=["bam-good-time"])]
    name: Annotated[str, Field(examples=["Bam Good Time"])]


class PoolChange(TypedDict):
    """What a round or a correction did in one pool."""

    rating_before: Annotated[float, Field(examples=[1500.0])]
    rating_change: Annotated[float, Field(examples=[12.34])]
    rating_after: Annotated[float, Field(examples=[1512.34])]
    games_before: int
    games_after: Annotated[
        int, Field(description="The same as before if the round did not count here.")
    ]


class RatedOpponent(Opponent):
    """Someone at the table, with their rating before the round."""

    rating_before: Annotated[float, Field(description="In the mahjic pool.", examples=[1500.0])]


class WhichChange(TypedDict):
    """What every entry of a history has."""

    change_id: Annotated[
        str,
        Field(
            description="A permanent id: player, fact, and the round unless it is a correction.",
            examples=["MJ-7K3Q9XZM.7.1"],
        ),
    ]
    fact_seq: Annotated[
        int,
        Field(
            description=(
                "The fact behind it; auditors can read it with `GET "
                "/v1/log/facts?from=FACT&limit=1`."
            ),
            examples=[7],
        ),
    ]
    played_as: Annotated[
        str | None,
        Field(
            description=(
                "The id that it moved, if that id is merged into this player. The numbers "
                "before and after are those of that id; all changes of the page add up to "
                "the rating."
            )
        ),
    ]


class WhichRound(TypedDict):
    """What every answer about a round has."""

    session_id: Annotated[str, Field(examples=["ses_01HZX3Y5ZQ8W6V4T2R0PNMKJHG"])]
    source: SourceName
    session_date: date
    game_type: Annotated[str, Field(examples=["league"])]
    round_number: Annotated[int, Field(description="From 1, in the order of the session.")]
    games_played: int
    mahjongs: Annotated[int, Field(description="Games that the player won.")]
    points: Annotated[
        float | None, Field(description="League and tournament points; null if social.")
    ]
    voided: Annotated[
        bool,
        Field(
            description=(
                "Whether the session has since been voided. The round stays, and the "
                "correction that took it back is a separate entry."
            )
        ),
    ]
    superseded_by: Annotated[
        str | None,
        Field(description="The session that replaced this one, if it was corrected."),
    ]


class Change(WhichChange, WhichRound):
    """One round of a player's history."""

    type: IsRound
    wall_games: int
    mahjic: PoolChange
    verified: PoolChange
    opponents: list[RatedOpponent]


class Merged(TypedDict):
    """Who was merged into whom."""

    player: Opponent
    into: Opponent


class WhatCorrected(TypedDict):
    """What every answer about a correction has."""

    corrected_on: Annotated[
        date,
        Field(description="The day that fact was accepted, in UTC. `from` and `to` go by it."),
    ]
    cause: Annotated[
        Cause,
        Field(
            description=(
                "`void` of sessions, `correction` of a session, `merge` or `unmerge` of "
                "two ids of one player, `reseat` when a seat in some sessions turned out to be "
                "another player's, or a `formula` that applies from the beginning."
            )
        ),
    ]
    reason: Annotated[
        str | None,
        Field(
            description=(
                "The code for why sessions were voided or corrected; null for other causes."
            ),
            examples=["wrong_result"],
        ),
    ]
    sessions: Annotated[
        Sequence[str],
        Field(
            description=(
                "The sessions that were voided or corrected, or in which a seat is another "
                f"player's, the first {SESSIONS_LISTED_MAX} of them. "
                "The id of a session says nothing about people, only when it was "
                "submitted; what happened in it is shown to its source and to auditors."
            )
        ),
    ]
    sessions_count: Annotated[int, Field(description="How many such sessions there are.")]
    replaced_by: Annotated[
        str | None,
        Field(description="The session that replaced the corrected one."),
    ]
    merged: Annotated[
        Merged | None, Field(description="Who was merged, or is no longer merged; otherwise null.")
    ]
    formula: Annotated[
        str | None, Field(description=("The formula that was adopted; otherwise null."))
    ]
    mahjic: PoolChange
    verified: PoolChange


class Correction(WhichChange, WhatCorrected):
    """One correction in a player's history. What came before it stays as it was published."""

    type: IsCorrection


HistoryItem: TypeAlias = Annotated[Change | Correction, Field(discriminator="type")]


class History(TypedDict):
    """A page of a player's history, newest first: rounds and corrections as they happened.

    1500.00 plus all changes gives the current rating, in both pools.
    """

    player_id: Annotated[str, Field(examples=["MJ-7K3Q9XZM"])]
    seq: Annotated[int, Field(description="The last fact that the page is based on.")]
    correcting: Annotated[
        Correcting | None,
        Field(
            description=(
                "Given while a large correction is being applied part by part: a page "
                "shows everything it did to this player, or nothing yet. Otherwise null."
            )
        ),
    ]
    changes: list[HistoryItem]
    next_cursor: Annotated[
        str | None, Field(description="For the next page; null on the last one.")
    ]


class PairLine(Opponent):
    """What the comparison with one opponent contributed."""

    rating_before: Annotated[float, Field(description="The opponent's.", examples=[1500.0])]
    expected: Annotated[float, Field(description="The expected score against this opponent.")]
    actual: Annotated[
        float, Field(description="1 for more mahjongs, 0.5 for the same number, 0 for fewer.")
    ]
    k: Annotated[int, Field(description="How strongly one comparison moves this player.")]
    points_bonus: Annotated[
        float, Field(description="A fiftieth of the difference in points, -5 to 5.")
    ]
    pair_gain: Annotated[
        float, Field(description="k * (actual - expected) + points_bonus, as read.")
    ]
    pair_gain_nano: Annotated[int, Field(description="The same exactly, in billionths of a point.")]


class PoolReason(TypedDict):
    """Why a round moved the player in one pool: the lines add up to the change exactly."""

    counted: Annotated[bool, Field(description="False if the round did not count in this pool.")]
    rating_before: float
    games_before: int
    lines: list[PairLine]
    sum_nano: Annotated[int, Field(description="The sum of all `pair_gain_nano`.")]
    divided_by: Annotated[
        int,
        Field(description="What the formula divides the sum by: the number of opponents, or 1."),
    ]
    rounding_nano: Annotated[
        int,
        Field(
            description=(
                "What rounding to hundredths, half to even, adds to the sum. Sum plus "
                "rounding, divided by `divided_by`, is exactly the change."
            )
        ),
    ]
    rating_change: float
    rating_after: float


class LaterCorrection(TypedDict):
    """A fact that left out the round's session after it was rated."""

    fact_seq: int
    cause: EndingCause
    reason: str | None
    replaced_by: Annotated[
        str | None, Field(description="The session that replaced it, if it was corrected.")
    ]


class Why(WhichChange, WhichRound):
    """The full reason for one change by a round, in the numbers as published."""

    type: IsRound
    seq: Annotated[int, Field(description="The last fact that the answer is based on.")]
    player_id: Annotated[str, Field(examples=["MJ-7K3Q9XZM"])]
    corrections: Annotated[
        list[LaterCorrection],
        Field(
            description=(
                "What has been done to the session since, in order. Each of these moved "
                "its players again, as a change of its own: `PLAYER.FACT`."
            )
        ),
    ]
    formula: Annotated[str, Field(examples=["mahjic-elo/1"])]
    mahjic: PoolReason
    verified: PoolReason


class RoundNumbers(TypedDict):
    """What a round did to the player in one version of the history."""

    mahjic: PoolChange
    verified: PoolChange


class ChangedRound(TypedDict):
    """One of the player's rounds that a correction gave different numbers."""

    session_id: str
    source: SourceName
    session_date: date
    game_type: str
    round_number: int
    before: Annotated[
        RoundNumbers | None,
        Field(
            description=(
                "According to the facts before the correction; null if it was not a round "
                "of this player."
            )
        ),
    ]
    after: Annotated[
        RoundNumbers | None,
        Field(
            description=(
                "According to the facts with the correction; null if it is not a round of "
                "this player now."
            )
        ),
    ]


class ChangedRounds(TypedDict):
    """A page of the rounds that a correction gave different numbers."""

    rounds_count: Annotated[
        int | None,
        Field(
            description=(
                "How many of the player's rounds have different numbers. Null if the "
                "history is too long for this service to replay; the numbers above are "
                "right all the same."
            )
        ),
    ]
    rounds: Annotated[
        list[ChangedRound] | None,
        Field(description="One page of those rounds, in the order they count."),
    ]
    next_cursor: Annotated[
        str | None, Field(description="For the next page; null on the last one.")
    ]


class WhyCorrected(Correction, ChangedRounds):
    """The full reason for one change by a correction: the rounds whose numbers changed.

    What they give after it, minus what they gave before it, adds up to the change exactly.
    """

    seq: Annotated[int, Field(description="The last fact that the answer is based on.")]
    player_id: Annotated[str, Field(examples=["MJ-7K3Q9XZM"])]
    players_moved: Annotated[int, Field(description="How many players the correction moved.")]


class AnyWhy(RootModel[Annotated[Why | WhyCorrected, Field(discriminator="type")]]):
    """The full reason for one change, by a round or by a correction."""


class Band(TypedDict):
    """A range of the rating scale."""

    name: Annotated[str, Field(examples=["Expert"])]
    rating_min: Annotated[
        float | None, Field(description="Null for the lowest.", examples=[1800.0])
    ]
    text: str


class Adoption(TypedDict):
    """A formula that was adopted by a fact, and the number of the proposal that led to it."""

    fact_seq: int
    formula: str
    proposal: str | None


class FormulaAnswer(TypedDict):
    """The formula in force, with all its numbers."""

    seq: Annotated[int, Field(description="The last fact that the answer is based on.")]
    name: Annotated[str, Field(examples=["mahjic-elo/1"])]
    parameters: dict[str, Any]
    proposal: Annotated[
        str | None,
        Field(description="The number of the proposal that led to it, or null.", examples=["0001"]),
    ]
    bands: list[Band]
