"""A line between a program and a Kafka broker that loses what it is told to lose."""

import asyncio
import contextlib
import shutil
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from enum import IntEnum

from tests.folders import open_folder
from tests.kafka.broker import Broker, free_ports
from tests.kafka.fixtures import not_tried
from tests.kafka.tools import KafkaMissing
from tests.log.postgres.broken_line import Loss


class Request(IntEnum):
    """The requests of Kafka's protocol that a writer sends, by their keys."""

    PRODUCE = 0
    INIT_PRODUCER = 22
    ADD_PARTITIONS = 24
    END_TRANSACTION = 26


class KafkaLine:
    """A port that passes everything on until it is told to break."""

    def __init__(self, server: str) -> None:
        self._host, port = server.split(":")
        self._port = int(port)
        self._planned: tuple[Request, Loss] | None = None
        self._is_cut = False
        self.losses = 0

    def plan(self, request: Request, loss: Loss) -> None:
        """Lose the next request of a kind, or the answer to it; then nothing comes through."""
        self._planned = (request, loss)

    def mend(self) -> None:
        """Let everything through again."""
        self._is_cut = False

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carry one connection until either end, or a loss, closes it."""
        if self._is_cut:
            writer.close()
            return
        server_reader, server_writer = await asyncio.open_connection(self._host, self._port)
        answers = asyncio.create_task(_pass_on(server_reader, writer))
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            while not self._is_cut:
                frame = await _frame(reader)
                loss = self._loss_of(frame)
                if loss is Loss.ANSWER:
                    answers.cancel()
                    await asyncio.wait([answers])
                    server_writer.write(frame)
                    await _frame(server_reader)
                elif loss is None:
                    server_writer.write(frame)
        answers.cancel()
        server_writer.close()
        writer.close()

    def _loss_of(self, frame: bytes) -> Loss | None:
        if self._planned is None or struct.unpack(">h", frame[4:6])[0] != self._planned[0]:
            return None
        _, loss = self._planned
        self._planned, self._is_cut = None, True
        self.losses += 1
        return loss


async def _frame(reader: asyncio.StreamReader) -> bytes:
    size = await reader.readexactly(4)
    return size + await reader.readexactly(struct.unpack(">i", size)[0])


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
        while True:
            writer.write(await _frame(reader))
    writer.close()


@asynccontextmanager
async def a_broker_behind_a_line() -> AsyncIterator[tuple[Broker, KafkaLine, str]]:
    """Run a broker, and give beside it a line to it and the address of that."""
    folder, (port,) = open_folder(), free_ports(1)
    try:
        broker = Broker(folder, listeners={"LINE": "PLAINTEXT"})
        # Whoever comes over the line is told to come over the line again.
        advertised = f"PLAINTEXT://{broker.address},LINE://127.0.0.1:{port}"
        with (folder / "server.properties").open("a") as properties:
            properties.write(f"advertised.listeners={advertised}\n")
        async with broker:
            line = KafkaLine(broker.address_of("LINE"))
            server = await asyncio.start_server(line.carry, "127.0.0.1", port)
            try:
                yield broker, line, f"127.0.0.1:{port}"
            finally:
                server.close()
    except KafkaMissing as missing:
        not_tried(missing)
    finally:
        shutil.rmtree(folder)
