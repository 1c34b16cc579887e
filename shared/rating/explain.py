"""Why a round moved one player: a line for each opponent that adds up to the change exactly."""

from collections.abc import Sequence
from dataclasses import dataclass

from shared.rating.expected import expected_nano
from shared.rating.formula import (
    NANO_PER_CENTI,
    Seat,
    k_factor,
    pair_gain_nano,
    points_bonus_nano,
    round_half_even,
    score_nano,
)


@dataclass(frozen=True, slots=True)
class PairLine:
    """What one opponent contributed: `k * (actual - expected) + points bonus = pair gain`.

    `other_place` is the opponent's index among the seats of the round.
    """

    other_place: int
    rating_centi: int
    other_rating_centi: int
    expected_nano: int
    actual_nano: int
    k: int
    points_bonus_nano: int
    pair_gain_nano: int

    @property
    def pair_gain_centi(self) -> int:
        """The gain as people read it. Only the nanos may be added; these are rounded one by one."""
        return round_half_even(self.pair_gain_nano)


@dataclass(frozen=True, slots=True)
class Explanation:
    """One player's change in one round: the lines, their sum, and the one rounding at the end."""

    lines: tuple[PairLine, ...]
    sum_nano: int
    rounding_nano: int
    change_centi: int


def explain_seat(seats: Sequence[Seat], place: int, *, points_count: bool) -> Explanation:
    """Return why formula mahjic-elo/1 moves the seat at index `place` as `rate_round` says.

    The pair gains add up to `sum_nano`, and `sum_nano + rounding_nano` is the change.
    """
    lines = tuple(
        pair_line(seats, place, other_place, points_count)
        for other_place in range(len(seats))
        if other_place != place
    )
    sum_nano = sum(line.pair_gain_nano for line in lines)
    change_centi = round_half_even(sum_nano)
    return Explanation(
        lines=lines,
        sum_nano=sum_nano,
        rounding_nano=change_centi * NANO_PER_CENTI - sum_nano,
        change_centi=change_centi,
    )


def pair_line(seats: Sequence[Seat], place: int, other_place: int, points_count: bool) -> PairLine:
    """Return the comparison of two seats, taken apart into the numbers that made it."""
    seat, other = seats[place], seats[other_place]
    line = PairLine(
        other_place=other_place,
        rating_centi=seat.rating_centi,
        other_rating_centi=other.rating_centi,
        expected_nano=expected_nano(seat.rating_centi - other.rating_centi),
        actual_nano=score_nano(seat, other),
        k=k_factor(seat.games),
        points_bonus_nano=points_bonus_nano(seat, other) if points_count else 0,
        pair_gain_nano=pair_gain_nano(seat, other, points_count),
    )
    parts_nano = line.k * (line.actual_nano - line.expected_nano) + line.points_bonus_nano
    assert parts_nano == line.pair_gain_nano, "The explanation does not add up to the gain."
    return line
