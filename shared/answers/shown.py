"""Builds the answer to a submission: the ratings before and after, from a verdict.

Pure. The names of the players come from the request, or from what is on record about the people in
the session. Ratings leave as JSON numbers with at most two decimals.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from shared.answers.seen import EVERYBODY, Sight
from shared.answers.sessions import (
    NamedPlayer,
    PlayerAnswer,
    RoundAnswer,
    SeatAnswer,
    SessionAnswer,
    SessionStatus,
    WarningAnswer,
)
from shared.errors import Mistake
from shared.events.verdicts import RatedRound, SessionRated

# An accepted session will be rated, and counts from its place in the log.
COUNTING: Final = frozenset({"accepted", "rated"})


def session_answer(
    session_id: str,
    status: SessionStatus,
    rated: SessionRated | None,
    *,
    seq: int,
    submitted_as: Mapping[str, str] | None = None,
    sight: Sight = EVERYBODY,
    players: Iterable[tuple[str, str | None]] = (),
    warnings: Sequence[WarningAnswer] = (),
    on_record: Sequence[bool] | None = None,
) -> SessionAnswer:
    """Return the answer of spec 4: session_id, status, results, rounds and warnings.

    `seq` is a fact that readers may ask for as `min_seq`, or the one this answer is based on.
    `submitted_as` maps player ids to the text they were submitted as in this request. A session
    that is looked up has none: `sight` says what its reader sees of each seat. `results` and
    `rounds` are empty until it is rated; until then `players` are those named, with what they were
    called.
    `on_record` says for each round if an earlier session of the source already had it.
    """
    told = told_ratings(rated, submitted_as or {}, sight=sight, on_record=on_record)
    return {
        "session_id": session_id,
        "status": status,
        "seq": seq,
        "players": [] if rated is not None else [named_player(*each) for each in players],
        "counts": status in COUNTING,
        "results": told.results,
        "rounds": told.rounds,
        "warnings": list(warnings),
    }


def points(centi: int) -> float:
    """Return centi as points, the nearest JSON number with at most two decimals."""
    return centi / 100


def named_player(player_id: str, text: str | None) -> NamedPlayer:
    """Return a player without ratings yet, and what the player was called."""
    return {"player_id": player_id, "mahjic_id": _mahjic_id(player_id), "player": text}


def warning_of(mistake: Mistake) -> WarningAnswer:
    """Return what an answer says of something odd in a claim."""
    return {"pointer": mistake.pointer, "code": mistake.code, "message": mistake.message}


class ToldRatings(NamedTuple):
    """What a verdict did to each player, and round by round."""

    results: list[PlayerAnswer]
    rounds: list[RoundAnswer]


def told_ratings(
    rated: SessionRated | None,
    submitted_as: Mapping[str, str],
    *,
    sight: Sight = EVERYBODY,
    on_record: Sequence[bool] | None = None,
) -> ToldRatings:
    """Return what an answer says of a verdict; nothing until there is one."""
    if rated is None:
        return ToldRatings([], [])
    names = _Names(submitted_as, sight)
    before: Sequence[bool | None] = on_record or [None] * len(rated.rounds)
    seats = [_seats(each, names) for each in rated.rounds]
    rounds = [
        _round(each, seated, is_on_record)
        for each, seated, is_on_record in zip(rated.rounds, seats, before, strict=False)
    ]
    return ToldRatings(_results(rated, seats), rounds)


@dataclass(slots=True)
class _Totals:
    """What a player's rounds of one session come to, and the seats of the first and the last."""

    shown: SeatAnswer
    first: RatedRound
    first_seat: int
    last: RatedRound
    last_seat: int
    change_centi: int
    verified_change_centi: int


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


def _mahjic_id(player_id: str) -> str | None:
    return player_id if player_id.startswith("MJ-") else None


def _results(rated: SessionRated, seats: Sequence[Sequence[SeatAnswer]]) -> list[PlayerAnswer]:
    totals: dict[str, _Totals] = {}
    for each, seated in zip(rated.rounds, seats, strict=True):
        for seat, (player_id, shown) in enumerate(zip(each.players, seated, strict=True)):
            if shown["player_id"] is None:  # Not for this reader's eyes.
                continue
            change, verified_change = each.rating_change[seat], each.verified_rating_change[seat]
            total = totals.get(player_id)
            if total is None:
                totals[player_id] = _Totals(shown, each, seat, each, seat, change, verified_change)
                continue
            total.last, total.last_seat = each, seat
            total.change_centi += change
            total.verified_change_centi += verified_change
    new = frozenset(rated.new_players)
    return [_result(player_id, total, player_id in new) for player_id, total in totals.items()]


def _result(player_id: str, total: _Totals, is_new: bool) -> PlayerAnswer:
    first, first_seat, last, last_seat = total.first, total.first_seat, total.last, total.last_seat
    after = last.rating_before[last_seat] + last.rating_change[last_seat]
    verified_before = last.verified_rating_before[last_seat]
    verified_after = verified_before + last.verified_rating_change[last_seat]
    return {
        "player_id": player_id,
        "mahjic_id": total.shown["mahjic_id"],
        "player": total.shown["player"],
        "is_new_player": is_new,
        "rating_before": points(first.rating_before[first_seat]),
        "rating_after": points(after),
        "rating_change": points(total.change_centi),
        "verified_rating_before": points(first.verified_rating_before[first_seat]),
        "verified_rating_after": points(verified_after),
        "verified_rating_change": points(total.verified_change_centi),
        "games_played_total": last.games_after[last_seat],
        "verified_games_played_total": last.verified_games_after[last_seat],
    }


def _round(rated: RatedRound, seated: list[SeatAnswer], is_on_record: bool | None) -> RoundAnswer:
    return {
        "on_record": is_on_record,
        "games_played": rated.games_played,
        "wall_games": rated.wall_games,
        "results": seated,
    }


def _seats(rated: RatedRound, names: _Names) -> list[SeatAnswer]:
    return [
        _seat(rated, seat, names) if names.sees(rated, seat) else _hidden_seat(rated, seat)
        for seat in range(len(rated.players))
    ]


def _seat(rated: RatedRound, seat: int, names: _Names) -> SeatAnswer:
    player_id = rated.players[seat]
    before, change = rated.rating_before[seat], rated.rating_change[seat]
    verified_before = rated.verified_rating_before[seat]
    verified_change = rated.verified_rating_change[seat]
    return {
        "player_id": player_id,
        "mahjic_id": _mahjic_id(player_id),
        "player": names.called(rated, seat),
        "mahjongs": rated.mahjongs[seat],
        "points": _points_of(rated, seat),
        "rating_before": points(before),
        "rating_after": points(before + change),
        "rating_change": points(change),
        "verified_rating_before": points(verified_before),
        "verified_rating_after": points(verified_before + verified_change),
        "verified_rating_change": points(verified_change),
        "games_played_total": rated.games_after[seat],
        "verified_games_played_total": rated.verified_games_after[seat],
    }


def _hidden_seat(rated: RatedRound, seat: int) -> SeatAnswer:
    """Return a seat of a player that the reader may not see: what belongs to the whole table."""
    return {
        "player_id": None,
        "mahjic_id": None,
        "player": None,
        "mahjongs": rated.mahjongs[seat],
        "points": _points_of(rated, seat),
        "rating_before": None,
        "rating_after": None,
        "rating_change": None,
        "verified_rating_before": None,
        "verified_rating_after": None,
        "verified_rating_change": None,
        "games_played_total": None,
        "verified_games_played_total": None,
    }


def _points_of(rated: RatedRound, seat: int) -> float | None:
    return None if rated.points_centi is None else points(rated.points_centi[seat])
