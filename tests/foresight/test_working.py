"""Trials are worked out once, one at a time, and those who ask too much are told so."""

import asyncio
from dataclasses import dataclass

import pytest

from services.foresight.season import Progress
from services.foresight.working import WAITING_MAX, Foresights, TooMuchToForesee, Underway


@dataclass
class Found:
    as_of: int


class Works:
    """Work that goes on until it is let go."""

    def __init__(self) -> None:
        self.go = asyncio.Event()
        self.begun = 0
        self.at_once = 0

    async def __call__(self, progress: Progress) -> Found:
        self.begun += 1
        self.at_once += 1
        assert self.at_once == 1
        progress("at hand", 1, 2)
        try:
            await self.go.wait()
        finally:
            self.at_once -= 1
        return Found(7)


async def test_what_takes_long_tells_how_far_it_is_and_is_there_later() -> None:
    foresights, works = Foresights(wait_s_max=0.01), Works()
    asked = foresights.ask("a", works, end=7)
    assert await asked in {Underway("", 0, 0), Underway("at hand", 1, 2)}
    assert await foresights.ask("a", works, end=7) == Underway("at hand", 1, 2)
    works.go.set()
    while isinstance(found := await foresights.ask("a", works, end=7), Underway):
        pass
    assert (found.as_of, works.begun) == (7, 1)


async def test_one_at_a_time_and_not_too_many() -> None:
    foresights, works = Foresights(wait_s_max=0.01), Works()
    for number in range(WAITING_MAX):
        assert isinstance(await foresights.ask(str(number), works, end=7), Underway)
    with pytest.raises(TooMuchToForesee):
        await foresights.ask("one more", works, end=7)
    works.go.set()
    for number in range(WAITING_MAX):
        while isinstance(await foresights.ask(str(number), works, end=7), Underway):
            pass
    assert works.begun == WAITING_MAX


async def test_what_was_found_stands_until_something_newer_is_asked_for() -> None:
    foresights, works = Foresights(), Works()
    works.go.set()
    for end, newer_than, begun in [(7, 0, 1), (9, 0, 1), (9, 6, 1), (7, 7, 1), (8, 7, 2)]:
        await foresights.ask("a", works, end=end, newer_than=newer_than)
        assert works.begun == begun, (end, newer_than)


async def test_what_failed_is_worked_out_anew() -> None:
    foresights, works = Foresights(), Works()

    async def fail(progress: Progress) -> Found:
        progress("at hand", 1, 2)
        raise ValueError("It failed.")

    with pytest.raises(ValueError, match="It failed"):
        await foresights.ask("a", fail, end=1)
    works.go.set()
    assert await foresights.ask("a", works, end=1) == Found(7)
