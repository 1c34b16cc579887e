"""The answers about a session: to a submission, and the parts that other answers share. Pure.

They are what is built, what the OpenAPI document describes and what the command line reads. Their
members are sent in the order in which shown.py builds them.
"""

from typing import Annotated, Literal, NotRequired, TypeAlias

from pydantic import Field
from typing_extensions import TypedDict

SessionStatus: TypeAlias = Literal["accepted", "rated", "voided", "corrected", "refused"]


class NamedPlayer(TypedDict):
    """A player in a session that is not rated yet."""

    player_id: str
    mahjic_id: str | None
    player: Annotated[str | None, Field(description="The player as you submitted it; else null.")]


class SeatNumbers(TypedDict):
    """What every answer has about a seat, beside the id of the player."""

    mahjic_id: Annotated[
        str | None, Field(description="The same; null for anonymous players and Bob.")
    ]
    player: Annotated[
        str | None,
        Field(
            description=(
                "The player as you submitted it; null for everyone else, for someone whom only the "
                "operator named, and once the player is forgotten."
            )
        ),
    ]
    mahjongs: int
    points: float | None
    rating_before: float | None
    rating_after: float | None
    rating_change: float | None
    verified_rating_before: float | None
    verified_rating_after: float | None
    verified_rating_change: float | None
    games_played_total: Annotated[
        int | None, Field(description="Games in the mahjic pool after this round.")
    ]
    verified_games_played_total: Annotated[
        int | None, Field(description="The same in the verified pool.")
    ]


class SeatAnswer(SeatNumbers):
    """One player's numbers in one round; Bob is always at 1500 with 0 games.

    Only mahjongs and points are shown for a private player named by the operator and never by this
    source.
    """

    player_id: Annotated[
        str | None,
        Field(description="`MJ-...`, `AN-...` or `BOB`; null for someone you may not see."),
    ]


class PlayerNumbers(TypedDict):
    """What every answer has about a player, beside the id and who is new."""

    mahjic_id: str | None
    player: str | None
    rating_before: float
    rating_after: float
    rating_change: float
    verified_rating_before: float
    verified_rating_after: float
    verified_rating_change: float
    games_played_total: int
    verified_games_played_total: int


class PlayerAnswer(PlayerNumbers):
    """What a session did to one player, in order of first appearance."""

    player_id: str
    is_new_player: Annotated[bool, Field(description="Whether this session created the player.")]


class RoundPlayed(TypedDict):
    """What every answer has about a round, beside its seats."""

    on_record: Annotated[
        bool | None,
        Field(
            description=(
                "Whether a session of the source already had this round; null when a session is "
                "looked up."
            )
        ),
    ]
    games_played: int
    wall_games: int


class RoundAnswer(RoundPlayed):
    """One round of the session, seats in the order submitted."""

    results: list[SeatAnswer]


class WarningAnswer(TypedDict):
    """Something that is allowed but worth a look."""

    pointer: str
    code: str
    message: str
    session_id: NotRequired[
        Annotated[
            str | None,
            Field(description="The session of the source that this is about, if any."),
        ]
    ]


class AnySession(TypedDict):
    """What every answer has about a session, be it recorded or tried out."""

    counts: Annotated[
        bool,
        Field(
            description=(
                "Whether the session counts today: false once it is voided, corrected or refused. "
                "Then `results` and `rounds` only show how it was rated at the time."
            )
        ),
    ]
    # It is always there, which the document has never said.
    players: NotRequired[
        Annotated[
            list[NamedPlayer],
            Field(
                description="Who was named, as long as there are no results; empty once there are."
            ),
        ]
    ]


class RecordedSession(AnySession):
    """What every answer has about a session on record."""

    session_id: str
    status: SessionStatus
    results: Annotated[
        list[PlayerAnswer],
        Field(description="Everyone you may see, in order of first appearance."),
    ]
    rounds: list[RoundAnswer]


class SubmittedSession(RecordedSession):
    """What every answer to a submission has, beside its warnings."""

    seq: Annotated[
        int,
        Field(
            description=(
                "The place of the session on the log of facts. Pass it to a read as `min_seq` to "
                "see the session."
            )
        ),
    ]


class SessionAnswer(SubmittedSession):
    """The answer to a submission; `results` and `rounds` are empty until it is rated."""

    warnings: list[WarningAnswer]
