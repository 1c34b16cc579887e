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
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import asyncpg

from bench import board
from bench.made_history import Made, made_up, session_name
from bench.planted import (
    ADOPTED,
    LOG_ID,
    TIME,
    append,
    chronicle_of,
    engine,
    fill_folder,
    plant_logs,
    void,
)
from bench.results import Row, compared, span
from bench.running import a_folder, a_server, check_statuses, load
from services.rater.manifest import read_manifest
from services.rater.worker import Progress, run_rater
from shared.db.bell import Bell, listening
from shared.db.migrations import migrate
from shared.db.pool import open_pool
from shared.db.server.embedded import embedded_server
from shared.events.codec import decode_fact, encode_fact
from shared.events.facts import (
    FactEvent,
    FormulaAdoptedFromBeginning,
    PlayedRound,
    PlayerVerified,
    SessionSubmitted,
)
from shared.http.logs import configure_logs
from shared.ids import player_id
from shared.log.port import Log, Position
from shared.log.postgres import (
    FACTS_CHANNEL,
    VERDICTS_CHANNEL,
    PostgresFactLog,
    PostgresVerdictLog,
    found_logs,
)
from shared.rating.formulas import MAHJIC_ELO_1, MAHJIC_ELO_2_SCALED
from shared.replay.chronicle import Chronicle
from shared.replay.files import Columns
from shared.replay.replay import Replay

ROUNDS_PER_SESSION: Final = 4
GAMES: Final = 8
POINTS_CENTI_MAX: Final = 8_000
PLAYERS_OF_FACTS: Final = 20_000
BATCH_FACTS: Final = 1_024
START_S_MAX: Final = 5.0
BYTES_PER_PLAYER_MAX: Final = 100
VOID_SHARE_MAX: Final = 1.5
READ_MS_MAX: Final = 50.0
BOARD_PLAYERS: Final = 10_000
SEED: Final = 7


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


@dataclass(frozen=True, slots=True)
class Database:
    """A migrated database, and the logs in it."""

    dsn: str
    pool: asyncpg.Pool
    facts: PostgresFactLog
    verdicts: PostgresVerdictLog


@asynccontextmanager
async def a_database(folder: Path) -> AsyncIterator[Database]:
    """Give the database of a folder."""
    async with embedded_server(folder, role="join") as server, a_pool(server.dsn) as database:
        await migrate(database.pool)
        yield database


@asynccontextmanager
async def a_pool(dsn: str) -> AsyncIterator[Database]:
    """Give a database that is there."""
    bell = Bell()
    async with (
        await open_pool(dsn, application_name="bench", size_max=8) as pool,
        listening(pool, bell, (FACTS_CHANNEL, VERDICTS_CHANNEL)),
    ):
        yield Database(dsn, pool, PostgresFactLog(pool, bell), PostgresVerdictLog(pool, bell))


@asynccontextmanager
async def a_rater(
    database: Database, folder: Path | None, digest: str | None = None
) -> AsyncIterator[None]:
    """Run a rater while the context is open; it has caught up when the context is entered."""
    caught_up = asyncio.Event()

    def tell(_: Progress) -> None:
        caught_up.set()

    rater = asyncio.create_task(
        run_rater(
            database.facts,
            database.verdicts,
            holder="bench",
            engine=digest or engine(),
            folder=folder,
            tell=tell,
        )
    )
    waiting = asyncio.create_task(caught_up.wait())
    try:
        await asyncio.wait([rater, waiting], return_when=asyncio.FIRST_COMPLETED)
        assert not rater.done(), rater.exception()
        yield
    finally:
        waiting.cancel()
        rater.cancel()
        await asyncio.wait([rater])


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


async def write_facts(database: Database, sessions: int, verified: Sequence[str] = ()) -> int:
    """Found the logs, and append verifications and sessions of four rounds; return how many."""
    async with database.pool.acquire() as connection, connection.transaction():
        await found_logs(connection, LOG_ID)
    chance = random.Random(SEED)
    players = [player_id("MJ", number) for number in range(PLAYERS_OF_FACTS)]
    events: list[FactEvent] = [ADOPTED, *map(PlayerVerified, verified)]
    events += (a_session(chance, number, players) for number in range(sessions))
    for begin in range(0, len(events), BATCH_FACTS):
        bodies = [
            encode_fact(event, log_id=LOG_ID, seq=seq, time=TIME)
            for seq, event in enumerate(events[begin : begin + BATCH_FACTS], start=begin + 1)
        ]
        await database.facts.append(bodies)
    return len(events)


def a_session(chance: random.Random, number: int, players: list[str]) -> SessionSubmitted:
    """Return a lawful league session of four rounds at one table."""
    table = tuple(chance.sample(players, 4))
    return SessionSubmitted(
        session_id=session_name(number),
        source="a-league",
        session_date="2026-01-31",
        game_type="league",
        rounds=tuple(a_round(chance, table) for _ in range(ROUNDS_PER_SESSION)),
        new_players=(),
    )


def a_round(chance: random.Random, table: tuple[str, ...]) -> PlayedRound:
    """Return a round of eight games."""
    won = [chance.randrange(3) for _ in table]
    points = [chance.randrange(-POINTS_CENTI_MAX, POINTS_CENTI_MAX) for _ in table]
    return PlayedRound(GAMES, GAMES - sum(won), table, tuple(won), tuple(points))


async def read_and_decode(facts: Log) -> None:
    """Read the whole log, and decode every fact."""
    position = await facts.beginning()
    while records := await facts.read(position, BATCH_FACTS):
        for record in records:
            decode_fact(record.body)
        position = Position(position.log_id, records[-1].seq, records[-1].chain)


async def until_answered(database: Database, fact_seq: int) -> None:
    """Wait until all parts of the answer to a fact are there: they come in one step."""
    while await database.pool.fetchval("SELECT fact_seq FROM mahjic.rater") < fact_seq:
        await database.verdicts.wait_beyond((await database.verdicts.tail()).seq, 1.0)


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
    chronicle = chronicle_of(made, Columns())
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
            again = asyncio.create_task(rerate_for_ever(database))
            try:
                yield
            finally:
                again.cancel()
                await asyncio.wait([again])


async def rerate_for_ever(database: Database) -> None:
    """Adopt a formula from the beginning as soon as everybody is rated by the other one."""
    for formula in itertools.cycle((MAHJIC_ELO_2_SCALED, MAHJIC_ELO_1)):
        await append(database.facts, FormulaAdoptedFromBeginning(formula.name, formula.parameters))
        await until_answered(database, (await database.facts.tail()).seq)


if __name__ == "__main__":
    configure_logs()
    asyncio.run(start_and_tell(sys.argv[1], Path(sys.argv[2]), sys.argv[3]))
