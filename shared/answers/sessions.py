"""Builds the answer to a submission: the ratings before and after, from a verdict.

Pure. The names of the players come from the request, or from what is on record about the people in
the session. Ratings leave as JSON numbers with at most two decimals.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from shared.answers.seen import EVERYBODY, Sight
from shared.events.verdicts import RatedRound, SessionRated

# What a seat shows of a player that the reader may not see: it belongs to the whole table.
_OF_THE_TABLE: Final = frozenset({"mahjongs", "points"})

SessionStatus: TypeAlias = Literal["accepted", "rated", "voided", "corrected", "refused"]


# An accepted session will be rated, and counts from its place in the log.
COUNTING: Final = frozenset({"accepted", "rated"})


class NamedPlayer(TypedDict):
    """A player in a session that is not rated yet."""

    player_id: str
    mahjic_id: str | None
    player: Annotated[str | None, Field(description="The player as you submitted it; else null.")]


def session_answer(
    session_id: str,
    status: SessionStatus | Literal["dry_run"],
    rated: SessionRated | None,
    *,
    seq: int,
    submitted_as: Mapping[str, str] | None = None,
    sight: Sight = EVERYBODY,
    players: Iterable[tuple[str, str | None]] = (),
    warnings: Sequence[Mapping[str, str]] = (),
    on_record: Sequence[bool] | None = None,
) -> dict[str, Any]:
    """Return the answer of spec 4: session_id, status, results, rounds and warnings.

    `seq` is a fact that readers may ask for as `min_seq`, or the one this answer is based on.
    `submitted_as` maps player ids to the text they were submitted as in this request. A session
    that is looked up has none: `sight` says what its reader sees of each seat. `results` and
    `rounds` are empty until it is rated; until then `players` are those named, with what they were
    called.
    `on_record` says for each round if an earlier session of the source already had it.
    """
    names = _Names(submitted_as or {}, sight)
    rounds = [] if rated is None else rated.rounds
    seats = [_seats(each, names) for each in rounds]
    before: Sequence[bool | None] = on_record or [None] * len(rounds)
    return {
        "session_id": session_id,
        "status": status,
        "seq": seq,
        "players": [] if rated is not None else [named_player(*each) for each in players],
        "counts": status in COUNTING,
        "results": [] if rated is None else _results(rated, seats),
        "rounds": [
            _round(each, seated, is_on_record)
            for each, seated, is_on_record in zip(rounds, seats, before, strict=False)
        ],
        "warnings": list(warnings),
    }


def points(centi: int) -> float:
    """Return centi as points, the nearest JSON number with at most two decimals."""
    return centi / 100


@dataclass(slots=True)
class _Totals:
    """What a player's rounds of one session come to."""

    first: dict[str, Any]
    last: dict[str, Any] = field(default_factory=dict)
    change_centi: int = 0
    verified_change_centi: int = 0


@dataclass(frozen=True, slots=True)
class _Names:
    """What players are called in this answer, and which of them it shows."""

    submitted_as: Mapping[str, str]
    sight: Sight

    def sees(self, rated: RatedRound, seat: int) -> bool:
        return self.sight.sees(_on_fact(rated, seat))

    def called(self, rated: RatedRound, seat: int) -> str | None:
        text = self.submitted_as.get(rated.players[seat])
        return self.sight.called(_on_fact(rated, seat)) if text is None else text


def _on_fact(rated: RatedRound, seat: int) -> str:
    """Return the id in the fact, which may since be merged into the player of the verdict."""
    return (rated.played_as or rated.players)[seat]


def named_player(player_id: str, text: str | None) -> NamedPlayer:
    """Return a player without ratings yet, and what the player was called."""
    return {"player_id": player_id, "mahjic_id": _mahjic_id(player_id), "player": text}


def _mahjic_id(player_id: str) -> str | None:
    return player_id if player_id.startswith("MJ-") else None


def _results(
    rated: SessionRated, seats: Sequence[Sequence[dict[str, Any]]]
) -> list[dict[str, Any]]:
    totals: dict[str, _Totals] = {}
    for each, seated in zip(rated.rounds, seats, strict=True):
        for seat, (player_id, numbers) in enumerate(zip(each.players, seated, strict=True)):
            if numbers["player_id"] is None:  # Not for this reader's eyes.
                continue
            total = totals.setdefault(player_id, _Totals(first=numbers))
            total.last = numbers
            total.change_centi += each.rating_change[seat]
            total.verified_change_centi += each.verified_rating_change[seat]
    new = frozenset(rated.new_players)
    return [_result(player_id, total, player_id in new) for player_id, total in totals.items()]


def _result(player_id: str, total: _Totals, is_new: bool) -> dict[str, Any]:
    return {
        "player_id": player_id,
        "mahjic_id": total.first["mahjic_id"],
        "player": total.first["player"],
        "is_new_player": is_new,
        "rating_before": total.first["rating_before"],
        "rating_after": total.last["rating_after"],
        "rating_change": points(total.change_centi),
        "verified_rating_before": total.first["verified_rating_before"],
        "verified_rating_after": total.last["verified_rating_after"],
        "verified_rating_change": points(total.verified_change_centi),
        "games_played_total": total.last["games_played_total"],
        "verified_games_played_total": total.last["verified_games_played_total"],
    }


def _round(
    rated: RatedRound, seated: Sequence[dict[str, Any]], is_on_record: bool | None
) -> dict[str, Any]:
    return {
        "on_record": is_on_record,
        "games_played": rated.games_played,
        "wall_games": rated.wall_games,
        "results": seated,
    }


def _seats(rated: RatedRound, names: _Names) -> list[dict[str, Any]]:
    return [_seat(rated, seat, names) for seat in range(len(rated.players))]


def _seat(rated: RatedRound, seat: int, names: _Names) -> dict[str, Any]:
    player_id = rated.players[seat]
    before, change = rated.rating_before[seat], rated.rating_change[seat]
    verified_before = rated.verified_rating_before[seat]
    verified_change = rated.verified_rating_change[seat]
    shown = {
        "player_id": player_id,
        "mahjic_id": _mahjic_id(player_id),
        "player": names.called(rated, seat),
        "mahjongs": rated.mahjongs[seat],
        "points": None if rated.points_centi is None else points(rated.points_centi[seat]),
        "rating_before": points(before),
        "rating_after": points(before + change),
        "rating_change": points(change),
        "verified_rating_before": points(verified_before),
        "verified_rating_after": points(verified_before + verified_change),
        "verified_rating_change": points(verified_change),
        "games_played_total": rated.games_after[seat],
        "verified_games_played_total": rated.verified_games_after[seat],
    }
    if names.sees(rated, seat):
        return shown
    return {name: value if name in _OF_THE_TABLE else None for name, value in shown.items()}


class SeatAnswer(BaseModel):
    """One player's numbers in one round; Bob is always at 1500 with 0 games.

    Only mahjongs and points are shown for a private player named by the operator and never by this
    source.
    """

    player_id: str | None = Field(
        description="`MJ-...`, `AN-...` or `BOB`; null for someone you may not see."
    )
    mahjic_id: str | None = Field(description="The same; null for anonymous players and Bob.")
    player: str | None = Field(
        description=(
            "The player as you submitted it; null for everyone else, for someone whom only the "
            "operator named, and once the player is forgotten."
        )
    )
    mahjongs: int
    points: float | None
    rating_before: float | None
    rating_after: float | None
    rating_change: float | None
    verified_rating_before: float | None
    verified_rating_after: float | None
    verified_rating_change: float | None
    games_played_total: int | None = Field(description="Games in the mahjic pool after this round.")
    verified_games_played_total: int | None = Field(description="The same in the verified pool.")


class PlayerAnswer(BaseModel):
    """What a session did to one player, in order of first appearance."""

    player_id: str
    mahjic_id: str | None
    player: str | None
    is_new_player: bool = Field(description="Whether this session created the player.")
    rating_before: float
    rating_after: float
    rating_change: float
    verified_rating_before: float
    verified_rating_after: float
    verified_rating_change: float
    games_played_total: int
    verified_games_played_total: int


class RoundAnswer(BaseModel):
    """One round of the session, seats in the order submitted."""

    on_record: bool | None = Field(
        description=(
            "Whether a session of the source already had this round; null when a session is looked "
            "up."
        )
    )
    games_played: int
    wall_games: int
    results: list[SeatAnswer]


class WarningAnswer(BaseModel):
    """Something that is allowed but worth a look."""

    pointer: str
    code: str
    message: str
    session_id: str | None = Field(
        default=None, description="The session of the source that this is about, if any."
    )


class SessionAnswer(BaseModel):
    """The answer to a submission; `results` and `rounds` are empty until it is rated."""

    session_id: str
    status: SessionStatus
    seq: int = Field(
        description=(
            "The place of the session on the log of facts. Pass it to a read as `min_seq` to see "
            "the session."
        )
    )
    counts: bool = Field(
        description=(
            "Whether the session counts today: false once it is voided, corrected or refused. Then "
            "`results` and `rounds` only show how it was rated at the time."
        )
    )
    players: list[NamedPlayer] = Field(
        default_factory=list,
        description="Who was named, as long as there are no results; empty once there are.",
    )
    results: list[PlayerAnswer] = Field(
        description="Everyone you may see, in order of first appearance."
    )
    rounds: list[RoundAnswer]
    warnings: list[WarningAnswer]
