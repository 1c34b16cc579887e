"""Batches sent to a served instance by clients that mean no good, or are just careless.

Its memory is watched meanwhile: it must not grow with what a client sends, or does not read.
"""

import asyncio
import contextlib
import json
import re
import shutil
import signal
import socket
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any

import httpx
import psutil  # type: ignore[import-untyped]
import pytest

from tests.folders import open_folder
from tests.ingest.batches.sending import (
    BATCH,
    LINES,
    Client,
    a_night,
    body_of,
    connected,
    without_words,
)
from tests.log.deadlines import deadline
from tests.processes import Served, mahjic, serving
from tests.whole.conftest import ServedSite, served_site

MB = 1_000_000
DEADLINE_S = 120
SPOOL_BYTES_MAX = 1 << 20
# What a busy process may take beside: a window, the outbox, the buffers of one connection.
GROWTH_BYTES_MAX = 15 * MB
BAD_LINES = 100_000
LONG_LINE_BYTES = 200 * MB
# The answers to so many lines, 13 MB, find no room between the service and a client.
UNREAD_LINES = 40_000
# A service that reads goes on between two looks at its figures; one that stands still may rest.
LOOKS = 20
NIGHTS = 300


@pytest.fixture(scope="module")
def site() -> Iterator[ServedSite]:
    """Return a service whose spool is small, warmed up by a first batch."""
    with served_site(BATCH_SPOOL_BYTES_MAX=str(SPOOL_BYTES_MAX)) as running:
        with batch(running, b"x" * 100_000 + body_of(*map(a_night, range(50)))) as answer:
            assert len(answer.read().splitlines()) == 50
        yield running


@contextlib.contextmanager
def batch(site: ServedSite, body: bytes, *, reads_late: bool = False) -> Iterator[HTTPResponse]:
    """Send a batch in a thread of its own, and give the answer while it is sent."""
    connection = connect(site, Content_Length=str(len(body)))
    if reads_late:
        # Whatever the client does not read lies in few places.
        connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 << 10)
    sending = threading.Thread(target=connection.sock.sendall, args=(body,))
    sending.start()
    try:
        with connection.getresponse() as answer:
            assert answer.status == 200
            yield answer
        sending.join(DEADLINE_S)
        assert not sending.is_alive()
    finally:
        connection.close()


def connect(site: ServedSite, **headers: str) -> HTTPConnection:
    """Open a connection, and send the head of a batch."""
    connection = HTTPConnection(site.url.removeprefix("http://"), timeout=DEADLINE_S)
    connection.putrequest("POST", BATCH)
    fields = {"Content-Type": LINES, "Authorization": f"Bearer {site.keys['source']}", **headers}
    for name, value in fields.items():
        connection.putheader(name.replace("_", "-"), value)
    connection.endheaders()
    return connection


@contextlib.contextmanager
def memory_is_bounded(site: ServedSite) -> Iterator[None]:
    """Check that the service grows by little, whenever it is looked at."""
    service = psutil.Process(site.pid)
    before: int = service.memory_info().rss
    grown = [0]
    is_over = threading.Event()

    def watch() -> None:
        while not is_over.wait(0.02):
            grown.append(service.memory_info().rss - before)

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        yield
    finally:
        is_over.set()
        watching.join()
    assert max(grown) < GROWTH_BYTES_MAX, f"It grew by {max(grown) / MB:.0f} MB."


def parsed(lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """Yield the lines of an answer, which must be numbered from 1 on."""
    for number, line in enumerate(lines, start=1):
        answer: dict[str, Any] = json.loads(line)
        assert answer["line"] == number
        yield answer


def test_a_hundred_thousand_bad_lines_are_told_what_is_wrong_with_them(site: ServedSite) -> None:
    kinds = ["null", *["x"] * 4, *[""] * 4, '{"a": 1, "a": 2}']
    body = body_of(*kinds) * (BAD_LINES // len(kinds))
    with memory_is_bounded(site), batch(site, body) as answer:
        told = Counter(each["problem"]["code"] for each in parsed(answer))
    assert told == {"claim_refused": BAD_LINES // 10, "malformed_json": BAD_LINES // 10 * 9}


def test_a_line_of_200_mb_is_refused_and_the_lines_after_it_are_answered(site: ServedSite) -> None:
    body = body_of(a_night(100), "x" * LONG_LINE_BYTES, a_night(101), a_night(102))
    with memory_is_bounded(site), batch(site, body) as answer:
        answers = list(parsed(answer))
    assert [each["status"] for each in answers] == [201, 413, 201, 201]
    assert answers[1]["problem"]["code"] == "line_too_long"


def test_a_client_that_reads_nothing_is_slowed_down_and_may_read_it_all_later(
    site: ServedSite,
) -> None:
    body = body_of("x" * 400) * UNREAD_LINES
    with memory_is_bounded(site):
        before = answered(site)
        with batch(site, body, reads_late=True) as answer:
            until_it_reads_no_further(site)
            # Neither what is sent nor what is answered has room for so many lines anywhere.
            assert answered(site) - before < UNREAD_LINES
            key = {"Authorization": f"Bearer {site.keys['source']}"}
            alone = httpx.post(f"{site.url}/v1/sessions", json=a_night(200), headers=key)
            assert alone.status_code == 201
            statuses = Counter(each["status"] for each in parsed(answer))
    assert statuses == {400: UNREAD_LINES}


def until_it_reads_no_further(site: ServedSite) -> None:
    """Wait until the service, asked again and again, has answered no more lines of batches."""
    give_up_s = time.monotonic() + DEADLINE_S
    looks = [answered(site)]
    while len(looks) < LOOKS or len(set(looks[-LOOKS:])) > 1:
        assert time.monotonic() < give_up_s, "It never stopped reading."
        looks.append(answered(site))


def answered(site: ServedSite) -> int:
    """Return how many lines of batches were refused as none of JSON, by the service's figures."""
    figures = httpx.get(f"{site.url}/metrics", timeout=DEADLINE_S).text
    found = re.search(r'^mahjic_batch_lines_total\{status="4xx"\} (\S+)$', figures, re.MULTILINE)
    return int(float(found[1])) if found else 0


@pytest.fixture
def folder() -> Iterator[Path]:
    """Return a folder for the data of a service."""
    made = open_folder()
    yield made
    shutil.rmtree(made)


async def test_whatever_ends_a_service_what_it_answered_is_on_record(folder: Path) -> None:
    environment = {"MAHJIC_DATA": str(folder / "data")}
    nights = [a_night(number) for number in range(NIGHTS)]
    async with serving(environment) as served:
        await mahjic(environment, "source", "add", "a-club", "--name", "A Club", "--type", "club")
        key = await mahjic(environment, "key", "create", "a-club")
        async with batch_on(served, key) as client:
            client.send(*nights[: NIGHTS // 4])
            first = await client.lines(20)
            served.process.send_signal(signal.SIGTERM)
            while first[-1]["status"] != 503:
                first += await client.lines(1)
            client.end()
            assert await client.rest() == []
        assert await served.ended() == 0
    told = first.pop()
    assert (told["line"], told["problem"]["code"]) == (len(first) + 1, "batch_stopped")
    assert {each["status"] for each in first} == {201}
    async with serving(environment) as served, batch_on(served, key) as client:
        client.send(*nights[: NIGHTS // 2])
        second = await client.lines(NIGHTS // 3)
        await served.kill()
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            while True:
                second += await client.lines(1)
    async with serving(environment) as served, batch_on(served, key) as client:
        client.send(*nights)
        client.end()
        third = await client.rest()
    for before in (first, second):
        again = third[: len(before)]
        assert list(map(without_words, again)) == list(map(without_words, before))
        assert {each["status"] for each in again} == {200}
    assert len({each["session"]["session_id"] for each in third}) == len(third) == NIGHTS


@contextlib.asynccontextmanager
async def batch_on(served: Served, key: str) -> AsyncIterator[Client]:
    """Begin a batch on a service."""
    port = int(served.url.rpartition(":")[2])
    async with deadline(), connected(port) as client:
        await client.begin(key)
        yield client
