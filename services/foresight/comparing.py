"""Compares two formulas on the whole history: how well each foretells, who moves, and how far.

Each rates everything that was ever played. Nothing is changed, and no one is named: counts of one
to four people are withheld, and so are the figures that stand on them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from math import log
from typing import Any, Final

import numpy as np

from services.foresight.forecasts import CurvePoint, Forecasts
from services.foresight.season import Season
from services.foresight.trying import Centi, Moves, Progress, moves_of, rated
from services.rater.threads import in_a_thread
from shared.papers.drawing import bars_of
from shared.rating.bands import BANDS
from shared.rating.registry import Formula

# Fewer people than this are not told apart.
TOLD_MIN: Final = 5
DIGITS: Final = 6
EVEN_LOG_LOSS: Final = round(log(2), DIGITS)


@dataclass(frozen=True, slots=True)
class Measured:
    """How well a formula foretells the rounds from the ratings before them, pair by pair."""

    formula: str
    parameters: Mapping[str, Any]
    log_loss: float | None
    brier: float | None
    accuracy: float | None
    curve: tuple[CurvePoint, ...]


@dataclass(frozen=True, slots=True)
class Distances:
    """How far the players of a pool are from where the other formula has them."""

    players: int | None
    moved: int | None
    mean_centi: float | None
    median_centi: int | None
    most_of_90_centi: int | None
    most_of_99_centi: int | None


@dataclass(frozen=True, slots=True)
class BandMoves:
    """The same for those whom the first formula has in one band: how many go up, down, or into
    another band, and the mean distance.
    """

    band: str
    players: int | None
    up: int | None
    down: int | None
    in_another_band: int | None
    mean_centi: float | None


@dataclass(frozen=True, slots=True)
class ToldBar:
    """How many players move by so much; None for one to four."""

    low: int
    high: int
    players: int | None


@dataclass(frozen=True, slots=True)
class FormulaComparison:
    """Two formulas beside each other, and beside always saying that two players are even.

    `bars` are the moves of everyone, from the first formula to the second, in rating points.
    """

    as_of: int
    rounds: int
    pairs: int
    formulas: tuple[Measured, Measured]
    even_log_loss: float
    even_brier: float | None
    mahjic: Distances
    verified: Distances
    bands: tuple[BandMoves, ...]
    bars: tuple[ToldBar, ...]


async def compare_formulas(
    season: Season, first: Formula, second: Formula, progress: Progress
) -> FormulaComparison:
    """Rate a season by both formulas from its beginning, and compare the two."""
    before, foretold = await in_a_thread(partial(rated, season, first, None, progress))
    after, foretold_then = await in_a_thread(partial(rated, season, second, None, progress))
    moves = moves_of(before.rating_centi, after.rating_centi, before.games)
    verified = moves_of(
        before.verified_rating_centi, after.verified_rating_centi, before.verified_games
    )
    played = before.games > 0
    even_brier = foretold.all.even_brier
    return FormulaComparison(
        as_of=season.as_of,
        rounds=season.rounds,
        pairs=foretold.all.pairs,
        formulas=(_measured(first, foretold.all), _measured(second, foretold_then.all)),
        even_log_loss=EVEN_LOG_LOSS,
        even_brier=None if even_brier is None else round(even_brier, DIGITS),
        mahjic=_distances(moves),
        verified=_distances(verified),
        bands=_by_band(before.rating_centi[played], after.rating_centi[played]),
        bars=tuple(
            ToldBar(each.low, each.high, _told(each.players)) for each in bars_of(moves.by.tolist())
        ),
    )


def _measured(formula: Formula, forecasts: Forecasts) -> Measured:
    measures = (forecasts.log_loss, forecasts.brier, forecasts.accuracy)
    log_loss, brier, accuracy = (None if x is None else round(x, DIGITS) for x in measures)
    curve = tuple(
        replace(each, expected=round(each.expected, DIGITS), actual=round(each.actual, DIGITS))
        for each in forecasts.curve()
    )
    return Measured(formula.name, formula.parameters, log_loss, brier, accuracy, curve)


def _distances(moves: Moves) -> Distances:
    if moves.players < TOLD_MIN:
        return Distances(_told(moves.players), None, None, None, None, None)
    return Distances(
        players=moves.players,
        moved=_told(moves.moved),
        mean_centi=round(moves.mean, 1),
        median_centi=moves.median,
        most_of_90_centi=moves.most_of_90,
        most_of_99_centi=moves.most_of_99,
    )


def _by_band(before: Centi, after: Centi) -> tuple[BandMoves, ...]:
    """Return the moves by the bands of the first formula, from the highest down."""
    # One more edge than BANDS has: a rating is in the highest band that it reaches.
    edges = [each.rating_centi_min for each in BANDS if each.rating_centi_min is not None][::-1]
    was, is_now = (len(edges) - np.searchsorted(edges, each, "right") for each in (before, after))
    found = []
    for number, band in enumerate(BANDS):
        inside = was == number
        move = (after - before)[inside]
        if len(move) < TOLD_MIN:
            found.append(BandMoves(band.name, _told(len(move)), None, None, None, None))
            continue
        counts = ((move > 0).sum(), (move < 0).sum(), (is_now[inside] != number).sum())
        up, down, in_another_band = (_told(int(each)) for each in counts)
        mean_centi = round(float(np.abs(move).mean()), 1)
        found.append(BandMoves(band.name, len(move), up, down, in_another_band, mean_centi))
    return tuple(found)


def _told(count: int) -> int | None:
    """Return a count that may be told: none, or five and more."""
    return None if 0 < count < TOLD_MIN else count
