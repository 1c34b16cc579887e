"""The answer with a player's rating chart, and the record beside it. Pure."""

from datetime import date
from typing import Annotated, Literal, TypeAlias

from pydantic import Field
from typing_extensions import TypedDict

from services.projections.answering.correcting import Correcting
from services.projections.history.corrected import Cause, EndingCause

PointKind: TypeAlias = Literal["session", "correction"]


class RatingPoint(TypedDict):
    """Where a session or a correction left the player, as it was published."""

    type: PointKind
    fact_seq: Annotated[int, Field(description="The fact it comes after: its place on the log.")]
    on_date: Annotated[
        date, Field(description="The day of the session, or the day of the correction in UTC.")
    ]
    session_id: Annotated[str | None, Field(description="Null for a correction.")]
    cause: Annotated[Cause | None, Field(description="What a correction did; null for a session.")]
    rating: Annotated[float, Field(description="In the mahjic pool.")]
    verified_rating: float
    verified_moved: Annotated[
        bool, Field(description="Whether the rating in the verified pool moved here.")
    ]
    ended: Annotated[
        EndingCause | None,
        Field(description="What has left the session out since: a `void` or a `correction`."),
    ]
    superseded: Annotated[
        bool,
        Field(
            description=(
                "Whether a later correction made the rating in the mahjic pool untrue: it "
                "changed something that the rating came from."
            )
        ),
    ]


class BestRating(TypedDict):
    """The highest point of the chart that has not been superseded, the earliest of equals."""

    rating: float
    fact_seq: int
    on_date: date


class PlayerRecord(TypedDict):
    """What a player has done in the sessions that count."""

    sessions: int
    games: int
    mahjongs: int
    wall_games: Annotated[int, Field(description="The wall games of the rounds they sat in.")]
    best: Annotated[
        BestRating | None,
        Field(
            description=(
                "In the mahjic pool. Null if no session counts. It may be older than the "
                "points of a chart that is not whole."
            )
        ),
    ]


class RatingChart(TypedDict):
    """A player's ratings after each session and each correction, in the order of the log."""

    player_id: str
    seq: Annotated[int, Field(description="The last fact that the answer is based on.")]
    correcting: Correcting | None
    record: PlayerRecord
    points_max: Annotated[int, Field(description="How many points a chart has at most.")]
    is_whole: Annotated[bool, Field(description="False if older points are left out.")]
    rating_before: Annotated[float, Field(description="Before the first of the points.")]
    verified_rating_before: float
    points: list[RatingPoint]
