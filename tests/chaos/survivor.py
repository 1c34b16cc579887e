"""A site after all its faults: what it shows is held against what everybody remembers."""

import json
from abc import ABC, abstractmethod
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import asyncpg
import httpx

from tests.chaos.accounts import (
    ACCEPTED,
    accepted,
    assert_answered_truly,
    assert_each_fact_has_its_verdict,
    assert_rated_by_the_rules,
    assert_recorded_once,
)
from tests.chaos.by_hand import Logs, Replay, replayed
from tests.chaos.clients import Answer, Crowd
from tests.chaos.operator import Operator
from tests.chaos.place import OPERATOR, Place

EVERY_SCHEMA = r"SELECT nspname FROM pg_catalog.pg_namespace WHERE nspname LIKE 'view\_%'"
LIVE_SCHEMAS = "SELECT live_schema FROM mahjic.views"


@dataclass
class Survivor:
    """A site after all its faults, with what the clients and the operator remember."""

    place: Place
    crowd: Crowd
    operator: Operator
    pool: asyncpg.Pool
    logs: Logs

    @cached_property
    def replay(self) -> Replay:
        """What a replay of the facts by hand comes to."""
        return replayed(self.logs.facts)

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


class NothingIsLost(ABC):
    """What holds of a survivor, whatever was killed, whichever way Mahjic runs.

    A file of tests gives the fixture `survivor`, and how its views are rebuilt.
    """

    @abstractmethod
    async def rebuild_every_view_alike(self, survivor: Survivor) -> None:
        """Rebuild every view, and check that each is as it was before."""

    def test_every_session_that_was_answered_is_there_once_and_nothing_else(
        self, survivor: Survivor
    ) -> None:
        assert_recorded_once(survivor.crowd.answers, survivor.logs)

    def test_each_errand_became_one_session_whoever_sent_it_where_and_how_often(
        self, survivor: Survivor
    ) -> None:
        answers = survivor.crowd.answers
        sessions: dict[int, set[str]] = {}
        for answer in answers:
            found = sessions.setdefault(answer.errand.number, set())
            if answer.status in ACCEPTED:
                found.add(answer.body["session_id"])
            else:
                assert (answer.status, answer.body["code"]) == (409, "duplicate_session"), answer
                assert answer.errand.rival is not None
        for answer in answers:
            rival = answer.errand.rival
            both = sessions[answer.errand.number] | (sessions[rival.number] if rival else set())
            assert len(both) == 1, answer.errand
        numbers = Counter(each for found in sessions.values() for each in found)
        assert set(numbers.values()) == {1}, "Two errands were taken for one."

    def test_nobody_is_on_record_twice(self, survivor: Survivor) -> None:
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

    def test_both_chains_hold_and_every_fact_is_answered_by_one_verdict_in_order(
        self, survivor: Survivor
    ) -> None:
        assert_each_fact_has_its_verdict(survivor.logs)

    async def test_auditors_are_shown_the_logs_as_they_are(self, survivor: Survivor) -> None:
        for name, lines in (("facts", survivor.logs.facts), ("verdicts", survivor.logs.verdicts)):
            shown: list[bytes] = []
            while len(shown) < len(lines):
                path = f"/v1/log/{name}?from={len(shown) + 1}&limit=10000"
                key = survivor.place.keys[OPERATOR]
                page = (await survivor.crowd.request("GET", path, key=key)).content.splitlines()
                assert page
                shown += page
            assert shown == [line.body for line in lines]

    def test_all_published_numbers_are_those_of_a_replay_by_hand(self, survivor: Survivor) -> None:
        assert_rated_by_the_rules(survivor.logs, survivor.replay)

    def test_every_answer_is_what_the_log_says(self, survivor: Survivor) -> None:
        assert any(answer.status == 201 for answer in survivor.accepted)
        assert_answered_truly(survivor.crowd.answers, survivor.logs, survivor.replay)

    async def test_profiles_show_where_the_replay_ends_to_those_who_may_see_them(
        self, survivor: Survivor
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
        self, survivor: Survivor
    ) -> None:
        await self.rebuild_every_view_alike(survivor)
        schemas = {row["nspname"] for row in await survivor.pool.fetch(EVERY_SCHEMA)}
        assert schemas == {row["live_schema"] for row in await survivor.pool.fetch(LIVE_SCHEMAS)}

    async def test_what_is_sent_again_gets_the_same_session(self, survivor: Survivor) -> None:
        before = {answer.errand.number: answer for answer in survivor.accepted}
        by_number = {answer.errand.number: answer.errand for answer in survivor.crowd.answers}
        again = Crowd(survivor.place, survivor.crowd.http)
        for errand in by_number.values():
            errand.copies, errand.first_try = 1, "whole"
        await again.send_all(by_number.values())
        for answer in again.answers:
            errand = answer.errand
            if errand.is_forgotten:
                assert (answer.status, answer.body["code"]) == (422, "idempotency_key_reused"), (
                    answer
                )
            elif errand.number not in before:
                assert (answer.status, answer.body["code"]) == (409, "duplicate_session"), answer
            else:
                assert answer.status == (201 if errand.has_key else 200), answer
                assert answer.is_replayed, answer
                first = before[errand.number]
                assert answer.body["session_id"] == first.body["session_id"], (first, answer)
        facts_now = await survivor.pool.fetchval("SELECT max(seq) FROM mahjic.facts")
        assert facts_now == len(survivor.logs.facts)
