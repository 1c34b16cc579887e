"""Lines of batches and single requests on their way to the log: who is next, and in which order."""

import asyncio
import random

import pytest

from services.ingest.record.deciding import Decision
from services.ingest.record.judging.identified import Submission
from services.ingest.record.lanes import ROUNDS_OF_LINES_MAX, Lanes, LinesInOrder, Waiting
from services.ingest.record.waterline import Writing
from shared.errors import ServiceUnavailable
from shared.log.postgres import Connection
from tests.conftest import Database
from tests.ingest.claims import a_round, a_session
from tests.ingest.office import (
    a_submission,
    facts_on,
    ids_and_times_of,
    outcome_of,
    recording,
    the_head_locked,
    until_recorders_wait,
)
from tests.log.deadlines import deadline


def a_line(number: int) -> Submission:
    """Return a submission of its own for each number."""
    return a_submission(number, a_session(a_round(ada=number + 1, bo=0)))


def lanes_of(*names: str, group_max: int, lines_max: int = 100) -> tuple[Lanes, dict[int, str]]:
    """Return lanes in which requests wait in turn: `s1` is single, `l1` a line, `c1` a change."""
    lanes, named = Lanes(group_max=group_max, lines_max=lines_max), {}
    lines = LinesInOrder()
    for number, name in enumerate(names):
        request = Decision(changes_nothing) if name.startswith("c") else a_line(number)
        outcome = asyncio.get_running_loop().create_future()
        waiting = Waiting(request, outcome, 0.0, lines if name.startswith("l") else None)
        named[id(request)] = name
        lanes.add(waiting)
    return lanes, named


async def changes_nothing(_connection: Connection, _writing: Writing) -> None: ...


async def groups_of(*names: str, group_max: int) -> list[str]:
    """Return the groups in which requests that all wait are recorded, each as one text."""
    lanes, named = lanes_of(*names, group_max=group_max)
    groups = []
    while list(lanes):
        groups.append(" ".join(named[id(each.request)] for each in await lanes.next_group()))
    return groups


async def test_single_submissions_come_first_and_lines_fill_the_rest() -> None:
    assert await groups_of("l1", "l2", "l3", "l4", "s1", "s2", group_max=4) == [
        "s1 s2 l1 l2",
        "l3 l4",
    ]


async def test_lines_have_a_part_of_every_group_however_many_single_submissions_wait() -> None:
    singles = [f"s{number}" for number in range(30)]
    groups = await groups_of(*singles, "l1", "l2", "l3", group_max=10)
    assert [each.split()[-1] for each in groups] == ["l1", "l2", "l3"]
    assert [len(each.split()) for each in groups] == [11, 11, 11]
    assert await groups_of("s1", "s2", "l1", "l2", "l3", group_max=1) == ["s1 l1", "s2 l2", "l3"]


async def test_changes_of_the_past_and_lines_take_turns() -> None:
    groups = await groups_of("c1", "c2", "s1", "c3", "l1", "l2", "l3", group_max=1)
    assert groups == ["c1", "l1", "c2", "s1 l2", "c3", "l3"]
    assert await groups_of("s1", "c1", "s2", "c2", group_max=5) == ["s1", "c1", "s2", "c2"]


async def test_lines_with_very_many_rounds_make_smaller_groups() -> None:
    lanes, lines = Lanes(group_max=500, lines_max=500), LinesInOrder()
    rounds = [a_round(ada=number + 1, bo=0) for number in range(100)]
    long = a_submission(1, a_session(*rounds))
    for _ in range(50):
        outcome = asyncio.get_running_loop().create_future()
        lanes.add(Waiting(long, outcome, 0.0, lines))
    assert len(await lanes.next_group()) == ROUNDS_OF_LINES_MAX // 100


async def test_a_line_waits_for_room_until_lines_are_taken() -> None:
    lanes, _ = lanes_of("l1", "l2", "l3", group_max=1, lines_max=3)
    waiting = asyncio.create_task(lanes.room_for_line())
    await asyncio.sleep(0)
    assert not waiting.done()
    await lanes.next_group()
    async with deadline():
        await waiting


async def test_lines_are_never_refused_for_want_of_room_and_singles_overtake_them(
    office: Database,
) -> None:
    lines, tasks = LinesInOrder(), []
    async with recording(
        office.dsn, ids_and_times_of(random.Random(1)), group_max=100, queue_max=2, lines_max=1
    ) as recorder:
        async with deadline(), the_head_locked(office.pool):
            tasks.append(asyncio.create_task(recorder.record_line(a_line(0), lines)))
            await until_recorders_wait(office.pool, 1)
            # They may be more than there is room for: whoever sends them asks for room before.
            tasks += [
                asyncio.create_task(recorder.record_line(a_line(number), lines))
                for number in range(1, 6)
            ]
            tasks += [asyncio.create_task(recorder.record(a_line(number))) for number in (6, 7)]
            await asyncio.sleep(0)
        async with deadline():
            judged = await asyncio.gather(*tasks)
    assert [outcome_of(each) for each in judged] == [
        f"accepted {a_line(number).session_id}" for number in range(8)
    ]
    on_log = [fact.session_id for fact in await facts_on(office.pool)]
    assert on_log == [a_line(number).session_id for number in (0, 6, 7, 1, 2, 3, 4, 5)]


async def test_after_a_line_that_waited_too_long_none_of_its_batch_is_recorded(
    office: Database,
) -> None:
    lines = LinesInOrder()
    async with (
        recording(office.dsn, ids_and_times_of(random.Random(1)), wait_s_max=2.0) as recorder,
        deadline(),
        the_head_locked(office.pool),
    ):
        first = asyncio.create_task(recorder.record_line(a_line(0), lines))
        await until_recorders_wait(office.pool, 1)
        second = asyncio.create_task(recorder.record_line(a_line(1), lines))
        with pytest.raises(ServiceUnavailable):
            await first
        # It came later, and is given up all the same; so is one that comes now.
        with pytest.raises(ServiceUnavailable):
            await second
        with pytest.raises(ServiceUnavailable):
            await recorder.record_line(a_line(2), lines)
    again = LinesInOrder()
    async with recording(office.dsn, ids_and_times_of(random.Random(2))) as recorder, deadline():
        await asyncio.gather(*(recorder.record_line(a_line(number), again) for number in range(3)))
    # The first one was on its way, and may have come to the log before; none overtook it.
    on_log = [fact.session_id for fact in await facts_on(office.pool)]
    assert on_log == [a_line(number).session_id for number in range(3)]


async def test_a_recorder_that_stops_tells_whoever_waits_in_a_lane(office: Database) -> None:
    lines = LinesInOrder()
    async with the_head_locked(office.pool):
        async with recording(
            office.dsn, ids_and_times_of(random.Random(1)), group_max=1
        ) as recorder:
            waiting = [
                asyncio.create_task(recorder.record_line(a_line(number), lines))
                for number in range(3)
            ]
            await asyncio.sleep(0)
        async with deadline():
            ends = await asyncio.gather(*waiting, return_exceptions=True)
            await recorder.room_for_line()
    assert [type(each) for each in ends] == [ServiceUnavailable] * 3
    with pytest.raises(ServiceUnavailable):
        await recorder.record_line(a_line(4), LinesInOrder())
    assert await facts_on(office.pool) == []
