"""A log is copied byte for byte, however often the copying is cut off, and never beside another."""

import random
from collections.abc import Sequence

import pytest

from services.operating.kafka.copying import (
    BATCH_RECORDS,
    Pair,
    check_facts,
    check_verdicts,
    copy_facts,
    copy_verdicts,
)
from shared.events.codec import encode_verdict
from shared.events.verdicts import Answers, FactRefused
from shared.log.memory import MemoryFactLog, MemoryVerdictLog
from shared.log.port import HistorySplit, LogWriterLost, Record, VerdictWriter
from tests.log.chances import seeded_chance

LOG_ID = "log_of_a_test"
FACTS = 2 * BATCH_RECORDS + 17


def silence(_done: int, _total: int) -> None:
    """Nobody watches."""


class Copier:
    """Appends to a log as a copier does, and fails when it is told to, with some of it written."""

    def __init__(self, log: MemoryFactLog, *, appends_max: int, chance: random.Random) -> None:
        self._log = log
        self._appends_left = appends_max
        self._chance = chance

    async def append(self, records: Sequence[Record]) -> None:
        tail = await self._log.tail()
        assert records[0].seq == tail.seq + 1
        self._appends_left -= 1
        if self._appends_left < 0:
            some = records[: self._chance.randrange(len(records))]
            if some:
                await self._log.append([record.body for record in some])
            raise LogWriterLost("The cluster went away.")
        await self._log.append([record.body for record in records])


class DyingWriter:
    """A writer of verdicts that fails at once, and may have written all the same."""

    def __init__(self, writer: VerdictWriter, *, chance: random.Random) -> None:
        self._writer = writer
        self._chance = chance

    @property
    def fact_seq(self) -> int:
        return self._writer.fact_seq

    async def append(self, bodies: Sequence[bytes], *, fact_seq: int) -> list[Record]:
        if self._chance.random() < 0.5:
            await self._writer.append(bodies, fact_seq=fact_seq)
        raise LogWriterLost("Nobody knows.")

    async def confirm(self) -> None: ...

    async def show_begun(self) -> None: ...

    async def close(self) -> None: ...


def facts_pair(table: MemoryFactLog, topic: MemoryFactLog) -> Pair:
    return Pair(table, topic, "The table", "the topic")


async def some_facts(count: int) -> MemoryFactLog:
    log = MemoryFactLog(LOG_ID)
    await log.append([f"fact {number}".encode() for number in range(count)])
    return log


def a_verdict(fact_seq: int, part: int, parts: int) -> bytes:
    return encode_verdict(
        FactRefused(f"reason {fact_seq}.{part}", None),
        Answers(fact_seq, b"\0" * 32, part, parts, "mahjic-elo/1", "engine"),
        log_id=LOG_ID,
        time="2026-02-01T12:00:00.000000Z",
        subject="x",
    )


async def some_verdicts(parts_of_each: list[int]) -> MemoryVerdictLog:
    log = MemoryVerdictLog(LOG_ID)
    writer = await log.open_writer("rater")
    for fact_seq, parts in enumerate(parts_of_each, start=1):
        bodies = [a_verdict(fact_seq, part, parts) for part in range(1, parts + 1)]
        await writer.append(bodies, fact_seq=fact_seq)
    return log


async def all_of(log: MemoryFactLog | MemoryVerdictLog) -> list[Record]:
    return await log.read(await log.beginning(), 1_000_000)


async def test_facts_are_the_same_after_any_number_of_failures() -> None:
    chance = seeded_chance()
    table, topic = await some_facts(FACTS), MemoryFactLog(LOG_ID)
    pair = facts_pair(table, topic)
    for appends_max in (0, 1, 0, 0):
        with pytest.raises(LogWriterLost):
            await copy_facts(pair, Copier(topic, appends_max=appends_max, chance=chance), silence)
    told: list[tuple[int, int]] = []
    end = await copy_facts(
        pair,
        Copier(topic, appends_max=100, chance=chance),
        lambda done, total: told.append((done, total)),
    )
    assert await all_of(topic) == await all_of(table)
    assert end == await table.tail()
    assert told[-1] == (FACTS, FACTS)


async def test_verdicts_are_the_same_after_any_number_of_failures() -> None:
    chance = seeded_chance()
    parts = [1] * 300 + [BATCH_RECORDS * 2 + 3] + [1] * 300 + [2, 3] * 100
    table, topic = await some_verdicts(parts), MemoryVerdictLog(LOG_ID)
    pair = Pair(table, topic, "The table", "the topic")
    failures = 0
    while await topic.tail() != await table.tail():
        dying = DyingWriter(await topic.open_writer("init"), chance=chance)
        with pytest.raises(LogWriterLost):
            await copy_verdicts(pair, dying, silence)
        failures += 1
    assert failures >= 2
    end = await copy_verdicts(pair, await topic.open_writer("init"), silence)
    assert await all_of(topic) == await all_of(table)
    assert end == await table.tail()
    assert topic.fact_seq == len(parts)


async def test_nothing_is_copied_beside_another_history() -> None:
    table, topic = await some_facts(10), MemoryFactLog(LOG_ID)
    await topic.append([b"fact 0", b"fact 1", b"something else"])
    with pytest.raises(HistorySplit, match="the same up to record 2"):
        await copy_facts(
            facts_pair(table, topic),
            Copier(topic, appends_max=100, chance=random.Random(1)),
            silence,
        )
    assert len(await all_of(topic)) == 3


async def test_a_copy_of_the_facts_that_is_ahead_of_its_table_points_to_the_repair() -> None:
    table, topic = await some_facts(10), await some_facts(12)
    with pytest.raises(HistorySplit, match="mahjic kafka recover"):
        await check_facts(facts_pair(table, topic))


async def test_verdicts_may_go_on_after_those_of_the_table() -> None:
    table, topic = await some_verdicts([1, 1]), await some_verdicts([1, 1, 1])
    pair = Pair(table, topic, "The table", "the topic")
    assert await check_verdicts(pair) == await topic.tail()
    writer = await topic.open_writer("init")
    await copy_verdicts(pair, writer, silence)
    assert len(await all_of(topic)) == 3
