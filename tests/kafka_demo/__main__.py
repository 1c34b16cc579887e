"""The command of `make demo-kafka`: `python -m tests.kafka_demo [--seed N]`."""

import re
import sys
from typing import Annotated, Final

import typer

from services.cli.demo.command import run_demo
from services.cli.demo.served import Program, TemporaryService
from services.cli.demo.story import Story
from services.cli.terminal.output import tell
from shared.errors import MahjicError

ON_KAFKA: Final = Program(("tests.kafka_demo.service",), ready_s_max=300.0, stop_s_max=60.0)

PLACE: Final = re.compile(
    r"^(PostgreSQL|Kafka|Mahjic \w+) (?:is|serves) on (?:http://)?(.+)$", re.MULTILINE
)
WORK: Final = {
    "PostgreSQL": "keeps people, facts and views",
    "Kafka": "keeps facts and verdicts",
    "Mahjic ingest": "takes sessions, writes facts",
    "Mahjic relay": "copies the facts to Kafka",
    "Mahjic rater": "rates them, writes verdicts",
    "Mahjic projections": "keeps views of the verdicts",
    "Mahjic read": "answers every look-up",
    "Mahjic site": "shows pages to people",
}


class StoryOnKafka(Story):
    """The same story, which also says what runs."""

    def tell_service(self, service: TemporaryService, took_s: float) -> None:
        """Say which processes share the work."""
        self._write(
            f"Many processes share the work this time. The service is on {service.url}, one "
            f"address for all of them. They started in {took_s:.1f} s:"
        )
        found = PLACE.findall(service.log.read_text(errors="replace"))
        rows = [(name, place, WORK[name]) for name, place in found]
        self._table(("process", "place", "work"), rows, numbers=(), spare=("place",))
        self._write(
            "From the same sessions, one process makes the same numbers: `make demo` shows them, "
            "to the last digit. Only the Mahjic IDs are others; they are drawn by chance."
        )

    def tell_end(self) -> None:
        """Say where to go next; here, to a Kafka of one's own too."""
        super().tell_end()
        self._write("docs/deploy.md says how to run these processes on a Kafka of your own.")


def demo(
    seed: Annotated[
        int,
        typer.Option(metavar="N", min=0, help="A different number makes up a different season."),
    ] = 1,
) -> None:
    """Run every process of Mahjic on a real Kafka for a moment, and show the ratings."""
    try:
        run_demo(seed, ON_KAFKA, StoryOnKafka())
    except MahjicError as error:
        tell(error.code, error)
        raise typer.Exit(error.exit_code) from error


if __name__ == "__main__":
    app = typer.Typer(pretty_exceptions_enable=False, add_completion=False)
    app.command()(demo)
    app(prog_name=f"{sys.executable} -m tests.kafka_demo")
