"""The command that tries a formula on the whole history."""

from collections.abc import Iterator
from dataclasses import asdict, replace
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Final

import numpy as np
import orjson
import typer

from services.cli.operator.formulas.named import FORMULA_HELP, read_formula
from services.cli.terminal.options import (
    AsJson,
    DataFolder,
    run_command,
    settings_for_data,
)
from services.cli.terminal.output import (
    hint,
    or_dash,
    points,
    progress_bar,
    say,
    say_json,
    show_table,
    signed,
)
from services.foresight.forecasts import Forecasts
from services.foresight.season import read_season
from services.foresight.trying import FormulaTrial, Mover, Moves, Periods, try_formula
from services.operating.as_it_is import open_logs
from services.operating.plotting import check_drawable, draw_trial
from shared.http.logs import configure_logs
from shared.rating.registry import Formula

FORECAST_COLUMNS: Final = ("rounds", "formula", "pairs", "log_loss", "brier", "accuracy")
MOVE_COLUMNS: Final = ("pool", "players", "moved", "mean", "median", "90%", "99%", "most")
MOVER_COLUMNS: Final = ("player", "rating_now", "rating_then", "change", "place_now", "place_then")
PERIODS: Final = ("all", "before", "since")


def try_one(
    formula: Annotated[
        str,
        typer.Argument(
            metavar="FILE|NAME",
            help=FORMULA_HELP,
        ),
    ],
    *,
    since: Annotated[
        str | None,
        typer.Option(
            "--since",
            metavar="DATE",
            help="Also measure the forecasts before and since this date (YYYY-MM-DD) separately.",
        ),
    ] = None,
    svg: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="Save the plot in this file.")
    ] = None,
    unnamed: Annotated[
        bool,
        typer.Option("--unnamed", help="Leave out who moves most: for a trial that is published."),
    ] = False,
    as_json: AsJson = False,
    data: DataFolder = None,
) -> None:
    """Rate the whole history by another formula, and show what would change. Nothing is touched."""
    if svg is not None:
        check_drawable(svg)
    trial = tried(read_formula(formula), _read_date(since), data)
    if unnamed:
        trial = replace(trial, movers=(), board=replace(trial.board, top=()))
    if as_json:
        say_json(orjson.dumps(_as_json(trial), option=orjson.OPT_INDENT_2))
    else:
        show_trial(trial)
    if svg is not None:
        draw_trial(trial, svg)
        hint(f"Wrote {svg}.")


def tried(formula: Formula, since: date | None, data: Path | None) -> FormulaTrial:
    """Try a formula on the logs that the settings name."""
    settings = settings_for_data(data)
    configure_logs(level="critical")

    async def run() -> FormulaTrial:
        async with open_logs(settings, "formula try") as logs:
            with progress_bar("Trying") as show:
                season = await read_season(logs.facts, logs.facts_end.seq, show)
                return await try_formula(season, formula, since, show)

    return run_command(run())


def _read_date(text: str | None) -> date | None:
    try:
        return None if text is None else date.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter("Write the date as YYYY-MM-DD.", param_hint="--since") from None


def show_trial(trial: FormulaTrial) -> None:
    """Show a trial as tables."""
    hint(
        f"{trial.formula} on {trial.rounds} rounds, the history up to fact {trial.as_of}, "
        f"compared with what was adopted ({trial.now} is in use now)."
    )
    show_table(FORECAST_COLUMNS, list(_forecast_rows(trial)), numbers=FORECAST_COLUMNS[2:])
    say("")
    rows = [_move_row("mahjic", trial.mahjic), _move_row("verified", trial.verified)]
    show_table(MOVE_COLUMNS, rows, numbers=MOVE_COLUMNS[1:])
    board = trial.board
    say("")
    show_table(
        MOVER_COLUMNS,
        [_mover_row(each) for each in board.top or trial.movers],
        numbers=MOVER_COLUMNS[1:],
    )
    staying = ", ".join(f"{staying} of the first {top}" for top, staying in board.staying)
    told = "" if not staying else f" {staying} stay there."
    alike = "" if board.correlation is None else f" Spearman's correlation {board.correlation:.4f}."
    hint(
        f"{board.members} on the leaderboard; the largest move is {board.most_places} "
        f"places.{told}{alike}"
    )


def _forecast_rows(trial: FormulaTrial) -> Iterator[tuple[str, ...]]:
    both = ((trial.now, trial.forecasts_now), (trial.formula, trial.forecasts_tried))
    for period in PERIODS:
        for name, periods in both:
            if trial.since is None and period != "all":
                continue
            shown = period if period == "all" else f"{period} {trial.since}"
            yield shown, name, *_measures(_period(periods, period))


def _period(periods: Periods, name: str) -> Forecasts:
    forecasts: Forecasts = getattr(periods, name)
    return forecasts


def _measures(forecasts: Forecasts) -> tuple[str, ...]:
    measures = (forecasts.log_loss, forecasts.brier, forecasts.accuracy)
    shown = (or_dash(None if each is None else f"{each:.5f}") for each in measures)
    return str(forecasts.pairs), *shown


def _move_row(pool: str, moves: Moves) -> tuple[str, ...]:
    far = (moves.mean, moves.median, moves.most_of_90, moves.most_of_99, moves.most)
    return pool, str(moves.players), str(moves.moved), *(f"{each / 100:.2f}" for each in far)


def _mover_row(mover: Mover) -> tuple[str, ...]:
    now, tried = mover.rating_now, mover.rating_tried
    return (
        mover.player_id,
        points(now / 100),
        points(tried / 100),
        signed((tried - now) / 100),
        or_dash(mover.place_now),
        or_dash(mover.place_tried),
    )


def _as_json(trial: FormulaTrial) -> dict[str, Any]:
    """Return the result as computed, without the bins and moves behind the plot."""
    both = {"now": trial.forecasts_now, "tried": trial.forecasts_tried}
    forecasts = {
        name: {period: _measured(_period(periods, period)) for period in PERIODS}
        for name, periods in both.items()
    }
    plain = asdict(trial, dict_factory=_without_plots)
    del plain["forecasts_now"], plain["forecasts_tried"]
    return {**plain, "forecasts": forecasts}


def _without_plots(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    return {name: value for name, value in fields if not isinstance(value, np.ndarray)}


def _measured(forecasts: Forecasts) -> dict[str, float | None]:
    return {
        "pairs": forecasts.pairs,
        "log_loss": forecasts.log_loss,
        "brier": forecasts.brier,
        "accuracy": forecasts.accuracy,
    }
