"""Puts the `mahjic` command together, and ends it without a traceback for a user's mistake."""

import os
import sys
from collections.abc import Sequence
from importlib.metadata import version
from io import TextIOWrapper
from typing import Annotated, Final

import typer

from services.cli import kafka, keys, sources, views
from services.cli.backups import backup, restore
from services.cli.client import ServiceRefused
from services.cli.demo import demo
from services.cli.ingest import ingest
from services.cli.leaderboard import leaderboard
from services.cli.output import hint, say, tell
from services.cli.player import player
from services.cli.projections import projections
from services.cli.rater import rater
from services.cli.read import read
from services.cli.relay import relay
from services.cli.serve import serve
from services.cli.status import status
from services.cli.submit import submit
from services.cli.why import why
from shared.errors import MahjicError
from shared.http.logs import places_of

STDERR_DESCRIPTOR: Final = 2
# What sysexits.h calls an internal software error.
FAULT_OF_OURS: Final = 70


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command that the arguments name, and exit; those of the process unless given."""
    _fill_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        # A terminal that lacks a letter shows another one instead of ending the command.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        build_app()(arguments, prog_name="mahjic")
    except ServiceRefused as error:
        tell(error.problem_code, error)
        sys.exit(error.exit_code)
    except MahjicError as error:
        tell(error.code, error)
        sys.exit(error.exit_code)
    except Exception as error:  # noqa: BLE001 - it ends here, and the words may quote people.
        hint("internal_error: This is a fault of ours. Please report it with these lines:")
        for place in places_of(error):
            hint(f"  {place}")
        sys.exit(FAULT_OF_OURS)


def _fill_closed_streams() -> None:
    """Put nothing in the place of a standard stream that was closed before we started.

    The next file opened would get its number, and the event loop takes that for a mistake of its
    own when it closes it.
    """
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= STDERR_DESCRIPTOR:
        continue
    os.close(descriptor)


def build_app() -> typer.Typer:
    """Return the command with all its subcommands."""
    app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False)
    app.callback()(_mahjic)
    app.add_typer(_source_commands(), name="source", help="Keep the verified sources.")
    app.add_typer(_key_commands(), name="key", help="Keep the API keys.")
    app.add_typer(_view_commands(), name="views", help="Keep the views.")
    app.add_typer(_kafka_commands(), name="kafka", help="Move the logs to Kafka, and repair them.")
    app.command("demo")(demo)
    app.command("serve")(serve)
    app.command("ingest")(ingest)
    app.command("relay")(relay)
    app.command("rater")(rater)
    app.command("projections")(projections)
    app.command("read")(read)
    app.command("status")(status)
    app.command("backup")(backup)
    app.command("restore")(restore)
    app.command("submit")(submit)
    app.command("leaderboard")(leaderboard)
    app.command("player")(player)
    app.command("why")(why)
    return app


def _mahjic(
    _version: Annotated[
        bool,
        typer.Option(
            "--version",
            help="Print the version.",
            is_eager=True,
            callback=lambda is_asked: _print_version() if is_asked else None,
        ),
    ] = False,
) -> None:
    """Rate American Mahjong: the open, universal skill rating."""


def _print_version() -> None:
    say(f"mahjic {version('mahjic')}")
    raise typer.Exit


def _source_commands() -> typer.Typer:
    group = typer.Typer(no_args_is_help=True)
    group.command("add")(sources.add)
    group.command("list")(sources.list_all)
    group.command("set")(sources.change)
    group.command("suspend")(sources.suspend)
    group.command("resume")(sources.resume)
    return group


def _key_commands() -> typer.Typer:
    group = typer.Typer(no_args_is_help=True)
    group.command("create")(keys.create)
    group.command("list")(keys.list_all)
    group.command("revoke")(keys.revoke)
    return group


def _view_commands() -> typer.Typer:
    group = typer.Typer(no_args_is_help=True)
    group.command("rebuild")(views.rebuild_view)
    return group


def _kafka_commands() -> typer.Typer:
    group = typer.Typer(no_args_is_help=True)
    group.command("init")(kafka.init)
    group.command("recover")(kafka.recover)
    return group
