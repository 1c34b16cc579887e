"""The commands that try a formula on the whole history, and adopt one."""

import sys
from collections.abc import Iterator
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import numpy as np
import orjson
import typer

from services.cli.nights.effects import Wait, show_effect
from services.cli.terminal.client import open_service, path_of
from services.cli.terminal.options import (
    AsJson,
    DataFolder,
    read_settings,
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
from services.cli.terminal.sending import send_until_told
from services.foresight.forecasts import Forecasts
from services.foresight.season import read_season
from services.foresight.trying import FormulaTrial, Mover, Moves, Periods, try_formula
from services.operating.as_it_is import open_logs
from services.operating.plotting import check_drawable, draw_trial
from shared.answers.effects import AdoptionAnswer
from shared.errors import MahjicError
from shared.http.logs import configure_logs
from shared.rating.parameters import read_parameters
from shared.rating.registry import FORMULAS, Formula, formula_named, formula_of

FORECAST_COLUMNS: Final = ("rounds", "formula", "pairs", "log_loss", "brier", "accuracy")
MOVE_COLUMNS: Final = ("pool", "players", "moved", "mean", "median", "90%", "99%", "most")
MOVER_COLUMNS: Final = ("player", "rating_now", "rating_then", "change", "place_now", "place_then")
PERIODS: Final = ("all", "before", "since")
FILE_CHARACTERS_MAX: Final = 100_000
NANO_PER_POINT: Final = 1_000_000_000


class UnreadableFormula(MahjicError):
    """The name is neither a formula nor a readable file."""

    code = "unreadable_formula"
    title = "No such formula or file"
    exit_code = 2


def show_all(*, as_json: AsJson = False) -> None:
    """List the formulas that this version of Mahjic knows by name."""
    if as_json:
        say_json(orjson.dumps([{"name": f.name, "parameters": f.parameters} for f in FORMULAS]))
        return
    columns = ("formula", "scale", "k", "bonus", "sum")
    show_table(columns, [_formula_row(formula) for formula in FORMULAS])


def try_one(
    formula: Annotated[
        str,
        typer.Argument(
            metavar="FILE|NAME",
            help=(
                "A formula by name, like mahjic-elo/2-scaled, or a file of parameters "
                "(docs/rating.md)."
            ),
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
    as_json: AsJson = False,
    data: DataFolder = None,
) -> None:
    """Rate the whole history by another formula, and show what would change. Nothing is touched."""
    if svg is not None:
        check_drawable(svg)
    trial = _tried(_read_formula(formula), _read_date(since), data)
    if as_json:
        say_json(orjson.dumps(_as_json(trial), option=orjson.OPT_INDENT_2))
    else:
        _show(trial)
    if svg is not None:
        draw_trial(trial, svg)
        hint(f"Wrote {svg}.")


def adopt(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A formula by name: see `mahjic formula list`.")
    ],
    *,
    since: Annotated[
        Literal["now", "beginning"],
        typer.Option(
            "--since", help="From now on, or for everything ever played; then everyone moves."
        ),
    ] = "now",
    yes: Annotated[bool, typer.Option("--yes", help="Do it without asking.")] = False,
    wait_s: Wait = 60,
    as_json: AsJson = False,
    data: DataFolder = None,
) -> None:
    """Show what a formula changes, ask, and adopt it at the service (MAHJIC_URL) as its operator.

    The trial reads the logs as `mahjic formula try` does.
    """
    formula = formula_named(name)
    if as_json and not yes:
        raise typer.BadParameter(
            ("--json shows nothing and asks nothing; add --yes."), param_hint="--json"
        )
    with open_service(read_settings()) as service:
        service.check_key()
        if not as_json:
            _show(_tried(formula, None, data))
        _tell_since(formula, since)
        if not (yes or (sys.stdin.isatty() and typer.confirm("Adopt it?", err=True))):
            hint("Nothing was changed. Use --yes to do it.")
            raise typer.Exit(1)
        body = orjson.dumps({"formula": formula.name, "since": since})
        content = send_until_told(service, path_of("v1", "admin", "formulas"), body, wait_s=wait_s)
        answer = service.read(AdoptionAnswer, content)
        if as_json:
            say_json(content)
            return
        show_effect(service, answer["effect"])
    hint(f"{formula.name} is adopted by fact {answer['fact_seq']}.")


def _tell_since(formula: Formula, since: Literal["now", "beginning"]) -> None:
    hint(
        f"{formula.name} would apply to everything ever played: everyone would be rated again."
        if since == "beginning"
        else f"{formula.name} would apply to everything played from now on; no one moves now."
    )


def _tried(formula: Formula, since: date | None, data: Path | None) -> FormulaTrial:
    settings = settings_for_data(data)
    configure_logs(level="critical")

    async def run() -> FormulaTrial:
        async with open_logs(settings, "formula try") as logs:
            with progress_bar("Trying") as show:
                season = await read_season(logs.facts, logs.facts_end.seq, show)
                return await try_formula(season, formula, since, show)

    return run_command(run())


def _read_formula(text: str) -> Formula:
    """Return a formula by name, or one made from a file. Raises what is wrong with it."""
    if text in {formula.name for formula in FORMULAS}:
        return formula_named(text)
    file = Path(text)
    if not file.is_file():
        known = ", ".join(formula.name for formula in FORMULAS)
        raise UnreadableFormula(
            f"{text!r} is neither a formula ({known}) nor a file. docs/rating.md explains the "
            "files."
        )
    try:
        with file.open(encoding="utf-8-sig") as opened:
            content = opened.read(FILE_CHARACTERS_MAX)
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableFormula(
            f"{text} cannot be read as UTF-8 text: {type(error).__name__}. It must be JSON."
        ) from None
    return formula_of(read_parameters(content), f"the file {file.name}")


def _read_date(text: str | None) -> date | None:
    try:
        return None if text is None else date.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter("Write the date as YYYY-MM-DD.", param_hint="--since") from None


def _show(trial: FormulaTrial) -> None:
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


def _formula_row(formula: Formula) -> tuple[str, ...]:
    rules = formula.rules
    bands = ", ".join(f"{k} from {games_min} games" for games_min, k in rules.k_bands)
    most = rules.bonus_max_nano / NANO_PER_POINT
    return (
        formula.name,
        points(rules.scale_centi / 100),
        bands,
        f"1 per {rules.points_per_bonus_point} points, at most {most:g}",
        "divided by the opponents" if rules.is_scaled else "as it is",
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
