"""What a source sends, and what it is answered.

Written by `make docs` from docs/openapi.json.
"""

from typing import Any, Literal, TypedDict

from mahjic_client.shapes.choices import Reason, Status
from mahjic_client.shapes.common import (
    EffectAnswer,
    NamedPlayer,
    PlayerAnswer,
    RoundAnswer,
    WarningAnswer,
)


class _CorrectionAnswer(TypedDict):
    """What is always in CorrectionAnswer."""

    counts: bool
    session_id: str
    status: Status
    results: list[PlayerAnswer]
    rounds: list[RoundAnswer]
    seq: int
    warnings: list[WarningAnswer]
    corrects: str
    reason: Reason
    fact_seq: int
    effect: EffectAnswer | None


class CorrectionAnswer(_CorrectionAnswer, total=False):
    """The answer to a correction: the new session, as rated in place of the old one."""

    players: list[NamedPlayer]


class _RoundComparedAnswer(TypedDict):
    """What is always in RoundComparedAnswer."""

    pointer: str | None
    what: Literal["same", "new", "changed", "missing"]
    session_id: str | None
    message: str


class RoundComparedAnswer(_RoundComparedAnswer, total=False):
    """One round, compared with what is on record."""

    sheet: str | None
    row: int | None
    column: str | None


class CorrectionTrialAnswer(TypedDict):
    """What a correction would change. Nothing was recorded."""

    corrects: str
    status: Literal["dry_run"]
    kind: Literal["same", "grown", "changed"]
    claim: dict[str, Any]
    rounds: list[RoundComparedAnswer]
    warnings: list[dict[str, Any]]


class SheetWarning(TypedDict):
    """Something that is odd, but is submitted anyway."""

    sheet: str | None
    row: int | None
    column: str | None
    pointer: str
    code: str
    message: str


class TriedPlayer(TypedDict):
    """What a session would do to one player."""

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
    player_id: str | None
    is_new_player: bool


class TriedSeat(TypedDict):
    """One player's numbers in one round, as they would be."""

    mahjic_id: str | None
    player: str | None
    mahjongs: int
    points: float | None
    rating_before: float | None
    rating_after: float | None
    rating_change: float | None
    verified_rating_before: float | None
    verified_rating_after: float | None
    verified_rating_change: float | None
    games_played_total: int | None
    verified_games_played_total: int | None
    player_id: str | None


class TriedRound(TypedDict):
    """One round of the session, seats in the order submitted."""

    on_record: bool | None
    games_played: int
    wall_games: int
    results: list[TriedSeat]


class _DryRunAnswer(TypedDict):
    """What is always in DryRunAnswer."""

    counts: bool
    session_id: None
    status: Literal["dry_run"]
    seq: int
    results: list[TriedPlayer]
    rounds: list[TriedRound]
    claim: dict[str, Any]
    warnings: list[SheetWarning]


class DryRunAnswer(_DryRunAnswer, total=False):
    """What the sheet would submit, and the answer it would get."""

    players: list[NamedPlayer]


class _SessionAnswer(TypedDict):
    """What is always in SessionAnswer."""

    counts: bool
    session_id: str
    status: Status
    results: list[PlayerAnswer]
    rounds: list[RoundAnswer]
    seq: int
    warnings: list[WarningAnswer]


class SessionAnswer(_SessionAnswer, total=False):
    """The answer to a submission; `results` and `rounds` are empty until it is rated."""

    players: list[NamedPlayer]


class _TrialAnswer(TypedDict):
    """What is always in TrialAnswer."""

    counts: bool
    session_id: None
    status: Literal["dry_run"]
    seq: int
    results: list[TriedPlayer]
    rounds: list[TriedRound]
    warnings: list[WarningAnswer]


class TrialAnswer(_TrialAnswer, total=False):
    """The answer that a submission would get with today's ratings. Nothing was recorded."""

    players: list[NamedPlayer]


class VoidAnswer(TypedDict):
    """The answer to the void of a session; `effect` is null until it is known."""

    session_id: str
    status: Literal["voided", "corrected"]
    reason: Reason
    fact_seq: int
    seq: int
    effect: EffectAnswer | None
