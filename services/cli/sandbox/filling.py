"""Plays the season of the demo in a sandbox, so that its boards and pages show something."""

import tempfile
from pathlib import Path
from typing import Final

import typer

from services.cli.demo.doors import direct_client, open_doors
from services.cli.demo.interruptions import Interruptions
from services.cli.demo.league_night import LEAGUE_NIGHT
from services.cli.demo.playing import DemoGame
from services.cli.demo.season import make_up_season
from services.cli.demo.served import Program, service_on
from services.cli.terminal.output import hint, progress_bar

SERVED: Final = Program(
    ("services.cli", "serve", "--sandbox", "--port", "0"), ready_s_max=60.0, stop_s_max=10.0
)
SEED: Final = 1
SIGNAL_EXIT_CODE: Final = 128
# Whom the demo has at a domain that a sandbox refuses.
_OF_THE_DEMO: Final = "@ex.com"
_MADE_UP: Final = "@example.com"


def play_season(data: Path) -> None:
    """Play a season in a sandbox that nobody serves. Raises DemoFailed."""
    interruptions = Interruptions()
    try:
        with interruptions.watched(), tempfile.TemporaryDirectory(prefix="mahjic-") as folder:
            log = Path(folder) / "service.log"
            with (
                service_on(SERVED, data, log, interruptions) as service,
                direct_client(service.url) as http,
            ):
                game = DemoGame(open_doors(data, http), _made_up)
                game.submit(LEAGUE_NIGHT)
                with progress_bar("Playing") as show:
                    game.play(make_up_season(SEED), show)
    except KeyboardInterrupt:
        number = interruptions.signal_number
        assert number is not None, "Only a signal interrupts."
        hint("Interrupted. The sandbox holds the part of the season that was played.")
        raise typer.Exit(SIGNAL_EXIT_CODE + number) from None


def _made_up(text: str) -> str:
    return text.replace(_OF_THE_DEMO, _MADE_UP)
