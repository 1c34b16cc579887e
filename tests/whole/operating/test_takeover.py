"""A second service on the same database takes the rating over, once, and nothing is rated twice."""

import asyncio
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx

from services.projections.views import all_views
from shared.events.codec import decode_verdict
from tests.conftest import Database
from tests.log.deadlines import until
from tests.processes import Served, mahjic, serving, start_serving

LIVE_BUILDS = "SELECT name, live_schema FROM mahjic.views ORDER BY name"
ALL_ARE_BUILT = f"SELECT count(live_schema) = {len(all_views())} FROM mahjic.views"


def a_session(number: int) -> dict[str, Any]:
    seats = [
        {"email": f"p{number}-{seat}@example.com", "games_played": 4, "mahjongs": seat}
        for seat in (1, 2)
    ]
    return {
        "session_date": "2026-01-31",
        "game_type": "social",
        "rounds": [{"players": seats, "wall_games": 1}],
    }


async def submit(served: Served, key: str, number: int) -> httpx.Response:
    async with httpx.AsyncClient(base_url=served.url, timeout=60) as client:
        return await client.post(
            "/v1/sessions",
            json=a_session(number),
            headers={"Authorization": f"Bearer {key}"},
        )


async def a_key(environment: dict[str, str]) -> str:
    await mahjic(environment, "source", "add", "a-club", "--name", "A Club", "--type", "club")
    return await mahjic(environment, "key", "create", "a-club")


async def answered_facts(database: Database) -> list[int]:
    rows = await database.pool.fetch("SELECT body FROM mahjic.verdicts ORDER BY seq")
    return [decode_verdict(row["body"]).answers.fact_seq for row in rows]


async def test_the_second_service_takes_over_and_the_first_says_so_and_leaves(
    database: Database,
) -> None:
    environment = {"MAHJIC_DATABASE_URL": database.dsn}
    async with serving(environment) as first:
        key = await a_key(environment)
        assert (await submit(first, key, 1)).status_code == 201
        async with serving(environment) as second:
            assert (await submit(second, key, 2)).status_code == 201
            assert await first.ended() == 3
            assert "writer_replaced" in first.log
            assert (await submit(second, key, 3)).status_code == 201
    facts = await answered_facts(database)
    assert facts == list(range(1, len(facts) + 1))
    assert len(facts) == 4


async def test_what_the_first_has_accepted_is_answered_while_it_leaves(database: Database) -> None:
    environment = {
        "MAHJIC_DATABASE_URL": database.dsn,
        "MAHJIC_SOURCE_LIMIT_PER_MINUTE": "1000000",
    }
    async with serving(environment) as first:
        key = await a_key(environment)
        async with httpx.AsyncClient(base_url=first.url, timeout=60) as client:
            crowd = Crowd(client, key)
            senders = [asyncio.create_task(crowd.send_until_refused()) for _ in range(8)]
            async with serving(environment):
                before = len(crowd.answers)
                await asyncio.gather(*senders)
                assert await first.ended() == 3
    assert 0 < before < len(crowd.answers)
    assert {answer.status_code for answer in crowd.answers} <= {201, 202}
    sessions = {answer.json()["session_id"] for answer in crowd.answers}
    count = await database.pool.fetchval("SELECT count(*) FROM mahjic.submissions")
    assert len(sessions) == len(crowd.answers) == count


@dataclass
class Crowd:
    """Sources that submit one session after the other, as long as somebody takes them."""

    client: httpx.AsyncClient
    key: str
    answers: list[httpx.Response] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=itertools.count)

    async def send_until_refused(self) -> None:
        """Send until a request gets no connection, or comes too late on one and is never read."""
        for number in self.numbers:
            try:
                answer = await self.client.post(
                    "/v1/sessions",
                    json=a_session(number),
                    headers={"Authorization": f"Bearer {self.key}"},
                )
            except (httpx.ConnectError, httpx.ReadError, httpx.RemoteProtocolError):
                return
            self.answers.append(answer)


async def test_a_displaced_service_that_is_started_again_leaves_newer_views_alone(
    database: Database,
) -> None:
    environment = {"MAHJIC_DATABASE_URL": database.dsn}
    async with serving(environment | {"MAHJIC_INSTANCE": "one"}) as first:
        await until(lambda: database.pool.fetchval(ALL_ARE_BUILT))
        async with serving(environment | {"MAHJIC_INSTANCE": "two"}):
            assert await first.ended() == 3
            # As if the second were of a newer version, and had built its views.
            await database.pool.execute("UPDATE mahjic.view_builds SET version = version + 1")
            builds = await database.pool.fetch(LIVE_BUILDS)
            again = await start_serving(environment | {"MAHJIC_INSTANCE": "one"})
            assert await again.ended() == 3
            assert await database.pool.fetch(LIVE_BUILDS) == builds


async def test_a_displaced_service_that_is_started_again_does_not_take_the_rating_back(
    database: Database,
) -> None:
    environment = {"MAHJIC_DATABASE_URL": database.dsn}
    async with serving(environment | {"MAHJIC_INSTANCE": "one"}) as first:
        async with serving(environment | {"MAHJIC_INSTANCE": "two"}) as second:
            assert await first.ended() == 3
            # What a supervisor would do, again and again:
            for _ in range(2):
                again = await start_serving(environment | {"MAHJIC_INSTANCE": "one"})
                assert await again.ended() == 3
                assert "rating_taken_over" in again.log
            key = await a_key(environment)
            assert (await submit(second, key, 1)).status_code == 201
        # The second is gone; now the first may, and must, take over.
        async with serving(environment | {"MAHJIC_INSTANCE": "one"}) as back:
            assert (await submit(back, key, 2)).status_code == 201
