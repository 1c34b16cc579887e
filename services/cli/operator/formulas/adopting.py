"""The command that adopts a formula."""

import sys
from typing import Annotated, Literal

import orjson
import typer

from services.cli.nights.effects import Wait, show_effect
from services.cli.operator.formulas.trials import show_trial, tried
from services.cli.terminal.client import open_service, path_of
from services.cli.terminal.options import AsJson, DataFolder, read_settings
from services.cli.terminal.output import hint, say_json
from services.cli.terminal.sending import send_until_told
from shared.answers.effects import AdoptionAnswer
from shared.rating.registry import Formula, formula_named


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
            show_trial(tried(formula, None, data))
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
