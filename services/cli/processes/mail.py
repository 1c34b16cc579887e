"""The command that runs the process that sends mail."""

from services.cli.terminal.running import Host, Port, run_wherever
from services.workers import MAIL


def send(host: Host = None, port: Port = None) -> None:
    """Send mail: on Kafka, or beside `mahjic serve`, which does it too. Run any number."""
    run_wherever(MAIL, host, port)
