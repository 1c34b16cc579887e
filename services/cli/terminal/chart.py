"""Draws a rating over time as lines of text, with an axis; pure.

A rating stays until the next round, so the line has steps. The rounds are side by side in the order
of the log, however much time was between them.
"""

from collections.abc import Sequence
from typing import Final

CEILING_TURN: Final = ("╭", "╯")
FLOOR_TURN: Final = ("╰", "╮")


def draw_chart(
    ratings: Sequence[float], *, columns: int, rows: int, first: str = "", last: str = ""
) -> list[str]:
    """Return the lines of a chart; `first` and `last` are written below the ends of its axis."""
    assert ratings, "Nothing to draw."
    assert min(columns, rows) >= 2
    low, high = min(ratings), max(ratings)
    if low == high:  # A line without height is drawn in the middle.
        low, high = low - 1, high + 1
    heights = [round((rating - low) / (high - low) * (rows - 1)) for rating in ratings]
    grid = _line([heights[index] for index in _shown(len(heights), columns)], rows)
    labels = [f"{low + (high - low) * row / (rows - 1):.1f}" for row in range(rows)]
    margin = max(map(len, labels))
    lines = [f"{labels[row]:>{margin}} ┤{grid[row]}".rstrip() for row in reversed(range(rows))]
    axis = f"{' ' * margin} └{'─' * columns}"
    ends = f"{' ' * margin}  {first}{last:>{max(columns - len(first), len(last) + 1)}}"
    return [*lines, axis, ends.rstrip()]


def _shown(count: int, columns: int) -> list[int]:
    """Return which rating each column shows: the last one that falls into it."""
    return [
        max((column + 1) * count // columns - 1, column * count // columns)
        for column in range(columns)
    ]


def _line(heights: Sequence[int], rows: int) -> list[str]:
    """Return the rows of the line, the lowest first."""
    grid = [[" "] * len(heights) for _ in range(rows)]
    before = heights[0]
    for column, height in enumerate(heights):
        if height == before:
            grid[height][column] = "─"
        else:
            arrive, leave = CEILING_TURN if height > before else FLOOR_TURN
            for row in range(min(height, before) + 1, max(height, before)):
                grid[row][column] = "│"
            grid[before][column], grid[height][column] = leave, arrive
        before = height
    return ["".join(row) for row in grid]
