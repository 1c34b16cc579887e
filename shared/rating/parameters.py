"""The numbers that make one formula of the family of pairwise Elo different from another."""

from dataclasses import dataclass
from typing import Final

START_CENTI: Final = 150_000  # Where everybody starts, under every formula; Bob stays there.
NANO_PER_CENTI: Final = 10_000_000


@dataclass(frozen=True, slots=True)
class Parameters:
    """All that a formula needs besides the function in formula.py.

    `k_bands` holds (games_min, k) in rising order from 0 games. A rating that is `scale_centi`
    ahead means ten wins for each loss. A lead of `points_per_bonus_point` points is worth one
    rating point, at most `bonus_max_nano`. With `is_scaled`, the sum over the opponents is divided
    by their number.
    """

    scale_centi: int
    k_bands: tuple[tuple[int, int], ...]
    points_per_bonus_point: int
    bonus_max_nano: int
    is_scaled: bool = False
    start_centi: int = START_CENTI

    @property
    def bonus_nano_per_centi(self) -> int:
        """What a lead of a hundredth of a point at the table is worth, before the clamp."""
        return NANO_PER_CENTI // self.points_per_bonus_point
