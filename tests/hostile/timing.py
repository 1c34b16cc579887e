"""Tells whether something takes time in proportion to the length of what it is given."""

import gc
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

# What is proportional takes twice as long for twice as much; the square takes four times.
RATIO_MAX: Final = 2.5
# Lengths are doubled until the work takes so long, or until nobody may send more.
LONG_S: Final = 0.015
# Of less, a clock and a busy machine say more than the work does.
WORTH_MEASURING_S: Final = 0.003
RUNS: Final = 5
ATTEMPTS: Final = 5
LENGTH_MIN: Final = 2_000

WorkOf = Callable[[int], Callable[[], object]]


@dataclass(frozen=True, slots=True)
class Growth:
    """How long something took for a length, and for twice that."""

    length: int
    took_s: float
    took_twice_s: float

    @property
    def is_steep(self) -> bool:
        """Whether the time grows faster than the length, where there is a time to speak of."""
        is_worth = self.took_twice_s > WORTH_MEASURING_S
        return is_worth and self.took_twice_s > RATIO_MAX * self.took_s

    def __str__(self) -> str:
        return (
            f"{self.length:,} characters take {self.took_s * 1000:.1f} ms, and twice as many "
            f"{self.took_twice_s * 1000:.1f} ms"
        )


def growth_of(work_of: WorkOf, *, length_max: int) -> Growth:
    """Return how the time of some work grows, where it has become long or can't become longer.

    `work_of` makes the work for a length; making it is not measured. What looks steep is measured
    again, at this length and at longer ones, before it is believed; both lengths in turn, so that
    a neighbor who slows the machine down slows down both.
    """
    length, took_s = LENGTH_MIN, _took_s(work_of(LENGTH_MIN))
    while True:
        growth = Growth(length, took_s, _took_s(work_of(2 * length)))
        length, took_s = 2 * length, growth.took_twice_s
        if took_s > LONG_S or 2 * length > length_max:
            break
    for attempt in range(ATTEMPTS):
        if not growth.is_steep:
            break
        length = growth.length << (attempt in (1, 2))
        once, twice = work_of(length), work_of(2 * length)
        took = [(_took_s(once), _took_s(twice)) for _ in range(RUNS)]
        # Others only ever make it longer.
        growth = Growth(length, *map(min, zip(*took, strict=True)))
    return growth


def _took_s(work: Callable[[], object]) -> float:
    """Return the processor time that some work takes, with no garbage collected meanwhile."""
    gc.disable()
    try:
        start = time.process_time()
        work()
        return max(1e-7, time.process_time() - start)
    finally:
        gc.enable()
