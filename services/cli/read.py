"""The command that runs one of the processes that answer the public."""

from services.cli.running import Host, Port, run_on_kafka
from services.roles import READ


def read(host: Host = None, port: Port = None) -> None:
    """On Kafka: answer whoever reads. Run any number."""
    run_on_kafka(READ, host, port)
