"""The two sizes of a chart, its ticks, and where a rating stands in it. Pure.

Text in an SVG grows and shrinks with the picture. So each chart is drawn twice, for a desktop and
for a phone, and the style sheet shows the one that fits.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import count
from typing import Final

from services.site.charts.points import shown_centi
from services.site.kit.words import shown_day, shown_rating

# How wide the characters of a chart get on average, in their font size: plain ones, and bold ones.
# The typefaces of the site need less. This is for whatever a browser shows while they load.
PLAIN: Final = 0.58
BOLD: Final = 0.66

# Dates closer together than this are told by day, the others by month.
DAYS_BY_MONTH: Final = 100
DATES_APART: Final = 6


@dataclass(frozen=True, slots=True)
class Size:
    """One of the sizes in which a chart is drawn, in its own units."""

    kind: str
    width: int
    height: int
    below: int
    rating_ticks: int
    date_ticks: int
    text: int
    now_text: int
    now_gap: int
    dot: float


WIDE: Final = Size("wide", 720, 340, 48, 5, 6, 16, 24, 14, 7)
NARROW: Final = Size("narrow", 360, 300, 36, 5, 3, 18, 22, 10, 6)

# Room for the label of a best rating that stands on the topmost line.
ABOVE: Final = 30


@dataclass(frozen=True, slots=True)
class Scale:
    """Where ratings and slots stand, in tenths of a unit, so that it is exact."""

    left: int
    right: int
    top: int
    bottom: int
    low: int
    high: int
    slots: int

    def x(self, slot: int) -> int:
        """Return where a slot stands from the left. The last one is now: on the right."""
        if self.slots == 1:
            return self.right
        return self.left + slot * (self.right - self.left) // (self.slots - 1)

    def y(self, rating_centi: int) -> int:
        """Return where a rating stands from the top."""
        above = self.high * 100 - rating_centi
        return self.top + above * (self.bottom - self.top) // ((self.high - self.low) * 100)


@dataclass(frozen=True, slots=True)
class DateTick:
    """A date below a chart: where its middle stands, and what it says."""

    x: float
    text: str


def scale_of(size: Size, ticks: Sequence[int], slots: int, ratings: Sequence[int]) -> Scale:
    """Return the scale of a chart between its first and last tick, with room for its labels."""
    tick_width = max(width_of(shown_rating(tick), size.text) for tick in ticks)
    now_width = max(width_of(shown_centi(rating), size.now_text, BOLD) for rating in ratings)
    return Scale(
        left=round((tick_width + 10) * 10),
        right=round((size.width - now_width - size.now_gap - 2) * 10),
        top=ABOVE * 10,
        bottom=(size.height - size.below) * 10,
        low=ticks[0],
        high=ticks[-1],
        slots=slots,
    )


def rating_ticks(low_centi: int, high_centi: int, most: int) -> list[int]:
    """Return round ratings, evenly spaced, from below the lowest rating to above the highest.

    Equal ratings run through the middle.
    """
    low, high = low_centi // 100, -(-high_centi // 100)
    if low == high or high_centi == low_centi:
        low, high = low - 10, high + 10
    for step in (10 * first * 10**power for power in count() for first in (1, 2, 5)):
        start, end = low // step, -(-high // step)
        if end - start < most:
            return [at * step for at in range(start, end + 1)]
    raise AssertionError("Some step is large enough.")


def date_ticks(scale: Scale, size: Size, dates: Sequence[date], first_slot: int) -> list[DateTick]:
    """Return the dates of some slots, evenly spread, so that none overlap; the last one always."""
    by_day = (max(dates) - min(dates)).days < DAYS_BY_MONTH
    most = min(size.date_ticks, len(dates))
    ticks: list[DateTick] = []
    start = float(size.width)
    last = len(dates) - 1
    for at in range(most):
        index = last - at * last // max(most - 1, 1)
        text = shown_day(dates[index]) if by_day else f"{dates[index]:%b %Y}"
        half = width_of(text, size.text) / 2
        x = within(scale.x(first_slot + index) / 10, half, size.width - half)
        if x + half <= start and not (ticks and ticks[-1].text == text):
            ticks.append(DateTick(x, text))
            start = x - half - DATES_APART
    return ticks[::-1]


def width_of(text: str, font_size: float, character: float = PLAIN) -> float:
    """Return about how wide a chart's own text gets: figures, names of months, "best 1806"."""
    return len(text) * font_size * character


def within(value: float, low: float, high: float) -> float:
    """Return the value, or the nearest of the two limits."""
    return max(low, min(value, high))
