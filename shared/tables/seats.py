"""Proposes who sits where in the next round: by rotation, or by lot without meeting again.

Seats are people by table, in the order of the seats; an empty chair is nobody. Drawing takes a
seed, and the same seed gives the same seats.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Final, TypeAlias

from shared.limits import SEATS_MAX, SEATS_MIN

Seats: TypeAlias = Mapping[int, Sequence[int]]
# How often each person has sat with each other one.
Meetings: TypeAlias = Mapping[int, Mapping[int, int]]
# They keep a draw, for 2 tables or 50, within some 10 milliseconds.
_EXCHANGES_MAX: Final = 250
_LOTS_MAX: Final = 6
_MANY: Final = 40
_TABLES_AWAY_MAX: Final = 2
_WORD: Final = (1 << 64) - 1


class CannotSeat(ValueError):
    """These people can't be seated so; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Rotation:
    """By how many tables whoever sits in each seat moves on; 0 stays, and -1 goes one back."""

    moves: tuple[int, ...] = (0, 1, -1, 2)

    def __post_init__(self) -> None:
        """Raise CannotSeat if there isn't one move for each seat, by one or two tables or none."""
        if len(self.moves) != SEATS_MAX or max(map(abs, self.moves)) > _TABLES_AWAY_MAX:
            raise CannotSeat(
                f"A rotation has {SEATS_MAX} moves, each from -{_TABLES_AWAY_MAX} to "
                f"{_TABLES_AWAY_MAX} tables."
            )


def rotated(seats: Seats, rotation: Rotation) -> Seats:
    """Return the seats of the next round. Raises CannotSeat if a table is left with one person."""
    tables = sorted(seats)
    chairs: dict[int, list[int | None]] = {table: [None] * SEATS_MAX for table in tables}
    for at, table in enumerate(tables):
        for seat, person in enumerate(seats[table]):
            moved = tables[(at + rotation.moves[seat]) % len(tables)]
            chairs[moved][seat] = person
    told = {table: tuple(each for each in chairs[table] if each is not None) for table in tables}
    few = next((table for table, people in told.items() if len(people) < SEATS_MIN), None)
    if few is not None:
        raise CannotSeat(
            f"Table {few} would be left with {len(told[few])}. Draw the seats, or set them by hand."
        )
    return told


def drawn(people: Sequence[int], tables: Sequence[int], met: Iterable[Seats], seed: int) -> Seats:
    """Return seats drawn by lot, in which those who met before meet again as seldom as found.

    `met` are the seats of the rounds so far. Tables are filled as evenly as can be. Raises
    CannotSeat if there are too many or too few people for the tables.
    """
    sizes = _sizes(len(people), len(tables))
    meetings = _meetings(met)
    lots = _numbers(seed)
    best: list[list[int]] = []
    fewest: int | None = None
    # The fewer people, the likelier they meet again, and the quicker is another lot.
    for _ in range(1 if len(people) > _MANY else _LOTS_MAX):
        groups = _drawn_once(people, sizes, meetings, lots)
        again = sum(_pairs_cost(group, meetings) for group in groups)
        if fewest is None or again < fewest:
            best, fewest = groups, again
        if not again:
            break
    return {
        table: tuple(_shuffled(group, lots)) for table, group in zip(tables, best, strict=False)
    }


def _drawn_once(
    people: Sequence[int], sizes: Sequence[int], meetings: Meetings, lots: Iterator[int]
) -> list[list[int]]:
    order = _shuffled(people, lots)
    groups: list[list[int]] = []
    for size in sizes:
        group = [order.pop()]
        while len(group) < size:
            group.append(order.pop(_best_at(order, group, meetings)))
        groups.append(group)
    _exchange(groups, meetings, lots)
    return groups


def _best_at(order: Sequence[int], group: Sequence[int], meetings: Meetings) -> int:
    """Return where the first of those is who have met the fewest of a group."""
    best, fewest = 0, _cost(order[0], group, meetings)
    for at, person in enumerate(order):
        if not fewest:
            break
        if (cost := _cost(person, group, meetings)) < fewest:
            best, fewest = at, cost
    return best


def _sizes(people: int, tables: int) -> list[int]:
    used = min(tables, people // SEATS_MIN)
    if not used or people > used * SEATS_MAX:
        raise CannotSeat(
            f"{people} people can't sit at {tables} tables, {SEATS_MIN} to {SEATS_MAX} at each. "
            "Open another table, or say who sits out."
        )
    # Full tables first: three people make a worse game than four.
    used = max(-(-people // SEATS_MAX), 1)
    least, more = divmod(people, used)
    return [least + 1] * more + [least] * (used - more)


def _meetings(met: Iterable[Seats]) -> Meetings:
    counted: dict[int, dict[int, int]] = {}
    for seats in met:
        for group in seats.values():
            for one, other in permutations(group, 2):
                row = counted.setdefault(one, {})
                row[other] = row.get(other, 0) + 1
    return counted


def _cost(person: int, group: Sequence[int], meetings: Meetings) -> int:
    row = meetings.get(person)
    return sum([row.get(each, 0) for each in group]) if row else 0


def _pairs_cost(group: Sequence[int], meetings: Meetings) -> int:
    return sum(_cost(person, group[:at], meetings) for at, person in enumerate(group))


def _exchange(groups: list[list[int]], meetings: Meetings, lots: Iterator[int]) -> None:
    """Exchange people of two tables wherever fewer meet again then."""
    if len(groups) < 2:
        return
    costs = [_pairs_cost(group, meetings) for group in groups]
    for _ in range(_EXCHANGES_MAX):
        before = max(costs)
        if not before:
            return
        worst = costs.index(before)
        other = (worst + 1 + next(lots) % (len(groups) - 1)) % len(groups)
        one, two = groups[worst], groups[other]
        at, to = next(lots) % len(one), next(lots) % len(two)
        one[at], two[to] = two[to], one[at]
        after = _pairs_cost(one, meetings), _pairs_cost(two, meetings)
        if sum(after) > before + costs[other]:
            one[at], two[to] = two[to], one[at]
        else:
            costs[worst], costs[other] = after


def _shuffled(people: Sequence[int], lots: Iterator[int]) -> list[int]:
    """Return the same in the order of lots (Fisher and Yates)."""
    shuffled = list(people)
    for at in range(len(shuffled) - 1, 0, -1):
        other = next(lots) % (at + 1)
        shuffled[at], shuffled[other] = shuffled[other], shuffled[at]
    return shuffled


def _numbers(seed: int) -> Iterator[int]:
    """Yield numbers that a seed gives (SplitMix64, whose bias among 200 people is nothing)."""
    state = seed & _WORD
    while True:
        state = (state + 0x9E3779B97F4A7C15) & _WORD
        mixed = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _WORD
        yield mixed ^ (mixed >> 31)
