"""A rater starts from its folder quickly, with the same bytes, and never from what is wrong."""

import asyncio
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from services.rater.agreement import RaterDisagrees
from services.rater.folder import open_folder
from services.rater.keeping import Pace
from services.rater.manifest import read_manifest
from services.rater.worker import Progress, run_rater
from shared.events.facts import FactEvent, SessionsVoided
from shared.log.port import FactLog, Position, Record, VerdictLog, VerdictWriter
from tests.corrections.histories import a_long_history
from tests.log.adapters import Logs, TheseLogs, new_memory_logs
from tests.log.chances import seeded_chance
from tests.log.deadlines import until
from tests.rater.running import all_bodies, cancelled, error_of
from tests.rater.stories import ADOPTED, ENGINE, a_round, a_session, answered, fact_bodies

# Everything is saved at once, and checkpoints lie as near to each other as can be.
EAGER = Pace(save_facts=1, gap_facts=1, saving_share=1.0)
# Nothing is saved, however long it runs.
LAZY = Pace(save_facts=1_000_000)
STEPS = 120


@dataclass(slots=True)
class Started:
    """A rater that was started, and what it told of its progress."""

    logs: Logs
    folder: Path | None
    pace: Pace = EAGER
    engine: str = ENGINE
    told: list[Progress] = field(default_factory=list)
    task: "asyncio.Task[Any]" = field(init=False)

    def __post_init__(self) -> None:
        self.task = asyncio.create_task(
            run_rater(
                self.logs.facts,
                self.logs.verdicts,
                holder="one",
                engine=self.engine,
                folder=self.folder,
                pace=self.pace,
                tell=self.told.append,
            )
        )

    async def until_rated(self, fact_seq: int) -> None:
        async def is_rated() -> bool:
            if self.task.done():
                await self.task  # It left, and says why.
            return bool(self.told) and self.told[-1].fact_seq == fact_seq

        await until(is_rated)

    async def until_saved(self, fact_seq: int) -> None:
        assert self.folder is not None
        folder = self.folder

        async def is_saved() -> bool:
            manifest = read_manifest(folder)
            return manifest is not None and manifest.seq == fact_seq

        await until(is_saved)


async def rated(
    logs: Logs, bodies: Sequence[bytes], folder: Path | None, *, pace: Pace = EAGER
) -> None:
    """Append facts, and let a rater answer all that are there and save what it knows."""
    if bodies:
        await logs.facts.append(bodies)
    end = (await logs.facts.tail()).seq
    rater = Started(logs, folder, pace)
    try:
        await rater.until_rated(end)
        if folder is not None and pace is EAGER:
            await rater.until_saved(end)
    finally:
        await cancelled(rater.task)


def warnings(logged: Sequence[Any]) -> str:
    return " ".join(
        f"{each['event']}: {each['reason']}" for each in logged if each["log_level"] == "warning"
    )


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


async def test_a_rater_cancelled_at_random_instants_writes_the_bytes_of_one_undisturbed(
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
        await cancelled(rater.task)
    await rated(logs, [], tmp_path / "rater")
    assert await all_bodies(logs.verdicts) == answered(facts)


# Quickly.


class CountedFacts:
    """A log of facts that counts what is read from it."""

    def __init__(self, log: FactLog) -> None:
        self._log = log
        self.read_seqs: list[int] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._log, name)

    async def read(self, after: Position, records_max: int) -> list[Record]:
        records = await self._log.read(after, records_max)
        self.read_seqs += [record.seq for record in records]
        return records


def counting(logs: Logs) -> tuple[Logs, list[int]]:
    facts = CountedFacts(logs.facts)
    return TheseLogs(facts, logs.verdicts, logs.harm), facts.read_seqs


async def test_a_start_reads_no_fact_that_the_folder_knows(logs: Logs, tmp_path: Path) -> None:
    facts = a_long_history(seeded_chance(), STEPS)
    bodies = fact_bodies(facts)
    await rated(logs, bodies[:-1], tmp_path / "rater")
    counted, read_seqs = counting(logs)
    await rated(counted, bodies[-1:], tmp_path / "rater")
    assert read_seqs == [len(bodies)]
    assert await all_bodies(logs.verdicts) == answered(facts)


# Never from what is wrong.


async def told_and_unused(logs: Logs, folder: Path, facts: Sequence[FactEvent]) -> str:
    """Let a rater with a bad folder answer one more fact; it must begin with fact 1.

    Returns what it warned of.
    """
    more = a_session(a_round({"MJ-ADA": 1, "MJ-BO": 0}), name="one-more")
    before = (await logs.facts.tail()).seq
    counted, read_seqs = counting(logs)
    with capture_logs() as logged:
        await rated(counted, fact_bodies([*facts, more])[before:], folder)
    assert read_seqs == list(range(1, before + 2))
    assert await all_bodies(logs.verdicts) == answered([*facts, more])
    return warnings(logged)


async def a_rated_history(folder: Path) -> tuple[Logs, list[FactEvent]]:
    logs = new_memory_logs()
    facts = a_long_history(seeded_chance(), STEPS)
    await rated(logs, fact_bodies(facts), folder)
    return logs, facts


def altered(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[0] ^= 1
    file.write_bytes(content)


def cut_short(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:7])


@pytest.mark.parametrize("harm", [altered, cut_short, Path.unlink])
@pytest.mark.parametrize("name", ["session_seq.column", "round_players.column"])
async def test_a_column_that_is_wrong_is_told_and_the_folder_not_used(
    tmp_path: Path, name: str, harm: Callable[[Path], None]
) -> None:
    logs, facts = await a_rated_history(tmp_path)
    harm(tmp_path / name)
    said = await told_and_unused(logs, tmp_path, facts)
    assert said.startswith("rater_folder_ignored: ")
    assert name.removesuffix(".column") in said


@pytest.mark.parametrize("harm", [altered, cut_short])
async def test_a_manifest_that_is_wrong_is_told_and_the_folder_not_used(
    tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    logs, facts = await a_rated_history(tmp_path)
    harm(tmp_path / "manifest")
    said = await told_and_unused(logs, tmp_path, facts)
    assert said == "rater_folder_ignored: The manifest was cut short or altered."


async def test_a_folder_of_another_log_is_told_and_not_used(tmp_path: Path) -> None:
    facts: list[FactEvent] = [ADOPTED, a_session(a_round({"MJ-ADA": 1, "MJ-BO": 0}))]
    others = new_memory_logs("another-log")
    await rated(others, fact_bodies(facts), tmp_path / "other")
    logs, history = await a_rated_history(tmp_path / "own")
    said = await told_and_unused(logs, tmp_path / "other", history)
    assert said == "rater_folder_ignored: It is of another log, another-log."


async def test_a_folder_of_another_history_on_the_same_log_is_told_and_not_used(
    tmp_path: Path,
) -> None:
    logs, facts = await a_rated_history(tmp_path / "own")
    others = new_memory_logs()
    bodies = fact_bodies([*facts[:-1], a_session(a_round({"MJ-EVE": 1, "MJ-BO": 0}), name="x")])
    await rated(others, bodies, tmp_path / "other")
    said = await told_and_unused(logs, tmp_path / "other", facts)
    assert said == f"rater_folder_ignored: Fact {len(facts)} on the log is another one."


async def test_a_folder_that_is_ahead_of_the_verdicts_is_told_and_not_used(
    kafka_logs: Logs, tmp_path: Path
) -> None:
    facts = a_long_history(seeded_chance(), 40)
    bodies = fact_bodies(facts)
    await rated(kafka_logs, bodies[:20], tmp_path)
    await rated(kafka_logs, bodies[20:], tmp_path)
    verdicts = await all_bodies(kafka_logs.verdicts)
    await kafka_logs.harm.cut("verdicts", after_seq=0)
    with capture_logs() as logged:
        await rated(kafka_logs, [], tmp_path)
    assert f"It is as of fact {len(facts)}, and only 0 were rated." in warnings(logged)
    assert await all_bodies(kafka_logs.verdicts) == verdicts


@pytest.mark.parametrize("ahead", [1, 2])
async def test_a_folder_that_knows_of_a_fact_without_a_verdict_does_not_keep_it_from_one(
    kafka_logs: Logs, tmp_path: Path, ahead: int
) -> None:
    tables = [a_session(a_round({"MJ-ADA": n, "MJ-BO": 0}), name=f"s-{n}") for n in (1, 2, 3)]
    facts: list[FactEvent] = [ADOPTED, *tables]
    for body in fact_bodies(facts):  # One by one, so that the log may end after any of them.
        await rated(kafka_logs, [body], tmp_path)
    await kafka_logs.harm.cut("verdicts", after_seq=len(facts) - ahead)
    with capture_logs() as logged:
        await rated(kafka_logs, [], tmp_path)
    assert f"It is as of fact 4, and only {4 - ahead} were rated." in warnings(logged)
    assert await all_bodies(kafka_logs.verdicts) == answered(facts)


async def test_a_folder_of_another_engine_is_told_and_not_used(tmp_path: Path) -> None:
    logs, facts = await a_rated_history(tmp_path)
    with capture_logs() as logged:
        rater = Started(logs, tmp_path, engine="another-engine")
        await rater.until_rated(len(facts))
        await cancelled(rater.task)
    assert warnings(logged) == (
        f"rater_folder_ignored: It was written by another engine, {ENGINE}."
    )


async def test_a_last_verdict_that_was_altered_is_found_whatever_the_folder_says(
    tmp_path: Path,
) -> None:
    facts: list[FactEvent] = [ADOPTED, a_session(a_round({"MJ-ADA": 1, "MJ-BO": 0}))]
    logs = new_memory_logs()
    await rated(logs, fact_bodies(facts), tmp_path)
    last = (await all_bodies(logs.verdicts))[-1]
    await logs.harm.alter("verdicts", 2, last.replace(b"[150000,", b"[150001,", 1))
    with capture_logs() as logged:
        assert isinstance(await error_of(Started(logs, tmp_path).task), RaterDisagrees)
    assert "The last verdict, on fact 2, is another one." in warnings(logged)


@pytest.mark.parametrize("harm", [altered, cut_short, Path.unlink])
@pytest.mark.parametrize("is_every_one_harmed", [False, True])
async def test_a_checkpoint_that_is_wrong_is_told_and_the_history_replayed_from_before_it(
    tmp_path: Path, harm: Callable[[Path], None], is_every_one_harmed: bool
) -> None:
    logs, facts = new_memory_logs(), [ADOPTED, *sessions(60)]
    bodies = fact_bodies(facts)
    for begin in range(0, 50, 10):
        await rated(logs, bodies[begin : begin + 10], tmp_path)
    checkpoints = checkpoints_in(tmp_path)
    assert len(checkpoints) >= 3
    harmed = checkpoints if is_every_one_harmed else checkpoints[-1:]
    for file in harmed:
        harm(file)
    with capture_logs() as logged:
        await rated(logs, bodies[50:], tmp_path)
    assert warnings(logged).count("rater_checkpoint_ignored") == len(harmed)
    assert all(file.name in warnings(logged) for file in harmed)
    assert await all_bodies(logs.verdicts) == answered(facts)


def checkpoints_in(folder: Path) -> list[Path]:
    """Return the files of checkpoints in order of their places."""
    return sorted(folder.glob("*.checkpoint"), key=lambda each: int(each.name.partition("-")[0]))


def sessions(count: int) -> list[FactEvent]:
    """Return sessions s-0, s-1 ..., in which everybody meets everybody."""
    players = ("MJ-ADA", "MJ-BO", "MJ-CLEO", "MJ-DREW", "MJ-EVE")
    return [
        a_session(
            a_round({players[number % 5]: 2, players[(number + 1 + number // 5 % 4) % 5]: 1}),
            name=f"s-{number}",
        )
        for number in range(count)
    ]


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
            await cancelled(rater.task)
    finally:
        held.close()
    assert warnings(logged).startswith("rater_folder_in_use: Another process holds ")
    assert read_manifest(tmp_path) is None
    await rated(logs, [], tmp_path)
    assert await all_bodies(logs.verdicts) == answered(facts)


async def test_a_rater_without_a_folder_says_what_that_means(memory_logs: Logs) -> None:
    with capture_logs() as logged:
        await rated(memory_logs, fact_bodies([ADOPTED]), None)
    assert warnings(logged) == "rater_without_folder: Each start reads all facts again."


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
        await cancelled(rater.task)
    assert [each["event"] for each in logged] == ["rater_folder_lost"]
    assert await all_bodies(memory_logs.verdicts) == answered(facts)
