"""What several kinds of requests have in common.

Written by `make docs` from docs/openapi.json.
"""

from typing import Literal, TypedDict


class Correcting(TypedDict):
    """How much of the verdict on the fact after its `seq` the numbers of a page include.

    Players in the parts already applied have their corrected numbers. All others still have their
    numbers from before."""

    part: int
    parts: int


class PlayerChange(TypedDict):
    """What a change of the past did to one player's current standing."""

    player_id: str
    mahjic_id: str | None
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

    fact_seq: int
    players_moved: int
    changes: list[PlayerChange]
    others_moved: int


class NamedPlayer(TypedDict):
    """A player in a session that is not rated yet."""

    player_id: str
    mahjic_id: str | None
    player: str | None


class PlayerAnswer(TypedDict):
    """What a session did to one player, in order of first appearance."""

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
    player_id: str
    is_new_player: bool


class ProblemMistake(TypedDict):
    """One mistake, and where it is."""

    pointer: str
    code: str
    message: str


class _Problem(TypedDict):
    """What is always in Problem."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    instance: str


class Problem(_Problem, total=False):
    """Problem details (RFC 9457). Problems may have further members."""

    errors: list[ProblemMistake]


class ShownRecord(TypedDict):
    """A whole record, but for its chain values, and what makes its leaf from it."""

    body: str
    salt: str
    chains_hash: str


class Withheld(TypedDict):
    """Why a record is not shown."""

    code: str
    message: str


class ProvedRecord(TypedDict):
    """A record of a log: that it is there, and where; and what it says, if that may be shown."""

    log: Literal["facts", "verdicts"]
    seq: int
    leaf_hash: str
    proof: list[str]
    record: ShownRecord | None
    withheld: Withheld | None


class SeatAnswer(TypedDict):
    """One player's numbers in one round; Bob is always at 1500 with 0 games.

    Only mahjongs and points are shown for a private player named by the operator and never by this
    source."""

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


class RoundAnswer(TypedDict):
    """One round of the session, seats in the order submitted."""

    on_record: bool | None
    games_played: int
    wall_games: int
    results: list[SeatAnswer]


class _SeatClaim(TypedDict):
    """What is always in SeatClaim."""

    email: str
    games_played: int
    mahjongs: int


class SeatClaim(_SeatClaim, total=False):
    """One player's part in a round."""

    points: float | None
    name: str | None


class _RoundClaim(TypedDict):
    """What is always in RoundClaim."""

    players: list[SeatClaim]
    wall_games: int


class RoundClaim(_RoundClaim, total=False):
    """Games that the same 2 to 4 people play together."""

    ref: str | None


class SignedNotes(TypedDict):
    """The signed notes that the proofs lead to: size and root of the tree of each log."""

    facts: str
    verdicts: str


class _WarningAnswer(TypedDict):
    """What is always in WarningAnswer."""

    pointer: str
    code: str
    message: str


class WarningAnswer(_WarningAnswer, total=False):
    """Something that is allowed but worth a look."""

    session_id: str | None
