"""A site after all its faults: what it shows is held against what everybody remembers."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import asyncpg
import httpx

from tests.chaos.accounts import ACCEPTED, accepted
from tests.chaos.by_hand import Logs, Replay
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


def assert_each_errand_became_one_session(answers: Sequence[Answer]) -> None:
    """Check that copies and rivals became one session, and that no two errands did."""
    sessions: dict[int, set[str]] = {}
    for answer in answers:
        found = sessions.setdefault(answer.errand.number, set())
        if answer.status in ACCEPTED:
            found.add(answer.body["session_id"])
        else:
            assert (answer.status, answer.body["code"]) == (409, "duplicate_session")
            assert answer.errand.rival is not None
    for answer in answers:
        rival = answer.errand.rival
        both = sessions[answer.errand.number] | (sessions[rival.number] if rival else set())
        assert len(both) == 1, answer.errand
    numbers = Counter(each for found in sessions.values() for each in found)
    assert set(numbers.values()) == {1}, "Two errands were taken for one."


def assert_nobody_is_on_record_twice(survivor: Survivor) -> None:
    """Check that everybody was known again, and that nobody was taken for another."""
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


async def assert_auditors_are_shown_the_logs(survivor: Survivor) -> None:
    """Check that the pages of both logs are their very bytes."""
    for name, lines in (("facts", survivor.logs.facts), ("verdicts", survivor.logs.verdicts)):
        shown: list[bytes] = []
        while len(shown) < len(lines):
            path = f"/v1/log/{name}?from={len(shown) + 1}&limit=10000"
            key = survivor.place.keys[OPERATOR]
            page = (await survivor.crowd.request("GET", path, key=key)).content.splitlines()
            assert page
            shown += page
        assert shown == [line.body for line in lines]


async def assert_profiles_show_the_end_of_the_replay(survivor: Survivor) -> None:
    """Check the ratings of everybody who may be seen, and that nobody else is."""
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


async def assert_no_half_built_view_is_left(pool: asyncpg.Pool) -> None:
    """Check that no build is there but the ones that are read."""
    schemas = {row["nspname"] for row in await pool.fetch(EVERY_SCHEMA)}
    assert schemas == {row["live_schema"] for row in await pool.fetch(LIVE_SCHEMAS)}


async def assert_what_is_sent_again_gets_the_same_session(survivor: Survivor) -> None:
    """Send every errand once more, and check that each is recognised and nothing recorded."""
    before = {answer.errand.number: answer for answer in survivor.accepted}
    by_number = {answer.errand.number: answer.errand for answer in survivor.crowd.answers}
    again = Crowd(survivor.place, survivor.crowd.http)
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
