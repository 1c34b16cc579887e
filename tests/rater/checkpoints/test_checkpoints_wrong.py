"""A rater that starts beside a folder that is wrong says so, and never starts from it."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from services.rater.agreement import RaterDisagrees
from shared.events.facts import FactEvent
from tests.corrections.histories import a_long_history
from tests.log.adapters import Logs, new_memory_logs
from tests.log.chances import seeded_chance
from tests.rater.checkpoints.started import STEPS, Started, counting, rated, sessions, warnings
from tests.rater.running import all_bodies, canceled, error_of
from tests.rater.stories import ADOPTED, ENGINE, a_round, a_session, answered, fact_bodies

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
    assert said == "rater_folder_ignored: It belongs to another log, another-log."


async def test_a_folder_of_another_history_on_the_same_log_is_told_and_not_used(
    tmp_path: Path,
) -> None:
    logs, facts = await a_rated_history(tmp_path / "own")
    others = new_memory_logs()
    bodies = fact_bodies([*facts[:-1], a_session(a_round({"MJ-EVE": 1, "MJ-BO": 0}), name="x")])
    await rated(others, bodies, tmp_path / "other")
    said = await told_and_unused(logs, tmp_path / "other", facts)
    assert said == f"rater_folder_ignored: Fact {len(facts)} on the log is a different one."


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
    assert f"It is as of fact {len(facts)}, but only 0 were rated." in warnings(logged)
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
    assert f"It is as of fact 4, but only {4 - ahead} were rated." in warnings(logged)
    assert await all_bodies(kafka_logs.verdicts) == answered(facts)


async def test_a_folder_of_another_engine_is_told_and_not_used(tmp_path: Path) -> None:
    logs, facts = await a_rated_history(tmp_path)
    with capture_logs() as logged:
        rater = Started(logs, tmp_path, engine="another-engine")
        await rater.until_rated(len(facts))
        await canceled(rater.task)
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
    assert "The last verdict, on fact 2, is a different one." in warnings(logged)


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
