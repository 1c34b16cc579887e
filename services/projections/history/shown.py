"""Shows a change, and why it came about, with the opponents as everybody may see them. Pure."""

from typing import Any

from services.projections.history.queries import PlayedChange
from services.projections.people import Names
from shared.answers import points
from shared.events.verdicts import RatedRound
from shared.rating.expected import WIN_NANO
from shared.rating.explain import PairLine
from shared.rating.formula import Seat
from shared.rating.formulas import formula_named


def shown_change(change: PlayedChange, player_id: str, names: Names) -> dict[str, Any]:
    """Return one entry of a history."""
    rated, seat = change.rated, change.seat
    return {
        "change_id": change.change_id(player_id),
        **_round(change),
        "wall_games": rated.wall_games,
        "mahjic": _pool(
            rated.rating_before[seat],
            rated.rating_change[seat],
            rated.games_before[seat],
            rated.games_after[seat],
        ),
        "verified": _pool(
            rated.verified_rating_before[seat],
            rated.verified_rating_change[seat],
            rated.verified_games_before[seat],
            rated.verified_games_after[seat],
        ),
        "opponents": [
            {**names.shown(opponent), "rating_before": points(rated.rating_before[place])}
            for place, opponent in enumerate(rated.players)
            if place != seat
        ],
    }


def shown_reason(change: PlayedChange, player_id: str, names: Names) -> dict[str, Any]:
    """Return why a round moved the player, in both pools."""
    rated, seat = change.rated, change.seat
    everybody = list(range(len(rated.players)))
    verified = [place for place in everybody if rated.is_verified[place]]
    counted = rated.verified_games_after[seat] > rated.verified_games_before[seat]
    return {
        "change_id": change.change_id(player_id),
        "player_id": player_id,
        **_round(change),
        "formula": change.formula,
        "mahjic": _reason(
            change, everybody, rated.rating_before, rated.games_before, names, counted=True
        ),
        "verified": _reason(
            change,
            verified,
            rated.verified_rating_before,
            rated.verified_games_before,
            names,
            counted=counted,
        ),
    }


def _round(change: PlayedChange) -> dict[str, Any]:
    rated, seat = change.rated, change.seat
    return {
        "session_id": change.session_id,
        "source": {"slug": change.source, "name": change.source_name},
        "session_date": change.session_date,
        "game_type": change.game_type,
        "round_number": change.round_no,
        "games_played": rated.games_played,
        "mahjongs": rated.mahjongs[seat],
        "points": None if rated.points_centi is None else points(rated.points_centi[seat]),
    }


def _pool(before: int, change: int, games_before: int, games_after: int) -> dict[str, Any]:
    return {
        "rating_before": points(before),
        "rating_change": points(change),
        "rating_after": points(before + change),
        "games_before": games_before,
        "games_after": games_after,
    }


def _reason(
    change: PlayedChange,
    pool: list[int],
    ratings_centi: tuple[int, ...],
    games: tuple[int, ...],
    names: Names,
    *,
    counted: bool,
) -> dict[str, Any]:
    """Explain the change among those seats of the round that make up the pool."""
    before = ratings_centi[change.seat]
    reason: dict[str, Any] = {
        "counted": counted,
        "rating_before": points(before),
        "games_before": games[change.seat],
        "lines": [],
        "sum_nano": 0,
        "rounding_nano": 0,
        "rating_change": 0.0,
        "rating_after": points(before),
    }
    if not counted:
        return reason
    seats = [_seat(change.rated, place, ratings_centi[place], games[place]) for place in pool]
    explained = formula_named(change.formula).explain_seat(
        seats, pool.index(change.seat), points_count=change.rated.points_centi is not None
    )
    return {
        **reason,
        "lines": [
            _line(line, names.shown(change.rated.players[pool[line.other_place]]))
            for line in explained.lines
        ],
        "sum_nano": explained.sum_nano,
        "rounding_nano": explained.rounding_nano,
        "rating_change": points(explained.change_centi),
        "rating_after": points(before + explained.change_centi),
    }


def _seat(rated: RatedRound, place: int, rating_centi: int, games: int) -> Seat:
    points_centi = 0 if rated.points_centi is None else rated.points_centi[place]
    return Seat(rating_centi, games, rated.mahjongs[place], points_centi)


def _line(line: PairLine, opponent: dict[str, str | None]) -> dict[str, Any]:
    return {
        **opponent,
        "rating_before": points(line.other_rating_centi),
        "expected": line.expected_nano / WIN_NANO,
        "actual": line.actual_nano / WIN_NANO,
        "k": line.k,
        "points_bonus": line.points_bonus_nano / WIN_NANO,
        "pair_gain": points(line.pair_gain_centi),
        "pair_gain_nano": line.pair_gain_nano,
    }
