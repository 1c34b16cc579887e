"""Measures where the single writer's time goes, and simulates what could run side by side.

Two sessions that share no player can be rated in either order, or at once, and the ratings are the
same to the last digit. The simulation schedules made-up sessions under that rule alone: a session
waits for the last one of each of its players. docs/scale.md says what the numbers mean.
`python -m bench.ceiling`.
"""

import argparse
import heapq
import random
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final, TypeVar

from rich.console import Console
from rich.table import Table

from bench.made_history import made_up
from bench.planted import ADOPTED, LOG_ID, TIME, chronicle_of, engine
from bench.raters import a_session
from bench.rerate import a_full_replay
from services.rater.answering import Rater, Read, read_fact
from services.rater.decide import decide
from services.rater.state import State
from shared.events.chain import first_chain, next_chain
from shared.events.codec import decode_fact, encode_fact, encode_verdict
from shared.events.facts import SessionSubmitted
from shared.events.verdicts import Answers, SessionRated
from shared.ids import player_id
from shared.log.port import Position, chained
from shared.rating.kernel import compiled_loop
from shared.replay.chronicle import Chronicle
from shared.replay.files import StoredColumns

PLAYERS: Final = 20_000
SESSIONS: Final = 5_000
ROUNDS_PER_SESSION: Final = 4
KERNEL_PLAYERS, KERNEL_ROUNDS = 100_000, 1_000_000
SEED: Final = 20260301
SIMULATED: Final = 100_000
WORKERS: Final = (1, 4, 16, 64)
# How active a player of rank r is: as 1 / r ** ZIPF, as in most communities.
ZIPF: Final = 0.8
SEATS: Final = 4
# What a turn of the rater holds of such sessions.
TOGETHER: Final = 30
BEGINNING: Final = Position(LOG_ID, 0, first_chain(LOG_ID, "facts"))

Taken = TypeVar("Taken")


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    costs = Table("one session of four rounds", "microseconds, median", "least", "most")
    for name, taken in measure(repeats).items():
        figures = (statistics.median(taken), min(taken), max(taken))
        costs.add_row(name, *(f"{each:.1f}" for each in figures))
    Console().print(costs)
    chances = Table("players", "looked ahead", *(f"{each} at once" for each in WORKERS))
    for players in (1_000, 100_000, 1_000_000):
        for ahead in (500, 5_000):
            gains = [gain(players, ahead, workers) for workers in WORKERS]
            chances.add_row(f"{players:,}", f"{ahead:,}", *(f"{each:.1f}" for each in gains))
    Console().print(chances)


def measure(repeats: int) -> dict[str, list[float]]:
    """Return the microseconds that each step of the writer takes for a session."""
    chance = random.Random(SEED)
    players = [player_id("MJ", number) for number in range(PLAYERS)]
    sessions = [a_session(chance, number, players) for number in range(SESSIONS)]
    facts = [
        encode_fact(each, log_id=LOG_ID, seq=seq, time=TIME)
        for seq, each in enumerate(sessions, start=2)
    ]
    verdicts = [rated for _, rated in decided(sessions)]
    answers = Answers(2, bytes(32), 1, 1, ADOPTED.formula, engine())

    def encode(rated: SessionRated) -> bytes:
        return encode_verdict(rated, answers, log_id=LOG_ID, time=TIME, subject=ADOPTED.subject)

    bodies = [encode(each) for each in verdicts]
    adopted = encode_fact(ADOPTED, log_id=LOG_ID, seq=1, time=TIME)
    read = [(each, read_fact(each)) for each in chained(BEGINNING, [adopted, *facts])]
    steps: dict[str, Callable[[], None]] = {
        "read the fact": lambda: run(decode_fact, facts),
        "decide, and take the verdict in": lambda: exhaust(decided(sessions)),
        "write the verdict": lambda: run(encode, verdicts),
        "decide, take in and write, 30 together": lambda: rated_together(read),
        "chain both records": lambda: run(partial(next_chain, bytes(32)), [*facts, *bodies]),
    }
    taken: dict[str, list[float]] = {name: [] for name in [*steps, "the kernel alone"]}
    made = made_up(KERNEL_PLAYERS, KERNEL_ROUNDS)
    chronicle = chronicle_of(made, StoredColumns())
    a_full_replay(chronicle, made.last_seq)  # It loads the compiled loop.
    for _ in range(repeats):
        for name, step in steps.items():
            began_s = time.perf_counter()
            step()
            taken[name].append((time.perf_counter() - began_s) / SESSIONS * 1e6)
        replay_s = a_full_replay(chronicle, made.last_seq)
        taken["the kernel alone"].append(replay_s / (KERNEL_ROUNDS / ROUNDS_PER_SESSION) * 1e6)
    return taken


def decided(sessions: Sequence[SessionSubmitted]) -> Iterator[tuple[int, SessionRated]]:
    """Rate sessions one by one, as the rater does when they come in."""
    state = State(Chronicle(StoredColumns()))
    state.evolve(1, ADOPTED, decide(state, ADOPTED))
    for seq, session in enumerate(sessions, start=2):
        verdict = decide(state, session)
        assert isinstance(verdict, SessionRated)
        state.evolve(seq, session, verdict)
        yield seq, verdict


def rated_together(read: Sequence[Read]) -> None:
    """Rate sessions some at a time, as the rater does while it is behind."""
    rater = Rater(BEGINNING, engine(), Chronicle(StoredColumns()))
    for begin in range(0, len(read), TOGETHER):
        exhaust(rater.answer_all(read[begin : begin + TOGETHER], compiled_loop()))


def run(step: Callable[[Taken], object], all_of: Sequence[Taken]) -> None:
    """Do a step for all."""
    for each in all_of:
        step(each)


def exhaust(steps: Iterator[object]) -> None:
    """Take all steps."""
    for _ in steps:
        pass


def gain(players: int, ahead: int, workers: int) -> float:
    """Return how many times sooner made-up sessions are rated by several at once.

    Each takes one unit of time. Of those not rated yet only the oldest `ahead` are looked at.
    """
    chance = random.Random(SEED)
    weights = [1 / rank**ZIPF for rank in range(1, players + 1)]
    chosen = iter(chance.choices(range(players), weights, k=SIMULATED * SEATS * 2))
    free_at = [0] * workers
    ready_at: dict[int, int] = {}
    ended_at: list[int] = []
    for number in range(SIMULATED):
        table: set[int] = set()
        while len(table) < SEATS:
            table.add(next(chosen))
        began = max(ready_at.get(each, 0) for each in table)
        if number >= ahead:
            began = max(began, ended_at[number - ahead])
        ended = max(began, heapq.heappop(free_at)) + 1
        heapq.heappush(free_at, ended)
        ready_at.update(dict.fromkeys(table, ended))
        # That the oldest are looked at means: as long as all before them have ended.
        ended_at.append(max(ended, ended_at[-1]) if ended_at else ended)
    return SIMULATED / ended_at[-1]


if __name__ == "__main__":
    main()
