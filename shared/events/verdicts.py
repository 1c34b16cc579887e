"""The verdicts: what the rater concluded from each fact, as they are on the log forever.

A verdict carries everything the views need, so they follow the verdicts alone. Ratings, changes
and points are in centi (hundredths of a point).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, NamedTuple, TypeAlias

from shared.events.facts import GAME_TYPES, GameType
from shared.events.fields import (
    UnreadableRecord,
    calendar_date,
    int_columns,
    one_of,
    optional_ints,
    optional_texts,
    read_list,
    read_object,
    text,
    text_fields,
    texts,
    whole,
)


class RatedRound(NamedTuple):
    """One round as rated in both pools: a column per quantity, a place per seat.

    `verified_rating_change` is 0 for seats that are not verified, and for all when fewer than two
    are. Bob is at 1500.00 with 0 games and never moves. `players` are the ids that everyone counts
    as; `played_as` are the ids on the fact if one of them was merged into another, else None: if
    the merge is undone, the round is theirs again.
    """

    games_played: int
    wall_games: int
    players: tuple[str, ...]
    mahjongs: tuple[int, ...]
    points_centi: tuple[int, ...] | None
    rating_before: tuple[int, ...]
    rating_change: tuple[int, ...]
    games_before: tuple[int, ...]
    games_after: tuple[int, ...]
    is_verified: tuple[int, ...]
    verified_rating_before: tuple[int, ...]
    verified_rating_change: tuple[int, ...]
    verified_games_before: tuple[int, ...]
    verified_games_after: tuple[int, ...]
    played_as: tuple[str, ...] | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the wire form; points and ids are left out where there are none."""
        fields = self._asdict()
        if self.points_centi is None:
            del fields["points_centi"]
        if self.played_as is None:
            del fields["played_as"]
        return fields

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "RatedRound":
        """Read the wire form. Raises UnreadableRecord."""
        players = texts(data, "players")
        seats = len(players)
        mahjongs, *numbers = int_columns(data, _SEAT_COLUMNS, seats)
        return cls._make(
            (
                whole(data, "games_played"),
                whole(data, "wall_games"),
                players,
                mahjongs,
                optional_ints(data, "points_centi", seats),
                *numbers,
                optional_texts(data, "played_as", seats),
            )
        )


# In the order of the fields.
_SEAT_COLUMNS: Final = tuple(
    name
    for name in RatedRound._fields
    if name not in {"games_played", "wall_games", "players", "points_centi", "played_as"}
)


@dataclass(frozen=True, slots=True)
class SessionRated:
    """A session was rated: every number before and after, of every seat in every round."""

    TYPE: ClassVar = "session-rated.v1"

    session_id: str
    source: str
    session_date: str
    game_type: GameType
    rounds: tuple[RatedRound, ...]
    new_players: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "session_id": self.session_id,
            "source": self.source,
            "session_date": self.session_date,
            "game_type": self.game_type,
            "rounds": [rated.to_json() for rated in self.rounds],
            "new_players": self.new_players,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "SessionRated":
        """Read the wire form. Raises UnreadableRecord."""
        session_id, source = text_fields(data, ("session_id", "source"))
        return cls(
            session_id=session_id,
            source=source,
            session_date=calendar_date(data, "session_date"),
            game_type=one_of(data, "game_type", GAME_TYPES),
            rounds=tuple(RatedRound.from_json(each) for each in read_list(data, "rounds")),
            new_players=texts(data, "new_players"),
        )


@dataclass(frozen=True, slots=True)
class FactNoted:
    """A fact that moved no one: `fact_type` and its `data`, as on the fact log."""

    TYPE: ClassVar = "fact-noted.v1"

    fact_type: str
    data: Mapping[str, Any]

    def to_json(self) -> dict[str, Any]:
        return {"fact_type": self.fact_type, "data": self.data}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "FactNoted":
        """Read the wire form. Raises UnreadableRecord."""
        return cls(text(data, "fact_type"), read_object(data, "data"))


@dataclass(frozen=True, slots=True)
class FactRefused:
    """A record that the rater could not read, or with impossible numbers; nothing moved.

    `session_id` is the session it was about, if that much could be read.
    """

    TYPE: ClassVar = "fact-refused.v1"

    reason: str
    session_id: str | None

    def to_json(self) -> dict[str, Any]:
        return {"reason": self.reason, "session_id": self.session_id}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "FactRefused":
        """Read the wire form. Raises UnreadableRecord."""
        session_id = data.get("session_id")
        return cls(text(data, "reason"), session_id if isinstance(session_id, str) else None)


class ReseatedSession(NamedTuple):
    """The seats of a session that went to another id: a column per quantity, a place per seat.

    `was` and `now` are ids as the facts have them, merged or not. `left` are those who no longer
    sit in any round of the session, and `joined` those who sat in none before.
    """

    session_id: str
    round_numbers: tuple[int, ...]
    seats: tuple[int, ...]
    was: tuple[str, ...]
    now: tuple[str, ...]
    mahjongs: tuple[int, ...]
    wall_games: tuple[int, ...]
    left: tuple[str, ...]
    joined: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the wire form."""
        return self._asdict()

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "ReseatedSession":
        """Read the wire form. Raises UnreadableRecord."""
        was, now = texts(data, "was"), texts(data, "now")
        if len(now) != len(was):
            raise UnreadableRecord("The fields was and now are not of one length.")
        round_numbers, seats, mahjongs, wall_games = int_columns(data, _MOVED_COLUMNS, len(was))
        return cls(
            session_id=text(data, "session_id"),
            round_numbers=round_numbers,
            seats=seats,
            was=was,
            now=now,
            mahjongs=mahjongs,
            wall_games=wall_games,
            left=texts(data, "left"),
            joined=texts(data, "joined"),
        )


_MOVED_COLUMNS: Final = ("round_numbers", "seats", "mahjongs", "wall_games")


@dataclass(frozen=True, slots=True)
class RatingsCorrected:
    """A fact about the past moved today's ratings: one column per quantity, one place per player.

    The first part says what it was, and has the new `session` of a correction as rated in its
    place, or the seats that were reassigned; `data` is the fact's own, without that session.
    `moved` counts the players of all parts. A player who was merged into another has no rounds, and
    is at 1500.00 with 0 games.
    """

    TYPE: ClassVar = "ratings-corrected.v1"

    fact_type: str
    data: Mapping[str, Any]
    session: SessionRated | None
    moved: int
    players: tuple[str, ...]
    rating_before: tuple[int, ...]
    rating_change: tuple[int, ...]
    games_before: tuple[int, ...]
    games_after: tuple[int, ...]
    verified_rating_before: tuple[int, ...]
    verified_rating_change: tuple[int, ...]
    verified_games_before: tuple[int, ...]
    verified_games_after: tuple[int, ...]
    reseated: tuple[ReseatedSession, ...] | None = field(default=None, kw_only=True)

    def to_json(self) -> dict[str, Any]:
        """Return the wire form; `reseated` is left out where no seats were."""
        fields = {
            "fact_type": self.fact_type,
            "data": self.data,
            "session": None if self.session is None else self.session.to_json(),
            "moved": self.moved,
            "players": self.players,
            **{name: getattr(self, name) for name in PLAYER_COLUMNS},
        }
        if self.reseated is not None:
            fields["reseated"] = [each.to_json() for each in self.reseated]
        return fields

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "RatingsCorrected":
        """Read the wire form. Raises UnreadableRecord."""
        players = texts(data, "players")
        has_session = data.get("session") is not None
        numbers = int_columns(data, PLAYER_COLUMNS, len(players))
        return cls(
            fact_type=text(data, "fact_type"),
            data=read_object(data, "data"),
            session=SessionRated.from_json(read_object(data, "session")) if has_session else None,
            moved=whole(data, "moved"),
            players=players,
            **dict(zip(PLAYER_COLUMNS, numbers, strict=True)),
            reseated=_read_reseated(data),
        )


def _read_reseated(data: Mapping[str, Any]) -> tuple[ReseatedSession, ...] | None:
    if data.get("reseated") is None:
        return None
    return tuple(ReseatedSession.from_json(each) for each in read_list(data, "reseated"))


PLAYER_COLUMNS: Final = (
    "rating_before",
    "rating_change",
    "games_before",
    "games_after",
    "verified_rating_before",
    "verified_rating_change",
    "verified_games_before",
    "verified_games_after",
)

VerdictEvent: TypeAlias = SessionRated | RatingsCorrected | FactNoted | FactRefused

READ_VERDICT: Final[Mapping[str, Callable[[Mapping[str, Any]], VerdictEvent]]] = {
    SessionRated.TYPE: SessionRated.from_json,
    RatingsCorrected.TYPE: RatingsCorrected.from_json,
    FactNoted.TYPE: FactNoted.from_json,
    FactRefused.TYPE: FactRefused.from_json,
}


class Answers(NamedTuple):
    """Which fact a verdict answers, and how: part k of n, formula, engine digest."""

    fact_seq: int
    fact_chain: bytes
    part: int
    parts: int
    formula: str
    engine: str
