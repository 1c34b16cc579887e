"""Whatever is killed at whatever instant: nothing is lost, nothing comes twice, all numbers hold.

`make chaos N=200 SEED=1` kills 200 times, in the order and with the sessions of that seed.
"""

import asyncio
import random
from collections.abc import AsyncIterator

import httpx
import pytest

from services.projections.building.rebuild import rebuild_view
from services.projections.views import all_views
from shared.db.bell import Bell
from shared.log.postgres import PostgresVerdictLog
from tests.chaos.accounts import (
    assert_answered_truly,
    assert_each_fact_has_its_verdict,
    assert_rated_by_the_rules,
    assert_recorded_once,
)
from tests.chaos.by_hand import read_logs, replayed
from tests.chaos.clients import ANSWER_S_MAX, Crowd
from tests.chaos.faults import planned
from tests.chaos.operator import Operator
from tests.chaos.rounds import break_again_and_again, rounds_wanted, seed_wanted
from tests.chaos.site import a_place, a_site
from tests.chaos.survivor import (
    Survivor,
    assert_auditors_are_shown_the_logs,
    assert_each_errand_became_one_session,
    assert_no_half_built_view_is_left,
    assert_nobody_is_on_record_twice,
    assert_profiles_show_the_end_of_the_replay,
    assert_what_is_sent_again_gets_the_same_session,
)

KILLS = rounds_wanted(30)
SEED = seed_wanted()
# All faults happen before the first test; on a busy machine a restart takes long.
pytestmark = pytest.mark.timeout(200 + 20 * KILLS)


@pytest.fixture(scope="module")
async def survivor() -> AsyncIterator[Survivor]:
    """Serve a folder under load, kill it again and again, and let the views catch up."""
    print(f"MAHJIC_CHAOS_ROUNDS={KILLS} MAHJIC_CHAOS_SEED={SEED}")  # noqa: T201
    chances = random.Random(SEED)
    with a_place() as place:
        async with a_site(place / "data") as site, httpx.AsyncClient(timeout=ANSWER_S_MAX) as http:
            crowd = Crowd(site, http)
            operator = Operator(crowd)
            await break_again_and_again(site, crowd, operator, planned(KILLS, chances), chances)
            async with site.database() as pool:
                logs = await read_logs(pool)
                yield Survivor(site, crowd, operator, pool, logs, replayed(logs.facts))


async def test_every_session_that_was_answered_is_there_once_and_nothing_else(
    survivor: Survivor,
) -> None:
    assert_recorded_once(survivor.crowd.answers, survivor.logs)


async def test_each_errand_became_one_session_whoever_sent_it_and_how_often(
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
    log = PostgresVerdictLog(survivor.pool, Bell())
    rebuilt = await asyncio.gather(
        *(rebuild_view(view.name, pool=survivor.pool, log=log) for view in all_views())
    )
    for each in rebuilt:
        assert each.seq == len(survivor.logs.verdicts)
        assert each.old_digest is not None, each.view
        assert each.old_digest == each.new_digest, each.view
    await assert_no_half_built_view_is_left(survivor.pool)


async def test_what_is_sent_again_gets_the_same_session(survivor: Survivor) -> None:
    await assert_what_is_sent_again_gets_the_same_session(survivor)
