"""Runs a server until it is told to stop, and says where it serves."""

from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from typing import Annotated, Any, TypeAlias

import typer
import uvloop

from services.cli.terminal.options import read_settings
from services.cli.terminal.output import hint
from services.cli.terminal.stopping import StoppedBySignal, run_until_stopped
from services.operating.kafka.needed import check_settings
from services.projections.common.tables import AttestedView
from services.role import Role
from services.serving import serve_beside, serve_on_kafka
from services.site.kit.origin import Origin
from shared.http.logs import configure_logs
from shared.settings import Settings

Host: TypeAlias = Annotated[
    str | None, typer.Option("--host", help="The address to listen on; MAHJIC_HOST, or 127.0.0.1.")
]
Port: TypeAlias = Annotated[
    int | None, typer.Option("--port", help="The port to listen on; MAHJIC_PORT, or 8000.")
]


def listening_at(host: str | None, port: int | None) -> dict[str, object]:
    """Return the settings that are given on the command line."""
    return {name: value for name, value in (("host", host), ("port", port)) if value is not None}


def run_on_kafka(
    role: Role, host: str | None, port: int | None, *, views: Sequence[AttestedView] | None = None
) -> None:
    """Run one of the processes that share the work on Kafka."""
    settings = read_settings(listening_at(host, port))
    check_settings(settings)
    if settings.kafka_security == "SASL_PLAINTEXT":
        hint(
            "MAHJIC_KAFKA_SECURITY is SASL_PLAINTEXT: anyone listening on the way to Kafka can "
            "read everything, and with MAHJIC_KAFKA_SASL_MECHANISM=PLAIN the password too. "
            "SASL_SSL is safe."
        )
    run_serving(
        settings,
        f"Mahjic {role.name}",
        lambda on_ready: serve_on_kafka(role, settings, views=views, on_ready=on_ready),
        has_site=role.shows_pages,
    )


def run_wherever(role: Role, host: str | None, port: int | None) -> None:
    """Run a process that stands on Kafka, or beside `mahjic serve`, as the settings say."""
    settings = read_settings(listening_at(host, port))
    if settings.kafka_servers is not None:
        run_on_kafka(role, host, port)
        return
    run_serving(
        settings,
        f"Mahjic {role.name}",
        lambda on_ready: serve_beside(role, settings, on_ready=on_ready),
        has_site=role.shows_pages,
    )


def run_serving(
    settings: Settings,
    name: str,
    work: Callable[[Callable[[int], None]], Coroutine[Any, Any, None]],
    *,
    has_site: bool,
) -> None:
    """Run work that reports its port once it is ready, until it is told to stop."""
    configure_logs()

    def on_ready(bound_port: int) -> None:
        shown_host = f"[{settings.host}]" if ":" in settings.host else settings.host
        with suppress(OSError):  # A closed stream or a full disk is no reason not to.
            hint(f"{name} serves on http://{shown_host}:{bound_port}")
            if has_site:
                hint(f"Its site is at {Origin(settings.public_url, bound_port).url}")

    # If told to stop while it starts, or already stops, it has done what it was told.
    with suppress(StoppedBySignal):
        run_until_stopped(work(on_ready), loop_factory=uvloop.new_event_loop)
