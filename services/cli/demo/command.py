"""The command that shows Mahjic on a real service to someone who has never seen it."""

import sys
import time
from contextlib import ExitStack
from typing import Annotated, Final

import typer

from services.cli.demo.doors import direct_client, open_doors
from services.cli.demo.interruptions import Interruptions
from services.cli.demo.league_night import LEAGUE_NIGHT
from services.cli.demo.playing import DemoGame
from services.cli.demo.season import make_up_season
from services.cli.demo.served import (
    EMBEDDED,
    DemoFailed,
    Program,
    TemporaryService,
    temporary_service,
)
from services.cli.demo.story import Story
from services.cli.terminal.output import hint, progress_bar
from services.projections.history.answers import Change

ALICE: Final = "alice@ex.com"
BOARD_PLAYERS: Final = 10
CHANGES_DRAWN: Final = 200
# What a shell adds to the number of the signal that ended a program.
SIGNAL_EXIT_CODE: Final = 128


def demo(
    seed: Annotated[
        int,
        typer.Option(metavar="N", min=0, help=("A different number makes up a different season.")),
    ] = 1,
) -> None:
    """Run a real service for a moment, play a season on it, and show the ratings."""
    run_demo(seed, EMBEDDED, Story())


def run_demo(seed: int, program: Program, story: Story) -> None:
    """Play a season on a service that a program runs for a moment, and tell its story."""
    interruptions = Interruptions()
    story.tell_beginning()
    try:
        with interruptions.watched(), ExitStack() as stack:
            started_at = time.monotonic()
            with progress_bar("Starting a service"):
                service = stack.enter_context(temporary_service(program, interruptions))
            story.tell_service(service, time.monotonic() - started_at)
            _show(service, seed, story)
            _wait_on_site(service, story)
    except KeyboardInterrupt:
        number = interruptions.signal_number
        assert number is not None, "Only a signal interrupts."
        hint("Interrupted. The service has stopped, and its folder is gone.")
        raise typer.Exit(SIGNAL_EXIT_CODE + number) from None
    except DemoFailed as error:
        _show_log(error)
        raise
    story.tell_end()


def _show(service: TemporaryService, seed: int, story: Story) -> None:
    with direct_client(service.url) as http:
        game = DemoGame(open_doors(service.data, http))
        story.tell_league_night(game.submit(LEAGUE_NIGHT))

        season = make_up_season(seed)
        story.tell_season(season, seed)
        started_at = time.monotonic()
        with progress_bar("Playing") as show:
            game.play(season, show)
        story.tell_season_over(season, time.monotonic() - started_at)

        story.tell_board(game.board(limit=BOARD_PLAYERS), season.strengths, game.mahjic_ids)
        _show_alice(game, story)


def _show_alice(game: DemoGame, story: Story) -> None:
    """Show who won the league night: her current rating, and why it last moved."""
    changes = game.changes(ALICE, limit=CHANGES_DRAWN)
    story.tell_player(game.profile(ALICE), changes)
    story.tell_why(game.why(ALICE, telling_change(changes)))


def telling_change(newest_first: list[Change]) -> Change:
    """Choose the newest league round: it has points, and opponents of many ratings."""
    return next(change for change in newest_first if change["points"] is not None)


def _wait_on_site(service: TemporaryService, story: Story) -> None:
    """Keep the service running while someone at a terminal looks at its site."""
    if sys.stdin.isatty() and sys.stdout.isatty():
        story.tell_site(service)
        sys.stdin.readline()


def _show_log(error: DemoFailed) -> None:
    lines = error.extra.get("log", [])
    if lines:
        hint("The service's log ends with:")
    for line in lines:
        hint(f"  {line}")
