"""The answers that show a player, and the players that a search found. Pure."""

from datetime import date
from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict

from services.projections.answering.correcting import Correcting


class Profile(TypedDict):
    """A player's current standing."""

    player_id: Annotated[str, Field(description="The Mahjic ID.", examples=["MJ-7K3Q9XZM"])]
    name: Annotated[
        str, Field(description="The name the player chose, or else the id.", examples=["Ada"])
    ]
    is_verified: Annotated[bool, Field(description="Whether the player is Verified right now.")]
    tier: Annotated[str, Field(description="`verified` or `provisional`.", examples=["verified"])]
    rating: Annotated[float, Field(description="Rating in the mahjic pool.", examples=[1512.5])]
    band: Annotated[str, Field(description="The word for the rating.", examples=["Intermediate"])]
    games: Annotated[int, Field(description="Games counted in the mahjic pool.")]
    mahjongs: Annotated[int, Field(description="How many of these games the player won.")]
    verified_rating: Annotated[
        float, Field(description="Rating in the verified pool.", examples=[1500.0])
    ]
    verified_games: Annotated[int, Field(description="Games counted in the verified pool.")]
    global_rank: Annotated[
        int | None,
        Field(
            description=(
                "Place on the global leaderboard with its default filter; null if not on it."
            )
        ),
    ]
    region: Annotated[str | None, Field(description="The player's region.", examples=["west"])]
    sessions: Annotated[int, Field(description="Sessions played.")]
    last_played: Annotated[date | None, Field(description="The date of the latest session.")]
    seq: Annotated[int, Field(description="The last fact that the numbers are based on.")]
    fact_seq: Annotated[
        int, Field(description="The last fact that involved this player; 0 before the first.")
    ]
    correcting: Annotated[
        Correcting | None,
        Field(
            description=(
                "While a fact is correcting the past part by part: how far it has come. A "
                "player's numbers change with one of the parts, all at once. Otherwise "
                "null."
            )
        ),
    ]


class FoundPlayer(TypedDict):
    """A player that a search found."""

    player_id: Annotated[str, Field(examples=["MJ-7K3Q9XZM"])]
    name: Annotated[str, Field(examples=["Ada"])]
    rating: Annotated[float, Field(examples=[1512.5])]
    band: Annotated[str, Field(examples=["Intermediate"])]
    games: int
    is_verified: bool


class SearchAnswer(TypedDict):
    """The players that a search found, by name."""

    q: Annotated[str, Field(description="What was searched.")]
    seq: Annotated[int, Field(description="The last fact that the numbers are based on.")]
    correcting: Annotated[
        Correcting | None,
        Field(
            description=(
                "While a fact is correcting the past part by part: how far it has come. "
                "Otherwise null."
            )
        ),
    ]
    players: list[FoundPlayer]


class FindAnswer(SearchAnswer):
    """What a search found that may also be for a whole Mahjic ID.

    `mistyped` says what is wrong with an id that cannot be one. Otherwise it is null.
    """

    mistyped: str | None
