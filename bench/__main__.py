"""Runs every measurement, shows them as a table and keeps them in bench/results.md.

Both sides of each ratio run in turns, and the medians of several rounds are compared. Absolute
numbers depend on the machine and prove nothing; ratios do.
"""

import argparse
import shutil
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvloop
from rich.console import Console

from bench import grouped, kernel, rebuilt, rerate
from bench.kafka_mode import kafka
from bench.results import Row, as_markdown, compared, per_s, show, span
from bench.running import a_folder, a_redis, a_server, check_statuses, load
from bench.shown import public_log, site
from bench.shown.board import made_up
from services.database import open_database
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
    kafka: kafka.Size
    kernel: kernel.Size
    rerate: rerate.Size
    rebuilt: rebuilt.Size
    public_log: public_log.Size


FULL = Size(
    rounds=5,
    seconds=5.0,
    pace_seconds=10.0,
    board_players=1_000_000,
    groups={1: 300, 20: 2000, 100: 5000, 500: 10_000},
    kafka=kafka.FULL,
    kernel=kernel.FULL,
    rerate=rerate.FULL,
    rebuilt=rebuilt.FULL,
    public_log=public_log.FULL,
)
QUICK = Size(
    rounds=2,
    seconds=1.0,
    pace_seconds=2.0,
    board_players=20_000,
    groups={1: 50, 20: 300, 100: 600, 500: 2000},
    kafka=kafka.QUICK,
    kernel=kernel.QUICK,
    rerate=rerate.QUICK,
    rebuilt=rebuilt.QUICK,
    public_log=public_log.QUICK,
)


async def main() -> None:
    """Measure everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="Less of everything.")
    parser.add_argument("--only", help="One measurement, by its name; nothing is kept.")
    options = parser.parse_args()
    size = QUICK if options.quick else FULL
    console = Console(stderr=True)
    rows: list[Row] = []
    for name, measurement in (
        ("kernel", replay_kernel),
        ("submit one by one", one_by_one),
        ("latency at 100 sessions/s", latency),
        ("recording in groups", by_group),
        ("rebuild of views", all_views),
        ("leaderboard", board),
        ("pages of the site", pages),
        ("rater behind its history", behind_history),
        ("public log", all_taken_in),
        ("Kafka mode", on_kafka),
    ):
        if options.only in (None, name):
            with console.status(f"Measuring: {name}"):
                rows += await measurement(size)
    show(rows)
    if size is FULL and options.only is None:
        RESULTS.write_text(as_markdown(rows))


async def replay_kernel(size: Size) -> list[Row]:
    """The compiled kernel, against C and against a rating package."""
    return await kernel.measure(size.kernel)


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
    """From submit to the answer with ratings, at 100 sessions a second.

    The echo at the same pace, in turns, shows what the machine keeps everyone waiting for.
    """
    async with a_server() as (port, key):

        async def paced(path: str, seconds: float, seed: int) -> dict[str, Any]:
            return await load(port, path, key, seconds=seconds, rate=100, connections=32, seed=seed)

        await paced("/v1/sessions", size.pace_seconds / 2, seed=0)
        ours, echoes = [], []
        for number in range(size.rounds):
            ours.append(await paced("/v1/sessions", size.pace_seconds, seed=number + 1))
            echoes.append(await paced("/bench/echo", size.pace_seconds, seed=number + 1))
    check_statuses([*ours, *echoes], {"201"})
    p99_ms = statistics.median(each["p99_ms"] for each in ours)
    return [
        Row(
            "submit to answer with ratings at 100 sessions/s",
            _p50_and_p99(ours),
            "50 ms (p99)",
            50 / p99_ms,
            1.0,
            _span_of_p99(ours),
        ),
        Row(
            "- validated echo at the same pace",
            _p50_and_p99(echoes),
            spread=_span_of_p99(echoes),
        ),
    ]


def _p50_and_p99(results: Sequence[dict[str, Any]]) -> str:
    p50_ms, p99_ms = (
        statistics.median(each[name] for each in results) for name in ("p50_ms", "p99_ms")
    )
    return f"p50 {p50_ms:.1f} ms, p99 {p99_ms:.1f} ms"


def _span_of_p99(results: Sequence[dict[str, Any]]) -> str:
    return f"p99 {span([each['p99_ms'] for each in results])} ms"


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


async def pages(size: Size) -> list[Row]:
    """The pages that people open most, against the same data as JSON, and how long they are."""
    return await site.measure(size.board_players, rounds=size.rounds, seconds=size.seconds / 2)


async def all_views(size: Size) -> list[Row]:
    """A rebuild of all views, against COPY of the rows that they end with."""
    return await rebuilt.measure(size.rebuilt)


async def on_kafka(size: Size) -> list[Row]:
    """Kafka mode, with a broker and every role as a process."""
    return await kafka.measure(size.kafka)


async def behind_history(size: Size) -> list[Row]:
    """The rater and all that was ever played: read again, started behind, and corrected."""
    return await rerate.measure(size.rerate)


async def all_taken_in(size: Size) -> list[Row]:
    """Records taken into the public log, against their hashes alone; and proofs from it."""
    return await public_log.measure(size.public_log)


if __name__ == "__main__":
    uvloop.run(main())
