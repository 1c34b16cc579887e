"""The answer to a dry run: like that to a submission, but new players have no id. Pure."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Annotated, Final, Literal

from pydantic import Field

from shared.answers.sessions import (
    AnySession,
    PlayerAnswer,
    PlayerNumbers,
    RoundPlayed,
    SeatNumbers,
    WarningAnswer,
)
from shared.answers.shown import told_ratings
from shared.events.verdicts import SessionRated

_NO_ID: Final = "Null for anyone you have never had in a session, whether or not Mahjic knows them."


class TriedSeat(SeatNumbers):
    """One player's numbers in one round, as they would be."""

    player_id: Annotated[str | None, Field(description=_NO_ID)]


class TriedPlayer(PlayerNumbers):
    """What a session would do to one player."""

    player_id: Annotated[str | None, Field(description=_NO_ID)]
    is_new_player: Annotated[
        bool,
        Field(
            description="Whether the player is new to you: you have never had them in a session."
        ),
    ]


class TriedRound(RoundPlayed):
    """One round of the session, seats in the order submitted."""

    results: list[TriedSeat]


class TriedSession(AnySession):
    """What every answer to a dry run has, beside its warnings."""

    session_id: Annotated[None, Field(description="Null: nothing was recorded.")]
    status: Literal["dry_run"]
    seq: Annotated[int, Field(description="The fact that the ratings are based on.")]
    results: list[TriedPlayer]
    rounds: list[TriedRound]


class TrialAnswer(TriedSession):
    """The answer that a submission would get with today's ratings. Nothing was recorded."""

    warnings: list[WarningAnswer]


def trial_answer(
    rated: SessionRated | None,
    *,
    seq: int,
    submitted_as: Mapping[str, str],
    warnings: list[WarningAnswer],
    on_record: Sequence[bool] | None,
    nameless: AbstractSet[str],
) -> TrialAnswer:
    """Return the answer to a dry run, by the verdict that would come; None if none would.

    `nameless` are the players whose ids it does not show.
    """
    told = told_ratings(rated, submitted_as, on_record=on_record)
    for played in told.rounds:
        for seat in played["results"]:
            if seat["player_id"] in nameless:
                seat["player_id"] = seat["mahjic_id"] = None
    return {
        "session_id": None,
        "status": "dry_run",
        "seq": seq,
        "players": [],
        "counts": False,
        "results": [_tried(each, nameless) for each in told.results],
        "rounds": told.rounds,
        "warnings": warnings,
    }


def _tried(result: PlayerAnswer, nameless: AbstractSet[str]) -> TriedPlayer:
    if result["player_id"] in nameless:
        return {**result, "player_id": None, "mahjic_id": None}
    return {**result}
