"""Lines as SVG paths that stay short however many points they have. Pure.

In each column, no wider than the line itself, only the highest and the lowest point are kept: what
lies between them would be drawn over anyway. So a line looks the same, and 2,000 points take no
more bytes than the chart has columns. The area below a line has its edge under it, and needs less.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from operator import attrgetter
from typing import Final, NamedTuple

# In tenths of a pixel, like all coordinates here.
COLUMN: Final = 30
AREA_COLUMN: Final = 60
# Marks closer together than this would cover each other.
MARKS_APART: Final = 80


class Dot(NamedTuple):
    """A point of a line, in tenths. `is_superseded` is about the stretch that leads to it."""

    x: int
    y: int
    is_superseded: bool = False
    is_correction: bool = False


def thinned(dots: Sequence[Dot], column_width: int = COLUMN) -> list[Dot]:
    """Return the dots that a line can't do without: the extremes of each column, and both ends."""
    if not dots:
        return []
    kept = [dots[0]]
    for _, column in groupby(dots, key=lambda dot: dot.x // column_width):
        for dot in _extremes(list(column)):
            if dot is not kept[-1]:
                kept.append(dot)
    if dots[-1] is not kept[-1]:
        kept.append(dots[-1])
    return kept


def apart(dots: Iterable[Dot]) -> Iterator[Dot]:
    """Yield those dots that can be told apart when each of them is marked."""
    last: int | None = None
    for dot in dots:
        if last is None or dot.x - last >= MARKS_APART:
            yield dot
            last = dot.x


def path(dots: Sequence[Dot], *, superseded: bool | None = None) -> str:
    """Return the path along these dots, or of those of its stretches that are superseded or not."""
    pieces: list[str] = []
    at: Dot | None = None
    for start, end in pairwise(dots):
        if superseded is None or end.is_superseded == superseded:
            if start is not at:
                pieces.append(f"M{number(start.x)} {number(start.y)}l")
            pieces.append(_step(end.x - start.x, end.y - start.y))
            at = end
    return "".join(pieces).replace("l ", "l")


def area(dots: Sequence[Dot], bottom: int) -> str:
    """Return the path around what lies below a line."""
    kept = thinned(dots, AREA_COLUMN)
    return f"{path(kept)}V{number(bottom)}H{number(dots[0].x)}z" if len(dots) > 1 else ""


def diamonds(dots: Iterable[Dot]) -> str:
    """Return the path around the marks of corrections."""
    return "".join(
        f"M{number(dot.x)} {number(dot.y - 65)}l6.5 6.5-6.5 6.5-6.5-6.5z" for dot in dots
    )


def number(tenths: int) -> str:
    """Return a coordinate as short as it can be."""
    text = f"{tenths // 10}" if tenths % 10 == 0 else f"{tenths / 10}"
    return text.removeprefix("0") if text.startswith("0.") else text.replace("-0.", "-.")


def _extremes(column: list[Dot]) -> list[Dot]:
    """Return the highest and the lowest dot of a column, in their order."""
    low, high = min(column, key=attrgetter("y")), max(column, key=attrgetter("y"))
    if low is high:
        return [low]
    return [dot for dot in column if dot is low or dot is high]


def _step(dx: int, dy: int) -> str:
    """Return a step of a path. A minus sign separates numbers as well as a space does."""
    across, down = number(dx), number(dy)
    between = "" if down.startswith("-") else " "
    return f"{'' if across.startswith('-') else ' '}{across}{between}{down}"
