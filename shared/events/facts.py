"""The facts: claims that were accepted, as they stand on the log for ever.

They carry ids, codes and whole numbers only; never an address, a name or free text. Ratings and
points are in centi (hundredths of a point).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal, Self, TypeAlias

from shared.events.fields import (
    UnreadableRecord,
    calendar_date,
    ints,
    one_of,
    optional_ints,
    read_list,
    text,
    texts,
    whole,
)

GameType: TypeAlias = Literal["social", "league", "tournament"]
GAME_TYPES: Final[tuple[GameType, ...]] = ("social", "league", "tournament")


@dataclass(frozen=True, slots=True)
class PlayedRound:
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
        """The session."""
        return self.session_id

    def to_json(self) -> dict[str, Any]:
        """Return the wire form."""
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
        return cls(
            session_id=text(data, "session_id"),
            source=text(data, "source"),
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
        """The player."""
        return self.player_id

    def to_json(self) -> dict[str, Any]:
        """Return the wire form."""
        return {"player_id": self.player_id}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Read the wire form. Raises UnreadableRecord."""
        return cls(text(data, "player_id"))


@dataclass(frozen=True, slots=True)
class PlayerVerified(_AboutPlayer):
    """From here on the player counts in the verified pool."""

    TYPE: ClassVar = "player-verified.v1"


@dataclass(frozen=True, slots=True)
class PlayerVerificationEnded(_AboutPlayer):
    """From here on the player no longer counts in the verified pool; the numbers stay."""

    TYPE: ClassVar = "player-verification-ended.v1"


@dataclass(frozen=True, slots=True)
class FormulaAdopted:
    """From here on `formula` holds, with these parameters. The first record of every log."""

    TYPE: ClassVar = "formula-adopted.v1"

    formula: str
    parameters: Mapping[str, Any]

    @property
    def subject(self) -> str:
        """The formula."""
        return self.formula

    def to_json(self) -> dict[str, Any]:
        """Return the wire form."""
        return {"formula": self.formula, "parameters": self.parameters}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "FormulaAdopted":
        """Read the wire form. Raises UnreadableRecord."""
        parameters = data.get("parameters")
        if not isinstance(parameters, dict):
            raise UnreadableRecord("The field parameters is missing or is no object.")
        return cls(text(data, "formula"), parameters)


FactEvent: TypeAlias = SessionSubmitted | PlayerVerified | PlayerVerificationEnded | FormulaAdopted

READ_FACT: Final[Mapping[str, Callable[[Mapping[str, Any]], FactEvent]]] = {
    SessionSubmitted.TYPE: SessionSubmitted.from_json,
    PlayerVerified.TYPE: PlayerVerified.from_json,
    PlayerVerificationEnded.TYPE: PlayerVerificationEnded.from_json,
    FormulaAdopted.TYPE: FormulaAdopted.from_json,
}
