"""Puts the `mahjic` command together, and shows no traceback for a user's mistake."""

import os
import sys
from collections.abc import Sequence
from importlib.metadata import version
from io import TextIOWrapper
from typing import Annotated, Final

import typer

from services.cli.terminal.lazy import commands_in
from services.cli.terminal.output import hint, say, tell
from shared.errors import MahjicError, places_of

COMMANDS: Final = {
    "demo": "services.cli.demo.command:demo",
    "serve": "services.cli.processes.serve:serve",
    "ingest": "services.cli.processes.ingest:ingest",
    "relay": "services.cli.processes.relay:relay",
    "rater": "services.cli.processes.rater:rater",
    "projections": "services.cli.processes.projections:projections",
    "read": "services.cli.processes.read:read",
    "site": "services.cli.processes.read:site",
    "status": "services.cli.operator.status:status",
    "backup": "services.cli.operator.backups:backup",
    "restore": "services.cli.operator.backups:restore",
    "submit": "services.cli.nights.submit:submit",
    "score": "services.cli.nights.score:score",
    "import": "services.cli.importing.command:import_sessions",
    "template": "services.cli.nights.sheet:template",
    "sheet": "services.cli.nights.sheet:sheet",
    "sessions": "services.cli.nights.own_sessions:sessions",
    "void": "services.cli.nights.sessions:void",
    "correct": "services.cli.nights.sessions:correct",
    "merge": "services.cli.operator.merges:merge",
    "unmerge": "services.cli.operator.merges:unmerge",
    "reseat": "services.cli.operator.reseats:reseat",
    "leaderboard": "services.cli.reading.leaderboard:leaderboard",
    "player": "services.cli.reading.player:player",
    "why": "services.cli.reading.why:why",
    "who": "services.cli.nights.who:who",
    "check": "services.cli.checking.command:check",
    "replay": "services.cli.operator.proofs:replay",
    "verify": "services.cli.operator.proofs:verify",
    "audit": "services.cli.operator.proofs:audit",
    "report": "services.cli.operator.reports:report",
}
GROUPS: Final = {
    "source": (
        "Manage the verified sources.",
        {
            "add": "services.cli.operator.sources:add",
            "list": "services.cli.operator.sources:list_all",
            "set": "services.cli.operator.sources:change",
            "suspend": "services.cli.operator.sources:suspend",
            "resume": "services.cli.operator.sources:resume",
        },
    ),
    "key": (
        "Manage the API keys.",
        {
            "create": "services.cli.operator.keys:create",
            "list": "services.cli.operator.keys:list_all",
            "revoke": "services.cli.operator.keys:revoke",
        },
    ),
    "staff": (
        "Manage the staff, who log in with passkeys.",
        {
            "add": "services.cli.operator.staff:add",
            "list": "services.cli.operator.staff:list_all",
            "remove": "services.cli.operator.staff:remove",
            "reset": "services.cli.operator.staff:reset",
        },
    ),
    "member": (
        "Manage who keeps the desk of a source.",
        {
            "add": "services.cli.operator.members:add",
            "remove": "services.cli.operator.members:remove",
            "list": "services.cli.operator.members:list_all",
        },
    ),
    "review": (
        "Look at how applications to become a source are reviewed.",
        {"report": "services.cli.operator.reviews:report"},
    ),
    "verification": (
        "Look at who is Verified and why, and decide it where payment and identity do not.",
        {
            "list": "services.cli.verification.looking:list_all",
            "show": "services.cli.verification.looking:show",
            "grant": "services.cli.verification.deciding:grant",
            "end": "services.cli.verification.deciding:end",
            "leave": "services.cli.verification.deciding:leave",
            "reconcile": "services.cli.verification.looking:reconcile",
            "work": "services.cli.processes.verification:work",
        },
    ),
    "formula": (
        "Try and compare rating formulas on the whole history, and adopt one.",
        {
            "list": "services.cli.operator.formulas.named:show_all",
            "try": "services.cli.operator.formulas.trials:try_one",
            "compare": "services.cli.operator.formulas.compared:compare",
            "adopt": "services.cli.operator.formulas.adopting:adopt",
        },
    ),
    "mail": (
        "Look at what is to be mailed, and send it.",
        {
            "list": "services.cli.operator.outbox:list_all",
            "show": "services.cli.operator.outbox:show",
            "send": "services.cli.processes.mail:send",
        },
    ),
    "webhooks": (
        "Look at what is sent to the addresses of sources, and send it.",
        {
            "list": "services.cli.endpoints:list_all",
            "retry": "services.cli.endpoints:retry",
            "send": "services.cli.processes.webhook_sending:send",
        },
    ),
    "transparency": (
        "Make the public logs, look at them, and keep them.",
        {
            "init": "services.cli.public_logs:init",
            "status": "services.cli.public_logs:status",
            "follow": "services.cli.processes.transparency:follow",
            "begin-again": "services.cli.public_logs:go_on",
        },
    ),
    "sandbox": (
        "Manage a sandbox, which `mahjic serve --sandbox` serves.",
        {
            "clock": "services.cli.sandbox.clock:clock",
            "reset": "services.cli.sandbox.reset:reset",
        },
    ),
    "views": ("Manage the views.", {"rebuild": "services.cli.operator.views:rebuild_view"}),
    "kafka": (
        "Move the logs to Kafka, and repair them.",
        {
            "init": "services.cli.operator.kafka:init",
            "recover": "services.cli.operator.kafka:recover",
        },
    ),
}
STDERR_DESCRIPTOR: Final = 2
# What sysexits.h calls an internal software error.
FAULT_OF_OURS: Final = 70


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command named by the arguments (the process's own unless given), and exit."""
    _fill_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        # A terminal that lacks a letter shows another one instead of crashing the command.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        build_app()(arguments, prog_name="mahjic")
    except MahjicError as error:
        tell(error.told_code, error)
        sys.exit(error.exit_code)
    except Exception as error:  # noqa: BLE001 - it ends here, and the words may quote people.
        hint("internal_error: This is our fault. Please report it with these lines:")
        for place in places_of(error):
            hint(f"  {place}")
        sys.exit(FAULT_OF_OURS)


def _fill_closed_streams() -> None:
    """Open /dev/null in place of a standard stream that was closed before we started.

    Otherwise the next file opened would get its number, and the event loop would fail when it
    closes it.
    """
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= STDERR_DESCRIPTOR:
        continue
    os.close(descriptor)


def build_app() -> typer.Typer:
    """Return the command with all its subcommands."""
    app = typer.Typer(
        cls=commands_in(COMMANDS), no_args_is_help=True, pretty_exceptions_enable=False
    )
    app.callback()(_mahjic)
    for name, (words, places) in GROUPS.items():
        group = typer.Typer(cls=commands_in(places), no_args_is_help=True)
        group.callback()(_nothing_more)
        app.add_typer(group, name=name, help=words)
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


def _nothing_more() -> None:
    """Begin a group of commands, which has no options of its own."""
