"""The facts: accepted claims, as they are on the log forever.

They carry ids, codes and whole numbers only; never an address, a name or free text. Ratings and
points are in centi (hundredths of a point).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal, NamedTuple, Self, TypeAlias

from shared.events.fields import (
    calendar_date,
    ints,
    one_of,
    optional_ints,
    optional_text,
    read_list,
    read_object,
    text,
    text_fields,
    texts,
    whole,
)

GameType: TypeAlias = Literal["social", "league", "tournament"]
GAME_TYPES: Final[tuple[GameType, ...]] = ("social", "league", "tournament")

# Why a session is voided or corrected. Anything else is a note, which is not on the log.
Reason: TypeAlias = Literal[
    "entered_twice",
    "wrong_players",
    "wrong_result",
    "not_played",
    "rules_broken",
    "test_entry",
    "other",
]
REASONS: Final[tuple[Reason, ...]] = (
    "entered_twice",
    "wrong_players",
    "wrong_result",
    "not_played",
    "rules_broken",
    "test_entry",
    "other",
)
# Voiding more sessions takes several facts.
VOIDED_SESSIONS_MAX: Final = 10_000
# The verdict names every seat that moves: 100,000 of them, in sessions as long as can be, are 5 MB.
RESEATED_SESSIONS_MAX: Final = 1_000


class PlayedRound(NamedTuple):
    """One round as played: a column per quantity, a place per seat.

    `points_centi` is None in social games, where points do not count.
    """

    games_played: int
    wall_games: int
    players: tuple[str, ...]
    mahjongs: tuple[int, ...]
    points_centi: tuple[int, ...] | None

    def to_json(self) -> dict[str, Any]:
        """Return the wire form; social rounds leave the points out."""
        fields: dict[str, Any] = {
            "games_played": self.games_played,
            "wall_games": self.wall_games,
            "players": self.players,
            "mahjongs": self.mahjongs,
        }
        if self.points_centi is not None:
            fields["points_centi"] = self.points_centi
        return fields

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "PlayedRound":
        """Read the wire form. Raises UnreadableRecord."""
        players = texts(data, "players")
        return cls(
            games_played=whole(data, "games_played"),
            wall_games=whole(data, "wall_games"),
            players=players,
            mahjongs=ints(data, "mahjongs", len(players)),
            points_centi=optional_ints(data, "points_centi", len(players)),
        )


@dataclass(frozen=True, slots=True)
class SessionSubmitted:
    """A source's session was accepted. `new_players` were created by it, in order of appearance."""

    TYPE: ClassVar = "session-submitted.v1"

    session_id: str
    source: str
    session_date: str
    game_type: GameType
    rounds: tuple[PlayedRound, ...]
    new_players: tuple[str, ...]

    @property
    def subject(self) -> str:
        return self.session_id

    def to_json(self) -> dict[str, Any]:
        return {
            "session_id": self.session_id,
            "source": self.source,
            "session_date": self.session_date,
            "game_type": self.game_type,
            "rounds": [played.to_json() for played in self.rounds],
            "new_players": self.new_players,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "SessionSubmitted":
        """Read the wire form. Raises UnreadableRecord."""
        session_id, source = text_fields(data, ("session_id", "source"))
        return cls(
            session_id=session_id,
            source=source,
            session_date=calendar_date(data, "session_date"),
            game_type=one_of(data, "game_type", GAME_TYPES),
            rounds=tuple(PlayedRound.from_json(each) for each in read_list(data, "rounds")),
            new_players=texts(data, "new_players"),
        )


@dataclass(frozen=True, slots=True)
class _AboutPlayer:
    """What the facts about one player have in common."""

    player_id: str

    @property
    def subject(self) -> str:
        return self.player_id

    def to_json(self) -> dict[str, Any]:
        return {"player_id": self.player_id}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Read the wire form. Raises UnreadableRecord."""
        return cls(text(data, "player_id"))


@dataclass(frozen=True, slots=True)
class PlayerVerified(_AboutPlayer):
    """From here on, the player counts in the verified pool."""

    TYPE: ClassVar = "player-verified.v1"


@dataclass(frozen=True, slots=True)
class PlayerVerificationEnded(_AboutPlayer):
    """From here on, the player no longer counts in the verified pool; the numbers stay."""

    TYPE: ClassVar = "player-verification-ended.v1"


@dataclass(frozen=True, slots=True)
class SessionsVoided:
    """The sessions are left out, as if they had never been played."""

    TYPE: ClassVar = "sessions-voided.v1"

    session_ids: tuple[str, ...]
    reason: Reason

    @property
    def subject(self) -> str:
        """The session, or how many there are."""
        if len(self.session_ids) == 1:
            return self.session_ids[0]
        return f"{len(self.session_ids)} sessions"

    def to_json(self) -> dict[str, Any]:
        return {"session_ids": self.session_ids, "reason": self.reason}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "SessionsVoided":
        """Read the wire form. Raises UnreadableRecord."""
        return cls(texts(data, "session_ids"), one_of(data, "reason", REASONS))


@dataclass(frozen=True, slots=True)
class SessionCorrected:
    """The session `corrects` is left out, and a new one takes its place in the order of the log."""

    TYPE: ClassVar = "session-corrected.v1"

    corrects: str
    reason: Reason
    session: SessionSubmitted

    @property
    def subject(self) -> str:
        return self.session.session_id

    def to_json(self) -> dict[str, Any]:
        return {
            "corrects": self.corrects,
            "reason": self.reason,
            "session": self.session.to_json(),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "SessionCorrected":
        """Read the wire form. Raises UnreadableRecord."""
        return cls(
            corrects=text(data, "corrects"),
            reason=one_of(data, "reason", REASONS),
            session=SessionSubmitted.from_json(read_object(data, "session")),
        )


@dataclass(frozen=True, slots=True)
class PlayersMerged:
    """Two ids are one person: from here on, everything of `player_id` belongs to `into`."""

    TYPE: ClassVar = "players-merged.v1"

    player_id: str
    into: str

    @property
    def subject(self) -> str:
        """The player that is merged into the other."""
        return self.player_id

    def to_json(self) -> dict[str, Any]:
        return {"player_id": self.player_id, "into": self.into}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "PlayersMerged":
        """Read the wire form. Raises UnreadableRecord."""
        return cls(text(data, "player_id"), text(data, "into"))


@dataclass(frozen=True, slots=True)
class PlayersUnmerged:
    """The merge of `player_id` into `merged_into` is undone: they are two people again."""

    TYPE: ClassVar = "players-unmerged.v1"

    player_id: str
    merged_into: str

    @property
    def subject(self) -> str:
        """The player that had been merged into the other."""
        return self.player_id

    def to_json(self) -> dict[str, Any]:
        return {"player_id": self.player_id, "merged_into": self.merged_into}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "PlayersUnmerged":
        """Read the wire form. Raises UnreadableRecord."""
        return cls(text(data, "player_id"), text(data, "merged_into"))


@dataclass(frozen=True, slots=True)
class SeatsReassigned:
    """The seats of `from` in these sessions are those of `to`, as if it had always been so."""

    TYPE: ClassVar = "seats-reassigned.v1"

    from_: str
    to: str
    sessions: tuple[str, ...]

    @property
    def subject(self) -> str:
        """The player whose seats they were."""
        return self.from_

    def to_json(self) -> dict[str, Any]:
        return {"from": self.from_, "to": self.to, "sessions": self.sessions}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "SeatsReassigned":
        """Read the wire form. Raises UnreadableRecord."""
        return cls(text(data, "from"), text(data, "to"), texts(data, "sessions"))


@dataclass(frozen=True, slots=True)
class FormulaAdopted:
    """From here on, `formula` applies, with these parameters. The first record of every log.

    `proposal` is the number of the proposal that led to it, None where there was none.
    """

    TYPE: ClassVar = "formula-adopted.v1"

    formula: str
    parameters: Mapping[str, Any]
    proposal: str | None = None

    @property
    def subject(self) -> str:
        return self.formula

    def to_json(self) -> dict[str, Any]:
        fields = {"formula": self.formula, "parameters": self.parameters}
        return fields | _named_proposal(self.proposal)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "FormulaAdopted":
        """Read the wire form. Raises UnreadableRecord."""
        return cls(
            text(data, "formula"), read_object(data, "parameters"), optional_text(data, "proposal")
        )


@dataclass(frozen=True, slots=True)
class FormulaAdoptedFromBeginning:
    """`formula` applies to everything that was played, and from here on: everyone is rated again.
    It is a separate version, because a reader of the first would think that it applies only from
    here on.
    """

    TYPE: ClassVar = "formula-adopted.v2"

    formula: str
    parameters: Mapping[str, Any]
    since: Literal["beginning"] = "beginning"
    proposal: str | None = None

    @property
    def subject(self) -> str:
        return self.formula

    def to_json(self) -> dict[str, Any]:
        fields = {"formula": self.formula, "parameters": self.parameters, "since": self.since}
        return fields | _named_proposal(self.proposal)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "FormulaAdoptedFromBeginning":
        """Read the wire form. Raises UnreadableRecord."""
        return cls(
            text(data, "formula"),
            read_object(data, "parameters"),
            one_of(data, "since", ("beginning",)),
            optional_text(data, "proposal"),
        )


def _named_proposal(proposal: str | None) -> dict[str, Any]:
    """Return the field of an adoption that most have not: then nothing is written."""
    return {} if proposal is None else {"proposal": proposal}


FactEvent: TypeAlias = (
    SessionSubmitted
    | SessionsVoided
    | SessionCorrected
    | PlayerVerified
    | PlayerVerificationEnded
    | PlayersMerged
    | PlayersUnmerged
    | SeatsReassigned
    | FormulaAdopted
    | FormulaAdoptedFromBeginning
)

READ_FACT: Final[Mapping[str, Callable[[Mapping[str, Any]], FactEvent]]] = {
    SessionSubmitted.TYPE: SessionSubmitted.from_json,
    SessionsVoided.TYPE: SessionsVoided.from_json,
    SessionCorrected.TYPE: SessionCorrected.from_json,
    PlayerVerified.TYPE: PlayerVerified.from_json,
    PlayerVerificationEnded.TYPE: PlayerVerificationEnded.from_json,
    PlayersMerged.TYPE: PlayersMerged.from_json,
    PlayersUnmerged.TYPE: PlayersUnmerged.from_json,
    SeatsReassigned.TYPE: SeatsReassigned.from_json,
    FormulaAdopted.TYPE: FormulaAdopted.from_json,
    FormulaAdoptedFromBeginning.TYPE: FormulaAdoptedFromBeginning.from_json,
}


def session_of(event: FactEvent) -> SessionSubmitted | None:
    """Return the session that a fact brings; None if it brings none."""
    if isinstance(event, SessionCorrected):
        return event.session
    return event if isinstance(event, SessionSubmitted) else None
