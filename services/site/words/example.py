"""The night that the formula page explains: four players, and what the formula gives each. Pure.

Only who sat there and what they did is written down here. Every other number comes from the
formula itself, so the page shows whichever formula applies.
"""

from dataclasses import dataclass
from typing import Final

from shared.rating.explain import ExplainedPair
from shared.rating.formula import Seat
from shared.rating.registry import Formula


@dataclass(frozen=True, slots=True)
class Sitter:
    """Someone at the table, as they sat down and as they left."""

    name: str
    rating_centi: int
    games_before: int
    won: int
    points_centi: int


GAMES: Final = 6
WALL_GAMES: Final = 1
# A long-time player, two in between and a newcomer, so that each K of mahjic-elo/1 is seen.
TABLE: Final = (
    Sitter("Alice", 160_000, 140, 2, 12_500),
    Sitter("Bea", 155_000, 52, 2, 8_000),
    Sitter("Carol", 150_000, 12, 1, 4_500),
    Sitter("Dave", 145_000, 0, 0, -25_000),
)


@dataclass(frozen=True, slots=True)
class Compared:
    """One player held against one other: the two people, and the numbers of their line."""

    sitter: Sitter
    other: Sitter
    line: ExplainedPair

    @property
    def surprise_nano(self) -> int:
        """Actual minus expected: above zero when the player did better than expected."""
        return self.line.actual_nano - self.line.expected_nano

    @property
    def games_gain_nano(self) -> int:
        """What the games alone are worth, before points."""
        return self.line.k * self.surprise_nano

    @property
    def lead_centi(self) -> int:
        """How many points the player was ahead of the other."""
        return self.sitter.points_centi - self.other.points_centi


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one player's lines add up to."""

    sitter: Sitter
    lines: tuple[Compared, ...]
    sum_nano: int
    divided_by: int
    change_centi: int

    @property
    def rating_after_centi(self) -> int:
        """The rating with which the player goes home."""
        return self.sitter.rating_centi + self.change_centi


def worked_example(formula: Formula) -> tuple[Outcome, ...]:
    """Return what a league night at that table comes to, a player at a time."""
    seats = [
        Seat(each.rating_centi, each.games_before, each.won, each.points_centi) for each in TABLE
    ]
    return tuple(_outcome(formula, seats, place) for place in range(len(TABLE)))


def _outcome(formula: Formula, seats: list[Seat], place: int) -> Outcome:
    told = formula.explain_seat(seats, place, points_count=True)
    sitter = TABLE[place]
    return Outcome(
        sitter=sitter,
        lines=tuple(Compared(sitter, TABLE[line.other_place], line) for line in told.lines),
        sum_nano=told.sum_nano,
        divided_by=told.divided_by,
        change_centi=told.change_centi,
    )
