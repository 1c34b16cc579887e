"""Draws what a trial of a formula found, with what the page says of each drawing."""

from markupsafe import Markup

from services.foresight.trying import FormulaTrial
from services.site.kit.words import _
from shared.papers.drawing import bars_of, draw_calibration, draw_moves


def calibration(trial: FormulaTrial) -> Markup:
    """Draw how often what was expected happened, under both formulas."""
    label = _("Expected and actual score, under the formula in use and under the other one")
    both = {"now": trial.forecasts_now.all, "then": trial.forecasts_tried.all}
    curves = {
        kind: [(each.expected, each.actual) for each in forecasts.curve()]
        for kind, forecasts in both.items()
    }
    return draw_calibration(label, curves)


def move_bars(trial: FormulaTrial) -> Markup:
    """Draw how many players move by how much."""
    return draw_moves(
        _("How many players move by how many points"), bars_of(trial.mahjic.by.tolist())
    )
