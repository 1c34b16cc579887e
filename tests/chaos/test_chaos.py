"""Whatever is killed at whatever instant: nothing is lost, nothing comes twice, all numbers hold.

`make chaos N=200 SEED=1` kills 200 times, in the order and with the sessions of that seed.
"""

import asyncio
import json
import os
import random
import time
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice

import asyncpg
import httpx
import pytest

from services.projections.rebuild import rebuild_view
from services.projections.views import all_views
from shared.db.bell import Bell
from shared.log.postgres import PostgresVerdictLog
from tests.chaos.accounts import (
    ACCEPTED,
    accepted,
    assert_answered_truly,
    assert_each_fact_has_its_verdict,
    assert_rated_by_the_rules,
    assert_recorded_once,
)
from tests.chaos.by_hand import Logs, Replay, read_logs, replayed
from tests.chaos.claims import errands
from tests.chaos.clients import ANSWER_S_MAX, Answer, Crowd
from tests.chaos.faults import planned
from tests.chaos.operator import Operator
from tests.chaos.site import OPERATOR, Site, a_place, a_site

KILLS = int(os.environ.get("MAHJIC_CHAOS_ROUNDS") or 30)
SEED = int(os.environ.get("MAHJIC_CHAOS_SEED") or random.SystemRandom().randrange(2**32))
ERRANDS_PER_ROUND = 20
OPERATOR_ACTS_PER_ROUND = 2
# All faults happen before the first test; on a busy machine a restart takes long.
pytestmark = pytest.mark.timeout(200 + 20 * KILLS)
# From an answer to the fault: long enough to fall anywhere into the work on the next ones.
JITTER_S_MAX = 0.03
EVERY_SCHEMA = r"SELECT nspname FROM pg_catalog.pg_namespace WHERE nspname LIKE 'view\_%'"
LIVE_SCHEMAS = "SELECT live_schema FROM mahjic.views"


@dataclass
class Survivor:
    """A site after all its faults, with what the clients and the operator remember."""

    site: Site
    crowd: Crowd
    operator: Operator
    pool: asyncpg.Pool
    logs: Logs
    replay: Replay

    @property
    def accepted(self) -> list[Answer]:
        """The answers that promise that a session is on record."""
        return accepted(self.crowd.answers)

    def said_to_be_private(self) -> set[str]:
        """Return the ids of those whom a session on record calls private."""
        facts = {fact["session_id"]: fact for fact in self.logs.session_facts}
        return {
            player_id
            for answer in self.accepted
            for played, claimed in zip(
                facts[answer.body["session_id"]]["rounds"],
                answer.errand.claim["rounds"],
                strict=True,
            )
            for player_id, player in zip(played["players"], claimed["players"], strict=True)
            if player["email"].startswith("PRIVATE:")
        }

    async def get(self, path: str) -> httpx.Response:
        """Look something up as the public does."""
        return await self.crowd.request("GET", path)


@pytest.fixture(scope="module")
async def survivor() -> AsyncIterator[Survivor]:
    """Serve a folder under load, kill it again and again, and let the views catch up."""
    print(f"MAHJIC_CHAOS_ROUNDS={KILLS} MAHJIC_CHAOS_SEED={SEED}")  # noqa: T201
    chances = random.Random(SEED)
    with a_place() as place:
        async with a_site(place / "data") as site, httpx.AsyncClient(timeout=ANSWER_S_MAX) as http:
            crowd = Crowd(site, http)
            operator = Operator(crowd)
            await break_again_and_again(site, crowd, operator, chances)
            async with site.database() as pool:
                logs = await read_logs(pool)
                yield Survivor(site, crowd, operator, pool, logs, replayed(logs.facts))


async def break_again_and_again(
    site: Site, crowd: Crowd, operator: Operator, chances: random.Random
) -> None:
    """Let a fault happen in the middle of each round of errands; all of them are answered."""
    await operator.register_regulars()
    supply = errands(chances)
    for number, fault in enumerate(planned(KILLS, chances), start=1):
        some = list(islice(supply, ERRANDS_PER_ROUND))
        instant = len(crowd.answers) + chances.randrange(ERRANDS_PER_ROUND)
        jitter_s = chances.uniform(0, JITTER_S_MAX)
        vain, began_s = crowd.tries_in_vain, time.monotonic()
        async with asyncio.TaskGroup() as group:
            group.create_task(crowd.send_all(some))
            group.create_task(act_often(operator, random.Random(chances.random())))
            await crowd.answered(instant)
            await asyncio.sleep(jitter_s)
            await fault(site, crowd, chances)
        site.assert_alive()
        took = f"{time.monotonic() - began_s:.1f} s, {crowd.tries_in_vain - vain} tries in vain"
        print(f"{number}: {fault.__name__}, {took}")  # noqa: T201


async def act_often(operator: Operator, chances: random.Random) -> None:
    for _ in range(OPERATOR_ACTS_PER_ROUND):
        await operator.act(chances)


async def test_every_session_that_was_answered_is_there_once_and_nothing_else(
    survivor: Survivor,
) -> None:
    assert_recorded_once(survivor.crowd.answers, survivor.logs)


async def test_each_errand_became_one_session_whoever_sent_it_and_how_often(
    survivor: Survivor,
) -> None:
    sessions: dict[int, set[str]] = {}
    for answer in survivor.crowd.answers:
        found = sessions.setdefault(answer.errand.number, set())
        if answer.status in ACCEPTED:
            found.add(answer.body["session_id"])
        else:
            assert (answer.status, answer.body["code"]) == (409, "duplicate_session")
            assert answer.errand.rival is not None
    for answer in survivor.crowd.answers:
        rival = answer.errand.rival
        both = sessions[answer.errand.number] | (sessions[rival.number] if rival else set())
        assert len(both) == 1, answer.errand
    numbers = Counter(each for found in sessions.values() for each in found)
    assert set(numbers.values()) == {1}, "Two errands were taken for one."


async def test_nobody_is_on_record_twice(survivor: Survivor) -> None:
    ids: dict[str, set[str]] = {}
    for answer in survivor.accepted:
        for result in answer.body["results"]:
            person = result["player"].lower().removeprefix("private:").replace(" ", "")
            if person.startswith("anon:"):
                person += answer.errand.source
            if not answer.errand.is_forgotten:
                ids.setdefault(person, set()).add(result["player_id"])
    assert {len(found) for found in ids.values()} == {1}
    for email, player_id in survivor.operator.ids.items():
        assert ids.get(email, {player_id}) == {player_id}


async def test_both_chains_hold_and_every_fact_is_answered_by_one_verdict_in_order(
    survivor: Survivor,
) -> None:
    assert_each_fact_has_its_verdict(survivor.logs)


async def test_auditors_are_shown_the_logs_as_they_are(survivor: Survivor) -> None:
    for name, lines in (("facts", survivor.logs.facts), ("verdicts", survivor.logs.verdicts)):
        shown: list[bytes] = []
        while len(shown) < len(lines):
            path = f"/v1/log/{name}?from={len(shown) + 1}&limit=10000"
            key = survivor.site.keys[OPERATOR]
            page = (await survivor.crowd.request("GET", path, key=key)).content.splitlines()
            assert page
            shown += page
        assert shown == [line.body for line in lines]


async def test_all_published_numbers_are_those_of_a_replay_by_hand(survivor: Survivor) -> None:
    assert_rated_by_the_rules(survivor.logs, survivor.replay)


async def test_every_answer_is_what_the_log_says(survivor: Survivor) -> None:
    assert any(answer.status == 201 for answer in survivor.accepted)
    assert_answered_truly(survivor.crowd.answers, survivor.logs, survivor.replay)


async def test_profiles_show_where_the_replay_ends_to_those_who_may_see_them(
    survivor: Survivor,
) -> None:
    operator = survivor.operator
    hidden = operator.private | operator.forgotten | survivor.said_to_be_private()
    everybody = set(survivor.replay.rater.everybody.rating) | set(operator.ids.values())
    for player_id in everybody:
        profile = await survivor.get(f"/v1/players/{player_id}")
        if player_id in hidden or player_id.startswith("AN-"):
            assert profile.status_code == 404, player_id
        else:
            assert profile.status_code == 200, player_id
            shown = json.loads(profile.text, parse_float=Fraction)
            assert shown.items() >= survivor.replay.standing(player_id).items()
            assert shown["is_verified"] == (player_id in operator.verified)


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
    schemas = {row["nspname"] for row in await survivor.pool.fetch(EVERY_SCHEMA)}
    assert schemas == {row["live_schema"] for row in await survivor.pool.fetch(LIVE_SCHEMAS)}


async def test_what_is_sent_again_gets_the_same_session(survivor: Survivor) -> None:
    before = {answer.errand.number: answer for answer in survivor.accepted}
    by_number = {answer.errand.number: answer.errand for answer in survivor.crowd.answers}
    again = Crowd(survivor.site, survivor.crowd.http)
    for errand in by_number.values():
        errand.copies, errand.first_try = 1, "whole"
    await again.send_all(by_number.values())
    for answer in again.answers:
        errand = answer.errand
        if errand.is_forgotten:
            assert (answer.status, answer.body["code"]) == (422, "idempotency_key_reused")
        elif errand.number not in before:
            assert (answer.status, answer.body["code"]) == (409, "duplicate_session")
        else:
            assert answer.status == (201 if errand.has_key else 200), errand
            assert answer.is_replayed
            assert answer.body["session_id"] == before[errand.number].body["session_id"]
    facts_now = await survivor.pool.fetchval("SELECT max(seq) FROM mahjic.facts")
    assert facts_now == len(survivor.logs.facts)
