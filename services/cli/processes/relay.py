"""The command that runs the process that copies facts to Kafka."""

from services.cli.terminal.running import Host, Port, run_on_kafka
from services.workers import RELAY


def relay(host: Host = None, port: Port = None) -> None:
    """On Kafka: copy facts to their topic. One works, any others stand by."""
    run_on_kafka(RELAY, host, port)
