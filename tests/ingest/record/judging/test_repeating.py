"""Retries and duplicates over HTTP: one session, one set of changes, and today's answer to each."""

import asyncio
import itertools
import json
from collections import Counter
from typing import Any

import httpx

from shared.events.codec import decode_fact
from shared.events.facts import SessionSubmitted
from tests.conftest import Database
from tests.ingest.answers import CLAIM, as_at_first, facts, problem
from tests.ingest.claims import Claim, a_round, a_session
from tests.log.deadlines import deadline, until
from tests.service import RunningService, bearer, running_service

RESPELLED = a_session(
    {
        "wall_games": 0,
        "players": [
            {"mahjongs": 1, "games_played": 4, "email": " BO@Example.com"},
            {"mahjongs": 3, "games_played": 4, "email": "ada@EXAMPLE.com"},
        ],
    }
)


async def test_50_parallel_posts_of_the_same_bytes_are_one_session(service: RunningService) -> None:
    key = await service.source_key()
    content = json.dumps(CLAIM).encode()
    headers = {**bearer(key), "Content-Type": "application/json"}
    async with deadline():
        answers = await asyncio.gather(
            *(
                service.client.post("/v1/sessions", content=content, headers=headers)
                for _ in range(50)
            )
        )
    assert Counter(each.status_code for each in answers) == {201: 1, 200: 49}
    first, *others = map(as_at_first, answers)
    assert all(each == first for each in others)
    replayed = [each for each in answers if each.status_code == 200]
    assert all(each.headers["Idempotency-Replayed"] == "true" for each in replayed)
    assert await facts(service) == 1
    assert await service.pool.fetchval("SELECT count(*) FROM mahjic.people") == 2
    later = await service.submit({**CLAIM, "session_date": "2026-02-01"}, key)
    assert [each["games_played_total"] for each in later.json()["results"]] == [8, 8]


async def test_50_parallel_posts_with_one_key_get_the_first_answer(
    service: RunningService,
) -> None:
    key = await service.source_key()
    async with deadline():
        answers = await asyncio.gather(
            *(service.submit(CLAIM, key, idempotency_key="once") for _ in range(50))
        )
    assert Counter(each.status_code for each in answers) == {201: 50}
    first, *others = map(as_at_first, answers)
    assert all(each == first for each in others)
    assert sum("Idempotency-Replayed" in each.headers for each in answers) == 49
    assert await facts(service) == 1


async def test_200_parallel_sessions_of_one_player_all_count(service: RunningService) -> None:
    keys = [await service.source_key("a-club"), await service.source_key("b-club")]
    claims = [
        a_session(a_round({"ada": 1 + number % 3, f"p{number}": number % 2, f"q{number % 7}": 1}))
        for number in range(200)
    ]
    async with deadline():
        answers = await asyncio.gather(
            *(service.submit(claim, keys[number % 2]) for number, claim in enumerate(claims))
        )
    assert {each.status_code for each in answers} == {201}
    rows = await service.pool.fetch("SELECT body FROM mahjic.facts ORDER BY seq")
    order = [
        event.session_id
        for event in (decode_fact(row["body"]).event for row in rows)
        if isinstance(event, SessionSubmitted)
    ]
    by_session: dict[str, dict[str, Any]] = {}
    for answer in answers:
        body = answer.json()
        (ada,) = [each for each in body["results"] if each["player"] == "ada@example.com"]
        by_session[body["session_id"]] = ada
    chain = [by_session[session_id] for session_id in order]
    assert len(chain) == 200
    assert chain[0]["rating_before"] == 1500
    for before, after in itertools.pairwise(chain):
        assert after["rating_before"] == before["rating_after"]
        assert after["games_played_total"] > before["games_played_total"]
    total_centi = sum(round(each["rating_change"] * 100) for each in chain)
    assert total_centi == round(chain[-1]["rating_after"] * 100) - 150000
    games = sum(claim["rounds"][0]["players"][0]["games_played"] for claim in claims)
    assert chain[-1]["games_played_total"] == games


async def test_two_parallel_sessions_of_one_player_leave_no_gap(service: RunningService) -> None:
    key = await service.source_key()
    answers = await asyncio.gather(
        service.submit(a_session(a_round(ada=1, bo=0)), key),
        service.submit(a_session(a_round(ada=0, cy=1)), key),
    )
    first, second = sorted(
        (each.json()["results"][0] for each in answers), key=lambda ada: ada["games_played_total"]
    )
    assert first["rating_before"] == 1500
    assert second["rating_before"] == first["rating_after"]


async def test_a_repeat_in_other_words_gets_the_first_answer(service: RunningService) -> None:
    key = await service.source_key()
    first = await service.submit(CLAIM, key)
    again = await service.submit(RESPELLED, key)
    assert again.status_code == 200
    assert again.headers["Idempotency-Replayed"] == "true"
    assert again.headers["Location"] == first.headers["Location"]
    # Stored answers hold ids and numbers; what a player is called is from the request at hand.
    assert [each["player"] for each in again.json()["results"]] == [
        "ada@EXAMPLE.com",
        " BO@Example.com",
    ]
    assert without_texts(again) == without_texts(first)


def without_texts(answer: httpx.Response) -> Any:
    """Return an answer without what the players were called in its request."""
    return json.loads(
        json.dumps(as_at_first(answer)),
        object_hook=lambda node: {k: v for k, v in node.items() if k != "player"},
    )


async def test_the_same_session_from_another_source_is_a_probable_duplicate(
    service: RunningService,
) -> None:
    first = await service.submit(CLAIM, await service.source_key("a-club"))
    other = await service.source_key("b-club")
    body = problem(await service.submit(RESPELLED, other), 409, "duplicate_session")
    assert body["rounds"] == [
        {"pointer": "/rounds/0", "session_id": None, "held_by": "another source"}
    ]
    assert first.json()["session_id"] not in json.dumps(body)
    assert "a-club" not in json.dumps(body)
    assert await facts(service) == 1
    allowed = await service.submit({**RESPELLED, "allow_duplicate": True}, other)
    assert allowed.status_code == 201
    assert await facts(service) == 2


async def test_after_a_duplicate_the_next_session_of_the_same_players_is_rated(
    service: RunningService,
) -> None:
    key = await service.source_key()
    mixed = a_session(*CLAIM["rounds"], a_round(ada=1, cy=0))
    first = await service.submit(CLAIM, key)
    body = problem(await service.submit(mixed, key), 409, "duplicate_session")
    assert [each["session_id"] for each in body["rounds"]] == [first.json()["session_id"]]
    later = await service.submit({**CLAIM, "session_date": "2026-02-01"}, key)
    assert later.status_code == 201
    assert later.json()["results"][0]["rating_before"] == 1516
    assert later.json()["results"][0]["rating_change"] > 0


async def test_a_key_with_other_content_is_refused_and_writes_nothing(
    service: RunningService,
) -> None:
    key = await service.source_key()
    await service.submit(CLAIM, key, idempotency_key="k")
    changed = a_session(a_round({"Ada@Example.com": 2, "bo": 2}))
    problem(await service.submit(changed, key, idempotency_key="k"), 422, "idempotency_key_reused")
    assert await facts(service) == 1
    other = await service.source_key("b-club")
    assert (await service.submit(changed, other, idempotency_key="k")).status_code == 201


async def test_a_key_is_the_same_quoted_and_bare(service: RunningService) -> None:
    key = await service.source_key()
    first = await service.submit(CLAIM, key, idempotency_key="k")
    again = await service.submit(CLAIM, key, idempotency_key='"k"')
    assert (again.status_code, as_at_first(again)) == (201, first.json())
    assert again.headers["Idempotency-Replayed"] == "true"


async def test_a_refused_request_does_not_burn_its_key(service: RunningService) -> None:
    key = await service.source_key()
    broken = a_session(a_round({"Ada@Example.com": 3, "bo": 1}), on="2026-02-30")
    problem(await service.submit(broken, key, idempotency_key="k"), 422, "claim_refused")
    assert (await service.submit(CLAIM, key, idempotency_key="k")).status_code == 201
    other = await service.source_key("b-club")
    problem(await service.submit(CLAIM, other, idempotency_key="k"), 409, "duplicate_session")
    allowed = {**CLAIM, "allow_duplicate": True}
    assert (await service.submit(allowed, other, idempotency_key="k")).status_code == 201


async def test_a_retry_gets_the_first_answer_with_todays_status(service: RunningService) -> None:
    key = await service.source_key()
    first = await service.submit(CLAIM, key, idempotency_key="k")
    session_id = first.json()["session_id"]
    for status in ("voided", "corrected"):
        await service.pool.execute(
            "UPDATE mahjic.submissions SET status = $1 WHERE session_id = $2", status, session_id
        )
        by_key = await service.submit(CLAIM, key, idempotency_key="k")
        by_content = await service.submit(CLAIM, key)
        for again, code in ((by_key, 201), (by_content, 200)):
            assert again.status_code == code
            (warning,) = again.json()["warnings"]
            assert warning["code"] == f"session_{status}"
            today = {"status": status, "counts": False, "warnings": [warning]}
            assert again.json() == first.json() | today
    assert await facts(service) == 1


async def test_while_the_first_still_runs_the_second_waits_and_then_gets_its_answer(
    database: Database,
) -> None:
    async with running_service(database, is_rating=False) as service, deadline():
        key = await service.source_key()
        both = [
            asyncio.create_task(service.submit(CLAIM, key, idempotency_key="k", prefer="wait=30"))
            for _ in range(2)
        ]
        await until_recorded(service, 1)
        assert not any(each.done() for each in both)
        await service.start_rating()
        answers = await asyncio.gather(*both)
        assert [each.status_code for each in answers] == [201, 201]
        assert as_at_first(answers[0]) == as_at_first(answers[1])
        assert sum("Idempotency-Replayed" in each.headers for each in answers) == 1
        assert await facts(service) == 1


async def test_a_second_that_may_not_wait_is_told_that_the_first_still_runs(
    database: Database,
) -> None:
    async with running_service(database, is_rating=False) as service, deadline():
        key = await service.source_key()
        first = asyncio.create_task(
            service.submit(CLAIM, key, idempotency_key="k", prefer="wait=30")
        )
        await until_recorded(service, 1)
        second = await service.submit(CLAIM, key, idempotency_key="k", prefer="respond-async")
        problem(second, 409, "request_in_progress")
        assert int(second.headers["Retry-After"]) > 0
        # Another key, or none, has nothing to wait for but the rating.
        other = await service.submit(CLAIM, key, idempotency_key="l", prefer="wait=0")
        assert (other.status_code, other.headers["Idempotency-Replayed"]) == (202, "true")
        await service.start_rating()
        assert (await first).status_code == 201
        third = await service.submit(CLAIM, key, idempotency_key="k")
        assert (third.status_code, as_at_first(third)) == (201, as_at_first(await first))


async def until_recorded(service: RunningService, count: int) -> None:
    async def are_recorded() -> bool:
        return await facts(service) == count

    await until(are_recorded)


async def test_repeats_are_answered_from_the_views_after_a_restart(database: Database) -> None:
    claims: list[Claim] = [a_session(a_round(ada=1 + number, bo=0)) for number in range(3)]
    async with running_service(database) as service, deadline():
        key = await service.source_key()
        first = [await service.submit(claim, key) for claim in claims]

        async def are_viewed() -> bool:
            found = await service.client.get(first[-1].headers["Location"], headers=bearer(key))
            return found.status_code == 200 and found.json()["status"] == "rated"

        await until(are_viewed)
    async with running_service(database, is_rating=False) as service, deadline():
        for claim, before in zip(claims, first, strict=True):
            again = await service.submit(claim, key, prefer="wait=0")
            assert (again.status_code, as_at_first(again)) == (200, before.json())
