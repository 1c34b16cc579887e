"""The commands that run the processes that answer the public: the reads, and the site."""

from services.cli.terminal.options import read_settings
from services.cli.terminal.running import Host, Port, listening_at, run_on_kafka, run_serving
from services.roles import READ, SITE, Role
from services.serving import serve_reads


def read(host: Host = None, port: Port = None) -> None:
    """Answer reads: on Kafka, or beside `mahjic serve` on a hot standby. Run any number."""
    _answer(READ, host, port)


def site(host: Host = None, port: Port = None) -> None:
    """Show the site: on Kafka, or beside `mahjic serve` on a hot standby. Run any number."""
    _answer(SITE, host, port)


def _answer(role: Role, host: str | None, port: int | None) -> None:
    settings = read_settings(listening_at(host, port))
    if settings.kafka_servers is not None:
        run_on_kafka(role, host, port)
        return
    run_serving(
        settings,
        f"Mahjic {role.name}",
        lambda on_ready: serve_reads(role, settings, on_ready=on_ready),
        has_site=role.shows_pages,
    )
