"""Draws a trial of a formula as SVG: how accurate the forecasts are, and how far people move."""

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from services.foresight.forecasts import BINS, Forecasts
from services.foresight.trying import FormulaTrial, Moves
from shared.errors import MahjicError
from shared.machine.own_files import try_writing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIZE_INCHES: Final = (11, 4.6)
NOW: Final = "#4c6a92"
TRIED: Final = "#c8553d"
HISTOGRAM_BINS: Final = 40


class PlotsNotInstalled(MahjicError):
    """The plotting library is an optional extra of the installation."""

    code = "plots_not_installed"
    title = "Plots are not installed"
    exit_code = 2


class PlotNotWritten(MahjicError):
    """The file of a plot cannot be written."""

    code = "plot_not_written"
    title = "The plot cannot be written"

    def __init__(self, file: Path, error: OSError) -> None:
        super().__init__(
            f"The plot cannot be written to {file}: {error.strerror or error}. Choose another file."
        )


def check_drawable(file: Path) -> None:
    """Check that a plot can be written to a file, before anyone waits for it.

    Raises PlotsNotInstalled and PlotNotWritten.
    """
    if find_spec("matplotlib") is None:
        raise PlotsNotInstalled(
            "Plots need matplotlib. Install the extra `plots`: `pip install '.[plots]'`. The "
            "tables work without it."
        )
    try:
        try_writing(file)
    except OSError as error:
        raise PlotNotWritten(file, error) from None


def draw_trial(trial: FormulaTrial, file: Path) -> None:
    """Write the plot of a trial as SVG. Raises PlotNotWritten."""
    import matplotlib as mpl  # noqa: PLC0415 - it takes a second to import, and few ask for it.
    from matplotlib.figure import Figure  # noqa: PLC0415

    # The salt makes the bytes the same for the same trial; a dollar in a name starts no formula.
    with mpl.rc_context(
        {
            "svg.hashsalt": "mahjic",
            "svg.fonttype": "path",
            "font.size": 9,
            "text.parse_math": False,
        }
    ):
        figure = Figure(figsize=SIZE_INCHES, layout="constrained")
        truth, moves = figure.subplots(1, 2)
        figure.suptitle(f"{trial.formula} on {trial.rounds:,} rounds, beside {trial.now}")
        truth.plot([0, 1], [0, 1], color="#999999", linewidth=0.8, linestyle="--")
        _draw_truth(truth, trial.forecasts_now.all, trial.now, NOW)
        _draw_truth(truth, trial.forecasts_tried.all, trial.formula, TRIED)
        truth.set(
            title="How accurate the forecasts are",
            xlabel="expected score",
            ylabel="actual score",
            xlim=(0, 1),
            ylim=(0, 1),
        )
        truth.legend(loc="upper left", frameon=False)
        _draw_moves(moves, trial.mahjic)
        try:
            figure.savefig(file, format="svg", metadata={"Date": None})
        except OSError as error:
            raise PlotNotWritten(file, error) from None


def _draw_truth(axes: "Axes", forecasts: Forecasts, name: str, color: str) -> None:
    some = np.flatnonzero(forecasts.counts)
    counts = forecasts.counts[some]
    sizes = 6 + 120 * counts / max(counts.max(initial=1), 1)
    expected, actual = forecasts.expected[some] / counts, forecasts.actual[some] / counts
    axes.plot(expected, actual, color=color, linewidth=1)
    axes.scatter(expected, actual, s=sizes, color=color, alpha=0.5, label=_named(name, forecasts))


def _named(name: str, forecasts: Forecasts) -> str:
    if forecasts.log_loss is None:
        return name
    return f"{name}: log loss {forecasts.log_loss:.4f} on {forecasts.pairs:,} pairs, {BINS} bins"


def _draw_moves(axes: "Axes", moves: Moves) -> None:
    points: Any = moves.by / 100
    axes.hist(points, bins=HISTOGRAM_BINS, color=TRIED, alpha=0.8)
    axes.axvline(0, color="#999999", linewidth=0.8, linestyle="--")
    axes.set(
        title=f"How far {moves.players:,} players move",
        xlabel="rating points, mahjic pool",
        ylabel="players",
    )
