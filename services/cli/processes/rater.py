"""The command that runs the process that rates."""

from services.cli.terminal.running import Host, Port, run_on_kafka
from services.workers import RATER


def rater(host: Host = None, port: Port = None) -> None:
    """On Kafka: rate the facts of the topic. One works; the one started last takes over."""
    run_on_kafka(RATER, host, port)
