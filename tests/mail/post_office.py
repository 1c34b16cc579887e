"""SMTP servers for tests: a real one (aiosmtpd, with TLS), and one that fails as it is told."""

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTPUTF8
from typing import Any

import trustme
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

from services.mail.ways import SmtpServer

USER, PASSWORD = "mahjic", "p@ss/word"


@dataclass
class PostOffice:
    """What a real server took: each mail with the commands that it came by."""

    port: int = 0
    envelopes: list[Envelope] = field(default_factory=list)
    was_safe: list[bool] = field(default_factory=list)

    async def handle_DATA(self, _server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        self.envelopes.append(envelope)
        self.was_safe.append(session.ssl is not None)
        return "250 Taken"

    def messages(self) -> list[EmailMessage]:
        return [parsed(each.original_content or b"") for each in self.envelopes]


def parsed(content: bytes) -> EmailMessage:
    message = message_from_bytes(content, policy=SMTPUTF8)
    assert isinstance(message, EmailMessage)
    return message


def authority() -> trustme.CA:
    return trustme.CA()


def server_context(ca: trustme.CA, name: str = "localhost") -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    ca.issue_cert(name).configure_cert(context)
    return context


def check_login(
    _server: object, _session: object, _envelope: object, _mechanism: str, given: Any
) -> AuthResult:
    assert isinstance(given, LoginPassword)
    is_right = (given.login, given.password) == (USER.encode(), PASSWORD.encode())
    return AuthResult(success=is_right, handled=is_right)


@contextlib.asynccontextmanager
async def post_office(
    *, starttls: ssl.SSLContext | None = None, tls: ssl.SSLContext | None = None, **options: Any
) -> AsyncIterator[PostOffice]:
    """Run a real server: with TLS from the beginning, with STARTTLS, or without."""
    office, loop = PostOffice(), asyncio.get_running_loop()
    options.setdefault("enable_SMTPUTF8", True)

    def protocol() -> SMTP:
        if starttls is not None:
            options.update(tls_context=starttls, require_starttls=True)
        return SMTP(office, hostname="localhost", loop=loop, **options)

    server = await loop.create_server(protocol, "localhost", 0, ssl=tls)
    office.port = server.sockets[0].getsockname()[1]
    try:
        yield office
    finally:
        server.close()


def at(port: int, **other: Any) -> SmtpServer:
    """Return how to reach a server of a test."""
    given: dict[str, Any] = {"host": "localhost", "port": port, "safety": "loopback"}
    return SmtpServer(**(given | other))


# What a server that fails does at a command: answers with a line, closes, or says nothing more.
CLOSE, FREEZE = "close", "freeze"


@dataclass
class FaultyServer:
    """A server that takes mails, but at some commands does what `faults` says, as often as said.

    `DATA` is the command, `.` the end of the mail, `CONNECT` the greeting, and `BODY` the middle of
    the mail.
    """

    faults: dict[str, list[str]] = field(default_factory=dict)
    port: int = 0
    taken: list[bytes] = field(default_factory=list)
    connections: int = 0
    frozen: asyncio.Event = field(default_factory=asyncio.Event)
    on_body: Callable[[], None] = lambda: None

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            await self._answer("CONNECT", writer, "220 Hello")
            while line := await reader.readline():
                command = line.split()[0].decode().upper()
                if command == "QUIT":
                    return
                if command == "DATA":
                    await self._take(reader, writer)
                else:
                    await self._answer(command, writer, "250 Fine")
        except ConnectionError:
            pass
        finally:
            writer.close()

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not await self._answer("DATA", writer, "354 Go on"):
            return
        body = b""
        while (line := await reader.readline()) != b".\r\n":
            if not line:
                return
            body += line
            if self.faults.get("BODY"):
                await self._answer("BODY", writer, "")
        self.on_body()
        if await self._answer(".", writer, "250 Taken"):
            self.taken.append(body)

    async def _answer(self, command: str, writer: asyncio.StreamWriter, fine: str) -> bool:
        faults = self.faults.get(command, [])
        fault = faults.pop(0) if faults else ""
        if fault == CLOSE:
            raise ConnectionResetError
        if fault == FREEZE:
            self.frozen.set()
            await asyncio.Event().wait()
        if text := fault or fine:
            writer.write(text.encode() + b"\r\n")
            await writer.drain()
        return not fault


@contextlib.asynccontextmanager
async def faulty_server(**faults: list[str]) -> AsyncIterator[FaultyServer]:
    """Run a server with faults; `END` stands for the end of a mail."""
    if "END" in faults:
        faults["."] = faults.pop("END")
    faulty = FaultyServer(faults)
    tasks: set[asyncio.Task[None]] = set()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tasks.add(asyncio.ensure_future(faulty(reader, writer)))

    server = await asyncio.start_server(connected, "localhost", 0)
    faulty.port = server.sockets[0].getsockname()[1]
    try:
        yield faulty
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
