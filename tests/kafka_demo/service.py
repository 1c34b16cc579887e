"""Runs all of Kafka mode on a folder until it is told to stop; the demo says `--data FOLDER`.

PostgreSQL, Kafka and every role are processes of their own; this one starts them, joins them behind
one address, and leaves none behind.
"""

import asyncio
import sys
from contextlib import AsyncExitStack, suppress
from functools import partial
from pathlib import Path

from services.cli.terminal.stopping import StoppedBySignal, run_until_stopped
from shared.db.server.embedded import embedded_server
from tests.kafka.broker import Broker
from tests.kafka.tools import KafkaMissing
from tests.processes import mahjic
from tests.whole.kafka.kafka_site import ROLES, environment_of, running, url_for
from tests.whole.kafka.one_address import one_address


async def serve(data: Path) -> int:
    """Run everything, and return what to exit with once a signal came or a process has ended."""
    try:
        return await _serve(data)
    except KafkaMissing as missing:
        _say(str(missing))
        return 1


async def _serve(data: Path) -> int:
    kafka = data.parent / "kafka"
    kafka.mkdir()
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(embedded_server(data, role="serve"))
        broker = await stack.enter_async_context(Broker(kafka))
        environment = environment_of(server.dsn, broker, "mahjic")
        await mahjic(environment, "kafka", "init")
        served = await stack.enter_async_context(running(environment, ROLES))
        address = await stack.enter_async_context(one_address(partial(url_for, served)))
        _say("PostgreSQL is on a socket")
        _say(f"Kafka is on {broker.address}")
        for role, process in served.items():
            _say(f"Mahjic {role} serves on {process.url}")
        _say(f"Mahjic serves on {address.url}")
        ends = [asyncio.create_task(each.process.wait()) for each in served.values()]
        await asyncio.wait([address.serving, *ends], return_when=asyncio.FIRST_COMPLETED)
        ended = {role: each for role, each in served.items() if each.process.returncode is not None}
        for role, each in ended.items():
            _say(f"{each.log}Mahjic {role} has ended, with exit code {each.process.returncode}.")
        return 1 if ended else 0


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    _, _, folder = sys.argv
    with suppress(StoppedBySignal):
        sys.exit(run_until_stopped(serve(Path(folder))))
