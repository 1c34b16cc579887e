"""A rater starts from its folder quickly, with the same bytes, and never from what is wrong."""

import asyncio
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from structlog.testing import capture_logs

from services.rater.folder import open_folder
from services.rater.manifest import read_manifest
from services.rater.saving import Pace
from shared.events.facts import SessionsVoided
from shared.log.port import Record, VerdictLog, VerdictWriter
from tests.corrections.histories import a_long_history
from tests.log.adapters import Logs, TheseLogs, new_memory_logs
from tests.log.chances import seeded_chance
from tests.rater.checkpoints.started import (
    EAGER,
    STEPS,
    Started,
    counting,
    rated,
    sessions,
    warnings,
)
from tests.rater.running import all_bodies, canceled
from tests.rater.stories import ADOPTED, ENGINE, answered, fact_bodies

# Nothing is saved, however long it runs.
LAZY = Pace(save_facts=1_000_000)


# The same bytes.


async def test_a_rater_that_starts_from_its_folder_writes_the_bytes_of_one_that_never_stopped(
    logs: Logs, tmp_path: Path
) -> None:
    chance = seeded_chance()
    facts = a_long_history(chance, STEPS)
    bodies, at = fact_bodies(facts), 0
    with capture_logs() as logged:
        while at < len(bodies):
            step = chance.randrange(1, STEPS // 3)  # So that it starts four times at least.
            await rated(logs, bodies[at : at + step], tmp_path / "rater")
            at += step
    assert await all_bodies(logs.verdicts) == answered(facts)
    assert warnings(logged) == ""
    assert sum(each["event"] == "rater_restored" for each in logged) >= 3


async def test_facts_behind_the_last_save_are_taken_in_before_it_goes_on(
    memory_logs: Logs, tmp_path: Path
) -> None:
    chance = seeded_chance()
    facts = a_long_history(chance, 2 * STEPS)
    bodies = fact_bodies(facts)
    await rated(memory_logs, bodies[:STEPS], tmp_path / "rater")
    for begin in range(STEPS, len(bodies), 50):
        # Nothing is saved, so each time there is more behind.
        await rated(memory_logs, bodies[begin : begin + 50], tmp_path / "rater", pace=LAZY)
    assert await all_bodies(memory_logs.verdicts) == answered(facts)


async def test_a_rater_canceled_at_random_instants_writes_the_bytes_of_one_undisturbed(
    logs: Logs, tmp_path: Path
) -> None:
    chance = seeded_chance()
    facts = a_long_history(chance, STEPS)
    bodies = fact_bodies(facts)
    while (there := (await logs.facts.tail()).seq) < len(bodies):
        await logs.facts.append(bodies[there : there + chance.randrange(1, 25)])
        rater = Started(logs, tmp_path / "rater", chance.choice((EAGER, LAZY)))
        if chance.random() < 0.5:
            await rater.until_rated((await logs.facts.tail()).seq)
        for _ in range(chance.randrange(80)):
            await asyncio.sleep(0)
        assert not rater.task.done()
        await canceled(rater.task)
    await rated(logs, [], tmp_path / "rater")
    assert await all_bodies(logs.verdicts) == answered(facts)


async def test_a_start_reads_no_fact_that_the_folder_knows(logs: Logs, tmp_path: Path) -> None:
    facts = a_long_history(seeded_chance(), STEPS)
    bodies = fact_bodies(facts)
    await rated(logs, bodies[:-1], tmp_path / "rater")
    counted, read_seqs = counting(logs)
    await rated(counted, bodies[-1:], tmp_path / "rater")
    assert read_seqs == [len(bodies)]
    assert await all_bodies(logs.verdicts) == answered(facts)


# Corrections.


class LookingVerdicts:
    """A log of verdicts that looks at the checkpoints on the disk before each append."""

    def __init__(self, log: VerdictLog, folder: Path) -> None:
        self._log = log
        self._folder = folder
        self.seen: list[list[int]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._log, name)

    async def open_writer(self, holder: str) -> VerdictWriter:
        writer = await self._log.open_writer(holder)
        append = writer.append

        async def looking(bodies: Sequence[bytes], *, fact_seq: int) -> list[Record]:
            manifest = read_manifest(self._folder)
            self.seen.append([each.place for each in manifest.checkpoints] if manifest else [])
            return await append(bodies, fact_seq=fact_seq)

        writer.append = looking  # type: ignore[method-assign]
        return writer


async def test_checkpoints_beyond_the_first_place_are_gone_before_the_verdict_is_written(
    tmp_path: Path,
) -> None:
    facts = [ADOPTED, *sessions(80)]
    logs, bodies = new_memory_logs(), fact_bodies([*facts, SessionsVoided(("s-40",), "not_played")])
    for end in range(1, len(facts) + 1, 8):
        await rated(logs, bodies[(await logs.facts.tail()).seq : end], tmp_path)
    before = read_manifest(tmp_path)
    assert before is not None
    places = [each.place for each in before.checkpoints]
    assert [each for each in places if each > 42]
    verdicts = LookingVerdicts(logs.verdicts, tmp_path)
    looking = TheseLogs(logs.facts, verdicts, logs.harm)
    await rated(looking, bodies[len(facts) :], tmp_path)
    # Session s-40 is fact 42, and stands at place 42.
    assert verdicts.seen == [[each for each in places if each <= 42]]
    after = read_manifest(tmp_path)
    assert after is not None
    assert max(each.place for each in after.checkpoints) == len(facts) + 2
    assert await all_bodies(logs.verdicts) == answered(
        [*facts, SessionsVoided(("s-40",), "not_played")]
    )


# One process.


async def test_a_second_rater_goes_on_without_the_folder_of_the_first(tmp_path: Path) -> None:
    logs, facts = new_memory_logs(), [ADOPTED, *sessions(5)]
    held = open_folder(tmp_path, ENGINE)
    assert held is not None
    try:
        with capture_logs() as logged:
            await logs.facts.append(fact_bodies(facts))
            rater = Started(logs, tmp_path)
            await rater.until_rated(len(facts))
            await canceled(rater.task)
    finally:
        held.close()
    assert warnings(logged).startswith("rater_folder_in_use: Another process holds ")
    assert read_manifest(tmp_path) is None
    await rated(logs, [], tmp_path)
    assert await all_bodies(logs.verdicts) == answered(facts)


async def test_a_rater_without_a_folder_says_what_that_means(memory_logs: Logs) -> None:
    with capture_logs() as logged:
        await rated(memory_logs, fact_bodies([ADOPTED]), None)
    assert warnings(logged) == "rater_without_folder: Every start reads all facts again."


async def test_a_folder_that_is_taken_away_stops_nothing(memory_logs: Logs, tmp_path: Path) -> None:
    facts = [ADOPTED, *sessions(30), SessionsVoided(("s-3",), "not_played"), *sessions(40)[30:]]
    bodies = fact_bodies(facts)
    await memory_logs.facts.append(bodies[:20])
    rater = Started(memory_logs, tmp_path / "rater")
    await rater.until_saved(20)
    shutil.rmtree(tmp_path / "rater")
    with capture_logs() as logged:
        await memory_logs.facts.append(bodies[20:])
        await rater.until_rated(len(bodies))
        await canceled(rater.task)
    assert [each["event"] for each in logged] == ["rater_folder_lost"]
    assert await all_bodies(memory_logs.verdicts) == answered(facts)
