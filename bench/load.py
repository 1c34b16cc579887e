"""Sends HTTP requests as fast as they are answered, or at a steady rate; a process of its own.

A client library would be slower than the server it measures, so this speaks just enough HTTP/1.1:
keep-alive, and answers with a Content-Length.
"""

import argparse
import asyncio
import gc
import json
import random
import re
import sys
import time
from collections import Counter
from datetime import date, timedelta
from typing import NamedTuple, cast

import uvloop

PLAYERS = 4000
FIRST_DAY = date(2020, 1, 1)
SESSION = re.compile(rb'"session_id":"(ses_[0-9A-Z]{26})"')


class Asked(NamedTuple):
    """What became of a request; times are of the clock that all processes here share."""

    status: int
    due: float
    sent: float
    answered: float
    session_id: str


class Connection(asyncio.Protocol):
    """One connection; `ask` sends a request and returns the status of its answer.

    The body of the last answer is kept.
    """

    def __init__(self) -> None:
        self._buffer = b""
        self.body = b""
        self._answer: asyncio.Future[int] | None = None
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head, found, rest = self._buffer.partition(b"\r\n\r\n")
        if not found:
            return
        length = 0
        for line in head.lower().split(b"\r\n"):
            if line.startswith(b"content-length:"):
                length = int(line[15:])
        if len(rest) < length:
            return
        self._buffer, self.body = b"", rest
        assert self._answer is not None
        self._answer.set_result(int(head[9:12]))

    def connection_lost(self, exc: Exception | None) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(exc or ConnectionResetError("closed"))

    async def ask(self, request: bytes) -> int:
        assert self._transport is not None
        assert not self._transport.is_closing(), "The server closed the connection."
        self._answer = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        return await self._answer


def post(path: str, key: str, body: bytes, *, prefer: str | None = None) -> bytes:
    """Return the bytes of a POST of JSON."""
    head = (
        f"POST {path} HTTP/1.1\r\nHost: mahjic\r\nAuthorization: Bearer {key}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    )
    head += f"Prefer: {prefer}\r\n" if prefer else ""
    return head.encode() + b"\r\n" + body


def get(path: str) -> bytes:
    """Return the bytes of a GET, by a client that takes gzip as every browser does."""
    return f"GET {path} HTTP/1.1\r\nHost: mahjic\r\nAccept-Encoding: gzip\r\n\r\n".encode()


def a_session(chance: random.Random) -> bytes:
    """Return a lawful claim of one league round of four; two are practically never the same."""
    mahjongs = [chance.randint(0, 4) for _ in range(4)]
    wall_games = chance.randint(0, 3)
    games = sum(mahjongs) + wall_games or 1
    wall_games = games - sum(mahjongs)
    points = [chance.randint(-20000, 20000) for _ in range(3)]
    points.append(-sum(points))
    people = chance.sample(range(PLAYERS), 4)
    return json.dumps(
        {
            "session_date": (FIRST_DAY + timedelta(days=chance.randint(0, 2000))).isoformat(),
            "game_type": "league",
            "rounds": [
                {
                    "players": [
                        {
                            "email": f"player{people[seat]}@example.com",
                            "games_played": games,
                            "mahjongs": mahjongs[seat],
                            "points": points[seat] / 100,
                        }
                        for seat in range(4)
                    ],
                    "wall_games": wall_games,
                }
            ],
        }
    ).encode()


async def saturate(
    connections: list[Connection], requests: list[bytes], seconds: float
) -> list[Asked]:
    """Keep every connection busy, for a while at most; each request is due when it is sent."""
    done: list[Asked] = []
    waiting = iter(requests)
    started = time.monotonic()

    async def work(connection: Connection) -> None:
        for request in waiting:
            sent = time.monotonic()
            if sent - started > seconds:
                return
            done.append(await asked(connection, request, due=sent, sent=sent))

    await asyncio.gather(*(work(each) for each in connections))
    return done


async def pace(connections: list[Connection], requests: list[bytes], rate: float) -> list[Asked]:
    """Send at a steady rate, whatever becomes of the requests before."""
    done: list[Asked] = []
    free: asyncio.Queue[Connection] = asyncio.Queue()
    for each in connections:
        free.put_nowait(each)
    started = time.monotonic()

    async def one(request: bytes, due: float) -> None:
        connection = await free.get()
        done.append(await asked(connection, request, due=due, sent=time.monotonic()))
        free.put_nowait(connection)

    async with asyncio.TaskGroup() as group:
        for number, request in enumerate(requests):
            due = started + number / rate
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            group.create_task(one(request, due))
    return done


async def asked(connection: Connection, request: bytes, *, due: float, sent: float) -> Asked:
    """Send a request and wait for its answer."""
    status = await connection.ask(request)
    answered = time.monotonic()
    found = SESSION.search(connection.body)
    return Asked(status, due, sent, answered, found[1].decode() if found else "")


def told(done: list[Asked], *, each: bool) -> dict[str, object]:
    """Return what is printed; a latency counts from when a request was due, not from when sent."""
    latencies = sorted(one.answered - one.due for one in done)
    took_s = max(one.answered for one in done) - min(one.due for one in done)
    summary: dict[str, object] = {
        "statuses": Counter(one.status for one in done),
        "per_s": len(done) / took_s,
        "p50_ms": latencies[len(latencies) // 2] * 1000,
        "p99_ms": latencies[int(len(latencies) * 0.99)] * 1000,
    }
    return summary | ({"each": done} if each else {})


async def main() -> None:
    """Run one measurement and print it as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--path", required=True)
    parser.add_argument("--key", help="POST sessions with this key; without it, GET the path.")
    parser.add_argument("--prefer", help="How the client would like to be answered.")
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--rate", type=float, help="Requests a second; as many as go without it.")
    parser.add_argument("--count", type=int, help="Requests at most.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", action="store_true", help="Tell of each request, too.")
    options = parser.parse_args()
    count = int(options.seconds * (options.rate or 20_000 / (1 if options.key is None else 3)))
    count = options.count or count
    if options.key is None:
        requests = [get(options.path)] * count
    else:
        chance = random.Random(options.seed)
        requests = [
            post(options.path, options.key, a_session(chance), prefer=options.prefer)
            for _ in range(count)
        ]
    loop = asyncio.get_running_loop()
    connections = [
        (await loop.create_connection(Connection, "127.0.0.1", options.port))[1]
        for _ in range(options.connections)
    ]
    gc.freeze()  # The requests stay, and looking through them again would hold us up.
    if options.rate:
        done = await pace(connections, requests, options.rate)
    else:
        done = await saturate(connections, requests, options.seconds)
    json.dump(told(done, each=options.each), sys.stdout)


if __name__ == "__main__":
    uvloop.run(main())
