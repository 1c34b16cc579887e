"""Writes the comparison of two formulas as a page that stands alone."""

from collections.abc import Iterable, Sequence
from typing import Final

from markupsafe import Markup

from services.foresight.comparing import (
    TOLD_MIN,
    BandMoves,
    Distances,
    FormulaComparison,
    Measured,
)
from services.foresight.forecasts import CurvePoint
from shared.papers.drawing import MoveBar, draw_calibration, draw_moves
from shared.papers.page import figure, paragraph, section, table, write_page

WITHHELD: Final = f"fewer than {TOLD_MIN}"
NOTHING: Final = "\u2013"
_MINUS: Final = "\u2212"


def comparison_page(comparison: FormulaComparison) -> bytes:
    """Return the page. The same comparison gives the same bytes."""
    first, second = comparison.formulas
    return write_page(
        f"{first.formula} and {second.formula} compared",
        f"Both formulas have rated the whole history from its beginning: {comparison.rounds:,} "
        f"rounds, up to fact {comparison.as_of:,}. Nothing was changed, and nobody is named. "
        f"Where fewer than {TOLD_MIN} people are behind a figure, it is left out.",
        [
            section("How well they foretell", *_forecasts(comparison)),
            section("Who moves, and how far", *_moves(comparison)),
            section("By band", *_bands(comparison)),
            section("The numbers of the formulas", _parameters(first, second)),
        ],
    )


def _forecasts(comparison: FormulaComparison) -> Iterable[Markup]:
    first, second = comparison.formulas
    yield paragraph(
        f"Before each round, the ratings say for every two people at the table how likely each is "
        f"to win more games. That makes {comparison.pairs:,} forecasts. Lower is better, except "
        "for the share that was right. The last line says of every two people that they are even."
    )
    even = ("Always even", _measure(comparison.even_log_loss), _measure(comparison.even_brier))
    yield table(
        "How far the forecasts were from what happened",
        ("Formula", "Log loss", "Brier score", "Higher rated won"),
        [*(_measures(each) for each in (first, second)), (*even, NOTHING)],
    )
    curves = {
        kind: [(point.expected, point.actual) for point in each.curve]
        for kind, each in (("now", first), ("then", second))
    }
    yield figure(
        draw_calibration("Expected and actual score under both formulas", curves),
        "Across: the score that was expected. Up: the score that came. The dashed line is "
        f"{first.formula}, the solid one {second.formula}. The closer to the thin line, the "
        "better.",
    )
    yield table(
        "The same as figures: of the forecasts around one score, how many there were, what was "
        "expected on average, and what came",
        ("From", *(f"{name} ({n})" for n in (1, 2) for name in ("Forecasts", "Expected", "Came"))),
        _curve_rows(first, second),
    )
    yield paragraph(
        f"(1) is {first.formula}, (2) is {second.formula}. Each pair counts from both sides."
    )


def _measures(each: Measured) -> Sequence[str]:
    right = NOTHING if each.accuracy is None else f"{each.accuracy:.1%}"
    return each.formula, _measure(each.log_loss), _measure(each.brier), right


def _curve_rows(first: Measured, second: Measured) -> Iterable[Sequence[str]]:
    both = [{point.low: point for point in each.curve} for each in (first, second)]
    for low in sorted(both[0] | both[1]):
        yield f"{low:.2f}", *(cell for points in both for cell in _point_cells(points.get(low)))


def _point_cells(point: CurvePoint | None) -> Sequence[str]:
    if point is None:
        return (NOTHING,) * 3
    return f"{point.count:,}", f"{point.expected:.3f}", f"{point.actual:.3f}"


def _moves(comparison: FormulaComparison) -> Iterable[Markup]:
    first, second = comparison.formulas
    yield table(
        f"How far people are from where {first.formula} has them, in rating points",
        ("Rating", "Players", "Moved", "Mean", "Half, at most", "9 of 10", "99 of 100"),
        [
            ("Everyone", *_distance_cells(comparison.mahjic)),
            ("Verified", *_distance_cells(comparison.verified)),
        ],
    )
    if not any(each.players for each in comparison.bars):
        return
    bars = [MoveBar(each.low, each.high, each.players or 0) for each in comparison.bars]
    yield figure(
        draw_moves("How many players move by how many points", bars),
        f"How many players (up) move by how many rating points (across) from {first.formula} to "
        f"{second.formula}.",
    )
    yield table(
        "The same as figures",
        ("Rating points", "Players"),
        [
            (f"{_whole(each.low)} to {_whole(each.high)}", _count(each.players))
            for each in comparison.bars
            if each.players != 0
        ],
    )


def _bands(comparison: FormulaComparison) -> Iterable[Markup]:
    first, second = comparison.formulas
    yield table(
        f"Those whom {first.formula} has in a band, and what {second.formula} makes of them",
        ("Band", "Players", "Go up", "Go down", "Into another band", "Mean distance"),
        [_band_cells(each) for each in comparison.bands],
    )


def _band_cells(each: BandMoves) -> Sequence[str]:
    counts = (each.players, each.up, each.down, each.in_another_band)
    if each.players is None or each.mean_centi is None:
        return each.band, _count(each.players), *(NOTHING,) * 4
    return each.band, *map(_count, counts), _points(each.mean_centi)


def _distance_cells(each: Distances) -> Sequence[str]:
    if each.mean_centi is None:
        return _count(each.players), *(NOTHING,) * 5
    far = (each.mean_centi, each.median_centi, each.most_of_90_centi, each.most_of_99_centi)
    return _count(each.players), _count(each.moved), *map(_points, far)


def _parameters(first: Measured, second: Measured) -> Markup:
    names = dict.fromkeys([*first.parameters, *second.parameters])
    return table(
        "All parameters",
        ("Parameter", first.formula, second.formula),
        [
            (name, _parameter(first.parameters.get(name)), _parameter(second.parameters.get(name)))
            for name in names
            if not name.endswith("_sha256")
        ],
    )


def _parameter(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(f"{each['k']} from {each['games_min']} games" for each in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return NOTHING if value is None else f"{value:,}" if isinstance(value, int) else str(value)


def _measure(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.5f}"


def _count(value: int | None) -> str:
    return WITHHELD if value is None else f"{value:,}"


def _points(centi: float | None) -> str:
    return NOTHING if centi is None else f"{centi / 100:,.2f}"


def _whole(number: int) -> str:
    return f"{number:,}".replace("-", _MINUS)
