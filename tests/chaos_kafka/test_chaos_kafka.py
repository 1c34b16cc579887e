"""Whatever is killed or paused, Kafka and PostgreSQL included: nothing is lost or comes twice.

`make chaos-kafka N=200 SEED=1` breaks something 200 times, in the order and with the sessions of
that seed.
"""

import random
from collections.abc import AsyncIterator

import httpx
import pytest

from services.projections.views import all_views
from tests.chaos.accounts import (
    assert_answered_truly,
    assert_each_fact_has_its_verdict,
    assert_rated_by_the_rules,
    assert_recorded_once,
)
from tests.chaos.by_hand import replayed
from tests.chaos.clients import ANSWER_S_MAX, Crowd
from tests.chaos.operator import Operator
from tests.chaos.rounds import break_again_and_again, rounds_wanted, seed_wanted
from tests.chaos.site import a_place
from tests.chaos.survivor import (
    Survivor,
    assert_auditors_are_shown_the_logs,
    assert_each_errand_became_one_session,
    assert_no_half_built_view_is_left,
    assert_nobody_is_on_record_twice,
    assert_profiles_show_the_end_of_the_replay,
    assert_what_is_sent_again_gets_the_same_session,
)
from tests.chaos_kafka.faults import planned
from tests.chaos_kafka.site import a_kafka_site
from tests.kafka.fixtures import a_broker

ROUNDS = rounds_wanted(40)
SEED = seed_wanted()
# All faults happen before the first test; on a busy machine a restart takes long.
pytestmark = [
    pytest.mark.timeout(300 + 30 * ROUNDS),
    # A consumer whose broker dies while it connects leaves its socket to the collector.
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),
]


@pytest.fixture(scope="module")
async def survivor() -> AsyncIterator[Survivor]:
    """Run all processes under load, break them again and again, and let the views catch up."""
    print(f"MAHJIC_CHAOS_ROUNDS={ROUNDS} MAHJIC_CHAOS_SEED={SEED}")  # noqa: T201
    chances = random.Random(SEED)
    with a_place() as place:
        async with (
            a_broker() as broker,
            a_kafka_site(place, broker) as site,
            httpx.AsyncClient(timeout=ANSWER_S_MAX) as http,
        ):
            crowd = Crowd(site, http)
            operator = Operator(crowd)
            await break_again_and_again(site, crowd, operator, planned(ROUNDS, chances), chances)
            await site.settled()
            logs = await site.logs()
            print(site.ends())  # noqa: T201
            async with site.database() as pool:
                yield Survivor(site, crowd, operator, pool, logs, replayed(logs.facts))
            site.assert_alive()


async def test_every_session_that_was_answered_is_there_once_and_nothing_else(
    survivor: Survivor,
) -> None:
    assert_recorded_once(survivor.crowd.answers, survivor.logs)


async def test_each_errand_became_one_session_whoever_sent_it_where_and_how_often(
    survivor: Survivor,
) -> None:
    assert_each_errand_became_one_session(survivor.crowd.answers)


async def test_nobody_is_on_record_twice(survivor: Survivor) -> None:
    assert_nobody_is_on_record_twice(survivor)


async def test_both_chains_hold_and_every_fact_is_answered_by_one_verdict_in_order(
    survivor: Survivor,
) -> None:
    assert_each_fact_has_its_verdict(survivor.logs)


async def test_auditors_are_shown_the_logs_as_they_are(survivor: Survivor) -> None:
    await assert_auditors_are_shown_the_logs(survivor)


async def test_all_published_numbers_are_those_of_a_replay_by_hand(survivor: Survivor) -> None:
    assert_rated_by_the_rules(survivor.logs, survivor.replay)


async def test_every_answer_is_what_the_log_says(survivor: Survivor) -> None:
    assert any(answer.status == 201 for answer in survivor.accepted)
    assert_answered_truly(survivor.crowd.answers, survivor.logs, survivor.replay)


async def test_profiles_show_where_the_replay_ends_to_those_who_may_see_them(
    survivor: Survivor,
) -> None:
    await assert_profiles_show_the_end_of_the_replay(survivor)


async def test_every_view_equals_a_rebuild_and_no_half_built_one_is_left(
    survivor: Survivor,
) -> None:
    for view in all_views():
        rebuild = await survivor.place.run("views", "rebuild", view.name)
        told, _ = await rebuild.communicate()
        assert rebuild.returncode == 0, told.decode()
        assert "Every row is as it was before." in told.decode()
    await assert_no_half_built_view_is_left(survivor.pool)


async def test_what_is_sent_again_gets_the_same_session(survivor: Survivor) -> None:
    await assert_what_is_sent_again_gets_the_same_session(survivor)
