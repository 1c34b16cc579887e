"""What the rater knows is saved beside its work, one save at a time, and not all the time."""

import asyncio
import fcntl
import os
import threading
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from services.rater.answering import Rater
from services.rater.folder import LOCK_NAME, FolderInUse, RaterFolder, Snapshot, open_folder
from services.rater.saving import Keeper, Pace
from shared.events.facts import FactEvent
from shared.log.memory import MemoryFactLog
from tests.log.adapters import LOG_ID
from tests.log.deadlines import deadline, until
from tests.rater.stories import ADOPTED, ENGINE, a_round, a_session, fact_records

FACTS: list[FactEvent] = [
    ADOPTED,
    *(a_session(a_round({"MJ-ADA": 1, "MJ-BO": 0}), name=f"s-{number}") for number in range(50)),
]


class HeldFolder(RaterFolder):
    """A folder whose saves take as long as the test holds them up."""

    def __init__(self, path: Path) -> None:
        lock = os.open(path / LOCK_NAME, os.O_CREAT)
        fcntl.flock(lock, fcntl.LOCK_EX)
        super().__init__(path, lock, ENGINE, 1)
        self.has_begun = threading.Event()
        self.go_on = threading.Event()
        self.saved: list[int] = []
        self.times_s: list[tuple[float, float]] = []

    def save(self, snapshot: Snapshot) -> None:
        began_s = time.monotonic()
        self.has_begun.set()
        assert self.go_on.wait(60)
        super().save(snapshot)
        self.saved.append(snapshot.position.seq)
        self.times_s.append((began_s, time.monotonic()))


@pytest.fixture
async def folder(tmp_path: Path) -> AsyncIterator[HeldFolder]:
    held = HeldFolder(tmp_path)
    yield held
    held.go_on.set()


async def begun(folder: HeldFolder, pace: Pace) -> tuple[Keeper, Rater]:
    keeper = Keeper(folder, ENGINE, pace)
    facts = MemoryFactLog(LOG_ID)
    rater = await keeper.restored(facts, await facts.beginning(), fact_seq=0, published=None)
    return keeper, rater


def answer_all(keeper: Keeper, rater: Rater) -> None:
    for record in fact_records(FACTS)[rater.position.seq :]:
        keeper.answered(rater, rater.answer(record)[-1])


async def test_facts_are_answered_while_a_save_lasts(folder: HeldFolder) -> None:
    keeper, rater = await begun(folder, Pace(save_facts=1))
    answer_all(keeper, rater)  # Not one of these steps waits for anything.
    assert rater.position.seq == len(FACTS)
    assert folder.saved == []
    folder.go_on.set()
    async with deadline():
        await keeper.at_rest()
    # It was begun after the first fact, and holds what was known then and nothing since.
    assert folder.saved == [1]
    manifest = folder.found(LOG_ID)
    assert manifest is not None
    assert (manifest.seq, manifest.columns["session_seq"].rows) == (1, 0)


async def test_whoever_must_have_the_folder_for_itself_waits_for_the_save(
    folder: HeldFolder,
) -> None:
    keeper, rater = await begun(folder, Pace(save_facts=1))
    answer_all(keeper, rater)
    resting = asyncio.create_task(keeper.at_rest())
    for _ in range(50):
        await asyncio.sleep(0)
    assert not resting.done()
    folder.go_on.set()
    async with deadline():
        await resting


async def test_nobody_else_has_the_folder_before_a_save_is_over_that_was_canceled(
    folder: HeldFolder, tmp_path: Path
) -> None:
    keeper, rater = await begun(folder, Pace(save_facts=1))
    others = asyncio.all_tasks()
    answer_all(keeper, rater)
    (saving,) = asyncio.all_tasks() - others
    await until_begun(folder)
    keeper.close()
    saving.cancel()  # As at the end of a process.
    for _ in range(50):
        await asyncio.sleep(0)
    with pytest.raises(FolderInUse):
        open_folder(tmp_path, ENGINE)
    folder.go_on.set()
    async with deadline():
        await asyncio.wait([saving])
    assert folder.saved == [1]
    next_one = open_folder(tmp_path, ENGINE)
    assert next_one is not None
    next_one.close()


async def until_begun(folder: HeldFolder) -> None:
    async def has_begun() -> bool:
        return folder.has_begun.is_set()

    await until(has_begun)


async def test_saving_takes_no_more_than_its_share_of_the_time(folder: HeldFolder) -> None:
    keeper, rater = await begun(folder, Pace(save_facts=1, saving_share=0.2))
    answer_all(keeper, rater)
    folder.go_on.set()
    await keeper.at_rest()

    async def is_saved_again() -> bool:
        keeper.save_if_due(rater)
        return len(folder.saved) == 2

    await until(is_saved_again)
    assert folder.saved == [1, len(FACTS)]
    (first_began_s, first_ended_s), (second_began_s, _) = folder.times_s
    assert second_began_s - first_ended_s >= (first_ended_s - first_began_s) / 0.2


async def test_nothing_is_saved_before_so_many_facts_were_answered(folder: HeldFolder) -> None:
    folder.go_on.set()
    keeper, rater = await begun(folder, Pace(save_facts=51))
    for record in fact_records(FACTS)[:50]:
        keeper.answered(rater, rater.answer(record)[-1])
        await keeper.at_rest()
    assert folder.saved == []
    answer_all(keeper, rater)
    await keeper.at_rest()
    assert folder.saved == [51]
