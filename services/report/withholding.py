"""Withholds every count below five, and what it could be worked out from. Pure.

A total and all cells but one give that one away. So where one cell of a list is withheld, what is
withheld in it has to be two cells at least, and at least five together. Nor may it be four for each
cell: whoever knows these rules would know that all of them are four. Which large cell is withheld
beside a small one goes by its place alone; the smallest large one would be known to be no larger
than those that are told.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

LEAST: Final = 5


@dataclass(frozen=True, slots=True)
class ToldList:
    """Which cells of a list are told each, which only together, and which not at all."""

    each: tuple[str, ...]
    together: tuple[str, ...]
    untold: tuple[str, ...]


def told(count: int) -> int | None:
    """Return a count that stands alone; None if it is not told."""
    return count if count >= LEAST else None


def told_part(part: int, whole: int) -> int | None:
    """Return a count that is part of one that is told; None if it or the rest is not told."""
    return part if min(part, whole - part) >= LEAST else None


def told_list(
    names: Sequence[str], counts_of: Callable[[Sequence[str]], tuple[int, ...]]
) -> ToldList:
    """Return what is told of a list whose total is told; the last cells are withheld first.

    `counts_of` returns all counts of some cells together.
    """
    each = [name for name in names if min(counts_of([name])) >= LEAST]
    withheld = [name for name in names if name not in each]
    while each and withheld and _gives_away(len(withheld), counts_of(withheld)):
        withheld.append(each.pop())
    shown = tuple(name for name in names if name in each)
    hidden = tuple(name for name in names if name in withheld)
    if not hidden or min(counts_of(hidden)) < LEAST:
        return ToldList(shown, (), hidden)
    return ToldList(shown, hidden, ())


def _gives_away(cells: int, sums: tuple[int, ...]) -> bool:
    """Return whether the sums of some withheld cells, which anyone can work out, tell one."""
    return cells < 2 or min(sums) < LEAST or (LEAST - 1) * cells in sums
