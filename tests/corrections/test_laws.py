"""What holds for every history, with every kind of fact in any order, on every log.

MAHJIC_SEED repeats the histories of a run. MAHJIC_HISTORIES multiplies how many are tried, and
MAHJIC_HISTORY_STEPS says how long the longest is.
"""

import os
import random
import secrets
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import assume, given, seed, settings
from hypothesis import strategies as st

from shared.db.server.embedded import EmbeddedServer
from shared.events.facts import READ_FACT, FactEvent, SeatsReassigned
from shared.events.verdicts import RatingsCorrected
from shared.log.postgres import found_logs
from tests.conftest import TEMPLATE, fresh_database
from tests.corrections.histories import PLAYERS, a_long_history, histories
from tests.corrections.plain import as_it_should_have_been
from tests.corrections.rating import all_shown, assert_as_by_hand, assert_one_as_by_hand, rated
from tests.corrections.stories import adopted_from_beginning
from tests.kafka.broker import Broker
from tests.log.adapters import LOG_ID, Logs, new_memory_logs, new_postgres_logs
from tests.log.chances import seeded_chance
from tests.log.on_kafka import a_cluster, new_kafka_logs
from tests.rater.stories import ADOPTED, a_round, a_session
from tests.replay_by_hand.formulas import SCALED
from tests.replay_by_hand.history import Sessions, merges, seated, survivor
from tests.replay_by_hand.refusals import why_not
from tests.replay_by_hand.replay import Standing, last_answer, replay

SEED = int(os.environ.get("MAHJIC_SEED") or random.randrange(2**32))
TIMES = int(os.environ.get("MAHJIC_HISTORIES") or 1)
STEPS = int(os.environ.get("MAHJIC_HISTORY_STEPS") or 300)

# To cut down a history that fails can take hypothesis five minutes.
pytestmark = pytest.mark.timeout(900)


@dataclass(frozen=True, slots=True)
class Trial:
    """A history, and where in it the rater is stopped and started anew, in thousandths."""

    facts: list[FactEvent]
    starts: list[int]
    has_folder: bool


trials = st.builds(
    Trial,
    facts=histories(),
    starts=st.lists(st.integers(1, 999), max_size=3),
    has_folder=st.booleans(),
)


@seed(SEED)
@settings(max_examples=30 * TIMES)
@given(trials)
async def test_the_rater_tells_what_full_replays_tell(
    tmp_path_factory: pytest.TempPathFactory, trial: Trial
) -> None:
    await assert_law_holds(new_memory_logs(), trial, tmp_path_factory)


@seed(SEED)
@settings(max_examples=6 * TIMES)
@given(trials)
async def test_it_tells_the_same_on_postgres(
    tmp_path_factory: pytest.TempPathFactory, postgres_server: EmbeddedServer, trial: Trial
) -> None:
    async with (
        fresh_database(postgres_server, template=TEMPLATE) as database,
        new_postgres_logs(database.pool) as logs,
    ):
        await assert_law_holds(logs, trial, tmp_path_factory)


@seed(SEED)
@settings(max_examples=6 * TIMES)
@given(trials)
async def test_it_tells_the_same_on_kafka(
    tmp_path_factory: pytest.TempPathFactory,
    postgres_server: EmbeddedServer,
    kafka_broker: Broker,
    trial: Trial,
) -> None:
    cluster = a_cluster(kafka_broker.address, f"law-{secrets.token_hex(4)}")
    async with fresh_database(postgres_server, template=TEMPLATE) as database:
        async with database.pool.acquire() as connection, connection.transaction():
            await found_logs(connection, LOG_ID)
        async with new_kafka_logs(cluster, LOG_ID, database.pool) as logs:
            await assert_law_holds(logs, trial, tmp_path_factory)


async def assert_law_holds(
    logs: Logs, trial: Trial, tmp_path_factory: pytest.TempPathFactory
) -> None:
    print(f"MAHJIC_SEED={SEED}")  # noqa: T201 - pytest shows it with a failure.
    answers = await rated(
        logs,
        trial.facts,
        starts=[len(trial.facts) * each // 1000 for each in trial.starts],
        folder=tmp_path_factory.mktemp("rater") if trial.has_folder else None,
    )
    assert_as_by_hand(trial.facts, answers)


@seed(SEED)
@settings(max_examples=15 * TIMES)
@given(histories())
async def test_a_corrected_history_comes_to_what_comes_of_one_that_needs_no_correction(
    facts: list[FactEvent],
) -> None:
    corrected = all_shown(await rated(new_memory_logs(), facts))
    plain = all_shown(await rated(new_memory_logs(), as_it_should_have_been(facts)))
    assert {each for each in corrected.items() if each[1] != Standing()} == {
        each for each in plain.items() if each[1] != Standing()
    }


@seed(SEED)
@settings(max_examples=15 * TIMES)
@given(histories(), st.randoms(use_true_random=False))
async def test_the_same_reassignment_the_other_way_leaves_everything_as_it_was(
    facts: list[FactEvent], chance: random.Random
) -> None:
    """Whatever was reassigned, merged and taken apart before."""
    answered = zip(facts, replay(enumerate(facts, start=1)), strict=True)
    counted = [fact for fact, answer in answered if answer.refused is None]
    asked = a_new_reassignment(list(enumerate(counted, 1)), chance)
    assume(asked is not None)
    assert asked is not None
    merged_into = merges(list(enumerate(counted, 1)))
    back = SeatsReassigned(survivor(merged_into, asked.to), asked.from_, asked.sessions)
    answers = await rated(new_memory_logs(), [*counted, asked, back])
    assert_as_by_hand([*counted, asked, back], answers)
    for each in answers[-2:]:
        assert isinstance(each[0].event, RatingsCorrected)
    before, after = all_shown(answers[:-2]), all_shown(answers)
    assert {each: after[each] for each in before} == before
    assert all(after[each] == Standing() for each in after.keys() - before.keys())


def a_new_reassignment(
    facts: list[tuple[int, FactEvent]], chance: random.Random
) -> SeatsReassigned | None:
    """Return one that takes seats, and does not give them back, if some can be taken."""
    sessions, merged_into = Sessions(facts), merges(facts)
    live = [(each, one) for each in sessions.live() for one in dict.fromkeys(seated(each))]
    for session, one in chance.sample(live, len(live)):
        fact = SeatsReassigned(
            survivor(merged_into, one), chance.choice(PLAYERS), (session.session_id,)
        )
        is_new = sessions.is_owed(session.session_id, fact, merged_into) is False
        if is_new and why_not(facts, fact) is None:
            return fact
    return None


async def test_a_history_of_hundreds_of_steps_is_told_by_every_log_as_by_replays(
    logs: Logs, tmp_path: Path
) -> None:
    chance = seeded_chance()
    facts = a_long_history(chance, STEPS)
    stops = [chance.randrange(1, len(facts)) for _ in range(5)]
    answers = await rated(logs, facts, starts=stops, folder=tmp_path)
    assert_as_by_hand(facts, answers)


async def test_a_correction_of_more_players_than_a_part_holds_is_told_in_parts(
    memory_logs: Logs,
) -> None:
    sessions = [
        a_session(a_round({f"MJ-{number}-{seat}": seat for seat in range(4)}), name=f"s-{number}")
        for number in range(1_300)
    ]
    facts: list[FactEvent] = [ADOPTED, *sessions, adopted_from_beginning(SCALED)]
    answers = await rated(memory_logs, facts)
    assert [len(parts) for parts in answers] == [1] * 1_301 + [2]
    by_hand = last_answer(list(enumerate(facts, start=1)))
    assert_one_as_by_hand(facts[-1], by_hand, answers[-1], all_shown(answers))


def test_long_histories_hold_every_kind_of_fact_counted_and_refused() -> None:
    kinds: Counter[tuple[str, str]] = Counter()
    for number in range(2):
        facts = a_long_history(random.Random(number), 300)
        for fact, answer in zip(facts, replay(enumerate(facts, start=1)), strict=True):
            moved = "moved" if answer.moved else "moved nobody"
            kinds[fact.TYPE, answer.refused or moved] += 1
    for kind in READ_FACT:
        assert sum(times for (each, _), times in kinds.items() if each == kind) >= 10, kind
    for kind, outcome in (
        ("session-submitted.v1", "impossible_round"),
        ("sessions-voided.v1", "moved"),
        ("sessions-voided.v1", "moved nobody"),
        ("sessions-voided.v1", "impossible_correction"),
        ("session-corrected.v1", "moved"),
        ("session-corrected.v1", "impossible_correction"),
        ("session-corrected.v1", "impossible_round"),
        ("players-merged.v1", "moved"),
        ("players-merged.v1", "impossible_merge"),
        ("players-unmerged.v1", "moved"),
        ("players-unmerged.v1", "impossible_merge"),
        ("seats-reassigned.v1", "moved"),
        ("seats-reassigned.v1", "impossible_reseat"),
        ("formula-adopted.v2", "moved"),
    ):
        assert kinds[kind, outcome] > 0, (kind, outcome)
