"""The formulas that commands are given, by name or as files, and the command that lists them."""

from pathlib import Path
from typing import Final

import orjson

from services.cli.terminal.options import AsJson
from services.cli.terminal.output import points, say_json, show_table
from shared.errors import MahjicError
from shared.rating.parameters import read_parameters
from shared.rating.registry import FORMULAS, Formula, formula_named, formula_of

FORMULA_HELP: Final = (
    "A formula by name, like mahjic-elo/2-scaled, or a file of parameters (docs/rating.md)."
)
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


def read_formula(text: str) -> Formula:
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
