"""Why a round moved one player: a line for each opponent that adds up to the change exactly."""

from collections.abc import Sequence
from dataclasses import dataclass

from shared.rating.expected import expected_nano
from shared.rating.formula import (
    Seat,
    k_factor,
    pair_gain_nano,
    points_bonus_nano,
    round_half_even,
    score_nano,
    sum_divisor,
)
from shared.rating.parameters import NANO_PER_CENTI, Parameters


@dataclass(frozen=True, slots=True)
class ExplainedPair:
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
        """The gain as people read it. Add up only the nanos; these are rounded one by one."""
        return round_half_even(self.pair_gain_nano)


@dataclass(frozen=True, slots=True)
class Explanation:
    """One player's change in one round: lines, their sum, the division, and the one rounding.

    `(sum_nano + rounding_nano) / divided_by` is the change, exactly.
    """

    lines: tuple[ExplainedPair, ...]
    sum_nano: int
    divided_by: int
    rounding_nano: int
    change_centi: int


def explain_seat(
    parameters: Parameters, seats: Sequence[Seat], place: int, *, points_count: bool
) -> Explanation:
    """Return why the formula moves the seat at index `place` by what `rate_round` returns.

    The pair gains add up to `sum_nano`; `divided_by` is 1 unless the formula is scaled.
    """
    lines = tuple(
        pair_line(parameters, seats, place, other_place, points_count)
        for other_place in range(len(seats))
        if other_place != place
    )
    sum_nano = sum(line.pair_gain_nano for line in lines)
    divided_by = sum_divisor(parameters, len(seats))
    change_centi = round_half_even(sum_nano, divided_by)
    return Explanation(
        lines=lines,
        sum_nano=sum_nano,
        divided_by=divided_by,
        rounding_nano=change_centi * NANO_PER_CENTI * divided_by - sum_nano,
        change_centi=change_centi,
    )


def pair_line(
    parameters: Parameters,
    seats: Sequence[Seat],
    place: int,
    other_place: int,
    points_count: bool,
) -> ExplainedPair:
    """Return the comparison of two seats, broken down into its numbers."""
    seat, other = seats[place], seats[other_place]
    ahead_centi = seat.rating_centi - other.rating_centi
    k = k_factor(parameters, seat.games)
    line = ExplainedPair(
        other_place=other_place,
        rating_centi=seat.rating_centi,
        other_rating_centi=other.rating_centi,
        expected_nano=expected_nano(ahead_centi, parameters.scale_centi),
        actual_nano=score_nano(seat, other),
        k=k,
        points_bonus_nano=points_bonus_nano(parameters, seat, other) if points_count else 0,
        pair_gain_nano=pair_gain_nano(parameters, k, seat, other, points_count),
    )
    parts_nano = line.k * (line.actual_nano - line.expected_nano) + line.points_bonus_nano
    assert parts_nano == line.pair_gain_nano, "The explanation does not add up to the gain."
    return line
