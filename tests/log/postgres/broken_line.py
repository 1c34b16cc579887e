"""A line between a program and PostgreSQL that loses what it is told to lose."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from enum import Enum, auto
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

CHUNK_BYTES = 1 << 20


class Loss(Enum):
    """What is lost when the line breaks."""

    REQUEST = auto()  # The server never hears it.
    ANSWER = auto()  # The server has done it, and the program never hears so.
    NEWS = auto()  # The server never hears it, nor that the program's connection is gone.


class BrokenLine:
    """A socket that passes everything on until it is told to break."""

    def __init__(self, server_socket: Path) -> None:
        self._server_socket = server_socket
        self._planned: list[tuple[int, Loss]] = []
        self._left_open: list[asyncio.StreamWriter] = []
        self._open: set[asyncio.StreamWriter] = set()
        self.losses = 0

    def plan(self, *losses: tuple[int, Loss]) -> None:
        """Lose each in turn, after so many messages of the program since the one before."""
        self._planned = list(losses)

    def cut(self) -> None:
        """Cut every connection now; the server goes on with what it was asked."""
        for writer in self._open:
            writer.close()

    def _loses_now(self) -> Loss | None:
        """Count one message of the program, and tell what is lost with it."""
        if not self._planned:
            return None
        messages, loss = self._planned[0]
        if messages > 0:
            self._planned[0] = (messages - 1, loss)
            return None
        del self._planned[0]
        self.losses += 1
        return loss

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carry one connection until either end, or a loss, closes it."""
        server_reader, server_writer = await asyncio.open_unix_connection(self._server_socket)
        answers = asyncio.create_task(_pass_on(server_reader, writer))
        self._open.add(writer)
        loss = None
        with contextlib.suppress(ConnectionError):
            while loss is None and (request := await reader.read(CHUNK_BYTES)):
                loss = self._loses_now()
                if loss is None:
                    server_writer.write(request)
                elif loss is Loss.ANSWER:
                    answers.cancel()
                    await asyncio.wait([answers])
                    server_writer.write(request)
                    await server_reader.read(CHUNK_BYTES)
        answers.cancel()
        self._open.discard(writer)
        writer.close()
        if loss is Loss.NEWS:
            self._left_open.append(server_writer)
        else:
            server_writer.close()

    def close(self) -> None:
        """Close what a loss of news left open."""
        for writer in self._left_open:
            writer.close()


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while answer := await reader.read(CHUNK_BYTES):
            writer.write(answer)
    writer.close()


@contextlib.asynccontextmanager
async def broken_line(dsn: str, folder: Path) -> AsyncIterator[tuple[BrokenLine, str]]:
    """Open a line to the server of `dsn`, and give the URL that goes through it."""
    host = parse_qs(urlsplit(dsn).query)["host"][0]
    line = BrokenLine(Path(host) / ".s.PGSQL.5432")
    listening = await asyncio.start_unix_server(line.carry, folder / ".s.PGSQL.5432")
    try:
        yield line, dsn.replace(quote(host, safe=""), quote(str(folder), safe=""))
    finally:
        listening.close()
        line.close()
