"""Connections are bounded in all and by address, and one too many is told so, never just reset."""

import asyncio
import errno
import gc
import io
import os
import resource
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from ipaddress import ip_network
from pathlib import Path
from typing import Final

import pytest
from fastapi import FastAPI
from prometheus_client import CollectorRegistry

from shared.http.layers.addresses import ClientAddresses
from shared.http.logs import configure_logs
from shared.http.problems import install_problems
from shared.http.wire.accepting import LEAVING_MAX
from shared.http.wire.connections import (
    FILES_BESIDE,
    ConnectionBounds,
    Connections,
    TooManyConnections,
    bounds_within_files,
)
from tests.http.service import a_service, talking_to
from tests.http.serving import DEADLINE_S, serving, some_connections

GET: Final = b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"


async def ask(port: int, *, source: str = "127.0.0.1") -> bytes:
    """Connect from an address, send a request, and return the whole answer."""
    async with asyncio.timeout(DEADLINE_S):
        reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(source, 0))
        writer.write(GET)
        try:
            return await reader.read()
        finally:
            writer.close()


@asynccontextmanager
async def silent(port: int, count: int, *, source: str = "127.0.0.1") -> AsyncIterator[None]:
    """Hold so many connections that say nothing."""
    opened = [
        await asyncio.open_connection("127.0.0.1", port, local_addr=(source, 0))
        for _ in range(count)
    ]
    yield
    for _, writer in opened:
        writer.close()


def assert_told(answer: bytes, *, code: bytes = b"too_many_connections") -> None:
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 503 ")
    assert b"\r\nretry-after: 5\r\n" in head
    assert b"\r\nconnection: close" in head
    assert b'"code":"' + code + b'"' in body


async def until_served(port: int, *, source: str = "127.0.0.1") -> None:
    async with asyncio.timeout(DEADLINE_S):
        while not (await ask(port, source=source)).startswith(b"HTTP/1.1 200 "):
            pass


def refused(registry: CollectorRegistry, reason: str) -> float | None:
    return registry.get_sample_value("mahjic_http_connections_refused_total", {"reason": reason})


async def test_an_address_has_its_bound_and_others_are_served_meanwhile() -> None:
    registry = CollectorRegistry()
    bounded = some_connections(in_all=100, by_address=3, registry=registry)
    async with serving(a_service(), connections=bounded) as server:
        async with silent(server.port, 3):
            for _ in range(2 * LEAVING_MAX):
                assert_told(await ask(server.port))
            assert (await ask(server.port, source="127.0.0.2")).startswith(b"HTTP/1.1 200 ")
            assert refused(registry, "address") == 2 * LEAVING_MAX
        await until_served(server.port)
    assert registry.get_sample_value("mahjic_http_connections") == 0


async def test_all_together_have_a_bound() -> None:
    registry = CollectorRegistry()
    bounded = some_connections(in_all=6, by_address=3, registry=registry)
    async with serving(a_service(), connections=bounded) as server:
        async with silent(server.port, 3), silent(server.port, 3, source="127.0.0.2"):
            assert_told(await ask(server.port, source="127.0.0.3"))
            assert_told(await ask(server.port, source="127.0.0.9"))
            assert refused(registry, "all") == 2
        await until_served(server.port, source="127.0.0.3")


async def test_a_trusted_proxy_speaks_for_many() -> None:
    bounded = some_connections(in_all=100, by_address=3)
    async with (
        serving(a_service(), connections=bounded) as server,
        silent(server.port, 20, source="127.0.0.9"),
    ):
        assert (await ask(server.port, source="127.0.0.9")).startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize(
    ("first", "second", "is_one"),
    [
        ("2001:db8::1", "2001:db8::ffff:1", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("2001:db8:1::7", "2001:db8:1::7", False),
    ],
)
def test_an_ipv6_network_is_one_address(first: str, second: str, is_one: bool) -> None:
    connections = Connections(
        ClientAddresses([ip_network("2001:db8:1::7")]), ConnectionBounds(9, 1), CollectorRegistry()
    )
    name = connections.take(first)
    if is_one:
        with pytest.raises(TooManyConnections):
            connections.take(second)
        connections.give_back(name)
    connections.take(second)


async def test_a_keep_alive_connection_is_one_however_much_it_asks() -> None:
    registry = CollectorRegistry()
    bounded = some_connections(in_all=1, registry=registry)
    async with serving(a_service(), connections=bounded) as server, server.client() as client:
        for _ in range(5):
            assert (await client.get("/healthz")).status_code == 200
        assert registry.get_sample_value("mahjic_http_connections") == 1


@contextmanager
def files_limit(soft: int) -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_the_soft_limit_of_files_is_raised_as_far_as_is_needed_and_no_further() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with files_limit(300):
        bounds = bounds_within_files(1000, 10)
        soft, hard_after = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert (soft, hard_after) == (min(hard, 1000 + FILES_BESIDE), hard)
    assert bounds == ConnectionBounds(1000, 10)


@contextmanager
def no_files_left() -> Iterator[None]:
    """Open files until there are no more, so that not even a connection can be accepted."""
    gc.collect()
    gc.disable()
    highest = max(int(each.name) for each in Path("/proc/self/fd").iterdir())
    with files_limit(highest + 20):
        held: list[int] = []
        with pytest.raises(OSError, match="Too many open files"):
            open_forever(held)
        yield
        for each in held:
            os.close(each)
        gc.enable()


def open_forever(held: list[int]) -> None:
    while True:
        held.append(os.open(os.devnull, os.O_RDONLY))


async def test_without_files_each_connection_is_told_so_and_nothing_is_tried_in_vain() -> None:
    registry, lines = CollectorRegistry(), io.StringIO()
    configure_logs(stream=lines)
    async with serving(a_service(), connections=some_connections(registry=registry)) as server:
        clients = [socket.socket() for _ in range(10)]
        with no_files_left():
            answers = await asyncio.to_thread(talk, clients, server.port)
        # Each of these would be an open file to spare for the next.
        for client in clients:
            client.close()
        await until_served(server.port)
    for answer in answers:
        assert_told(answer)
    assert refused(registry, "files") == 10
    assert 1 <= lines.getvalue().count("no_file_for_connection") <= 10


@pytest.mark.parametrize("is_wrapped", [False, True])
async def test_what_needs_a_file_and_gets_none_is_503(is_wrapped: bool) -> None:
    async def spool() -> None:
        cause = OSError(errno.EMFILE, "Too many open files", "/home/alice@example.com")
        if is_wrapped:
            raise RuntimeError("alice@example.com") from cause
        raise cause

    app = FastAPI()
    install_problems(app)
    app.add_api_route("/spool", spool, methods=["GET"])
    async with talking_to(app) as client:
        answer = await client.get("/spool")
    assert (answer.status_code, answer.json()["code"]) == (503, "out_of_files")
    assert answer.headers["retry-after"] == "5"
    assert "alice" not in answer.text


def talk(clients: list[socket.socket], port: int) -> list[bytes]:
    answers = []
    for client in clients:
        client.settimeout(DEADLINE_S)
        client.connect(("127.0.0.1", port))
        client.sendall(GET)
        answer = b""
        while piece := client.recv(65536):
            answer += piece
        answers.append(answer)
    return answers
