"""Runs every measurement, shows them as a table and keeps them in bench/results.md.

Both sides of each ratio run in turns, and the medians of several rounds are compared. Absolute
figures depend on the machine and prove nothing; ratios do.
"""

import argparse
import asyncio
import json
import os
import shutil
import statistics
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvloop
from rich.console import Console

from bench import grouped
from bench.board import made_up
from bench.results import Row, as_markdown, compared, per_s, show, span
from services.wiring import open_database
from shared.settings import Settings

RESULTS = Path(__file__).parent / "results.md"


@dataclass(frozen=True, slots=True)
class Size:
    """How much is measured."""

    rounds: int
    seconds: float
    pace_seconds: float
    board_players: int
    groups: dict[int, int]


FULL = Size(5, 5.0, 10.0, 1_000_000, {1: 300, 20: 2000, 100: 5000, 500: 10_000})
QUICK = Size(3, 1.5, 3.0, 50_000, {1: 100, 20: 500, 100: 1000, 500: 3000})


async def main() -> None:
    """Measure everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="Less of everything.")
    size = QUICK if parser.parse_args().quick else FULL
    console = Console(stderr=True)
    rows: list[Row] = []
    for name, measurement in (
        ("submit one by one", one_by_one),
        ("latency at 100 sessions/s", latency),
        ("recording in groups", by_group),
        ("leaderboard", board),
    ):
        with console.status(f"Measuring: {name}"):
            rows += await measurement(size)
    show(rows)
    if size is FULL:
        RESULTS.write_text(as_markdown(rows))


async def one_by_one(size: Size) -> list[Row]:
    """64 requests in flight, against a route of the same server that checks and echoes."""
    async with a_server() as (port, key):
        await load(port, "/v1/sessions", key, seconds=size.seconds, seed=0)
        ours, echoes = [], []
        for number in range(size.rounds):
            ours.append(
                await load(port, "/v1/sessions", key, seconds=size.seconds, seed=number + 1)
            )
            echoes.append(await load(port, "/bench/echo", key, seconds=size.seconds, seed=number))
    check_statuses(ours, {"201"})
    check_statuses(echoes, {"201"})
    return [
        compared(
            "submit, one by one, 64 in flight, sessions/s",
            [each["per_s"] for each in ours],
            "validated echo, same server",
            [each["per_s"] for each in echoes],
            ratio_min=0.5,
        )
    ]


async def latency(size: Size) -> list[Row]:
    """From submit to the answer with ratings, at 100 sessions a second."""
    async with a_server() as (port, key):
        await load(port, "/v1/sessions", key, seconds=5, seed=0, rate=100, connections=32)
        paced = [
            await load(
                port,
                "/v1/sessions",
                key,
                seconds=size.pace_seconds,
                rate=100,
                connections=32,
                seed=number + 1,
            )
            for number in range(size.rounds)
        ]
    check_statuses(paced, {"201"})
    p50_ms = statistics.median(each["p50_ms"] for each in paced)
    p99s_ms = [each["p99_ms"] for each in paced]
    p99_ms = statistics.median(p99s_ms)
    return [
        Row(
            "submit to answer with ratings at 100 sessions/s",
            f"p50 {p50_ms:.1f} ms, p99 {p99_ms:.1f} ms",
            "50 ms (p99)",
            50 / p99_ms,
            1.0,
            f"p99 {span(p99s_ms)} ms",
        )
    ]


async def by_group(size: Size) -> list[Row]:
    """Sessions recorded a second by size of group, the rater and HTTP left out."""
    with a_folder() as folder:
        async with open_database(Settings(data=folder), role="serve") as pool:
            rates = await grouped.measure(pool, rounds=size.rounds, counts=size.groups)
    largest = max(size.groups)
    rows = [
        Row(
            f"record in groups of {group}, sessions/s",
            per_s(rates[group]),
            spread=span(rates[group]),
        )
        for group in size.groups
        if group != largest
    ]
    rows.append(
        compared(
            f"record in groups of {largest}, sessions/s",
            rates[largest],
            "COPY of the same rows, no checks",
            rates[0],
            ratio_min=0.25,
        )
    )
    return rows


async def board(size: Size) -> list[Row]:
    """A page of the leaderboard and a player's rank, against a Redis sorted set."""
    if shutil.which("redis-server") is None:
        return [Row("leaderboard against Redis", "NOT MEASURED: redis-server is not installed")]
    async with (
        a_redis() as socket,
        a_server("--players", str(size.board_players), "--redis", socket) as (
            port,
            _,
        ),
    ):
        middle = made_up(size.board_players)[size.board_players // 2][0]
        deep = size.board_players // 2
        pairs = {
            "first page": ("/v1/leaderboard?limit=50", "/bench/redis/leaderboard"),
            f"page at place {deep}": (
                f"/v1/leaderboard?limit=50&offset={deep}",
                f"/bench/redis/leaderboard?offset={deep}",
            ),
            "profile with rank": (f"/v1/players/{middle}", f"/bench/redis/rank/{middle}"),
        }
        rows = []
        for name, (own_path, redis_path) in pairs.items():
            own, other = [], []
            for _ in range(size.rounds):
                own.append(await load(port, own_path, seconds=size.seconds / 2, connections=16))
                other.append(await load(port, redis_path, seconds=size.seconds / 2, connections=16))
            check_statuses(own + other, {"200"})
            rows.append(
                compared(
                    f"{name}, {size.board_players:,} players, reads/s",
                    [each["per_s"] for each in own],
                    "Redis sorted set, same server",
                    [each["per_s"] for each in other],
                    ratio_min=0.8,
                )
            )
    return rows


@asynccontextmanager
async def a_server(*arguments: str) -> AsyncIterator[tuple[int, str]]:
    """Run the measured service; gives its port and a source's key."""
    with a_folder() as folder:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "bench.server",
            "--data",
            str(folder),
            *arguments,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,  # The log is written as ever, and nobody reads it.
        )
        assert process.stdout is not None
        try:
            async with asyncio.timeout(600):
                words = (await process.stdout.readline()).decode().split()
            assert words, "The measured service did not start."
            yield int(words[1]), words[2]
        finally:
            if process.returncode is None:
                process.terminate()
            await process.wait()


@asynccontextmanager
async def a_redis() -> AsyncIterator[str]:
    """Run a Redis server on a socket of its own, without persistence."""
    with a_folder() as folder:
        socket = str(folder / "redis.sock")
        process = await asyncio.create_subprocess_exec(
            "redis-server",
            "--port",
            "0",
            "--unixsocket",
            socket,
            "--save",
            "",
            "--dir",
            str(folder),
            stdout=asyncio.subprocess.DEVNULL,
        )
        try:
            async with asyncio.timeout(10):
                while not os.path.exists(socket):  # noqa: ASYNC240, PTH110 - once, before it all.
                    await asyncio.sleep(0.02)
            yield socket
        finally:
            process.terminate()
            await process.wait()


class a_folder:  # noqa: N801 - it reads as words.
    """A temporary folder that every account may pass through."""

    def __enter__(self) -> Path:
        self._parent = Path(tempfile.mkdtemp(prefix="mahjic-bench-", dir="/tmp"))
        self._parent.chmod(0o755)
        folder = self._parent / "data"
        folder.mkdir()
        return folder

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._parent)


async def load(
    port: int,
    path: str,
    key: str | None = None,
    *,
    seconds: float,
    seed: int = 1,
    rate: float | None = None,
    connections: int = 64,
) -> dict[str, Any]:
    """Run the load in a process of its own and return what it measured."""
    options = ["--port", port, "--path", path, "--seconds", seconds, "--seed", seed]
    options += ["--connections", connections]
    options += ["--key", key] if key else []
    options += ["--rate", rate] if rate else []
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bench.load", *map(str, options), stdout=asyncio.subprocess.PIPE
    )
    printed, _ = await process.communicate()
    assert process.returncode == 0, "The load failed."
    result: dict[str, Any] = json.loads(printed)
    return result


def check_statuses(results: Sequence[dict[str, Any]], allowed: set[str]) -> None:
    """A rate of refusals is no rate: every answer must be one of the allowed."""
    for each in results:
        assert set(each["statuses"]) <= allowed, each["statuses"]


if __name__ == "__main__":
    uvloop.run(main())
