"""The command that runs the process that keeps the public logs."""

from services.cli.processes.verification import ServeDoesIt
from services.cli.terminal.options import read_settings
from services.cli.terminal.running import Host, Port, listening_at, run_on_kafka
from services.roles import TRANSPARENCY


def follow(host: Host = None, port: Port = None) -> None:
    """On Kafka: keep the public logs, and have witnesses cosign them. One works at a time."""
    if read_settings(listening_at(host, port)).kafka_servers is None:
        raise ServeDoesIt(
            "Without Kafka, `mahjic serve` keeps the public logs itself, so there is nothing to "
            "start. If the logs are on Kafka, set MAHJIC_KAFKA_SERVERS."
        )
    run_on_kafka(TRANSPARENCY, host, port)
