"""The shape of claims: what a source sends for one session, and requests to change the past.

They check only the shape. Their docstrings and descriptions appear in the OpenAPI document.
"""

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from shared.characters import forbidden_in_prose
from shared.events.facts import RESEATED_SESSIONS_MAX, VOIDED_SESSIONS_MAX, GameType, Reason
from shared.ids import PLAYER_ID_CHARACTERS_MAX, SESSION_ID_CHARACTERS_MAX
from shared.limits import (
    DATE_CHARACTERS_MAX,
    GAMES_MAX,
    KEY_SENT_CHARACTERS_MAX,
    NOTE_CHARACTERS_MAX,
    REF_CHARACTERS_MAX,
    ROUNDS_MAX,
    SEATS_MAX,
    SEATS_MIN,
    SOURCE_CHARACTERS_MAX,
    TEXT_CHARACTERS_MAX,
)

GamesInRound = Annotated[
    int, Field(ge=1, le=GAMES_MAX, description=f"Games in the round, 1 to {GAMES_MAX}.")
]


def _seen(note: str) -> str:
    # The JSON reader has already reported U+0000.
    if (odd := forbidden_in_prose(note.replace("\0", ""))) is not None:
        raise ValueError(
            "A note may not have control, direction or other invisible characters except line "
            f"breaks and tabs, and this one has {odd}."
        )
    return note


Note = Annotated[
    str,
    Field(
        min_length=1,
        max_length=NOTE_CHARACTERS_MAX,
        description=(
            "Anything else you want to say, with no invisible characters except line "
            "breaks and tabs. It is not on the logs, and the operator can erase it."
        ),
    ),
    AfterValidator(_seen),
]


class Claimed(BaseModel):
    """What all parts of a claim have in common: unknown fields are refused by name."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class SeatClaim(Claimed):
    """One player's part in a round."""

    email: str = Field(
        max_length=TEXT_CHARACTERS_MAX,
        description=(
            "Who played: an email address, `PRIVATE:address` (rated, but hidden), "
            "`ANON:nickname` (known only to the source), or `bob@mahjic.org`, the "
            "imaginary player."
        ),
        examples=["alice@example.com"],
    )
    games_played: GamesInRound
    mahjongs: int = Field(ge=0, le=GAMES_MAX, description="Games that this player won.")
    points: float | None = Field(
        default=None,
        description=(
            "Points in this round, at most two decimals; required for league and tournament, "
            "ignored for social."
        ),
    )
    name: str | None = Field(
        default=None,
        max_length=TEXT_CHARACTERS_MAX,
        description=(
            "Suggested to the player who claims the profile, and never published before that."
        ),
    )


class RoundClaim(Claimed):
    """Games that the same 2 to 4 people play together."""

    players: list[SeatClaim] = Field(min_length=SEATS_MIN, max_length=SEATS_MAX)
    wall_games: int = Field(ge=0, le=GAMES_MAX, description="Games that no one won.")
    ref: str | None = Field(
        default=None,
        min_length=1,
        max_length=REF_CHARACTERS_MAX,
        description="The source's own name for the round. The same ref is the same round.",
    )


class SessionClaim(Claimed):
    """What one source submits for one date."""

    source_id: str | None = Field(
        default=None,
        max_length=SOURCE_CHARACTERS_MAX,
        description="If given, it must be the key's own source.",
    )
    session_date: str = Field(
        max_length=DATE_CHARACTERS_MAX,
        description="The date of play, YYYY-MM-DD.",
        examples=["2026-01-31"],
    )
    game_type: GameType
    rounds: list[RoundClaim] = Field(min_length=1, max_length=ROUNDS_MAX)
    allow_duplicate: bool = Field(
        default=False, description="Record the session even though one of its rounds is on record."
    )
    whole_night: bool = Field(
        default=False,
        description=(
            "This is everything these people played that night, as in a score sheet. If a "
            "session of yours has part of it, with different numbers or rounds, nothing is "
            "recorded (409 `night_changed`): correct that session."
        ),
    )
    if_similar: Literal["warn", "refuse"] | None = Field(
        default=None,
        description=(
            "What to do if a session of yours has a round on the same date with the same "
            "people, or all but one, and different numbers: `warn` (the default) records "
            "it with a warning, `refuse` records nothing (409 `similar_round`)."
        ),
    )


class LineWords(Claimed):
    """What a line of a batch says besides its session."""

    idempotency_key: str | None = Field(
        default=None,
        max_length=KEY_SENT_CHARACTERS_MAX,
        description="Works like the Idempotency-Key of a single submission, and is the same key.",
    )


class LineClaim(LineWords, SessionClaim):
    """A session as one line of a batch."""


class CorrectionWords(Claimed):
    """What a correction says besides its session."""

    reason: Reason = "wrong_result"
    note: Note | None = None


class CorrectionClaim(CorrectionWords, SessionClaim):
    """A whole session that replaces another one from the same source."""


class VoidClaim(Claimed):
    """Why a session is left out."""

    reason: Reason
    note: Note | None = None


class VoidsClaim(VoidClaim):
    """Sessions to leave out, all of them or none."""

    session_ids: list[Annotated[str, Field(max_length=SESSION_ID_CHARACTERS_MAX)]] = Field(
        min_length=1, max_length=VOIDED_SESSIONS_MAX
    )


class MergeClaim(Claimed):
    """Who the player really is."""

    into: str = Field(
        max_length=PLAYER_ID_CHARACTERS_MAX,
        description="The Mahjic ID that stays.",
        examples=["MJ-7K3Q9XZM"],
    )
    note: Note | None = None


class UnmergeClaim(Claimed):
    """The player is someone else after all."""

    note: Note | None = None


class ReseatClaim(Claimed):
    """Who really sat in the player's seat, in which sessions."""

    sessions: list[Annotated[str, Field(max_length=SESSION_ID_CHARACTERS_MAX)]] = Field(
        min_length=1,
        max_length=RESEATED_SESSIONS_MAX,
        description="The sessions in which the player's seats are another's: all or none.",
    )
    email: str = Field(
        max_length=TEXT_CHARACTERS_MAX,
        description=(
            "The address of the one who sat there. Someone new is put on record, with `PRIVATE:` "
            "before the address as a private player."
        ),
        examples=["karen@example.com"],
    )
    note: Note | None = None


class FormulaClaim(Claimed):
    """Which formula to use, and from which point on."""

    formula: str = Field(max_length=100, examples=["mahjic-elo/1"])
    since: Literal["now", "beginning"] = Field(
        description="`now` rates what comes from now on; `beginning` rates everything again."
    )
    proposal: str | None = Field(
        default=None,
        pattern=r"^[0-9]{4}$",
        description="The number of the proposal that led to it, if there was one.",
        examples=["0001"],
    )
