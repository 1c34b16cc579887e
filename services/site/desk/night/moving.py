"""The next round of a night: the same people, everybody moved on, or the winners split up. Pure.

Each adds as many tables as the last sitting has, and nobody is lost. Where people move:

* *Rotate*: at several tables the first seat of each stays, the second goes one table on, the third
  two, the fourth three. At one table everybody moves one seat on.
* *Split winners*: each table is ranked by games won, then by points. The first of each stays, the
  second goes one table on, and so on, so no two of a table's best meet again at once. At one table
  people are seated by that rank.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, Literal, TypeAlias

from services.site.desk.night.numbers import NoNumber, read_count, read_points
from services.site.desk.night.typed import (
    SEATS,
    TABLES_MAX,
    TypedNight,
    TypedSeat,
    TypedTable,
)

Move: TypeAlias = Literal["same", "rotate", "split", "table"]
MOVES: Final[Sequence[Move]] = ("same", "rotate", "split", "table")
_Tables: TypeAlias = Sequence[Sequence[TypedSeat]]


def move_on(night: TypedNight, move: Move) -> TypedNight:
    """Return a night with its next tables; unchanged once it has as many as it may have."""
    last = last_sitting(night)
    sitting = last[0].sitting
    if move == "table":
        new = [TypedTable(sitting, last[-1].games)]
    else:
        seated = _SEATINGS[move](last)
        new = [
            TypedTable(sitting + 1, table.games, "", tuple(people))
            for table, people in zip(last, seated, strict=True)
        ]
    if len(night.tables) + len(new) > TABLES_MAX:
        return night
    return replace(night, tables=(*night.tables, *new))


def last_sitting(night: TypedNight) -> Sequence[TypedTable]:
    """Return the tables of the last sitting, at least one."""
    sitting = night.tables[-1].sitting
    return [each for each in night.tables if each.sitting == sitting]


def without_table(night: TypedNight, number: int) -> TypedNight:
    """Return a night without one of its tables; the last one is cleared instead."""
    kept = [each for at, each in enumerate(night.tables) if at != number]
    return replace(night, tables=tuple(kept) or (TypedTable(),))


def _same(tables: Sequence[TypedTable]) -> _Tables:
    return [_cleared(table.seats) for table in tables]


def _cleared(seats: Sequence[TypedSeat]) -> Sequence[TypedSeat]:
    return [TypedSeat(seat.who, short=seat.short) for seat in seats]


def _rotated(tables: Sequence[TypedTable]) -> _Tables:
    people = _same(tables)
    if len(tables) == 1:
        (own,) = people
        present = [seat for seat in own if seat.who]
        moved = [*present[-1:], *present[:-1]]
        return [[*moved, *[TypedSeat()] * (SEATS - len(moved))]]
    return _spread(people)


def _split(tables: Sequence[TypedTable]) -> _Tables:
    ranked = [_cleared(sorted(table.seats, key=_rank)) for table in tables]
    return ranked if len(tables) == 1 else _spread(ranked)


def _spread(people: _Tables) -> _Tables:
    """Move whoever is at place p of a table p tables on, to the same place there."""
    count = len(people)
    return [
        [people[(table - place) % count][place] for place in range(SEATS)] for table in range(count)
    ]


def _rank(seat: TypedSeat) -> tuple[bool, int, float]:
    """Return what puts the best first, and empty seats last."""
    try:
        won, points = read_count(seat.won) or 0, read_points(seat.points) or 0
    except NoNumber:
        won, points = 0, 0
    return not seat.who, -won, -points


_SEATINGS: Final[dict[Move, Callable[[Sequence[TypedTable]], _Tables]]] = {
    "same": _same,
    "rotate": _rotated,
    "split": _split,
}
