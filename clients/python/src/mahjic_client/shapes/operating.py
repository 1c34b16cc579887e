"""What the operator asks for.

Written by `make docs` from docs/openapi.json.
"""

from typing import Literal, TypedDict

from mahjic_client.shapes.choices import Reason, Since, State
from mahjic_client.shapes.common import EffectAnswer


class AdoptionAnswer(TypedDict):
    """Which formula applies, and from what point on; `effect` is null until it is known."""

    formula: str
    since: Since
    proposal: str | None
    fact_seq: int
    seq: int
    effect: EffectAnswer | None


class DisputeRow(TypedDict):
    """A session that a player says they did not play."""

    number: int
    player_id: str
    session_id: str
    session_date: str
    source: str
    state: State
    said: str
    said_at: str
    answer: str | None
    answered_at: str | None
    resolved_by: Literal["voided", "corrected", "reseated"] | None
    newest: str | None


class DisputeList(TypedDict):
    """Disputes, from the oldest on."""

    disputes: list[DisputeRow]
    next_after: int | None


class MergeAnswer(TypedDict):
    """Whether two ids are one person now; `effect` is null until it is known."""

    player_id: str
    into: str
    is_merged: bool
    fact_seq: int
    seq: int
    effect: EffectAnswer | None


class Privacy(TypedDict):
    """What applies until the operator or the player says otherwise."""

    player_id: str
    privacy: Literal["normal", "private"]


class RegisteredPlayer(TypedDict):
    """A player on record."""

    player_id: str
    mahjic_id: str


class ReseatAnswer(TypedDict):
    """Whose seats are whose now; `effect` is null until it is known."""

    player_id: str
    to: str
    session_ids: list[str]
    skipped: list[str]
    fact_seq: int
    seq: int
    effect: EffectAnswer | None


class Verification(TypedDict):
    """What applies from this place on the log onward."""

    player_id: str
    verified: bool
    seq: int


class VoidsAnswer(TypedDict):
    """The answer to the void of many sessions; `effect` is null until it is known."""

    session_ids: list[str]
    skipped: list[str]
    status: Literal["voided"]
    reason: Reason
    fact_seq: int
    seq: int
    effect: EffectAnswer | None


class WrongAddressRow(TypedDict):
    """A player whose address is somebody else's, who said so from the mail that they got there."""

    number: int
    player_id: str
    source: str
    session_id: str
    session_date: str
    said_at: str


class WrongAddressList(TypedDict):
    """Wrong addresses, from the oldest invitation on."""

    wrong_addresses: list[WrongAddressRow]
    next_after: int | None
