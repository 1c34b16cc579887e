"""The replay kernel against the same loop in C, and against the best rating package for Python."""

import ctypes
import shutil
import subprocess
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import thread_time
from typing import Any, Final

import numpy as np
from elo_calculator import Entry, update_elos_for_sequence
from numpy.typing import NDArray

from bench.results import Row, compared
from shared.rating.columns import Events, Rounds, Sessions, Standings
from shared.rating.expected import expected_table
from shared.rating.kernel import compiled_loop, rate
from shared.rating.registry import MAHJIC_ELO_1

SOURCE: Final = Path(__file__).parent / "kernel.c"
SEED: Final = 20260301
K: Final = 32  # The package has one K for all.


@dataclass(frozen=True, slots=True)
class Size:
    """How much is rated; the package is slower, and is timed on the first of the same rounds."""

    repeats: int
    players: int
    rounds: int
    package_rounds: int


FULL: Final = Size(repeats=7, players=100_000, rounds=2_000_000, package_rounds=50_000)
QUICK: Final = Size(repeats=2, players=20_000, rounds=300_000, package_rounds=10_000)


@dataclass(frozen=True, slots=True)
class Season:
    """A made-up history."""

    rounds: Rounds
    sessions: Sessions
    events: Events
    survivor: NDArray[np.int32]


async def measure(size: Size) -> list[Row]:
    """Rate the same rounds by each in turns. All results of C and of the kernel must be equal."""
    season = made_up(size.players, size.rounds)
    compiled_loop()
    if shutil.which("gcc") is None:
        c = Row("replay kernel against C", "NOT MEASURED: gcc is not installed")
    else:
        c = against_c(season, size)
    return [c, *against_package(season, size)]


def against_c(season: Season, size: Size) -> Row:
    """Compare with C, and hold every number of every player against it."""
    ours, limit = [], []
    with TemporaryDirectory(prefix="mahjic-bench-") as folder:
        replay = replay_of_c(Path(folder))
        assert same(by_kernel(season), by_c(season, replay)), "C gives other ratings."
        for _ in range(size.repeats):
            ours.append(size.rounds / seconds(lambda: by_kernel(season)))
            limit.append(size.rounds / seconds(lambda: by_c(season, replay)))
    return compared(
        "replay kernel, rounds/s", ours, "the same loop in C, gcc -O2", limit, ratio_min=0.7
    )


def against_package(season: Season, size: Size) -> list[Row]:
    """Compare with the package, which rates one pool, from objects of its own.

    To use it on rounds is to make these objects, so that counts. The second row leaves that out,
    and lets the kernel rate one pool, too.
    """
    one_pool = replace(season, events=Events.of_rows(0))
    groups = [places(season.rounds, row) for row in range(size.package_rounds)]
    made = [entries(group) for group in groups]
    ours, ours_of_one, whole, inner = [], [], [], []
    for _ in range(size.repeats):
        ours.append(size.rounds / seconds(lambda: by_kernel(season)))
        ours_of_one.append(size.rounds / seconds(lambda: by_kernel(one_pool)))
        whole.append(len(groups) / seconds(lambda: by_package(map(entries, groups))))
        inner.append(len(groups) / seconds(lambda: by_package(made)))
    what = "replay kernel, rounds/s"
    inner_row = compared(
        "- of one pool", ours_of_one, "the same, objects made before", inner, ratio_min=25
    )
    return [
        compared(what, ours, "elo-calculator, one pool", whole, ratio_min=25),
        replace(inner_row, ratio_min=None),
    ]


def seconds(work: Callable[[], object]) -> float:
    """Return how long the work keeps a processor busy, whatever else the machine does."""
    start = thread_time()
    work()
    return thread_time() - start


def by_kernel(season: Season) -> Standings:
    """Rate everything by the compiled kernel."""
    standings = Standings.of_newcomers(len(season.survivor))
    rate(
        season.rounds,
        season.sessions,
        season.events,
        standings,
        MAHJIC_ELO_1.rules,
        session_from=0,
        session_to=len(season.sessions.place),
        event_from=0,
        survivor=season.survivor,
        loop=compiled_loop(),
    )
    return standings


class History(ctypes.Structure):
    """`struct history` of kernel.c."""

    _fields_ = (
        *[
            (name, ctypes.c_void_p)
            for name in (
                *("players", "mahjongs", "points_centi", "games_played", "seats", "points_count"),
                *("place", "round_from", "round_to"),
                *("event_place", "event_player", "event_verified", "survivor"),
            )
        ],
        ("sessions", ctypes.c_int64),
        ("events", ctypes.c_int64),
    )


class Rules(ctypes.Structure):
    """`struct rules` of kernel.c."""

    _fields_ = (
        *[(name, ctypes.c_void_p) for name in ("expected_nano", "k_games_min", "k")],
        *[
            (name, ctypes.c_int64)
            for name in (
                *("certain_centi", "bands", "bonus_nano_per_centi"),
                *("bonus_max_nano", "is_scaled"),
            )
        ],
    )


def replay_of_c(folder: Path) -> Callable[..., None]:
    """Compile kernel.c as it is measured, and return its function."""
    library = folder / "kernel.so"
    flags = ["-O2", "-std=c11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    subprocess.run(["gcc", *flags, "-o", str(library), str(SOURCE)], check=True)
    replay: Callable[..., None] = ctypes.CDLL(str(library)).replay
    return replay


def by_c(season: Season, replay: Callable[..., None]) -> Standings:
    """Rate everything by the function in C."""
    standings = Standings.of_newcomers(len(season.survivor))
    columns = [
        getattr(rows, name)
        for rows in (season.rounds, season.sessions, season.events)
        for name in rows.__slots__
    ]
    history = History(
        *addresses([*columns, season.survivor]),
        len(season.sessions.place),
        len(season.events.place),
    )
    rules = MAHJIC_ELO_1.rules
    expected = np.frombuffer(expected_table(rules.scale_centi), np.int32)
    bands = [np.array(column, np.int64) for column in zip(*rules.k_bands, strict=True)]
    replay(
        ctypes.byref(history),
        ctypes.byref(
            Rules(
                *addresses([expected, *bands]),
                len(expected) - 1,
                len(rules.k_bands),
                rules.bonus_nano_per_centi,
                rules.bonus_max_nano,
                rules.is_scaled,
            )
        ),
        *map(
            ctypes.c_void_p,
            addresses([standings.numbers, standings.is_verified, standings.verified_members]),
        ),
    )
    return standings


def addresses(columns: Sequence[NDArray[Any]]) -> list[int]:
    """Return where the columns begin, for C."""
    return [column.ctypes.data for column in columns]


def same(one: Standings, other: Standings) -> bool:
    """Tell whether every number of every player is equal."""
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in one.__slots__)


def places(rounds: Rounds, row: int) -> list[tuple[str, int]]:
    """Return who sat in a round and at which place: equal ones for equal mahjongs."""
    seats = rounds.seats[row]
    mahjongs = rounds.mahjongs[row, :seats].tolist()
    return [
        (str(player), 1 + sum(other > won for other in mahjongs))
        for player, won in zip(rounds.players[row, :seats].tolist(), mahjongs, strict=True)
    ]


def entries(group: list[tuple[str, int]]) -> list[Entry]:
    """Return a round as the package takes it."""
    return [Entry(player, "", place, 1500) for player, place in group]


def by_package(groups: Iterable[list[Entry]]) -> object:
    """Rate rounds by the package, one after the other."""
    return update_elos_for_sequence(list(groups), K)


def made_up(players: int, count: int) -> Season:
    """Return rounds of two to four people, a third of them Verified, Bob at one table in twenty."""
    chance = np.random.default_rng(SEED)
    seats = chance.choice(np.array([2, 3, 4, 4, 4, 4, 4, 4], np.uint8), count)
    rounds = Rounds.of_rows(count)
    rounds.seats[:] = seats
    # Steps of less than a quarter round the circle of players never meet their beginning.
    first = chance.integers(0, players - 1, (count, 1))
    steps = np.cumsum(chance.integers(1, players // 4, (count, 4)), axis=1)
    rounds.players[:] = (first + steps) % (players - 1) + 1
    rounds.players[chance.random(count) < 0.05, 1] = 0
    rounds.mahjongs[:] = chance.multinomial(5, [0.25] * 4, count)
    rounds.games_played[:] = 5
    rounds.points_count[:] = chance.integers(0, 2, count)
    points_centi = chance.integers(-30_000, 30_000, (count, 4))
    rounds.points_centi[:] = points_centi * rounds.points_count[:, None]
    rounds.players[np.arange(4) >= seats[:, None]] = -1
    begins = np.arange(0, count, 4)
    sessions = Sessions(np.arange(len(begins)) + players, begins, np.minimum(begins + 4, count))
    verified = np.arange(1, players, 3, dtype=np.int32)
    events = Events(verified.astype(np.int64), verified, np.ones(len(verified), np.uint8))
    return Season(rounds, sessions, events, np.arange(players, dtype=np.int32))
