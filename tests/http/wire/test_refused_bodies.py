"""A body that nobody wants is thrown away within limits, and whoever sends it reads the refusal."""

import asyncio
from typing import Final

import pytest

from shared.http.wire.lingering import LINGER_BYTES_MAX
from shared.http.wire.protocol import DRAIN_BYTES_MAX
from tests.http.service import SOURCE_KEY, a_service
from tests.http.serving import DEADLINE_S, ImpatientProtocol, impatient_server, serving
from tests.http.wire.wire import Wire

GET: Final = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
POST: Final = b"POST /v1/notes HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
KEYED: Final = POST + b"Authorization: Bearer " + SOURCE_KEY.encode() + b"\r\n"
# What the two systems keep of a connection between them.
SOCKET_BYTES_MAX: Final = 16 << 20


async def send_forever(port: int, head: bytes, piece: bytes) -> tuple[bytes, int]:
    """Send pieces until the other side takes no more; return what it said, and what it took."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    answer = asyncio.create_task(reader.read())
    writer.write(head)
    bytes_sent = 0
    try:
        async with asyncio.timeout(DEADLINE_S):
            while bytes_sent < 4 * SOCKET_BYTES_MAX:
                writer.write(piece)
                await writer.drain()
                bytes_sent += len(piece)
    except ConnectionError:
        pass
    finally:
        writer.close()
    try:
        return await answer, bytes_sent
    except ConnectionError:
        return b"", bytes_sent


async def drip(writer: asyncio.StreamWriter) -> None:
    while True:
        writer.write(b"x")
        await writer.drain()
        await asyncio.sleep(0)


@pytest.mark.parametrize(
    ("head", "piece", "status"),
    [
        (POST + b"Content-Length: 99999999999\r\n\r\n", b"x" * 65536, 401),
        (KEYED + b"Content-Length: 99999999999\r\n\r\n", b"x" * 65536, 413),
        (KEYED + b"Transfer-Encoding: chunked\r\n\r\n", b"8000\r\n" + b"x" * 32768 + b"\r\n", 413),
        (GET[:-2] + b"Content-Length: 99999999999\r\n\r\n", b"x" * 65536, 200),
        (b"no HTTP\r\n\r\n", b"x" * 65536, 400),
        (GET[:-2] + b"X: ", b"x" * 65536, 431),
    ],
)
async def test_a_body_that_is_not_wanted_is_not_read_forever(
    head: bytes, piece: bytes, status: int
) -> None:
    async with serving(a_service()) as server:
        answer, bytes_sent = await send_forever(server.port, head, piece)
    # A sender who never reads may lose the answer to the reset that ends it all.
    assert answer == b"" or answer.startswith(b"HTTP/1.1 %d " % status)
    assert bytes_sent < DRAIN_BYTES_MAX + LINGER_BYTES_MAX + SOCKET_BYTES_MAX


@pytest.mark.parametrize(
    ("head", "bytes_count", "status"),
    [
        (KEYED + b"Content-Length: 1500000\r\n\r\n", 1_000_000, 413),
        (GET[:-2] + b"X: ", LINGER_BYTES_MAX // 2, 431),
    ],
)
async def test_who_still_sends_when_refused_reads_why(
    head: bytes, bytes_count: int, status: int
) -> None:
    async with serving(a_service()) as server, asyncio.timeout(DEADLINE_S):
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(head + b"x" * bytes_count)
        await writer.drain()
        answer = await reader.read()
        writer.close()
    assert answer.startswith(b"HTTP/1.1 %d " % status)
    assert b"\r\nconnection: close\r\n" in answer


@pytest.mark.parametrize("framing", ["length", "chunks"])
async def test_a_connection_is_used_on_after_a_body_that_was_not_wanted(framing: str) -> None:
    body = b"x" * 900_000
    if framing == "length":
        sent = POST + b"Content-Length: %d\r\n\r\n" % len(body) + body
    else:
        sent = POST + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n" % len(body) + body
        sent += b"\r\n0\r\n\r\n"
    wire = Wire(a_service())
    await wire.receive(*(sent[at : at + 65536] for at in range(0, len(sent), 65536)), GET)
    assert wire.sent.startswith(b"HTTP/1.1 401 ")
    assert wire.sent.endswith(b'{"status":"alive"}')
    assert not wire.is_closed
    wire.hang_up()


async def test_who_asks_before_sending_a_body_and_is_refused_is_hung_up_on() -> None:
    # It may send the body or the next request now, and nobody could tell which it is.
    wire = Wire(a_service())
    await wire.receive(POST + b"Content-Length: 11\r\nExpect: 100-continue\r\n\r\n")
    while not wire.is_closed:
        await asyncio.sleep(0)
    assert wire.sent.startswith(b"HTTP/1.1 401 ")
    assert b"\r\nconnection: close\r\n" in wire.sent
    wire.hang_up()


async def test_a_body_that_comes_slowly_after_its_refusal_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ImpatientProtocol, "drain_s_max", 0.05)
    monkeypatch.setattr(ImpatientProtocol, "head_bytes_max", 1000)
    async with impatient_server(a_service()) as port, asyncio.timeout(DEADLINE_S):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(POST + b"Content-Length: 1000000\r\n\r\n")
        assert (await reader.readline()).startswith(b"HTTP/1.1 401 ")
        with pytest.raises(ConnectionError):
            await drip(writer)
        writer.close()


async def test_an_empty_line_does_not_keep_a_connection_open_forever() -> None:
    async with impatient_server(a_service()) as port, asyncio.timeout(DEADLINE_S):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(GET + b"\r\n")
        answers = await reader.read()
        writer.close()
    assert answers.startswith(b"HTTP/1.1 200 ")
    assert b"HTTP/1.1 408 " in answers
