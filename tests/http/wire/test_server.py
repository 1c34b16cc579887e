"""A server that is told to stop answers what it has accepted, and its port is free afterward."""

import asyncio
import json
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.responses import StreamingResponse

from shared.http.layers.heads import AnswerHeads
from shared.http.problems import install_problems
from shared.http.wire.server import CannotListen, PortTaken, serve_until_stopped
from tests.http.service import a_service
from tests.http.serving import (
    DEADLINE_S,
    ImpatientProtocol,
    impatient_server,
    is_refused,
    send_raw,
    serving,
    some_connections,
)


class SlowService:
    """An application with one route that answers when it is told to."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.go_on = asyncio.Event()
        self.app = FastAPI()
        install_problems(self.app)
        self.app.add_api_route("/slow", self._slow, methods=["GET"])

    async def _slow(self) -> str:
        self.begun.set()
        await self.go_on.wait()
        return "answered"


async def until_refused(port: int) -> None:
    async with asyncio.timeout(DEADLINE_S):
        while not await is_refused(port):
            await asyncio.sleep(0)


async def test_a_request_in_the_middle_is_answered_and_no_new_one_is_taken() -> None:
    slow = SlowService()
    async with serving(slow.app) as server, server.client() as client:
        answer = asyncio.create_task(client.get("/slow"))
        await slow.begun.wait()
        server.stop.set()
        await until_refused(server.port)
        assert not answer.done()
        slow.go_on.set()
        assert (await answer).json() == "answered"
        await server.task


async def test_an_answer_that_takes_longer_than_the_grace_is_given_up() -> None:
    slow = SlowService()
    async with (
        serving(slow.app, grace_s=1, connections=some_connections()) as server,
        server.client() as client,
    ):
        answer = asyncio.create_task(client.get("/slow"))
        await slow.begun.wait()
        server.stop.set()
        await server.task
        given_up = await answer
        assert (given_up.status_code, given_up.json()["code"]) == (503, "stopping")


async def test_when_something_beside_it_fails_the_server_ends_gracefully_too() -> None:
    slow = SlowService()
    ready: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    failing = asyncio.Event()

    async def fail() -> None:
        await failing.wait()
        raise LookupError("The rater was replaced.")

    async def run() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(fail())
            group.create_task(
                serve_until_stopped(
                    slow.app,
                    "127.0.0.1",
                    0,
                    grace_s=10,
                    connections=some_connections(),
                    on_ready=ready.set_result,
                )
            )

    running = asyncio.create_task(run())
    port = await ready
    answer = asyncio.create_task(
        send_raw(port, b"GET /slow HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    )
    await slow.begun.wait()
    failing.set()
    await until_refused(port)
    slow.go_on.set()
    assert (await answer).endswith(b'"answered"')
    with pytest.raises(ExceptionGroup) as failed:
        await running
    assert [type(error) for error in failed.value.exceptions] == [LookupError]


@asynccontextmanager
async def a_program_in_the_middle_of_a_request() -> AsyncIterator[
    tuple[asyncio.subprocess.Process, int, "asyncio.Task[bytes]"]
]:
    program = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.http.wire.slow_service",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert program.stdout is not None
    try:
        async with asyncio.timeout(DEADLINE_S):
            port = int(await program.stdout.readline())
            request = b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n"
            answer = asyncio.create_task(send_raw(port, request))
            assert await program.stdout.readline() == b"begun\n"
            yield program, port, answer
            assert await program.stdout.read() == b"returned\n"
            assert await program.wait() == 0
    finally:
        if program.returncode is None:
            program.kill()
            await program.wait()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_stops_the_program_after_its_last_answer(number: signal.Signals) -> None:
    async with a_program_in_the_middle_of_a_request() as (program, port, answer):
        assert program.stdin is not None
        program.send_signal(number)
        await until_refused(port)
        program.stdin.write(b"\n")  # The slow route goes on.
        assert (await answer).endswith(b'"answered"')


async def test_a_second_signal_ends_the_wait() -> None:
    async with a_program_in_the_middle_of_a_request() as (program, port, answer):
        program.send_signal(signal.SIGTERM)
        await until_refused(port)
        program.send_signal(signal.SIGTERM)
        await asyncio.wait({answer})


async def test_a_port_in_use_is_told_as_such() -> None:
    async with serving(a_service()) as server:
        with pytest.raises(PortTaken, match=f"Port {server.port} on 127.0.0.1 is used"):
            await serve_until_stopped(
                a_service(), "127.0.0.1", server.port, grace_s=1, connections=some_connections()
            )


@pytest.mark.parametrize("host", ["192.0.2.1", "no-such-host.invalid"])
async def test_a_host_that_is_not_ours_is_told_as_such(host: str) -> None:
    with pytest.raises(CannotListen, match=f"The service cannot listen on port 0 of {host}"):
        await serve_until_stopped(a_service(), host, 0, grace_s=1, connections=some_connections())


async def test_it_serves_on_ipv6() -> None:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("This machine has no IPv6.")
    stop = asyncio.Event()
    ready: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    task = asyncio.create_task(
        serve_until_stopped(
            a_service(),
            "::1",
            0,
            grace_s=1,
            connections=some_connections(),
            on_ready=ready.set_result,
            stop=stop,
        )
    )
    reader, writer = await asyncio.open_connection("::1", await ready)
    writer.write(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    assert (await reader.read()).endswith(b'{"status":"alive"}')
    writer.close()
    stop.set()
    await task


async def test_an_application_that_cannot_start_raises_its_own_error() -> None:
    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        raise LookupError("There is no database.")
        yield

    app = FastAPI(lifespan=lifespan)
    with pytest.raises(LookupError, match=r"There is no database\."):
        await serve_until_stopped(app, "127.0.0.1", 0, grace_s=1, connections=some_connections())


async def test_what_is_no_http_is_refused_with_a_problem() -> None:
    async with serving(a_service()) as server:
        for nonsense in (b"alice@example.com\r\n\r\n", b"\x16\x03\x01\x02\x00\x01", b"GET\r\n\r\n"):
            head, _, body = (await send_raw(server.port, nonsense)).partition(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 400 ")
            assert b"application/problem+json" in head
            assert json.loads(body)["code"] == "malformed_http"


async def test_an_odd_path_is_an_answer_and_not_a_fault() -> None:
    async with serving(a_service()) as server:
        for path in (b"/%00", b"/%ff%fe", b"//", b"/v1/players/%2e%2e%2f", b"*", b"/?%zz=%"):
            answer = await send_raw(
                server.port, b"GET " + path + b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
            )
            assert answer.split(b" ", 2)[1] in {b"200", b"400", b"404"}


async def test_a_head_without_end_is_refused_at_its_limit() -> None:
    async with serving(a_service()) as server:
        one_long_field = b"GET / HTTP/1.1\r\nX: " + b"x" * 70_000
        assert (await send_raw(server.port, one_long_field)).startswith(b"HTTP/1.1 431 ")
        many_fields = b"GET / HTTP/1.1\r\n" + b"X: x\r\n" * 12_000
        assert (await send_raw(server.port, many_fields)).startswith(b"HTTP/1.1 431 ")


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nHost: x\r\n"])
async def test_a_head_that_does_not_come_is_given_up(sent: bytes) -> None:
    async with impatient_server(a_service()) as port:
        assert (await send_raw(port, sent)).startswith(b"HTTP/1.1 408 ")
        answers = await send_raw(port, b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /")
    assert answers.startswith(b"HTTP/1.1 200 ")
    assert b"HTTP/1.1 408 " in answers


async def test_an_answer_may_take_longer_than_a_head() -> None:
    slow = SlowService()
    request = b"GET /slow HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    async with impatient_server(slow.app) as port:
        answer = asyncio.create_task(send_raw(port, request))
        await slow.begun.wait()
        asyncio.get_running_loop().call_later(4 * ImpatientProtocol.head_s_max, slow.go_on.set)
        assert (await answer).endswith(b'"answered"')


async def test_each_head_has_its_limit_however_many_one_connection_brings() -> None:
    async with impatient_server(a_service()) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for _ in range(5):
            for part in (b"GET /healthz HTTP/1.1\r\n", b"Host: a-long-name-of-a-host\r\n", b"\r\n"):
                writer.write(part)
                for _ in range(20):
                    await asyncio.sleep(0)  # The server reads this part by itself.
            assert (await reader.readline()).startswith(b"HTTP/1.1 200 ")
            await reader.readuntil(b'{"status":"alive"}')
        writer.close()


async def test_the_head_of_a_stream_without_end_is_answered() -> None:
    async def endless() -> AsyncIterator[bytes]:
        while True:
            yield b"more"
            await asyncio.sleep(0)

    app = FastAPI()
    app.add_middleware(AnswerHeads)
    app.add_api_route("/log", lambda: StreamingResponse(endless()), methods=["GET"])
    async with serving(app) as server, server.client() as client:
        assert (await client.head("/log")).status_code == 200
        assert (await client.head("/log")).content == b""  # On the same connection.


async def test_two_requests_sent_at_once_are_both_answered() -> None:
    request = b"GET /healthz HTTP/1.1\r\nHost: x\r\n"
    async with serving(a_service()) as server:
        answer = await send_raw(
            server.port, request + b"\r\n" + request + b"Connection: close\r\n\r\n"
        )
    assert answer.count(b'{"status":"alive"}') == 2
