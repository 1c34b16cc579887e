"""The same rounds, each sent several times at once, and what must be recorded and answered then."""

import asyncio
import json
import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from typing import Any

import httpx

from tests.chaos.by_hand import Logs, answer_by_hand, assert_chained, replayed
from tests.log.chances import seeded_chance

ROUNDS = 200
PEOPLE = tuple(f"player{number}@example.com" for number in range(30))
ROUNDS_AT_ONCE = 16
FIRST_DATE = date(2025, 1, 1)


@dataclass(frozen=True, slots=True)
class Sent:
    """One copy of a round and its answer."""

    number: int
    claim: dict[str, Any]
    status: int
    is_replayed: bool
    body: dict[str, Any]


def sent(number: int, claim: dict[str, Any], response: httpx.Response) -> Sent:
    """Keep an answer, with its decimals as exact fractions."""
    is_replayed = "Idempotency-Replayed" in response.headers
    body = json.loads(response.text, parse_float=Fraction)
    return Sent(number, claim, response.status_code, is_replayed, body)


@dataclass(frozen=True, slots=True)
class Crowded:
    """All copies of each round with their answers, and the logs after them."""

    rounds: list[list[Sent]]
    logs: Logs


async def send_crowd(urls: Sequence[str], key: str, *, copies: int) -> list[list[Sent]]:
    """Send all copies of all rounds, each over another connection, and return the answers."""
    chances = seeded_chance()
    bearer = {"Authorization": f"Bearer {key}"}
    at_once = asyncio.Semaphore(ROUNDS_AT_ONCE)
    async with AsyncExitStack() as stack:
        # Each client keeps connections of its own, as another process does.
        clients = [
            await stack.enter_async_context(httpx.AsyncClient(base_url=url, timeout=60))
            for url in urls
        ]

        async def send_copies(number: int, claim: dict[str, Any]) -> list[Sent]:
            async with at_once:
                sending = (
                    clients[copy % len(clients)].post(
                        "/v1/sessions", json=claim, headers=bearer | key_of_copy(number, copy)
                    )
                    for copy in range(copies)
                )
                return [sent(number, claim, each) for each in await asyncio.gather(*sending)]

        return await asyncio.gather(
            *(send_copies(number, a_claim(number, chances)) for number in range(ROUNDS))
        )


def key_of_copy(number: int, copy: int) -> dict[str, str]:
    """Return the Idempotency-Key of a copy: there is none, or one for all, or one for each."""
    return (
        {},
        {"Idempotency-Key": f"round-{number}"},
        {"Idempotency-Key": f"round-{number}-copy-{copy}"},
    )[number % 3]


def a_claim(number: int, chances: random.Random) -> dict[str, Any]:
    """Return a league round of its own date among people who play in many of them."""
    people = chances.sample(PEOPLE, 4)
    mahjongs = [chances.randint(0, 3) for _ in people]
    players = [
        {
            "email": person,
            "games_played": sum(mahjongs) + 1,
            "mahjongs": won,
            "points": chances.randint(-10_000, 10_000) / 100,
        }
        for person, won in zip(people, mahjongs, strict=True)
    ]
    return {
        "session_date": str(FIRST_DATE + timedelta(days=number)),
        "game_type": "league",
        "rounds": [{"players": players, "wall_games": 1}],
    }


class EachRoundCountsOnce:
    """What holds of rounds that were sent several times at once; a file gives `crowded`."""

    def test_each_round_is_recorded_once(self, crowded: Crowded) -> None:
        facts = crowded.logs.session_facts
        assert len(facts) == len({fact["session_id"] for fact in facts}) == ROUNDS
        assert Counter(fact["session_date"] for fact in facts) == Counter(
            copies[0].claim["session_date"] for copies in crowded.rounds
        )
        assert_chained(crowded.logs.log_id, "facts", crowded.logs.facts)

    def test_all_copies_of_a_round_are_answered_with_its_one_session(
        self, crowded: Crowded
    ) -> None:
        for copies in crowded.rounds:
            (session_id,) = {copy.body["session_id"] for copy in copies}
            statuses = Counter((copy.status, copy.is_replayed) for copy in copies)
            # A retry under its own key is answered as the first time; any other repeat with 200.
            repeat = 201 if copies[0].number % 3 == 1 else 200
            assert statuses == {(201, False): 1, (repeat, True): len(copies) - 1}, session_id

    def test_every_answer_has_the_numbers_of_a_replay_by_hand(self, crowded: Crowded) -> None:
        replay = replayed(crowded.logs.facts)
        facts = {fact["session_id"]: fact for fact in crowded.logs.session_facts}
        for copy in (copy for copies in crowded.rounds for copy in copies):
            told = {name: copy.body[name] for name in ("session_id", "status", "results", "rounds")}
            session_id = told["session_id"]
            assert told == answer_by_hand(
                facts[session_id], copy.claim, replay.sessions[session_id]
            )

    def test_everybody_at_the_tables_is_one_player(self, crowded: Crowded) -> None:
        ids: dict[str, set[str]] = defaultdict(set)
        for copy in (copy for copies in crowded.rounds for copy in copies):
            for result in copy.body["results"]:
                ids[result["player"]].add(result["player_id"])
        assert set(ids) == set(PEOPLE)
        assert len({player_id for found in ids.values() for player_id in found}) == len(PEOPLE)
