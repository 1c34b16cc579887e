"""Tries the formulas that were adopted in a year on the history up to their adoption."""

from collections.abc import Sequence
from typing import Final

from services.foresight.forecasts import Forecasts
from services.foresight.season import read_season
from services.foresight.trying import FormulaTrial, try_formula
from services.report.changes import AdoptedInYear
from services.report.reading import Progress
from services.report.shapes import AdoptionTold, MeasuresTold, TrialTold
from services.report.telling import MEAN_STEPS
from services.report.withholding import LEAST, told_part
from shared.log.port import Log
from shared.rating.registry import formula_named

MICRO: Final = 1_000_000
# As many as it takes to tell the mean rating to a point.
PLAYERS_MIN: Final = MEAN_STEPS[-1][0]


async def try_adopted(
    facts: Log, adopted: Sequence[AdoptedInYear], progress: Progress
) -> list[AdoptionTold]:
    """Return the formulas of a year with what a trial of each says. Raises what reading does."""
    return [
        {
            "formula": each.formula,
            "day": each.day,
            "fact": each.fact_seq,
            "since": each.since,
            "trial": await _tried(facts, each, progress),
        }
        for each in adopted
    ]


async def _tried(facts: Log, adopted: AdoptedInYear, progress: Progress) -> TrialTold | None:
    season = await read_season(facts, adopted.fact_seq - 1, progress)
    trial = await try_formula(season, formula_named(adopted.formula), None, progress)
    before, after = (_measured(each.all) for each in (trial.forecasts_now, trial.forecasts_tried))
    if trial.mahjic.players < LEAST or before is None or after is None:
        return None
    return _trial_told(trial, before, after)


def _trial_told(trial: FormulaTrial, before: MeasuresTold, after: MeasuresTold) -> TrialTold:
    return {
        "rounds": trial.rounds,
        "pairs": trial.forecasts_now.all.pairs,
        "before": before,
        "adopted": after,
        "players": trial.mahjic.players,
        "moved": told_part(trial.mahjic.moved, trial.mahjic.players),
        "mean_move_points": _points(trial.mahjic.mean, trial),
        "median_move_points": _points(trial.mahjic.median, trial),
    }


def _points(centi: float, trial: FormulaTrial) -> int | None:
    """Return how far people move in whole points; a finer one could tell about one of them."""
    return round(centi / 100) if trial.mahjic.players >= PLAYERS_MIN else None


def _measured(forecasts: Forecasts) -> MeasuresTold | None:
    log_loss, brier, accuracy = forecasts.log_loss, forecasts.brier, forecasts.accuracy
    if forecasts.pairs < LEAST or log_loss is None or brier is None:
        return None
    return {
        "log_loss_micro": round(log_loss * MICRO),
        "brier_micro": round(brier * MICRO),
        "accuracy_micro": None if accuracy is None else round(accuracy * MICRO),
    }
