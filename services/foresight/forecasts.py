"""Measures how well a formula predicts which of two players wins more games in a round.

Every pair of real people at a table is one forecast, made from the ratings before the round, which
know nothing of it. Three measures: log loss and Brier score (the lower the better), and accuracy.
"""

from dataclasses import dataclass, field
from itertools import combinations
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shared.rating.columns import SEATS_MAX, Rounds
from shared.rating.expected import WIN_NANO, expected_table
from shared.rating.parameters import Parameters

BOB: Final = 0
# The curve is kept to a nano: what rounds to a sure win is no surer than that.
CERTAIN: Final = 1 - 1 / WIN_NANO
BINS: Final = 20

Floats: TypeAlias = NDArray[np.float64]
Whole: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """Forecasts from score `low` up to that of the next point: how many, and what was expected and
    happened on average. Each pair is among them from both sides.
    """

    low: float
    count: int
    expected: float
    actual: float


@dataclass(slots=True)
class Forecasts:
    """The forecasts of a period, added up.

    `expected` and `actual` float[BINS] are the sums, by expected score from 0 to 1, of as many
    forecasts as `counts` says; each pair is in them from both sides.
    """

    pairs: int = 0
    decided: int = 0
    right: float = 0.0
    log_loss_sum: float = 0.0
    brier_sum: float = 0.0
    counts: Whole = field(default_factory=lambda: np.zeros(BINS, np.int64))
    expected: Floats = field(default_factory=lambda: np.zeros(BINS))
    actual: Floats = field(default_factory=lambda: np.zeros(BINS))

    @property
    def log_loss(self) -> float | None:
        """The mean of -log of what was given to what happened; ln 2 = 0.693 for a coin."""
        return self.log_loss_sum / self.pairs if self.pairs else None

    @property
    def brier(self) -> float | None:
        """The mean square of actual less expected score; 0.25 for a coin, less where many tie."""
        return self.brier_sum / self.pairs if self.pairs else None

    @property
    def even_brier(self) -> float | None:
        """The Brier score of a half for everybody; its log loss is always ln 2."""
        return self.decided / (4 * self.pairs) if self.pairs else None

    @property
    def accuracy(self) -> float | None:
        """The share of decided pairs that the higher rated won; equal ratings are half right."""
        return self.right / self.decided if self.decided else None

    def curve(self) -> list[CurvePoint]:
        """Return what was expected and what happened, from the lowest expected score up."""
        columns = (self.counts.tolist(), self.expected.tolist(), self.actual.tolist())
        return [
            CurvePoint(number / BINS, count, expected / count, actual / count)
            for number, (count, expected, actual) in enumerate(zip(*columns, strict=True))
            if count
        ]

    def add(self, expected: Floats, actual: Floats) -> None:
        """Add forecasts: expected scores strictly within 0 and 1, and 0, a half or 1 as actual."""
        self.pairs += len(expected)
        self.log_loss_sum -= float(
            (actual * np.log(expected) + (1 - actual) * np.log1p(-expected)).sum()
        )
        self.brier_sum += float(((actual - expected) ** 2).sum())
        is_decided = actual != 0.5
        self.decided += int(is_decided.sum())
        # 1 if the forecast favors the winner, half if it favors neither.
        points = (np.sign(expected - 0.5) * np.sign(actual - 0.5) + 1) / 2
        self.right += float(points[is_decided].sum())
        for scores, happened in ((expected, actual), (1 - expected, 1 - actual)):
            bins = np.minimum((scores * BINS).astype(np.int64), BINS - 1)
            self.counts += np.bincount(bins, minlength=BINS)
            self.expected += np.bincount(bins, scores, BINS)
            self.actual += np.bincount(bins, happened, BINS)


def pairs_of(
    rounds: Rounds, rows: Whole, rating_before: Whole, rules: Parameters
) -> tuple[Floats, Floats, Whole]:
    """Return every pair of real people in some rounds: expected, actual, and the row of the round.

    `rows` int64[k] are the rounds, `rating_before` int64[k,4] the ratings in centi before each.
    """
    expected, actual, where = [], [], []
    players, mahjongs = rounds.players[rows], rounds.mahjongs[rows].astype(np.int64)
    is_real = (np.arange(SEATS_MAX) < rounds.seats[rows, np.newaxis]) & (players != BOB)
    for one, other in combinations(range(SEATS_MAX), 2):
        both = np.flatnonzero(is_real[:, one] & is_real[:, other])
        ahead = rating_before[both, one] - rating_before[both, other]
        expected.append(expected_scores(ahead, rules.scale_centi))
        won = np.sign(mahjongs[both, one] - mahjongs[both, other])
        actual.append((won + 1) / 2)
        where.append(rows[both])
    return np.concatenate(expected), np.concatenate(actual), np.concatenate(where)


def expected_scores(ahead_centi: Whole, scale_centi: int) -> Floats:
    """Return the expected scores for these leads in rating, as the formula has them, float64[n]."""
    table = np.frombuffer(expected_table(scale_centi), np.int32)
    found = table[np.minimum(np.abs(ahead_centi), len(table) - 1)] / WIN_NANO
    of_leader = np.minimum(found, CERTAIN)
    return np.where(ahead_centi >= 0, of_leader, 1 - of_leader)
