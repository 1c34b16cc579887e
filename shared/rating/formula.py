"""How one round moves the ratings of the people at the table: formula mahjic-elo/1, docs/rating.md.

Whole numbers only, so that every machine gets the same result to the last digit. Ratings, changes
and points are in centi (hundredths of a point), everything between them in nano (1e-9).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from shared.rating.expected import WIN_NANO, expected_nano

TIE_NANO: Final = WIN_NANO // 2
NANO_PER_CENTI: Final = 10_000_000

K_NEW: Final = 32
K_SETTLING: Final = 24
K_SETTLED: Final = 16
SETTLING_GAMES_MIN: Final = 30
SETTLING_GAMES_MAX: Final = 100

POINTS_PER_BONUS_POINT: Final = 50
BONUS_NANO_PER_CENTI: Final = NANO_PER_CENTI // POINTS_PER_BONUS_POINT
BONUS_NANO_MAX: Final = 5_000_000_000


@dataclass(frozen=True, slots=True)
class Seat:
    """One person at the table: rating and games in the pool before the round, then the result."""

    rating_centi: int
    games: int
    mahjongs: int
    points_centi: int


def rate_round(seats: Sequence[Seat], *, points_count: bool) -> tuple[int, ...]:
    """Return each seat's rating change in centi, in the order given.

    Everybody is compared with everybody else as they stood before the round, so the order of the
    seats cannot matter. `points_count` is false for social games.
    """
    assert len(seats) >= 2, "A round takes at least two players."
    return tuple(
        round_half_even(
            sum([pair_gain_nano(seat, other, points_count) for other in seats if other is not seat])
        )
        for seat in seats
    )


def pair_gain_nano(seat: Seat, other: Seat, points_count: bool) -> int:
    """Return what `seat` gains, or loses if negative, from the comparison with one other seat."""
    surprise_nano = score_nano(seat, other) - expected_nano(seat.rating_centi - other.rating_centi)
    gain_nano = k_factor(seat.games) * surprise_nano
    return gain_nano + points_bonus_nano(seat, other) if points_count else gain_nano


def score_nano(seat: Seat, other: Seat) -> int:
    """Return one win for the higher win rate, half for an equal one, nothing for the lower.

    Everybody in a round plays the same number of games, so the mahjongs decide.
    """
    if seat.mahjongs > other.mahjongs:
        return WIN_NANO
    return TIE_NANO if seat.mahjongs == other.mahjongs else 0


def k_factor(games: int) -> int:
    """Return how strongly one comparison moves a player with so many games before the round."""
    if games < SETTLING_GAMES_MIN:
        return K_NEW
    return K_SETTLING if games <= SETTLING_GAMES_MAX else K_SETTLED


def points_bonus_nano(seat: Seat, other: Seat) -> int:
    """Return a fiftieth of the difference in points, at most 5 either way for each pair."""
    bonus_nano = (seat.points_centi - other.points_centi) * BONUS_NANO_PER_CENTI
    if -BONUS_NANO_MAX <= bonus_nano <= BONUS_NANO_MAX:
        return bonus_nano
    return BONUS_NANO_MAX if bonus_nano > 0 else -BONUS_NANO_MAX


def round_half_even(sum_nano: int) -> int:
    """Return the nearest whole centi; exactly between two, the even one, so no side is favoured."""
    change_centi, rest_nano = divmod(sum_nano, NANO_PER_CENTI)
    half_nano = NANO_PER_CENTI // 2
    if rest_nano > half_nano or (rest_nano == half_nano and change_centi % 2 == 1):
        return change_centi + 1
    return change_centi
