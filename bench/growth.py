"""Measures what things cost as the work grows, ten times more of everything at each step.

Nothing is promised here: docs/scale.md says what the numbers mean. `python -m bench.growth`.
"""

import argparse
import asyncio
import io
import random
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import uvloop
from rich.console import Console
from rich.table import Table

from bench import raters, rerate
from bench.made_history import Made, made_up
from bench.planted import chronicle_of, fill_folder, plant_logs, void
from bench.running import a_folder, a_server, check_statuses, load
from bench.shown import board
from shared.http.logs import configure_logs
from shared.replay.files import StoredColumns

ROUNDS_PER_PLAYER: Final = 10
SMALLEST_PLAYERS: Final = 1_000
VOIDS: Final = 5
READ_SECONDS: Final = 5.0
READS_PER_S: Final = 100
SEED: Final = 11
HEADS: Final = (
    "players",
    "rounds",
    "full replay, s",
    "ns a round",
    "void one round, s",
    "start, s",
    "folder, bytes a round",
    "board page, p50 ms",
    "deep page, p50 ms",
    "profile, p50 ms",
)


@dataclass(frozen=True, slots=True)
class Step:
    """What so many players with so many rounds behind them cost."""

    players: int
    rounds: int
    replay_s: float
    void_s: float
    start_s: float
    folder_bytes: int
    reads_ms: Sequence[float]

    def cells(self) -> tuple[str, ...]:
        """Return the line of the table."""
        return (
            f"{self.players:,}",
            f"{self.rounds:,}",
            f"{self.replay_s:.3f}",
            f"{self.replay_s / self.rounds * 1e9:.0f}",
            f"{self.void_s:.3f}",
            f"{self.start_s:.2f}",
            f"{self.folder_bytes / self.rounds:.0f}",
            *(f"{each:.1f}" for each in self.reads_ms),
        )


async def main() -> None:
    """Measure every step up to a number of players, and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--players", type=int, default=1_000_000, help="The most that there are.")
    most = parser.parse_args().players
    configure_logs(stream=io.StringIO())  # Nobody reads what the raters in this process say.
    console, table = Console(stderr=True), Table(*HEADS)
    players = SMALLEST_PLAYERS
    while players <= most:
        with console.status(f"Measuring {players:,} players"):
            table.add_row(*(await step(players)).cells())
        players *= 10
    Console().print(table)


async def step(players: int) -> Step:
    """Measure what one number of players costs."""
    rounds = players * ROUNDS_PER_PLAYER
    made = made_up(players, rounds)
    with a_folder() as folder:
        kept = folder.parent / "rater"
        fill_folder(kept, made)
        folder_bytes = sum(each.stat().st_size for each in kept.rglob("*") if each.is_file())
        async with raters.a_database(folder) as database:
            await plant_logs(database.pool, made)
            start_s = statistics.median(
                [(await rerate.a_start(database.dsn, kept))["seconds"] for _ in range(3)]
            )
            replay_s, void_s = await corrected(made, kept, database)
    return Step(players, rounds, replay_s, void_s, start_s, folder_bytes, await read(players))


async def corrected(made: Made, kept: Path, database: raters.Database) -> tuple[float, float]:
    """Return the median seconds of a full replay, and of a void to its answer."""
    chosen = random.Random(SEED).sample(range(len(made.session_seqs)), VOIDS + 1)
    chronicle = chronicle_of(made, StoredColumns())
    full, own = [], []
    async with raters.a_rater(database, kept):
        for session in chosen:
            began_s = time.perf_counter()
            await void(database.facts, session)
            seq = (await database.facts.tail()).seq
            await raters.until_answered(database, seq)
            own.append(time.perf_counter() - began_s)
            await rerate.until_saved(kept, seq)
            full.append(await asyncio.to_thread(rerate.a_full_replay, chronicle, made.last_seq))
    # The first ones also load the compiled loop.
    return statistics.median(full[1:]), statistics.median(own[1:])


async def read(players: int) -> list[float]:
    """Return the median milliseconds of a board's first page, a deep one and a profile."""
    middle = board.made_up(players)[players // 2][0]
    paths = (
        "/v1/leaderboard?limit=50",
        f"/v1/leaderboard?limit=50&offset={players // 2}",
        f"/v1/players/{middle}",
    )
    async with a_server("--players", str(players)) as (port, _):
        await load(port, paths[0], seconds=1, rate=READS_PER_S, connections=16)
        measured = [
            await load(port, path, seconds=READ_SECONDS, rate=READS_PER_S, connections=16)
            for path in paths
        ]
    check_statuses(measured, {"200"})
    return [each["p50_ms"] for each in measured]


if __name__ == "__main__":
    uvloop.run(main())
