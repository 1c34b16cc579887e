"""The command that compares two formulas on the whole history."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final

import orjson
import typer

from services.cli.operator.formulas.named import FORMULA_HELP, read_formula
from services.cli.terminal.options import AsJson, DataFolder, run_command, settings_for_data
from services.cli.terminal.output import hint, or_dash, progress_bar, say, say_json, show_table
from services.foresight.comparing import Distances, FormulaComparison, compare_formulas
from services.foresight.comparison_page import comparison_page
from services.foresight.season import read_season
from services.operating.as_it_is import open_logs
from shared.errors import MahjicError
from shared.http.logs import configure_logs
from shared.machine.own_files import try_writing
from shared.rating.registry import Formula

MEASURE_COLUMNS: Final = ("formula", "log_loss", "brier", "accuracy")
DISTANCE_COLUMNS: Final = ("pool", "players", "moved", "mean", "median", "90%", "99%")
BAND_COLUMNS: Final = ("band", "players", "up", "down", "in_another_band", "mean")

FormulaArgument = Annotated[str, typer.Argument(metavar="FILE|NAME", help=FORMULA_HELP)]


class PageNotWritten(MahjicError):
    """The file of a comparison cannot be written."""

    code = "page_not_written"
    title = "The page cannot be written"

    def __init__(self, file: Path, error: OSError) -> None:
        super().__init__(
            f"The page cannot be written to {file}: {error.strerror or error}. Choose another file."
        )


def compare(
    first: FormulaArgument,
    second: FormulaArgument,
    *,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE.html", help="Also write a page for people here."),
    ] = None,
    as_json: AsJson = False,
    data: DataFolder = None,
) -> None:
    """Rate the whole history by two formulas: which foretells better, who moves, and how far.

    Nothing is touched, and nobody is named.
    """
    both = read_formula(first), read_formula(second)
    if out is not None:
        _check_writable(out)
    comparison = _compared(*both, data)
    if as_json:
        say_json(orjson.dumps(comparison, option=orjson.OPT_INDENT_2))
    else:
        _show(comparison)
    if out is not None:
        _write(out, comparison_page(comparison))
        hint(f"Wrote {out}.")


def _compared(first: Formula, second: Formula, data: Path | None) -> FormulaComparison:
    settings = settings_for_data(data)
    configure_logs(level="critical")

    async def run() -> FormulaComparison:
        async with open_logs(settings, "formula compare") as logs:
            with progress_bar("Comparing") as show:
                season = await read_season(logs.facts, logs.facts_end.seq, show)
                return await compare_formulas(season, first, second, show)

    return run_command(run())


def _check_writable(file: Path) -> None:
    """Check it before anyone waits for the page, and leave what is there as it is."""
    try:
        try_writing(file)
    except OSError as error:
        raise PageNotWritten(file, error) from None


def _write(file: Path, page: bytes) -> None:
    try:
        file.write_bytes(page)
    except OSError as error:
        raise PageNotWritten(file, error) from None


def _show(comparison: FormulaComparison) -> None:
    first, second = comparison.formulas
    hint(
        f"{first.formula} and {second.formula} on {comparison.rounds} rounds, the history up to "
        f"fact {comparison.as_of}: {comparison.pairs} forecasts."
    )
    show_table(MEASURE_COLUMNS, list(_measure_rows(comparison)), numbers=MEASURE_COLUMNS[1:])
    say("")
    rows = [
        _distance_row("mahjic", comparison.mahjic),
        _distance_row("verified", comparison.verified),
    ]
    show_table(DISTANCE_COLUMNS, rows, numbers=DISTANCE_COLUMNS[1:])
    say("")
    show_table(BAND_COLUMNS, list(_band_rows(comparison)), numbers=BAND_COLUMNS[1:])


def _measure_rows(comparison: FormulaComparison) -> Iterator[tuple[str, ...]]:
    for each in comparison.formulas:
        yield each.formula, *map(_measure, (each.log_loss, each.brier, each.accuracy))
    even = (comparison.even_log_loss, comparison.even_brier, None)
    yield "always even", *map(_measure, even)


def _distance_row(pool: str, each: Distances) -> tuple[str, ...]:
    far = (each.mean_centi, each.median_centi, each.most_of_90_centi, each.most_of_99_centi)
    return pool, or_dash(each.players), or_dash(each.moved), *map(_points, far)


def _band_rows(comparison: FormulaComparison) -> Iterator[tuple[str, ...]]:
    for each in comparison.bands:
        counts = (each.players, each.up, each.down, each.in_another_band)
        yield each.band, *map(or_dash, counts), _points(each.mean_centi)


def _measure(value: float | None) -> str:
    return or_dash(None if value is None else f"{value:.5f}")


def _points(centi: float | None) -> str:
    return or_dash(None if centi is None else f"{centi / 100:.2f}")
