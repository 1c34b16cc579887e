"""Adds up how well the ratings before a round predicted it, in whole numbers. Pure.

Two real people at a table are one forecast, made from the ratings that stood before the round. It
is counted once from each side: by what that side was expected to score, by its band, and by the
games that it had played.
"""

from array import array
from dataclasses import dataclass, field
from itertools import permutations
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from services.report.exactly import loss_nano, square_sum
from shared.rating.bands import BANDS
from shared.rating.expected import WIN_NANO, expected_table

# What rounds to a sure win is taken as no surer than this.
SUREST_NANO: Final = WIN_NANO - 1
SEATS: Final = 4
# Rounds that are worked out at once.
ROUNDS_AT_ONCE: Final = 4_096

BINS: Final = 20
# The lowest rating of each band but the last, from the top, and the games from which on a player is
# no newcomer, and experienced.
BAND_FROM: Final = np.array([b.rating_centi_min for b in BANDS if b.rating_centi_min is not None])
GAMES_FROM: Final = np.array([30, 101])

Whole: TypeAlias = NDArray[np.int64]


class PlayedSeat(NamedTuple):
    """One seat before a round, and how often it won; a player is an index."""

    player: int
    rating_centi: int
    games: int
    mahjongs: int


@dataclass(slots=True)
class ForecastSums:
    """Forecasts, added up: in billionths, losses twice that, and squares of billionths."""

    forecasts: int = 0
    expected_nano: int = 0
    actual_nano: int = 0
    loss_nano_twice: int = 0
    square: int = 0
    decided: int = 0

    def __add__(self, other: "ForecastSums") -> "ForecastSums":
        return ForecastSums(*(getattr(self, name) + getattr(other, name) for name in _SUMS))


_SUMS: Final = tuple(ForecastSums.__dataclass_fields__)


class _Sides(NamedTuple):
    """Forecasts from one side each, in columns."""

    player: Whole
    rating: Whole
    games: Whole
    expected: Whole
    actual: Whole
    losses_twice: Whole


@dataclass(slots=True)
class Predicted:
    """The forecasts of a year: by expected score, by band from the top, and by games played.

    `seen` says for each player, by bits in the order of all groups, which ones hold one of theirs.
    """

    by_score: list[ForecastSums] = field(
        default_factory=lambda: [ForecastSums() for _ in range(BINS)]
    )
    by_band: list[ForecastSums] = field(default_factory=lambda: [ForecastSums() for _ in BANDS])
    by_games: list[ForecastSums] = field(default_factory=lambda: [ForecastSums() for _ in range(3)])
    seen: "array[int]" = field(default_factory=lambda: array("L"))
    _scale_centi: int = 0
    _rows: list[list[PlayedSeat]] = field(default_factory=list)

    def add(self, seats: list[PlayedSeat], scale_centi: int) -> None:
        """Add a round: its real people, and the scale of the formula that it was rated by."""
        if len(seats) < 2:
            return
        if scale_centi != self._scale_centi or len(self._rows) == ROUNDS_AT_ONCE:
            self.finish()
            self._scale_centi = scale_centi
        self._rows.append(seats)

    def finish(self) -> None:
        """Work out what was added last."""
        rows, self._rows = self._rows, []
        for seats in range(2, SEATS + 1):
            alike = np.array([row for row in rows if len(row) == seats], np.int64)
            for one, other in permutations(range(seats), 2) if len(alike) else ():
                self._add_sides(_sides(alike[:, one], alike[:, other], self._scale_centi))

    def groups(self) -> tuple[list[ForecastSums], list[ForecastSums], list[ForecastSums]]:
        """Return all groups, in the order of the bits of `seen`."""
        return self.by_score, self.by_band, self.by_games

    def _add_sides(self, sides: _Sides) -> None:
        bins = np.minimum(sides.expected * BINS // WIN_NANO, BINS - 1)
        band = (sides.rating[:, np.newaxis] < BAND_FROM).sum(axis=1)
        games = (sides.games[:, np.newaxis] >= GAMES_FROM).sum(axis=1)
        bit = 0
        for numbers, groups in zip((bins, band, games), self.groups(), strict=True):
            for number in np.unique(numbers).tolist():
                mine = numbers == number
                groups[number] += _added_up(sides, mine)
                self._see(sides.player[mine], 1 << (bit + number))
            bit += len(groups)

    def _see(self, players: Whole, bit: int) -> None:
        for player in np.unique(players).tolist():
            if player >= len(self.seen):
                self.seen.extend([0] * (player + 1 - len(self.seen)))
            self.seen[player] |= bit


def _sides(one: Whole, other: Whole, scale_centi: int) -> _Sides:
    """Return the forecasts of some seats, each against the other one of its row."""
    player, rating, games, mahjongs = one.T
    expected = expected_nano_of(rating - other[:, 1], scale_centi)
    actual = (np.sign(mahjongs - other[:, 3]) + 1) * (WIN_NANO // 2)
    won, lost = loss_nano(expected), loss_nano(WIN_NANO - expected)
    losses = np.where(actual == WIN_NANO, 2 * won, np.where(actual == 0, 2 * lost, won + lost))
    return _Sides(player, rating, games, expected, actual, losses)


def expected_nano_of(ahead_centi: Whole, scale_centi: int) -> Whole:
    """Return the expected scores for these leads in rating, never quite 0 or 1."""
    table = np.frombuffer(expected_table(scale_centi), np.int32)
    found = table[np.minimum(np.abs(ahead_centi), len(table) - 1)].astype(np.int64)
    of_leader = np.minimum(found, SUREST_NANO)
    return np.where(ahead_centi >= 0, of_leader, WIN_NANO - of_leader)


def _added_up(sides: _Sides, mine: NDArray[np.bool_]) -> ForecastSums:
    expected, actual = sides.expected[mine], sides.actual[mine]
    return ForecastSums(
        forecasts=len(expected),
        expected_nano=int(expected.sum()),
        actual_nano=int(actual.sum()),
        loss_nano_twice=int(sides.losses_twice[mine].sum()),
        square=square_sum(np.abs(actual - expected)),
        decided=int((actual != WIN_NANO // 2).sum()),
    )
