"""Builds the part of an answer that says what a change of the past did to today's ratings.

Pure. A source is shown only its own players; for everyone else, it learns only how many there are.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import Field
from typing_extensions import TypedDict

from shared.answers.sessions import SessionAnswer
from shared.answers.shown import points
from shared.events.facts import Reason
from shared.events.verdicts import RatingsCorrected, VerdictEvent

# A change of the past can move everyone; the operator sees the players it moved most.
CHANGES_SHOWN_MAX: Final = 100

ChangePlace: TypeAlias = Annotated[
    int, Field(description="The place of the change on the log of facts.")
]
SamePlace: TypeAlias = Annotated[
    int, Field(description="The same; pass it to a read as `min_seq` to see the change.")
]


class PlayerChange(TypedDict):
    """What a change of the past did to one player's current standing."""

    player_id: str
    mahjic_id: Annotated[str | None, Field(description="The same; null for anonymous players.")]
    rating_before: float
    rating_after: float
    rating_change: float
    games_before: int
    games_after: int
    verified_rating_before: float
    verified_rating_after: float
    verified_rating_change: float
    verified_games_before: int
    verified_games_after: int


class EffectAnswer(TypedDict):
    """Who moved, and by how much. A source sees only the players of its own sessions."""

    fact_seq: ChangePlace
    players_moved: Annotated[int, Field(description="Players whose ratings or counts moved.")]
    changes: Annotated[
        list[PlayerChange],
        Field(description="The players of these sessions first, then those who moved most."),
    ]
    others_moved: Annotated[int, Field(description="Players who moved and are not listed.")]


class VoidAnswer(TypedDict):
    """The answer to the void of a session; `effect` is null until it is known."""

    session_id: str
    status: Annotated[
        Literal["voided", "corrected"],
        Field(description="Today's status; `corrected` if the void is sent again under its key."),
    ]
    reason: Reason
    fact_seq: ChangePlace
    seq: SamePlace
    effect: EffectAnswer | None


class VoidsAnswer(TypedDict):
    """The answer to the void of many sessions; `effect` is null until it is known."""

    session_ids: Annotated[Sequence[str], Field(description="The sessions that this fact voids.")]
    skipped: Annotated[
        Sequence[str], Field(description="Sessions of the request that were already voided.")
    ]
    status: Literal["voided"]
    reason: Reason
    fact_seq: ChangePlace
    seq: SamePlace
    effect: EffectAnswer | None


class CorrectedPart(TypedDict):
    """What the answer to a correction has beside the new session."""

    corrects: Annotated[str, Field(description="The session that it replaces.")]
    reason: Reason
    fact_seq: int
    effect: EffectAnswer | None


class CorrectionAnswer(SessionAnswer, CorrectedPart):
    """The answer to a correction: the new session, as rated in place of the old one."""


class MergeAnswer(TypedDict):
    """Whether two ids are one person now; `effect` is null until it is known."""

    player_id: str
    into: str
    is_merged: bool
    fact_seq: ChangePlace
    seq: SamePlace
    effect: EffectAnswer | None


class ReseatAnswer(TypedDict):
    """Whose seats are whose now; `effect` is null until it is known."""

    player_id: str
    to: Annotated[str, Field(description="The player who has the seats now.")]
    session_ids: Annotated[
        Sequence[str], Field(description="The sessions whose seats this fact reassigned.")
    ]
    skipped: Annotated[
        Sequence[str], Field(description="Sessions of the request where it was already so.")
    ]
    fact_seq: ChangePlace
    seq: SamePlace
    effect: EffectAnswer | None


class AdoptionAnswer(TypedDict):
    """Which formula applies, and from what point on; `effect` is null until it is known."""

    formula: str
    since: Literal["now", "beginning"]
    proposal: Annotated[
        str | None, Field(description="The number of the proposal that led to it, or null.")
    ]
    fact_seq: ChangePlace
    seq: SamePlace
    effect: EffectAnswer | None


def effect_answer(
    fact_seq: int, verdict: VerdictEvent, *, shown_to: AbstractSet[str] | None
) -> EffectAnswer:
    """Return the effect of a fact, by the first part of its verdict.

    `shown_to` are the players that a source may see; None shows the operator the first of all of
    them. The players of the sessions concerned come first, so the first part has them.
    """
    corrected = verdict if isinstance(verdict, RatingsCorrected) else None
    moved = 0 if corrected is None else corrected.moved
    changes = [] if corrected is None else _changes(corrected, shown_to)
    return {
        "fact_seq": fact_seq,
        "players_moved": moved,
        "changes": changes,
        "others_moved": moved - len(changes),
    }


def _changes(corrected: RatingsCorrected, shown_to: AbstractSet[str] | None) -> list[PlayerChange]:
    places = range(len(corrected.players))
    if shown_to is None:
        return [_change(corrected, place) for place in places[:CHANGES_SHOWN_MAX]]
    return [_change(corrected, place) for place in places if corrected.players[place] in shown_to]


def _change(corrected: RatingsCorrected, place: int) -> PlayerChange:
    player_id = corrected.players[place]
    before, change = corrected.rating_before[place], corrected.rating_change[place]
    verified_before = corrected.verified_rating_before[place]
    verified_change = corrected.verified_rating_change[place]
    return {
        "player_id": player_id,
        "mahjic_id": player_id if player_id.startswith("MJ-") else None,
        "rating_before": points(before),
        "rating_after": points(before + change),
        "rating_change": points(change),
        "games_before": corrected.games_before[place],
        "games_after": corrected.games_after[place],
        "verified_rating_before": points(verified_before),
        "verified_rating_after": points(verified_before + verified_change),
        "verified_rating_change": points(verified_change),
        "verified_games_before": corrected.verified_games_before[place],
        "verified_games_after": corrected.verified_games_after[place],
    }
