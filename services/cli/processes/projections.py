"""The command that runs the process that keeps the views up to date."""

from typing import Annotated

import typer

from services.cli.terminal.running import Host, Port, run_on_kafka
from services.projections.building.rebuild import view_named
from services.workers import PROJECTIONS


def projections(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="VIEW", help="Which views to keep up to date; by default all."),
    ] = None,
    host: Host = None,
    port: Port = None,
) -> None:
    """On Kafka: keep views up with the verdicts. Run one for all, or one for some each."""
    views = [view_named(name) for name in dict.fromkeys(names)] if names else None
    run_on_kafka(PROJECTIONS, host, port, views=views)
