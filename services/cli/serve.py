"""The command that runs the service."""

from contextlib import suppress
from typing import Annotated

import typer
import uvloop

from services.cli.options import DataFolder, read_settings
from services.cli.output import hint
from services.cli.stopping import Stopped, run_until_stopped
from services.serving import serve as run_service
from shared.http.logs import configure_logs


def serve(
    host: Annotated[
        str | None, typer.Option(help="The address to listen on; MAHJIC_HOST, or 127.0.0.1.")
    ] = None,
    port: Annotated[
        int | None, typer.Option(help="The port to listen on; MAHJIC_PORT, or 8000.")
    ] = None,
    data: DataFolder = None,
) -> None:
    """Run the service until it is told to stop (Ctrl-C or SIGTERM)."""
    given = {"host": host, "port": port, "data": data}
    chosen: dict[str, object] = {k: v for k, v in given.items() if v is not None}
    if data is not None:
        chosen["database_url"] = None
    settings = read_settings(chosen)
    configure_logs()

    def on_ready(bound_port: int) -> None:
        shown_host = f"[{settings.host}]" if ":" in settings.host else settings.host
        with suppress(OSError):  # Nobody who reads it, or a full disk, is no reason not to serve.
            hint(f"Mahjic serves on http://{shown_host}:{bound_port}")

    # Told to stop while it starts, or while it stops already, it has done as it was told.
    with suppress(Stopped):
        run_until_stopped(
            run_service(settings, on_ready=on_ready), loop_factory=uvloop.new_event_loop
        )
