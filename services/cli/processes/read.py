"""The commands that run the processes that answer the public: the reads, and the site."""

from services.cli.terminal.running import Host, Port, run_wherever
from services.roles import READ, SITE


def read(host: Host = None, port: Port = None) -> None:
    """Answer reads: on Kafka, or beside `mahjic serve` on a hot standby. Run any number."""
    run_wherever(READ, host, port)


def site(host: Host = None, port: Port = None) -> None:
    """Show the site: on Kafka, or beside `mahjic serve` on a hot standby. Run any number."""
    run_wherever(SITE, host, port)
