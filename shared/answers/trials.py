"""The shape of the answer to a dry run: like that of a submission, but new players have no id."""

from typing import Literal

from pydantic import Field

from shared.answers.sessions import PlayerAnswer, RoundAnswer, SeatAnswer, SessionAnswer

_NO_ID = "Null for anyone you have never had in a session, whether or not Mahjic knows them."


class TriedSeat(SeatAnswer):
    """One player's numbers in one round, as they would be."""

    player_id: str | None = Field(description=_NO_ID)


class TriedPlayer(PlayerAnswer):
    """What a session would do to one player."""

    player_id: str | None = Field(description=_NO_ID)  # type: ignore[assignment]
    is_new_player: bool = Field(
        description=("Whether the player is new to you: you have never had them in a session.")
    )


class TriedRound(RoundAnswer):
    """One round of the session, seats in the order submitted."""

    results: list[TriedSeat]  # type: ignore[assignment]


class TrialAnswer(SessionAnswer):
    """The answer that a submission would get with today's ratings. Nothing was recorded."""

    session_id: None = Field(description="Null: nothing was recorded.")  # type: ignore[assignment]
    status: Literal["dry_run"]  # type: ignore[assignment]
    seq: int = Field(description="The fact that the ratings are based on.")
    results: list[TriedPlayer]  # type: ignore[assignment]
    rounds: list[TriedRound]  # type: ignore[assignment]
