"""The command that runs one of the processes that answer the public."""

from services.cli.terminal.options import read_settings
from services.cli.terminal.running import Host, Port, listening_at, run_on_kafka, run_serving
from services.roles import READ
from services.serving import serve_reads


def read(host: Host = None, port: Port = None) -> None:
    """Answer reads: on Kafka, or beside `mahjic serve` on a hot standby. Run any number."""
    settings = read_settings(listening_at(host, port))
    if settings.kafka_servers is not None:
        run_on_kafka(READ, host, port)
        return
    run_serving(settings, "Mahjic read", lambda on_ready: serve_reads(settings, on_ready=on_ready))
