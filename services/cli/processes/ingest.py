"""The command that runs one of the processes that take sessions."""

from services.cli.terminal.running import Host, Port, run_on_kafka
from services.roles import INGEST


def ingest(host: Host = None, port: Port = None) -> None:
    """On Kafka: take what is submitted and what the operator changes. Run any number."""
    run_on_kafka(INGEST, host, port)
