"""What a source reads about its sessions.

Written by `make docs` from docs/openapi.json.
"""

from typing import Literal, TypedDict

from mahjic_client.shapes.choices import GameType, IfSimilar, Status
from mahjic_client.shapes.common import (
    EffectAnswer,
    NamedPlayer,
    PlayerAnswer,
    ProvedRecord,
    RoundAnswer,
    RoundClaim,
    SignedNotes,
    WarningAnswer,
)


class EndedAnswer(TypedDict):
    """What voided or corrected a session."""

    fact_seq: int
    reason: str
    note: str | None
    effect: EffectAnswer | None


class _NoticedPlayer(TypedDict):
    """What is always in NoticedPlayer."""

    player_id: str


class NoticedPlayer(_NoticedPlayer, total=False):
    """A player of an event. What was not moved by it has no numbers."""

    rating_before: float
    rating_change: float
    rating_after: float
    games: int
    verified_rating_before: float
    verified_rating_change: float
    verified_rating_after: float
    verified_games: int


class EventData(TypedDict, total=False):
    """What happened. Read what it is about with `min_seq` at `seq` or above."""

    seq: int
    session_id: str
    session_date: str
    replaces: str | None
    players: list[NoticedPlayer]
    dispute: int


class EventAnswer(TypedDict):
    """One event: a thing that happened to the sessions or players of a source."""

    number: int
    type: Literal[
        "dispute.opened",
        "player.verification_ended",
        "player.verified",
        "ratings.corrected",
        "session.corrected",
        "session.rated",
        "session.voided",
        "source.suspended",
        "test",
    ]
    timestamp: str
    source: str
    data: EventData


class EventList(TypedDict):
    """Events in the order of their numbers."""

    events: list[EventAnswer]
    next_after: int
    is_last: bool


class LastSession(TypedDict):
    """Your latest session with this person in it that counts."""

    session_id: str
    session_date: str


class NamedBy(TypedDict):
    """A source that had someone in a session, and the last name that it sent."""

    source: str
    name: str | None


class FoundPerson(TypedDict):
    """Someone you had in a session."""

    player_id: str
    mahjic_id: str | None
    player: str | None
    name: str | None
    privacy: Literal["public", "private", "anonymous"]
    last_session: LastSession | None
    rating: float | None
    games: int | None
    verified_rating: float | None
    verified_games: int | None
    is_verified: bool | None
    named_by: list[NamedBy]


class _LineClaim(TypedDict):
    """What is always in LineClaim."""

    session_date: str
    game_type: GameType
    rounds: list[RoundClaim]


class LineClaim(_LineClaim, total=False):
    """A session as one line of a batch."""

    source_id: str | None
    allow_duplicate: bool
    whole_night: bool
    if_similar: IfSimilar | None
    idempotency_key: str | None


class LookUpAnswer(TypedDict):
    """The people you meant, but no one you have never had in a session, on record or not."""

    seq: int
    people: list[FoundPerson]
    has_more: bool


class SessionRow(TypedDict):
    """A session in its source's list."""

    session_id: str
    session_date: str | None
    game_type: str | None
    status: Status
    counts: bool
    reason: str | None
    rounds_count: int
    players_count: int
    players: list[NamedPlayer]
    submitted_at: str
    corrects: str | None
    corrected_by: str | None
    fact_seq: int


class SessionList(TypedDict):
    """A page of a source's sessions: newest day first, and last submitted first in a day."""

    seq: int
    source: str
    sessions: list[SessionRow]
    next_cursor: str | None


class SessionProof(TypedDict):
    """A session's fact and the first part of the verdict on it, with their proofs."""

    session_id: str
    checkpoints: SignedNotes
    fact: ProvedRecord
    verdict: ProvedRecord


class _StoredSessionAnswer(TypedDict):
    """What is always in StoredSessionAnswer."""

    counts: bool
    session_id: str
    status: Status
    results: list[PlayerAnswer]
    rounds: list[RoundAnswer]
    warnings: list[WarningAnswer]
    seq: int
    fact_seq: int
    place_seq: int
    submitted_at: str
    corrects: str | None
    corrected_by: str | None
    note: str | None
    effect: EffectAnswer | None
    ended: EndedAnswer | None
    reseated_fact_seq: int | None


class StoredSessionAnswer(_StoredSessionAnswer, total=False):
    """A session as it is today. The numbers are those that it was rated with."""

    players: list[NamedPlayer]
