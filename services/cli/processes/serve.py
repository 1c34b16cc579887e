"""The command that runs the whole service in one process."""

from typing import Annotated

import typer

from services.cli.terminal.options import DataFolder, read_settings, say_made
from services.cli.terminal.output import hint
from services.cli.terminal.running import Host, Port, listening_at, run_serving
from services.roles import SERVE
from services.serving import serve as run_service


def serve(
    host: Host = None,
    port: Port = None,
    data: DataFolder = None,
    sandbox: Annotated[
        bool,
        typer.Option(
            "--sandbox",
            help="Serve a sandbox for trying things out, in a folder of its own: what it is made "
            "as at its first start it stays.",
        ),
    ] = False,
) -> None:
    """Run the service until it is told to stop (Ctrl-C or SIGTERM)."""
    chosen = listening_at(host, port)
    if data is not None:
        chosen |= {"data": data, "database_url": None}
    settings = read_settings(chosen)
    if settings.kafka_servers is not None:
        hint(
            "MAHJIC_KAFKA_SERVERS is set, but `mahjic serve` does not use it: its logs are tables."
        )
    run_serving(
        settings,
        "Mahjic",
        lambda on_ready: run_service(
            SERVE, settings, on_ready=on_ready, before_made=say_made, is_sandbox=sandbox
        ),
        has_site=True,
    )
