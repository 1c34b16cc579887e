"""Turns are shared: nobody waits for all that another one has sent, and nobody has all of them."""

import asyncio
from collections import Counter
from functools import partial

import pytest

from services.ingest.sheets.turns import Turns
from tests.log.chances import seeded_chance
from tests.log.deadlines import deadline

LONG_S = 100.0


class Crowd:
    """Those who come for turns, in which order they had them, and who holds one."""

    def __init__(self, turns: Turns) -> None:
        self.turns = turns
        self.had: list[str] = []
        self.held: Counter[str] = Counter()
        self.most = 0
        self.most_of_one = 0

    async def come(self, source: str, go: asyncio.Event) -> None:
        async with self.turns.one(source, wait_s_max=LONG_S):
            self.had.append(source)
            self.held[source] += 1
            self.most = max(self.most, self.held.total())
            self.most_of_one = max(self.most_of_one, self.held[source])
            try:
                await go.wait()
            finally:
                self.held[source] -= 1


async def settled() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


async def test_somebody_with_one_file_waits_for_one_of_each_other_source() -> None:
    crowd = Crowd(Turns(at_once=1, of_one=1))
    first = asyncio.Event()
    async with deadline(), asyncio.TaskGroup() as tasks:
        tasks.create_task(crowd.come("large", first))
        await settled()
        go = asyncio.Event()
        go.set()
        for _ in range(5):
            tasks.create_task(crowd.come("large", go))
        for _ in range(2):
            tasks.create_task(crowd.come("other", go))
        await settled()
        tasks.create_task(crowd.come("small", go))
        await settled()
        assert crowd.had == ["large"]
        first.set()
    assert crowd.had[:5] == ["large", "large", "other", "small", "large"]
    assert crowd.had[5:] == ["other", "large", "large", "large"]


async def test_one_source_never_has_all_turns_and_a_free_one_is_for_the_next_other() -> None:
    crowd = Crowd(Turns(at_once=4, of_one=2))
    go = asyncio.Event()
    async with deadline(), asyncio.TaskGroup() as tasks:
        for _ in range(6):
            tasks.create_task(crowd.come("large", go))
        await settled()
        assert crowd.had == ["large", "large"]
        tasks.create_task(crowd.come("small", go))
        await settled()
        assert crowd.had == ["large", "large", "small"]
        go.set()
    assert (crowd.most_of_one, len(crowd.had)) == (2, 7)


async def test_who_gives_up_takes_no_turn_along() -> None:
    turns = Turns(at_once=1, of_one=1)
    async with deadline():
        async with turns.one("a", wait_s_max=LONG_S):
            with pytest.raises(TimeoutError):
                async with turns.one("b", wait_s_max=0):
                    raise AssertionError
        async with turns.one("b", wait_s_max=LONG_S):
            pass


async def test_whatever_happens_no_turn_is_lost_and_none_is_given_twice() -> None:
    chance = seeded_chance()
    crowd = Crowd(Turns(at_once=3, of_one=2))
    go = asyncio.Event()
    tasks = []
    for _ in range(300):
        task = asyncio.create_task(crowd.come(chance.choice("abcd"), go))
        tasks.append(task)
        for _ in range(chance.randrange(3)):
            await asyncio.sleep(0)
        if chance.random() < 0.4:
            chance.choice(tasks).cancel()
        if chance.random() < 0.3:
            go.set()
            go = asyncio.Event()
    for task in tasks:
        # Some were told before that they may go, and others never will be.
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert crowd.most <= 3
    assert crowd.most_of_one <= 2
    one = partial(crowd.turns.one, wait_s_max=LONG_S)
    async with deadline(), one("a"), one("a"), one("b"):
        pass
    # Nobody is remembered who neither holds a turn nor waits for one.
    assert not crowd.turns._held
    assert crowd.turns._next() is None
    assert not crowd.turns._waiting
