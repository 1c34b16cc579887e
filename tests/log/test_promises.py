"""The promises of shared/log/port.py, each held against every adapter."""

import asyncio
import hashlib
from dataclasses import replace

import pytest

from shared.log.port import (
    FactLog,
    HistorySplit,
    Log,
    LogGap,
    Position,
    Record,
    VerdictWriter,
    WriterReplaced,
)
from tests.log.adapters import LOG_ID, Logs
from tests.log.deadlines import deadline

ODD_BODIES = [b"one", b"", b"\x00\xff\xfe", b"two", b"two", b"x" * 100_000, b'{"a": 1}']


def position_of(record: Record) -> Position:
    return Position(LOG_ID, record.seq, record.chain)


def chains_by_hand(log_name: str, bodies: list[bytes]) -> list[bytes]:
    chain = hashlib.sha256(f"/logs/{LOG_ID}/{log_name}".encode()).digest()
    chains = []
    for body in bodies:
        chain = hashlib.sha256(chain + body).digest()
        chains.append(chain)
    return chains


async def read_in_pages(log: Log, page: int, after: Position | None = None) -> list[Record]:
    position = after or await log.beginning()
    records: list[Record] = []
    while fresh := await log.read(position, page):
        assert len(fresh) <= page
        records += fresh
        position = position_of(fresh[-1])
    return records


async def followed(log: Log, records_max: int) -> list[Record]:
    """Follow a log from its beginning until so many records have come, waiting for each ring."""
    position = await log.beginning()
    records: list[Record] = []
    async with deadline():
        while len(records) < records_max:
            fresh = await log.read(position, 3)
            if not fresh:
                await log.wait_beyond(position.seq, 0.5)
                continue
            records += fresh
            position = position_of(fresh[-1])
    return records


# Appending and reading.


async def test_a_new_log_is_empty(logs: Logs) -> None:
    for log, name in ((logs.facts, "facts"), (logs.verdicts, "verdicts")):
        first_chain = hashlib.sha256(f"/logs/{LOG_ID}/{name}".encode()).digest()
        assert await log.beginning() == Position(LOG_ID, 0, first_chain)
        assert await log.tail() == await log.beginning()
        assert await log.last() is None
        assert await log.read(await log.beginning(), 10) == []


async def test_facts_are_read_as_they_were_appended(logs: Logs) -> None:
    appended = await logs.facts.append(ODD_BODIES[:3])
    appended += await logs.facts.append(ODD_BODIES[3:])
    assert [record.body for record in appended] == ODD_BODIES
    assert [record.seq for record in appended] == [1, 2, 3, 4, 5, 6, 7]
    assert [record.chain for record in appended] == chains_by_hand("facts", ODD_BODIES)
    assert await read_in_pages(logs.facts, 100) == appended
    assert await logs.facts.last() == appended[-1]
    assert await logs.facts.tail() == position_of(appended[-1])


async def test_verdicts_are_read_as_they_were_appended(logs: Logs) -> None:
    writer = await logs.verdicts.open_writer("one")
    appended = await writer.append(ODD_BODIES[:3], fact_seq=2)
    appended += await writer.append(ODD_BODIES[3:], fact_seq=9)
    assert [record.seq for record in appended] == [1, 2, 3, 4, 5, 6, 7]
    assert [record.chain for record in appended] == chains_by_hand("verdicts", ODD_BODIES)
    assert await read_in_pages(logs.verdicts, 100) == appended
    assert await logs.verdicts.last() == appended[-1]
    assert await logs.verdicts.tail() == position_of(appended[-1])
    assert await logs.facts.last() is None
    await writer.close()


@pytest.mark.parametrize("page", [1, 2, 3, 19, 20, 21])
async def test_pages_of_any_size_come_to_one_read(logs: Logs, page: int) -> None:
    appended = await logs.facts.append([str(number).encode() for number in range(20)])
    assert await read_in_pages(logs.facts, page) == appended
    assert await read_in_pages(logs.facts, page, after=position_of(appended[6])) == appended[7:]


async def test_nothing_is_read_after_the_tail(logs: Logs) -> None:
    appended = await logs.facts.append(ODD_BODIES)
    assert await logs.facts.read(position_of(appended[-1]), 10) == []


async def test_an_append_of_nothing_is_a_mistake_of_ours(logs: Logs) -> None:
    with pytest.raises(AssertionError):
        await logs.facts.append([])
    assert await logs.facts.last() is None


# The position of a record.


async def test_every_record_has_its_position(logs: Logs) -> None:
    facts = await logs.facts.append(ODD_BODIES)
    writer = await logs.verdicts.open_writer("one")
    verdicts = await writer.append(ODD_BODIES[::-1], fact_seq=1)
    await writer.close()
    for log, records in ((logs.facts, facts), (logs.verdicts, verdicts)):
        found = [await log.at(seq) for seq in range(1, len(records) + 1)]
        assert found == [position_of(record) for record in records]


async def test_the_position_of_nothing_is_the_beginning(logs: Logs) -> None:
    assert await logs.facts.at(0) == await logs.facts.beginning()
    assert await logs.verdicts.at(0) == await logs.verdicts.beginning()
    await logs.facts.append(ODD_BODIES)
    assert await logs.facts.at(0) == await logs.facts.beginning()


async def test_a_record_that_is_not_there_yet_has_no_position(logs: Logs) -> None:
    assert await logs.facts.at(1) is None
    await logs.facts.append([b"one"])
    assert await logs.facts.at(1) is not None
    assert await logs.facts.at(2) is None
    assert await logs.facts.at(2**62) is None
    assert await logs.verdicts.at(1) is None


async def test_a_missing_record_has_no_position_but_its_neighbors_have(logs: Logs) -> None:
    appended = await logs.facts.append(ODD_BODIES)
    await logs.harm.remove("facts", 4)
    with pytest.raises(LogGap):
        await logs.facts.at(4)
    assert await logs.facts.at(3) == position_of(appended[2])
    assert await logs.facts.at(5) == position_of(appended[4])


# Histories that are not the one that was read before.


async def test_a_held_record_with_another_chain_splits_the_history(logs: Logs) -> None:
    appended = await logs.facts.append(ODD_BODIES)
    held = replace(position_of(appended[2]), chain=hashlib.sha256(b"another").digest())
    with pytest.raises(HistorySplit) as split:
        await logs.facts.read(held, 10)
    assert split.value.code == "history_split"


async def test_a_held_record_beyond_the_end_splits_the_history(logs: Logs) -> None:
    appended = await logs.facts.append(ODD_BODIES)
    with pytest.raises(HistorySplit):
        await logs.facts.read(replace(position_of(appended[-1]), seq=len(appended) + 1), 10)


async def test_the_beginning_of_another_log_splits_the_history(logs: Logs) -> None:
    beginning = await logs.facts.beginning()
    for other in (await logs.verdicts.beginning(), replace(beginning, log_id="another-log")):
        with pytest.raises(HistorySplit):
            await logs.facts.read(other, 10)
        await logs.facts.append([b"one"])


async def test_an_altered_record_splits_the_history(logs: Logs) -> None:
    appended = await logs.facts.append(ODD_BODIES)
    await logs.harm.alter("facts", 4, b"a better result")
    assert await logs.facts.read(position_of(appended[0]), 2) == appended[1:3]
    with pytest.raises(HistorySplit):
        await read_in_pages(logs.facts, 1)
    with pytest.raises(HistorySplit):
        await logs.facts.read(await logs.facts.beginning(), 100)


async def test_a_missing_record_is_a_gap(logs: Logs) -> None:
    appended = await logs.facts.append(ODD_BODIES)
    await logs.harm.remove("facts", 4)
    with pytest.raises(LogGap) as gap:
        await logs.facts.read(position_of(appended[1]), 10)
    assert gap.value.code == "log_gap"


async def test_a_missing_first_record_is_a_gap(logs: Logs) -> None:
    await logs.facts.append(ODD_BODIES)
    await logs.harm.remove("facts", 1)
    with pytest.raises(LogGap):
        await logs.facts.read(await logs.facts.beginning(), 10)


async def test_whoever_had_read_the_end_that_is_gone_is_stopped(logs: Logs) -> None:
    appended = await logs.facts.append(ODD_BODIES)
    await logs.harm.cut("facts", after_seq=5)
    with pytest.raises(HistorySplit):
        await logs.facts.read(position_of(appended[-1]), 10)
    assert await logs.facts.read(position_of(appended[3]), 10) == appended[4:5]


# Waiting.


async def test_a_ring_wakes_everybody_who_waits(logs: Logs) -> None:
    await logs.facts.append([b"one"])
    async with deadline():
        await logs.facts.wait_beyond(0, 3600)
    waiting = [asyncio.create_task(logs.facts.wait_beyond(1, 3600)) for _ in range(5)]
    for _ in range(10):
        await asyncio.sleep(0)  # A turn for each to begin waiting.
    assert not any(task.done() for task in waiting)
    await logs.facts.append([b"two"])
    async with deadline():
        await asyncio.gather(*waiting)


async def test_facts_and_verdicts_ring_apart(logs: Logs) -> None:
    writer = await logs.verdicts.open_writer("one")
    for_fact = asyncio.create_task(logs.facts.wait_beyond(0, 3600))
    for_verdict = asyncio.create_task(logs.verdicts.wait_beyond(0, 3600))
    await writer.append([b"verdict"], fact_seq=1)
    async with deadline():
        await for_verdict
    assert not for_fact.done()
    for_fact.cancel()
    await writer.close()


async def test_one_who_gives_up_waiting_leaves_the_others_waiting(logs: Logs) -> None:
    patient = asyncio.create_task(logs.facts.wait_beyond(0, 3600))
    async with deadline():
        await logs.facts.wait_beyond(0, 0.01)
    assert not patient.done()
    await logs.facts.append([b"one"])
    async with deadline():
        await patient


# Many at once.


async def append_one_by_one(log: FactLog, name: str, records: int) -> None:
    for number in range(records):
        appended = await log.append([f"{name} {number}".encode(), f"{name} {number} too".encode()])
        # Appended in one step: nobody's record stands between.
        assert appended[1].seq == appended[0].seq + 1


async def test_followers_see_what_many_append_at_once_without_a_gap(logs: Logs) -> None:
    names = [f"source {number}" for number in range(8)]
    everything = 8 * 10 * 2
    appending = [append_one_by_one(logs.facts, name, 10) for name in names]
    following = [followed(logs.facts, everything) for _ in range(2)]
    *_, one, other = await asyncio.gather(*appending, *following)
    assert one is not None
    assert other is not None
    assert [record.seq for record in one] == list(range(1, everything + 1))
    assert one == other == await read_in_pages(logs.facts, 1000)
    for name in names:
        mine = [body for record in one if (body := record.body.decode()).startswith(name)]
        assert mine == [
            text for number in range(10) for text in (f"{name} {number}", f"{name} {number} too")
        ]


# The one writer.


async def test_a_writer_knows_the_last_fact_answered(logs: Logs) -> None:
    first = await logs.verdicts.open_writer("one")
    assert first.fact_seq == 0
    await first.append([b"verdict"], fact_seq=3)
    assert first.fact_seq == 3
    await first.close()
    second = await logs.verdicts.open_writer("one")
    assert second.fact_seq == 3
    await second.close()


async def test_a_fact_is_answered_once(logs: Logs) -> None:
    writer = await logs.verdicts.open_writer("one")
    await writer.append([b"verdict"], fact_seq=3)
    with pytest.raises(AssertionError):
        await writer.append([b"another"], fact_seq=3)
    assert len(await read_in_pages(logs.verdicts, 10)) == 1
    await writer.close()


async def test_a_writer_that_was_replaced_writes_nothing(logs: Logs) -> None:
    first = await logs.verdicts.open_writer("one")
    await first.append([b"by one"], fact_seq=1)
    second = await logs.verdicts.open_writer("two")
    for _ in range(2):
        with pytest.raises(WriterReplaced) as replaced:
            await first.append([b"late"], fact_seq=2)
        assert (replaced.value.code, replaced.value.exit_code) == ("writer_replaced", 3)
    assert await logs.verdicts.tail() == position_of((await read_in_pages(logs.verdicts, 10))[0])
    await second.append([b"by two"], fact_seq=2)
    with pytest.raises(WriterReplaced):
        await first.append([b"later"], fact_seq=3)
    bodies = [record.body for record in await read_in_pages(logs.verdicts, 10)]
    assert bodies == [b"by one", b"by two"]
    await first.close()
    await second.close()


async def test_a_writer_can_ask_whether_it_was_replaced(logs: Logs) -> None:
    first = await logs.verdicts.open_writer("one")
    await first.confirm()
    second = await logs.verdicts.open_writer("two")
    with pytest.raises(WriterReplaced):
        await first.confirm()
    await second.confirm()
    await first.close()
    await second.close()


async def test_a_writer_that_was_replaced_closes_without_harm_to_the_new_one(logs: Logs) -> None:
    first = await logs.verdicts.open_writer("one")
    second = await logs.verdicts.open_writer("two")
    await first.close()
    await second.append([b"by two"], fact_seq=1)
    assert [record.body for record in await read_in_pages(logs.verdicts, 10)] == [b"by two"]
    await second.close()


async def test_of_writers_that_open_at_once_exactly_one_can_write(logs: Logs) -> None:
    opened = await asyncio.gather(*(logs.verdicts.open_writer(f"w{n}") for n in range(4)))

    async def wrote(writer: VerdictWriter, number: int) -> bool:
        try:
            await writer.append([str(number).encode()], fact_seq=1)
        except WriterReplaced:
            return False
        return True

    wrote_it = await asyncio.gather(*(wrote(writer, n) for n, writer in enumerate(opened)))
    assert sum(wrote_it) == 1
    bodies = [record.body for record in await read_in_pages(logs.verdicts, 10)]
    assert bodies == [str(wrote_it.index(True)).encode()]
    for writer in opened:
        await writer.close()
