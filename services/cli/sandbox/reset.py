"""The command that empties a sandbox."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from services.cli.sandbox.emptying import empty_sandbox
from services.cli.sandbox.filling import play_season
from services.cli.terminal.options import DataFolder, run_command, settings_for_data
from services.cli.terminal.output import hint, say
from services.database import data_folder


def reset(
    *,
    with_season: Annotated[
        bool, typer.Option("--with-season", help="Then play the season of `mahjic demo` in it.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do it without asking.")] = False,
    data: DataFolder = None,
) -> None:
    """Empty a sandbox: everything in it goes, and its clock is right again. Stop it first."""
    settings = settings_for_data(data)
    folder = data_folder(settings)
    # A server of one's own is no sandbox, which is said without a question.
    if folder is not None and not yes and not _is_agreed(folder):
        hint("Nothing was changed. Run `mahjic sandbox reset --yes` to do it.")
        raise typer.Exit(1)
    run_command(empty_sandbox(settings))
    assert folder is not None, "Otherwise it was refused."
    if not with_season:
        say(f"The sandbox in {folder} is empty.")
        return
    play_season(folder)
    say(f"The sandbox in {folder} holds a season of three sources, and nothing else.")


def _is_agreed(folder: Path) -> bool:
    """Ask the person at the terminal; without one, the answer is no."""
    return sys.stdin.isatty() and typer.confirm(f"Empty the sandbox in {folder}?", err=True)
