"""How one round moves the ratings of the people at the table: docs/rating.md, mahjic-elo/1 first.

Whole numbers only, so that every machine gets the same result to the last digit. Ratings, changes
and points are in centi (hundredths of a point), everything between them in nano (1e-9). The
parameters say what the formulas of this family differ in.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from shared.rating.expected import WIN_NANO, expected_nano
from shared.rating.parameters import NANO_PER_CENTI, Parameters

TIE_NANO: Final = WIN_NANO // 2


class Seat(NamedTuple):
    """One person at the table: rating and games in the pool before the round, then the result."""

    rating_centi: int
    games: int
    mahjongs: int
    points_centi: int


def rate_round(
    parameters: Parameters, seats: Sequence[Seat], *, points_count: bool
) -> tuple[int, ...]:
    """Return each seat's rating change in centi, in the order given.

    Everybody is compared with everyone else as they stood before the round, so the order of the
    seats cannot matter. `points_count` is false for social games.
    """
    assert len(seats) >= 2, "A round takes at least two players."
    divided_by = sum_divisor(parameters, len(seats))
    changes = []
    for seat in seats:
        k = k_factor(parameters, seat.games)
        sum_nano = 0
        for other in seats:
            if other is not seat:
                sum_nano += pair_gain_nano(parameters, k, seat, other, points_count)
        changes.append(round_half_even(sum_nano, divided_by))
    return tuple(changes)


def sum_divisor(parameters: Parameters, seats: int) -> int:
    """Return what the sum over the opponents is divided by: 1, or their number when scaled."""
    return seats - 1 if parameters.is_scaled else 1


def pair_gain_nano(
    parameters: Parameters, k: int, seat: Seat, other: Seat, points_count: bool
) -> int:
    """Return what `seat` gains, or loses if negative, from the comparison with one other seat."""
    ahead_centi = seat.rating_centi - other.rating_centi
    surprise_nano = score_nano(seat, other) - expected_nano(ahead_centi, parameters.scale_centi)
    gain_nano = k * surprise_nano
    return gain_nano + points_bonus_nano(parameters, seat, other) if points_count else gain_nano


def score_nano(seat: Seat, other: Seat) -> int:
    """Return one win for the higher win rate, half for an equal one, nothing for a lower one.

    Everybody in a round plays the same number of games, so the mahjongs decide.
    """
    if seat.mahjongs > other.mahjongs:
        return WIN_NANO
    return TIE_NANO if seat.mahjongs == other.mahjongs else 0


def k_factor(parameters: Parameters, games: int) -> int:
    """Return how strongly one comparison moves a player with this many games before the round."""
    for games_min, k in reversed(parameters.k_bands):
        if games >= games_min:
            return k
    raise AssertionError("The first band begins at 0 games.")


def points_bonus_nano(parameters: Parameters, seat: Seat, other: Seat) -> int:
    """Return what the lead in points is worth, within the bounds of one pair.

    For mahjic-elo/1 that is a fiftieth of the difference, at most 5 either way.
    """
    lead_centi = seat.points_centi - other.points_centi
    bonus_nano = lead_centi * parameters.bonus_nano_per_centi
    if -parameters.bonus_max_nano <= bonus_nano <= parameters.bonus_max_nano:
        return bonus_nano
    return parameters.bonus_max_nano if bonus_nano > 0 else -parameters.bonus_max_nano


def round_half_even(sum_nano: int, divided_by: int = 1) -> int:
    """Return the whole centi nearest to a quotient; between two, the even one: no side is favored.

    The quotient itself is never rounded, so there is one rounding only.
    """
    nano = NANO_PER_CENTI * divided_by
    change_centi, rest_nano = divmod(sum_nano, nano)
    half_nano = nano // 2
    if rest_nano > half_nano or (rest_nano == half_nano and change_centi % 2 == 1):
        return change_centi + 1
    return change_centi
