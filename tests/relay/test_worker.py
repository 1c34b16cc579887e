"""The relay copies every fact, in order, and nothing beside another history."""

import asyncio
import contextlib
import itertools
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, NoReturn

import pytest

from services.relay.worker import BATCH_FACTS, run_relay
from shared.log.memory import MemoryFactLog
from shared.log.port import HistorySplit, LogAway, LogWriterLost, Record
from shared.log.same_history import check_same_history
from tests.log.adapters import LOG_ID
from tests.log.chances import seeded_chance
from tests.log.deadlines import deadline, until
from tests.relay.copies import Copy, MemoryCopy

Work = Callable[[], Coroutine[Any, Any, NoReturn]]

# More than two batches, the last one not full.
FACTS = 2 * BATCH_FACTS + 7


async def forever(work: Work) -> None:
    """Give a turn that never ends."""
    await work()


def a_relay(
    facts: MemoryFactLog,
    copy: Copy,
    *,
    in_turn: Callable[[Work], Coroutine[Any, Any, None]] = forever,
    tell: Callable[[int], None] = lambda _: None,
) -> Coroutine[Any, Any, NoReturn]:
    return run_relay(
        facts,
        copy.log,
        in_turn=in_turn,
        open_copy=copy.open,
        check=partial(
            check_same_history, facts, copy.log, log_name="the table", copy_name="The copy"
        ),
        tell=tell,
    )


@asynccontextmanager
async def relaying(
    facts: MemoryFactLog, copy: Copy, *, tell: Callable[[int], None] = lambda _: None
) -> AsyncIterator[None]:
    relay = asyncio.create_task(a_relay(facts, copy, tell=tell))
    try:
        yield
    finally:
        relay.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await relay


def bodies(first: int, last: int) -> list[bytes]:
    return [f"fact {number}".encode() for number in range(first, last + 1)]


async def facts_up_to(last: int) -> MemoryFactLog:
    facts = MemoryFactLog(LOG_ID)
    if last:
        await facts.append(bodies(1, last))
    return facts


async def until_copied(copy: Copy, seq: int) -> None:
    async def is_there() -> bool:
        return (await copy.log.tail()).seq >= seq

    await until(is_there)


async def copied(copy: Copy) -> list[bytes]:
    """Return what a reader of the copy sees."""
    held, seen = await copy.log.beginning(), list[bytes]()
    while records := await copy.log.read(held, 1000):
        seen += [record.body for record in records]
        last = await copy.log.at(records[-1].seq)
        assert last is not None
        held = last
    return seen


async def test_every_fact_is_copied_in_order_byte_for_byte_and_once(copy: Copy) -> None:
    facts = await facts_up_to(FACTS)
    async with relaying(facts, copy):
        await until_copied(copy, FACTS)
        await facts.append(bodies(FACTS + 1, FACTS + 3))
        await until_copied(copy, FACTS + 3)
    assert await copy.sent() == await facts.read(await facts.beginning(), FACTS + 3)


async def test_it_goes_on_behind_the_last_fact_that_is_copied(copy: Copy) -> None:
    facts = await facts_up_to(5)
    async with relaying(facts, copy):
        await until_copied(copy, 5)
    await facts.append(bodies(6, 9))
    async with relaying(facts, copy):
        await until_copied(copy, 9)
    assert [record.seq for record in await copy.sent()] == list(range(1, 10))


async def test_a_copy_that_is_ahead_stops_it_before_it_sends_anything(copy: Copy) -> None:
    async with relaying(await facts_up_to(5), copy):
        await until_copied(copy, 5)
    async with deadline():
        with pytest.raises(HistorySplit) as split:
            await a_relay(await facts_up_to(4), copy)
    assert split.value.exit_code == 1
    assert "The copy ends at record 5, and the table ends at record 4" in split.value.detail
    assert "docs/operations.md" in split.value.detail
    assert len(await copy.sent()) == 5


async def test_a_copy_of_another_history_stops_it_before_it_sends_anything(copy: Copy) -> None:
    async with relaying(await facts_up_to(5), copy):
        await until_copied(copy, 5)
    other = await facts_up_to(4)
    await other.append([b"another fact 5", b"fact 6"])
    async with deadline():
        with pytest.raises(HistorySplit):
            await a_relay(other, copy)
    assert len(await copy.sent()) == 5


async def test_a_log_put_back_while_it_copies_stops_it() -> None:
    facts, copy = await facts_up_to(5), MemoryCopy()
    relay = asyncio.create_task(a_relay(facts, copy))
    await until_copied(copy, 5)
    del facts._records[3:]
    await facts.append([b"another fact 4"])
    async with deadline():
        with pytest.raises(HistorySplit):
            await relay
    assert len(await copy.sent()) == 5


async def test_the_first_error_of_sending_ends_it_for_a_new_start() -> None:
    answers = iter([False] * 3 + [True])
    facts, copy = await facts_up_to(5), MemoryCopy(fails=lambda: next(answers))
    async with deadline():
        with pytest.raises(LogWriterLost) as lost:
            await a_relay(facts, copy)
    assert lost.value.exit_code == 75
    assert len(await copy.sent()) == 3


async def test_starts_after_errors_at_random_places_leave_no_fact_out() -> None:
    chance = seeded_chance()
    facts, copy = await facts_up_to(500), MemoryCopy(fails=lambda: chance.random() < 0.02)
    starts = 0
    async with deadline():
        while (await copy.log.tail()).seq < 500:
            starts += 1
            with contextlib.suppress(LogWriterLost, TimeoutError):
                async with asyncio.timeout(0.05):
                    await a_relay(facts, copy)
    assert starts > 1
    assert await copied(copy) == bodies(1, 500)


async def test_two_at_once_and_turns_lost_at_random_places_leave_no_fact_out() -> None:
    """A relay that lost its turn may not know it yet: what both send is harmless."""
    chance = seeded_chance()
    facts, copy = await facts_up_to(2000), MemoryCopy()
    turns = itertools.count()

    async def in_turn(work: Work) -> None:
        next(turns)
        working = asyncio.create_task(work())
        for _ in range(chance.randrange(400)):
            await asyncio.sleep(0)
        working.cancel()
        await asyncio.wait([working])

    relays = [asyncio.create_task(a_relay(facts, copy, in_turn=in_turn)) for _ in range(2)]
    await until_copied(copy, 2000)
    for relay in relays:
        relay.cancel()
    await asyncio.wait(relays)
    assert next(turns) > 2
    assert await copied(copy) == bodies(1, 2000)
    assert len(await copy.sent()) > 2000


async def test_what_is_away_is_waited_for() -> None:
    class AwayAtFirst(MemoryFactLog):
        """A log that every other question finds away."""

        asked = 0

        async def read(self, *arguments: Any) -> list[Record]:
            self.asked += 1
            if self.asked % 2:
                raise LogAway("The log is away.")
            return await super().read(*arguments)

    facts = AwayAtFirst(LOG_ID)
    await facts.append(bodies(1, 5))
    answers = iter([True, True, False])
    copy = MemoryCopy(is_away=lambda: next(answers))
    async with relaying(facts, copy):
        await until_copied(copy, 5)
    assert await copied(copy) == bodies(1, 5)


async def test_it_tells_the_last_fact_that_is_copied() -> None:
    facts, copy, told = await facts_up_to(FACTS), MemoryCopy(), list[int]()
    async with relaying(facts, copy, tell=told.append):
        await until_copied(copy, FACTS)

        async def is_told() -> bool:
            return told[-1] == FACTS

        await until(is_told)
    assert told[0] == 0
    assert told == sorted(told)
