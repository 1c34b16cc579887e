"""What comes on a connection is read to the byte, and each fault of it has its one answer."""

import asyncio
import re
from typing import Final

import pytest
from starlette.types import Message, Receive, Scope, Send

from shared.http.wire.framing import CHUNK_LINE_BYTES_MAX
from tests.http.service import SOURCE_KEY, a_service
from tests.http.serving import send_raw, serving
from tests.http.wire.wire import Wire

GET: Final = b"GET /healthz HTTP/1.1\r\nHost: x\r\n"
POST: Final = (
    b"POST /v1/notes HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    b"Authorization: Bearer " + SOURCE_KEY.encode() + b"\r\n"
)
NOTE: Final = b'{"count":1}'
CHUNKED: Final = POST + b"Transfer-Encoding: chunked\r\n\r\n"
WHOLE: Final = POST + b"Content-Length: 11\r\n\r\n" + NOTE
LONG_EXTENSION: Final = b"b;a=" + b"b" * CHUNK_LINE_BYTES_MAX + b"\r\n"

# What is sent, and the statuses of the answers in their order. After a 400 nothing is read.
TAKEN: Final = {
    "a request": (GET + b"\r\n", [200]),
    "empty lines before it": (b"\r\n\r\n" + GET + b"\r\n", [200]),
    "three at once": (GET + b"\r\n" + WHOLE + GET + b"\r\n", [200, 201, 200]),
    "an absolute target": (b"GET http://x/healthz HTTP/1.1\r\nHost: x\r\n\r\n", [200]),
    "leading noughts": (POST + b"Content-Length: 0011\r\n\r\n" + NOTE, [201]),
    "a chunk": (CHUNKED + b"b\r\n" + NOTE + b"\r\n0\r\n\r\n" + GET + b"\r\n", [201, 200]),
    "chunks of a byte": (
        CHUNKED + b"".join(b"1\r\n%c\r\n" % each for each in NOTE) + b"0\r\n\r\n",
        [201],
    ),
    "chunks in capitals": (CHUNKED + b"0B\r\n" + NOTE + b"\r\n00\r\n\r\n", [201]),
    "a chunk with an extension": (CHUNKED + b"b;a=b\r\n" + NOTE + b"\r\n0;c\r\n\r\n", [201]),
    "a trailer": (CHUNKED + b"b\r\n" + NOTE + b"\r\n0\r\nX: y\r\n\r\n" + GET + b"\r\n", [201, 200]),
    "an offer of HTTP/2": (
        POST + b"Connection: Upgrade\r\nUPGRADE: h2c\r\nContent-Length: 11\r\n\r\n" + NOTE + WHOLE,
        [201, 201],
    ),
    "an offer of web sockets": (
        GET + b"Connection: upgrade\r\nUpgrade: websocket\r\n\r\n" + GET + b"\r\n",
        [200, 200],
    ),
}
REFUSED: Final = {
    "no HTTP": b"no HTTP\r\n\r\n",
    "a bare LF in the head": b"GET /healthz HTTP/1.1\r\nHost: x\n\r\n",
    "bare LFs alone": b"GET /healthz HTTP/1.1\nHost: x\n\n",
    "a bare LF at the end": GET + b"\n",
    "a bare CR": b"GET /healthz HTTP/1.1\rHost: x\r\r\n\r\n",
    "a folded line": GET + b"X: a\r\n b\r\n\r\n",
    "a folded first line": b"GET /healthz HTTP/1.1\r\n Host: x\r\n\r\n",
    "a folded offer": GET + b"Upgrade: h2c\r\n b\r\n\r\n",
    "a bare CR in an offer": GET + b"Upgrade: a\rX: b\r\n\r\n",
    "a NUL": GET + b"X: a\0b\r\n\r\n",
    "a space before the colon": GET + b"X : y\r\n\r\n",
    "a field without a name": GET + b": y\r\n\r\n",
    "HTTP/0.9": b"GET /healthz\r\n\r\n",
    "HTTP/2": b"GET /healthz HTTP/2.0\r\nHost: x\r\n\r\n",
    "the preface of HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "a tunnel": b"CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n",
    "bytes that are no ASCII": b"GET /h\xc3\xa9 HTTP/1.1\r\nHost: x\r\n\r\n",
    "both lengths": POST + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "both, the other way": POST + b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n",
    "two lengths": POST + b"Content-Length: 11\r\nContent-Length: 12\r\n\r\n" + NOTE,
    "one length twice": POST + b"Content-Length: 11\r\nContent-Length: 11\r\n\r\n" + NOTE,
    "a list of lengths": POST + b"Content-Length: 11, 11\r\n\r\n" + NOTE,
    "a signed length": POST + b"Content-Length: +11\r\n\r\n" + NOTE,
    "a length below nought": POST + b"Content-Length: -1\r\n\r\n",
    "a length in hex": POST + b"Content-Length: 0xb\r\n\r\n" + NOTE,
    "an empty length": POST + b"Content-Length: \r\n\r\n",
    "a length of 23 digits": POST + b"Content-Length: 99999999999999999999999\r\n\r\n",
    "another coding": POST + b"Transfer-Encoding: gzip\r\n\r\n",
    "another coding first": POST + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    "another coding last": POST + b"Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n",
    "nearly the coding": POST + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    "the coding twice": POST + b"Transfer-Encoding: chunked\r\n" * 2 + b"\r\n0\r\n\r\n",
    "chunks in HTTP/1.0": CHUNKED.replace(b"HTTP/1.1", b"HTTP/1.0") + b"0\r\n\r\n",
    "a chunk without a length": CHUNKED + b"zz\r\n",
    "a chunk below nought": CHUNKED + b"-1\r\n",
    "a chunk beyond 64 bits": CHUNKED + b"f" * 17 + b"\r\n",
    "a chunk longer than it says": CHUNKED + b"a\r\n" + NOTE + b"\r\n0\r\n\r\n",
    "a chunk shorter than it says": CHUNKED + b"c\r\n" + NOTE + b"\r\n0\r\n\r\n",
    "a bare LF after a length": CHUNKED + b"b\n" + NOTE + b"\r\n0\r\n\r\n",
    "a bare LF after a chunk": CHUNKED + b"b\r\n" + NOTE + b"\n0\r\n\r\n",
    "a space after a length": CHUNKED + b"b \r\n" + NOTE + b"\r\n0\r\n\r\n",
    "an endless extension": CHUNKED + LONG_EXTENSION + NOTE + b"\r\n0\r\n\r\n",
    "a trailer that is none": CHUNKED + b"b\r\n" + NOTE + b"\r\n0\r\nX y\r\n\r\n",
    "no host": b"GET /healthz HTTP/1.1\r\n\r\n",
    "two hosts": GET + b"Host: y\r\n\r\n",
    "one host twice": GET + b"Host: x\r\n\r\n",
    "two hosts in HTTP/1.0": GET.replace(b"1.1", b"1.0") + b"Host: y\r\n\r\n",
    "a list of hosts": GET.replace(b"Host: x", b"Host: x, y") + b"\r\n",
    "a host with a path": GET.replace(b"Host: x", b"Host: x/y") + b"\r\n",
    "a host with a user": GET.replace(b"Host: x", b"Host: x@y") + b"\r\n",
}
CASES: Final = {**TAKEN, **{name: (sent, [400]) for name, sent in REFUSED.items()}}


def statuses(answers: bytes) -> list[int]:
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d+) ", answers)]


@pytest.mark.parametrize("name", CASES)
async def test_each_kind_of_request_has_its_answer_on_a_real_connection(name: str) -> None:
    sent, expected = CASES[name]
    last = b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    async with serving(a_service(public_per_minute=10_000)) as server:
        answers = await send_raw(server.port, sent + last)
    assert statuses(answers) == (expected if expected == [400] else [*expected, 200])


@pytest.mark.parametrize("name", CASES)
async def test_the_answer_is_the_same_wherever_the_network_cuts(name: str) -> None:
    sent, expected = CASES[name]
    app = a_service(public_per_minute=100_000, source_per_minute=100_000)
    in_bytes = [sent[at : at + 1] for at in range(len(sent))]
    step = max(1, len(sent) // 200)
    cuts = [[sent[:at], sent[at:]] for at in range(0, len(sent), step)]
    for parts in (in_bytes, *cuts):
        wire = Wire(app, head_bytes_max=4096)
        await wire.receive(*parts)
        assert statuses(wire.sent) == expected
        assert wire.is_closed == (expected == [400])
        wire.hang_up()


def a_head_of(bytes_count: int) -> bytes:
    start, end = GET + b"X: ", b"\r\nY: y\r\n\r\n"
    return start + b"x" * (bytes_count - len(start) - len(end)) + end


@pytest.mark.parametrize("before", [b"", GET + b"\r\n", WHOLE, CHUNKED + b"0\r\n\r\n"])
async def test_a_head_has_its_limit_to_the_byte_wherever_it_is_cut(before: bytes) -> None:
    app = a_service(public_per_minute=100_000, source_per_minute=100_000)
    for extra, expected in ((0, 200), (1, 431)):
        sent = before + a_head_of(300 + extra)
        for at in range(len(before), len(sent)):
            wire = Wire(app, head_bytes_max=300)
            await wire.receive(sent[:at], sent[at:])
            assert statuses(wire.sent)[-1] == expected
            wire.hang_up()


@pytest.mark.parametrize("bytes_each", [1, 7, 64, 1000, 100_000])
async def test_each_of_many_small_requests_has_a_limit_of_its_own(bytes_each: int) -> None:
    wire = Wire(a_service(public_per_minute=10_000), head_bytes_max=len(GET) + 2)
    sent = (GET + b"\r\n") * 500
    await wire.receive(*(sent[at : at + bytes_each] for at in range(0, len(sent), bytes_each)))
    assert statuses(wire.sent) == [200] * 500
    wire.hang_up()


async def test_empty_lines_count_as_a_head() -> None:
    wire = Wire(a_service())
    await wire.receive(GET + b"\r\n", b"\r\n" * 149)
    assert statuses(wire.sent) == [200]
    await wire.receive(b"\r\n")
    assert statuses(wire.sent) == [200, 431]
    wire.hang_up()


@pytest.mark.parametrize(("fields", "expected"), [(37, 201), (38, 431), (10_000, 431)])
async def test_a_trailer_has_the_limit_of_a_head(fields: int, expected: int) -> None:
    # 300 bytes: 37 fields of 8 bytes, and the empty line.
    wire = Wire(a_service())
    body = b"b\r\n" + NOTE + b"\r\n0\r\n" + b"X: yyy\r\n" * fields + b"\r\n"
    await wire.receive(CHUNKED, body)
    assert statuses(wire.sent) == [expected]
    wire.hang_up()


async def test_the_fields_of_a_trailer_are_nobodys() -> None:
    seen: list[bytes] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        while (await receive()).get("more_body"):
            pass
        seen.extend(name for name, _ in scope["headers"])
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    wire = Wire(app)
    await wire.receive(CHUNKED + b"0\r\nAuthorization: Bearer other\r\nX: y\r\n\r\n")
    assert (seen.count(b"authorization"), b"x" in seen) == (1, False)
    wire.hang_up()


class Waiting:
    """An application that reads the body, and answers when it is told to."""

    def __init__(self, *, is_answer_begun: bool = False) -> None:
        self.go_on = asyncio.Event()
        self.is_answer_begun = is_answer_begun
        self.messages: list[Message] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start = {"type": "http.response.start", "status": 200, "headers": []}
        if self.is_answer_begun:
            await send(start)
            await send({"type": "http.response.body", "body": b"begun", "more_body": True})
        while True:
            self.messages.append(await receive())
            if not self.messages[-1].get("more_body"):
                break
        if self.messages[-1]["type"] == "http.disconnect":
            return
        await self.go_on.wait()
        if not self.is_answer_begun:
            await send(start)
        await send({"type": "http.response.body", "body": b"ended"})


@pytest.mark.parametrize(
    ("after", "status"),
    [
        (b"GET", 408),
        (b"no HTTP\r\n\r\n", 400),
        (b"GET /healthz HTTP/1.1\r\nX: " + b"x" * 400, 431),
        (GET + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
    ],
)
async def test_what_is_wrong_with_a_request_is_never_the_answer_to_the_one_before(
    after: bytes, status: int
) -> None:
    app = Waiting()
    wire = Wire(app)
    wire.protocol.head_s_max = 0.01
    wire.protocol.data_received(WHOLE)
    for at in range(len(after)):
        wire.protocol.data_received(after[at : at + 1])
        assert wire.is_paused
    loop = asyncio.get_running_loop()
    later_s = loop.time() + 3 * wire.protocol.head_s_max
    while loop.time() < later_s:
        await asyncio.sleep(0)
    assert wire.sent == b""
    app.go_on.set()
    async with asyncio.timeout(10):
        while not wire.is_closed:
            await asyncio.sleep(0)
    assert statuses(wire.sent) == [200, status]
    assert wire.sent.index(b"ended") < wire.sent.index(b"HTTP/1.1 %d " % status)
    wire.hang_up()


async def test_an_answer_that_has_begun_is_cut_short_when_the_body_turns_out_malformed() -> None:
    app = Waiting(is_answer_begun=True)
    wire = Wire(app)
    wire.protocol.data_received(CHUNKED)
    async with asyncio.timeout(10):
        while b"begun" not in wire.sent:
            await asyncio.sleep(0)
    wire.protocol.data_received(b"zz\r\n")
    assert wire.is_closed
    assert statuses(wire.sent) == [200]
    assert not wire.sent.endswith(b"0\r\n\r\n")
    async with asyncio.timeout(10):
        while not app.messages:
            await asyncio.sleep(0)
    assert app.messages[-1]["type"] == "http.disconnect"
    wire.hang_up()
