"""Sessions rated together by the kernel, held against one after the other by the formula."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from structlog.testing import capture_logs

from services.rater import compiling, worker
from services.rater.answering import Rater, is_about_the_past, read_fact
from services.rater.compiling import Compiling
from services.rater.saving import Pace
from services.rater.worker import run_rater
from shared.events.facts import FactEvent, PlayerVerified, SessionsVoided
from shared.log.port import Record
from shared.rating import kernel
from shared.rating.kernel import PLAIN, Loop, compiled_loop, ready_loop
from tests.corrections.histories import STEP_BYTES, a_long_history, facts_of
from tests.log.adapters import new_memory_logs
from tests.log.chances import seeded_chance
from tests.log.deadlines import deadline
from tests.rater.histories import histories
from tests.rater.running import a_running_rater, all_bodies, canceled, until_answered
from tests.rater.stories import (
    ADOPTED,
    ENGINE,
    a_rater,
    a_round,
    a_session,
    answered,
    fact_bodies,
    fact_records,
)

steps = st.lists(st.binary(min_size=STEP_BYTES, max_size=STEP_BYTES), max_size=40)
sizes = st.lists(st.integers(1, 30), min_size=1, max_size=5)


def answered_together(
    facts: Sequence[FactEvent | bytes], turns: Sequence[int], loop: Loop
) -> list[bytes]:
    """Return the verdicts of a rater that is given so many facts at once, in turns."""
    rater = a_rater()
    return [body for turn in cut(fact_records(facts), turns) for body in answers(rater, turn, loop)]


def cut(records: list[Record], turns: Sequence[int]) -> Iterator[list[Record]]:
    at = number = 0
    while at < len(records):
        yield records[at : at + turns[number % len(turns)]]
        at, number = at + turns[number % len(turns)], number + 1


def answers(rater: Rater, turn: Sequence[Record], loop: Loop) -> Iterator[bytes]:
    read = [(record, read_fact(record)) for record in turn]
    for is_past, group in groupby(read, lambda each: is_about_the_past(each[1])):
        if is_past:
            for record, fact in group:
                yield from rater.answer_fact(record, fact)
        else:
            yield from rater.answer_all([*group], loop, together_min=2)


@settings(max_examples=150, deadline=None)
@given(histories, sizes)
def test_every_byte_is_that_of_one_after_the_other(
    facts: list[FactEvent], turns: list[int]
) -> None:
    assert answered_together(facts, turns, PLAIN) == answered(facts)


@settings(max_examples=150, deadline=None)
@given(steps.map(facts_of), sizes)
def test_so_it_is_with_corrections_merges_and_poison_between_them(
    facts: list[FactEvent], turns: list[int]
) -> None:
    assert answered_together(facts, turns, PLAIN) == answered(facts)


def test_a_long_history_has_the_same_bytes_by_the_compiled_loop() -> None:
    chance = seeded_chance()
    facts = a_long_history(chance, 1_000)
    turns = [chance.randrange(1, 60) for _ in range(50)]
    assert answered_together(facts, turns, compiled_loop()) == answered(facts)


def test_whoever_comes_into_a_turn_stands_as_the_fact_before_it_left_them() -> None:
    ada, bo, cleo = "MJ-ADA", "MJ-BO", "MJ-CLEO"
    facts: list[FactEvent] = [ADOPTED, PlayerVerified(ada), PlayerVerified(bo)]
    facts += (a_session(a_round({ada: 1, bo: 0}), name=f"first-{number}") for number in range(5))
    facts += (PlayerVerified(cleo), a_session(b := a_round({cleo: 1, bo: 0}), b, name="second"))
    assert answered_together(facts, [len(facts)], PLAIN) == answered(facts)


class Broken(Exception):
    """Something that nobody reckons with, as when the memory is at its end."""


def broken_loop(*_: object) -> int:
    raise Broken


def test_a_loop_that_fails_has_changed_nothing() -> None:
    facts = [ADOPTED, *some_sessions(12)]
    records = fact_records(facts)
    rater = a_rater()
    rater.answer(records[0])
    read = [(record, read_fact(record)) for record in records[1:]]
    with pytest.raises(Broken):
        [*rater.answer_all(read, Loop(broken_loop, PLAIN.reads, PLAIN.writes))]
    assert rater.position.seq == 1
    assert rater.state.chronicle.players == 1
    assert [*rater.answer_all(read, PLAIN)] == answered(facts)[1:]


async def test_what_was_answered_before_a_fault_is_all_that_is_kept(tmp_path: Path) -> None:
    facts = [ADOPTED, *some_sessions(60)]
    logs = new_memory_logs()
    await logs.facts.append(fact_bodies(facts))
    broken: list[int] = []

    def fails_once(*columns: Any) -> int:
        if not broken and columns[3] > 20:  # The sessions of a turn.
            broken.append(columns[3])
            raise Broken
        return PLAIN.replay(*columns)

    def run() -> asyncio.Task[None]:
        every_fact = Pace(save_facts=1, saving_share=1.0)
        rating = run_rater(
            logs.facts, logs.verdicts, holder="one", engine=ENGINE, folder=tmp_path, pace=every_fact
        )
        return asyncio.create_task(rating)

    with a_ready_loop(Loop(fails_once, PLAIN.reads, PLAIN.writes)):
        async with deadline():
            with pytest.raises(Broken):
                await run()
        again = run()
        await until_answered(logs, len(facts))
        # Whatever is corrected later stands on what the folder holds.
        void = SessionsVoided(("s-3",), "not_played")
        await logs.facts.append(fact_bodies([*facts, void])[-1:])
        await until_answered(logs, len(facts) + 1)
        await canceled(again)
    assert broken
    assert await all_bodies(logs.verdicts) == answered([*facts, void])


@contextmanager
def a_ready_loop(loop: Loop) -> Iterator[None]:
    """Have a loop in the place of the one that is compiled."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(worker, ready_loop.__name__, lambda: loop)
        yield


def some_sessions(count: int) -> list[FactEvent]:
    return [
        a_session(
            a_round({f"MJ-P{number % 7}": number % 3, f"MJ-Q{number % 5}": 1}, wall_games=1),
            name=f"s-{number}",
        )
        for number in range(count)
    ]


async def test_a_rater_with_a_backlog_compiles_and_goes_on_with_the_same_bytes() -> None:
    compiled_loop.cache_clear()
    people = [f"MJ-P{number}" for number in range(40)]
    chance = seeded_chance()
    facts: list[FactEvent] = [ADOPTED, *map(PlayerVerified, people[:20])]
    for number in range(4_000):
        table = chance.sample(people, 4)
        played = a_round({each: chance.randrange(3) for each in table}, wall_games=1)
        facts.append(a_session(played, name=f"s-{number}"))
    bodies = fact_bodies(facts)
    logs = new_memory_logs()
    await logs.facts.append(bodies[:3_000])
    async with a_running_rater(logs):
        await until_answered(logs, 3_000)
        async with deadline():
            while kernel.ready_loop() is None:
                await asyncio.sleep(0.01)
        await logs.facts.append(bodies[3_000:])
        await until_answered(logs, len(facts))
    assert await all_bodies(logs.verdicts) == answered(facts)


async def test_a_compiler_that_fails_is_told_of_once_and_not_asked_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[None] = []

    def fails() -> Loop:
        asked.append(None)
        raise ModuleNotFoundError("No module named 'llvmlite'")

    monkeypatch.setattr(compiling, compiled_loop.__name__, fails)
    monkeypatch.setattr(compiling, ready_loop.__name__, lambda: None)
    compiler = Compiling()
    with capture_logs() as logs:
        compiler.saw(compiling.FACTS_MIN)
        async with deadline():
            while not logs:
                await asyncio.sleep(0.01)
        compiler.saw(compiling.FACTS_MIN)
    assert [each["event"] for each in logs] == ["loop_not_compiled"]
    assert len(asked) == 1
