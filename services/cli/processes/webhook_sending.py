"""The command that runs the process that sends events to the addresses of sources."""

from services.cli.terminal.running import Host, Port, run_wherever
from services.workers import WEBHOOKS


def send(host: Host = None, port: Port = None) -> None:
    """Send events: on Kafka, or beside `mahjic serve`, which does it too. Run any number."""
    run_wherever(WEBHOOKS, host, port)
