"""The answer for a page of a leaderboard. Pure."""

from datetime import date
from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict

from services.projections.answering.correcting import Correcting


class BoardPlayer(TypedDict):
    """A player's row on a board."""

    place: Annotated[int, Field(description="Equal ratings share a place: 1, 2, 2, 4.")]
    player_id: Annotated[str, Field(examples=["MJ-7K3Q9XZM"])]
    name: Annotated[
        str, Field(description="The name the player chose, or else the id.", examples=["Ada"])
    ]
    verified_rating: Annotated[float, Field(examples=[1612.5])]
    band: Annotated[
        str, Field(description="The word for the verified rating.", examples=["Advanced"])
    ]
    verified_games: int
    last_played: Annotated[date | None, Field(description="The date of the latest session.")]


class Board(TypedDict):
    """A page of a leaderboard: Verified, public players by verified rating, ties by id."""

    board: Annotated[
        str, Field(description="`global`, `region:...` or `source:...`.", examples=["global"])
    ]
    seq: Annotated[int, Field(description="The last fact that the page is based on.")]
    correcting: Annotated[
        Correcting | None,
        Field(
            description=(
                "While the next fact is correcting the past part by part: how far it has "
                "come; otherwise null."
            )
        ),
    ]
    min_games: Annotated[
        int, Field(description="The minimum of verified games for a player on this page.")
    ]
    active_within_days: Annotated[
        int | None,
        Field(description="Only players who played within this many days, by session date in UTC."),
    ]
    players: list[BoardPlayer]
    next_cursor: Annotated[
        str | None, Field(description="For the next page; null on the last one.")
    ]
    board_moved: Annotated[
        bool | None,
        Field(
            description=(
                "Whether anything on the leaderboard changed since the cursor was issued, "
                "so that players may have been skipped or appear twice; null without a "
                "cursor."
            )
        ),
    ]


class BoardWithChanges(TypedDict):
    """A page of a board, and how far each player on it has moved lately, by player id.

    `total` is how many players are on the whole board; null for the first ones alone, and with
    filters other than the default, which would have to be counted.

    What counts is when a change was rated, not when the game was played, so it includes what
    corrections did. It is the verified rating now, minus what it was `days` days ago.
    """

    board: Board
    total: int | None
    days: int
    changes: dict[str, float]
