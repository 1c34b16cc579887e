"""Measures the rater against its history: reading it again, correcting it, starting behind it."""

import asyncio
import gc
import io
import itertools
import random
import re
import statistics
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.made_history import Made, made_up
from bench.planted import (
    append,
    chronicle_of,
    engine,
    fill_folder,
    plant_logs,
    void,
)
from bench.raters import (
    SEED,
    Database,
    a_database,
    a_pool,
    a_rater,
    read_and_decode,
    until_answered,
    write_facts,
)
from bench.results import Row, compared, span
from bench.running import a_folder, a_server, check_statuses, load
from bench.shown import board
from services.rater.manifest import read_manifest
from shared.events.facts import (
    FormulaAdoptedFromBeginning,
)
from shared.http.logs import configure_logs
from shared.rating.registry import MAHJIC_ELO_1, MAHJIC_ELO_2_SCALED
from shared.replay.chronicle import Chronicle
from shared.replay.files import StoredColumns
from shared.replay.replay import Replay

START_S_MAX: Final = 5.0
BYTES_PER_PLAYER_MAX: Final = 100
VOID_SHARE_MAX: Final = 1.5
READ_MS_MAX: Final = 50.0
BOARD_PLAYERS: Final = 10_000


@dataclass(frozen=True, slots=True)
class Size:
    """How much is measured: a log of so many sessions, and a history of players and rounds."""

    repeats: int
    sessions: int
    players: int
    rounds: int
    voids: int
    read_seconds: float


FULL: Final = Size(5, 100_000, 1_000_000, 10_000_000, 9, 20.0)
QUICK: Final = Size(2, 5_000, 20_000, 200_000, 3, 1.0)


async def measure(size: Size) -> list[Row]:
    """Measure everything, and return a row for each promise."""
    configure_logs(stream=io.StringIO())  # Nobody reads what the raters in this process say.
    rows = [await from_log(size)]
    made = made_up(size.players, size.rounds)
    with a_folder() as folder:
        fill_folder(folder.parent / "rater", made)
        async with a_database(folder) as database:
            await plant_logs(database.pool, made)
            rows += await starts(size, folder, database.dsn)
            rows.append(await voids(size, made, folder.parent / "rater", database))
    rows.append(await reads(size))
    return rows


# Reading the log again.


async def from_log(size: Size) -> Row:
    """A start that rates all facts again, against reading and decoding them and nothing else."""
    own, limit = [], []
    with a_folder() as folder:
        async with a_database(folder) as database:
            await write_facts(database, size.sessions)
            async with a_rater(database, None):
                await until_answered(database, size.sessions + 1)
            for _ in range(size.repeats):
                began_s = time.perf_counter()
                await read_and_decode(database.facts)
                limit.append(size.sessions / (time.perf_counter() - began_s))
                began_s = time.perf_counter()
                async with a_rater(database, None):
                    own.append(size.sessions / (time.perf_counter() - began_s))
    return compared(
        f"full re-rate of {size.sessions:,} sessions from the Postgres log, sessions/s",
        own,
        "reading and decoding the same rows",
        limit,
        ratio_min=0.5,
    )


# Starting behind a long history.


async def starts(size: Size, folder: Path, dsn: str) -> list[Row]:
    """How long a process takes until it can rate, and what memory it takes for each player."""
    behind = [await a_start(dsn, folder.parent / "rater") for _ in range(size.repeats)]
    seconds = [each["seconds"] for each in behind]
    few = await an_empty_start()
    per_player = [(each["bytes"] - few["bytes"]) / size.players for each in behind]
    return [
        Row(
            f"rater start, {size.players:,} players and {size.rounds:,} rounds behind it",
            f"{statistics.median(seconds):.2f} s from the start of the process",
            f"{START_S_MAX:g} s",
            START_S_MAX / statistics.median(seconds),
            1.0,
            f"{span(seconds, digits=2)} s",
        ),
        Row(
            "rater memory",
            f"{statistics.median(per_player):.0f} bytes a player",
            f"{BYTES_PER_PLAYER_MAX} bytes",
            BYTES_PER_PLAYER_MAX / statistics.median(per_player),
            1.0,
            f"{span(per_player)} bytes; columns are files and not counted",
        ),
    ]


async def a_start(dsn: str, folder: Path) -> dict[str, float]:
    """Start a rater in a process of its own, and return the seconds and bytes that it took."""
    began_s = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bench.rerate",
        dsn,
        str(folder),
        engine(),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    assert process.stdout is not None
    line = await process.stdout.readline()
    seconds = time.perf_counter() - began_s
    assert await process.wait() == 0, "The rater did not start."
    return {"seconds": seconds, "bytes": float(line)}


async def an_empty_start() -> dict[str, float]:
    """Start a rater of four players, for the memory that it takes without them."""
    made = made_up(4, 4)
    with a_folder() as folder:
        fill_folder(folder.parent / "rater", made)
        async with a_database(folder) as database:
            await plant_logs(database.pool, made)
            return await a_start(database.dsn, folder.parent / "rater")


async def start_and_tell(dsn: str, folder: Path, digest: str) -> None:
    """Start a rater, and print what memory of its own the process has then."""
    async with a_pool(dsn) as database, a_rater(database, folder, digest):
        gc.collect()
        print(own_bytes(), flush=True)


def own_bytes() -> int:
    """Return the memory of this process that is no file."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    found = re.search(r"RssAnon:\s+(\d+) kB", status)
    assert found is not None
    return int(found[1]) * 1024


# Correcting it.


async def voids(size: Size, made: Made, folder: Path, database: Database) -> Row:
    """From the fact that voids a session at a random place to the answer, against a full replay."""
    chance = random.Random(SEED)
    chosen = chance.sample(range(len(made.session_seqs)), size.voids + 1)
    chronicle = chronicle_of(made, StoredColumns())
    own, full = [], []
    async with a_rater(database, folder):
        for session in chosen:
            began_s = time.perf_counter()
            await void(database.facts, session)
            seq = (await database.facts.tail()).seq
            await until_answered(database, seq)
            own.append(time.perf_counter() - began_s)
            await until_saved(folder, seq)
            full.append(await asyncio.to_thread(a_full_replay, chronicle, made.last_seq))
    own, full = own[1:], full[1:]  # The first ones also load the compiled loop.
    own_s, full_s = statistics.median(own), statistics.median(full)
    return Row(
        f"void one of {size.rounds:,} rounds, to the answer, median over random places",
        f"{own_s:.2f} s",
        f"{VOID_SHARE_MAX:g} x {full_s:.2f} s, a full replay by the kernel",
        VOID_SHARE_MAX * full_s / own_s,
        1.0,
        f"{span(own, digits=2)} s",
    )


def a_full_replay(chronicle: Chronicle, as_of: int) -> float:
    """Return how long the kernel takes for the whole history."""
    replay = Replay(chronicle, as_of)
    began_s = time.perf_counter()
    replay.run_to(as_of + 1)
    return time.perf_counter() - began_s


async def until_saved(folder: Path, seq: int) -> None:
    """Wait until the rater has nothing to do but to wait."""
    while True:
        manifest = read_manifest(folder)
        if manifest is not None and manifest.seq == seq:
            return
        await asyncio.sleep(0.1)


# Reading meanwhile.


async def reads(size: Size) -> Row:
    """The public reads of a service, while a rater in its process rates the history again."""
    some_player, _ = board.made_up(BOARD_PLAYERS)[0]
    arguments = ("--players", BOARD_PLAYERS, "--rerate", size.players, size.rounds)
    async with a_server(*map(str, arguments)) as (port, _):
        measured = []
        for path in ("/v1/leaderboard?limit=50", f"/v1/players/{some_player}"):
            measured += [
                await load(port, path, seconds=size.read_seconds, rate=100, connections=16)
                for _ in range(2)
            ]
    check_statuses(measured, {"200"})
    p99s_ms = [each["p99_ms"] for each in measured]
    p50_ms = statistics.median(each["p50_ms"] for each in measured)
    p99_ms = statistics.median(p99s_ms)
    return Row(
        f"other reads during a re-rate of {size.rounds:,} rounds, at 100 a second",
        f"p50 {p50_ms:.1f} ms, p99 {p99_ms:.1f} ms",
        f"{READ_MS_MAX:g} ms (p99)",
        READ_MS_MAX / p99_ms,
        1.0,
        f"p99 {span(p99s_ms)} ms",
    )


@asynccontextmanager
async def rerating(folder: Path, players: int, rounds: int) -> AsyncIterator[None]:
    """Rate a history again and again, by one formula and by another, while the context is open."""
    made = made_up(players, rounds)
    fill_folder(folder / "rater", made)
    (folder / "data").mkdir()
    async with a_database(folder / "data") as database:
        await plant_logs(database.pool, made)
        del made
        async with a_rater(database, folder / "rater"):
            again = asyncio.create_task(rerate_forever(database))
            try:
                yield
            finally:
                again.cancel()
                await asyncio.wait([again])


async def rerate_forever(database: Database) -> None:
    """Adopt a formula from the beginning as soon as everyone is rated by the other one."""
    for formula in itertools.cycle((MAHJIC_ELO_2_SCALED, MAHJIC_ELO_1)):
        await append(database.facts, FormulaAdoptedFromBeginning(formula.name, formula.parameters))
        await until_answered(database, (await database.facts.tail()).seq)


if __name__ == "__main__":
    configure_logs()
    asyncio.run(start_and_tell(sys.argv[1], Path(sys.argv[2]), sys.argv[3]))
