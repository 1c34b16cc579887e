"""The command that runs the process that sees to payments and identity checks."""

from services.cli.terminal.options import read_settings
from services.cli.terminal.running import Host, Port, listening_at, run_on_kafka
from services.roles import VERIFICATION
from shared.errors import MahjicError


class ServeDoesIt(MahjicError):
    """What was asked for is a part of `mahjic serve`, unless the logs are on Kafka."""

    code = "serve_does_it"
    title = "`mahjic serve` does this"
    exit_code = 2


def work(host: Host = None, port: Port = None) -> None:
    """On Kafka: see to payments, identity checks and time. Run any number."""
    if read_settings(listening_at(host, port)).kafka_servers is None:
        raise ServeDoesIt(
            "Without Kafka, `mahjic serve` sees to payments and identity checks itself, so there "
            "is nothing to start. If the logs are on Kafka, set MAHJIC_KAFKA_SERVERS."
        )
    run_on_kafka(VERIFICATION, host, port)
