"""Players, and how their ratings came about.

Written by `make docs` from docs/openapi.json.
"""

from typing import Literal, TypedDict

from mahjic_client.shapes.common import Correcting, ProvedRecord, SignedNotes


class LaterCorrection(TypedDict):
    """A fact that left out the round's session after it was rated."""

    fact_seq: int
    cause: Literal["void", "correction"]
    reason: str | None
    replaced_by: str | None


class PairLine(TypedDict):
    """What the comparison with one opponent contributed."""

    player_id: str | None
    player: str
    rating_before: float
    expected: float
    actual: float
    k: int
    points_bonus: float
    pair_gain: float
    pair_gain_nano: int


class PoolReason(TypedDict):
    """Why a round moved the player in one pool: the lines add up to the change exactly."""

    counted: bool
    rating_before: float
    games_before: int
    lines: list[PairLine]
    sum_nano: int
    divided_by: int
    rounding_nano: int
    rating_change: float
    rating_after: float


class SourceName(TypedDict):
    """Who submitted a session."""

    slug: str
    name: str


class Why(TypedDict):
    """The full reason for one change by a round, in the numbers as published."""

    change_id: str
    fact_seq: int
    played_as: str | None
    session_id: str
    source: SourceName
    session_date: str
    game_type: str
    round_number: int
    games_played: int
    mahjongs: int
    points: float | None
    voided: bool
    superseded_by: str | None
    type: Literal["round"]
    seq: int
    player_id: str
    corrections: list[LaterCorrection]
    formula: str
    mahjic: PoolReason
    verified: PoolReason


class PoolChange(TypedDict):
    """What a round or a correction did in one pool."""

    rating_before: float
    rating_change: float
    rating_after: float
    games_before: int
    games_after: int


class RoundNumbers(TypedDict):
    """What a round did to the player in one version of the history."""

    mahjic: PoolChange
    verified: PoolChange


class ChangedRound(TypedDict):
    """One of the player's rounds that a correction gave different numbers."""

    session_id: str
    source: SourceName
    session_date: str
    game_type: str
    round_number: int
    before: RoundNumbers | None
    after: RoundNumbers | None


class Opponent(TypedDict):
    """Someone at the table, as anyone may see them."""

    player_id: str | None
    player: str


class Merged(TypedDict):
    """Who was merged into whom."""

    player: Opponent
    into: Opponent


class WhyCorrected(TypedDict):
    """The full reason for one change by a correction: the rounds whose numbers changed.

    What they give after it, minus what they gave before it, adds up to the change exactly."""

    change_id: str
    fact_seq: int
    played_as: str | None
    corrected_on: str
    cause: Literal["void", "correction", "merge", "unmerge", "reseat", "formula"]
    reason: str | None
    sessions: list[str]
    sessions_count: int
    replaced_by: str | None
    merged: Merged | None
    formula: str | None
    mahjic: PoolChange
    verified: PoolChange
    type: Literal["correction"]
    rounds_count: int | None
    rounds: list[ChangedRound] | None
    next_cursor: str | None
    seq: int
    player_id: str
    players_moved: int


AnyWhy = Why | WhyCorrected


class RatedOpponent(TypedDict):
    """Someone at the table, with their rating before the round."""

    player_id: str | None
    player: str
    rating_before: float


class Change(TypedDict):
    """One round of a player's history."""

    change_id: str
    fact_seq: int
    played_as: str | None
    session_id: str
    source: SourceName
    session_date: str
    game_type: str
    round_number: int
    games_played: int
    mahjongs: int
    points: float | None
    voided: bool
    superseded_by: str | None
    type: Literal["round"]
    wall_games: int
    mahjic: PoolChange
    verified: PoolChange
    opponents: list[RatedOpponent]


class Correction(TypedDict):
    """One correction in a player's history. What came before it stays as it was published."""

    change_id: str
    fact_seq: int
    played_as: str | None
    corrected_on: str
    cause: Literal["void", "correction", "merge", "unmerge", "reseat", "formula"]
    reason: str | None
    sessions: list[str]
    sessions_count: int
    replaced_by: str | None
    merged: Merged | None
    formula: str | None
    mahjic: PoolChange
    verified: PoolChange
    type: Literal["correction"]


class ChangeProof(TypedDict):
    """One change with its proof."""

    change_id: str
    why: Why | Correction
    fact: ProvedRecord
    verdict: ProvedRecord
    player_id: str
    checkpoints: SignedNotes


class ListedChange(TypedDict):
    """A change, and which of the records of its page are behind it."""

    change_id: str
    why: Why | Correction
    fact_seq: int
    verdict_seq: int


class PageRecords(TypedDict):
    """The records behind the changes of a page, each once: a night is one record for its rounds."""

    facts: list[ProvedRecord]
    verdicts: list[ProvedRecord]


class ChangeProofs(TypedDict):
    """A page of a player's changes, newest first, with the proofs of the records behind them."""

    player_id: str
    seq: int
    checkpoints: SignedNotes
    changes: list[ListedChange]
    records: PageRecords
    next_cursor: str | None


class FoundPlayer(TypedDict):
    """A player that a search found."""

    player_id: str
    name: str
    rating: float
    band: str
    games: int
    is_verified: bool


class History(TypedDict):
    """A page of a player's history, newest first: rounds and corrections as they happened.

    1500.00 plus all changes gives the current rating, in both pools."""

    player_id: str
    seq: int
    correcting: Correcting | None
    changes: list[Change | Correction]
    next_cursor: str | None


class Profile(TypedDict):
    """A player's current standing."""

    player_id: str
    name: str
    is_verified: bool
    tier: str
    rating: float
    band: str
    games: int
    mahjongs: int
    verified_rating: float
    verified_games: int
    global_rank: int | None
    region: str | None
    sessions: int
    last_played: str | None
    seq: int
    fact_seq: int
    correcting: Correcting | None


class SearchAnswer(TypedDict):
    """The players that a search found, by name."""

    q: str
    seq: int
    correcting: Correcting | None
    players: list[FoundPlayer]
