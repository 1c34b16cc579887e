"""What the operator does about players, over HTTP: register, verify, hide, forget."""

from typing import Any

import httpx
import pytest

from shared.events.codec import decode_fact
from tests.ingest.answers import CLAIM, player, problem
from tests.service import RunningService, bearer

PLAYERS = "/v1/admin/players"
# A lawful id that nobody has, and the same with a wrong check character (spec 1, ids).
UNKNOWN, MISTYPED = "MJ-7K3Q9XZM", "MJ-7K3Q9XZN"


@pytest.fixture
async def operator(service: RunningService) -> dict[str, str]:
    """Return the headers of the operator."""
    return bearer(await service.operator_key())


async def register(service: RunningService, operator: dict[str, str], email: str) -> httpx.Response:
    return await service.client.post(PLAYERS, json={"email": email}, headers=operator)


async def facts_about(service: RunningService, player_id: str) -> list[str]:
    """Return the kinds of facts about a player, in order."""
    rows = await service.pool.fetch("SELECT body FROM mahjic.facts ORDER BY seq")
    facts = [decode_fact(row["body"]) for row in rows]
    return [type(each.event).__name__ for each in facts if each.subject == player_id]


async def test_somebody_new_is_registered_once(
    service: RunningService, operator: dict[str, str]
) -> None:
    first = await register(service, operator, "Ada@Example.com")
    again = await register(service, operator, " ada@example.COM ")
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json() == first.json()
    mahjic_id = first.json()["mahjic_id"]
    assert first.json() == {"player_id": mahjic_id, "mahjic_id": mahjic_id}
    answer = await service.submit(CLAIM, await service.source_key())
    ada = player(answer, "Ada@Example.com")
    assert (ada["mahjic_id"], ada["is_new_player"]) == (mahjic_id, False)


@pytest.mark.parametrize(
    ("body", "pointer", "code"),
    [
        ({"email": "ANON:Lucky"}, "/email", "not_a_person"),
        ({"email": "bob@mahjic.org"}, "/email", "not_a_person"),
        ({"email": "PRIVATE:bob@mahjic.org"}, "/email", "bob_has_no_privacy"),
        ({"email": "nobody"}, "/email", "invalid_email"),
        ({"email": 7}, "/email", "wrong_type"),
        ({}, "/email", "missing"),
        ({"email": "ada@x.org", "name": "Ada"}, "/name", "unknown_field"),
    ],
)
async def test_who_cannot_be_registered_is_told_why(
    service: RunningService, operator: dict[str, str], body: Any, pointer: str, code: str
) -> None:
    answer = await service.client.post(PLAYERS, json=body, headers=operator)
    errors = problem(answer, 422, "claim_refused")["errors"]
    assert [(each["pointer"], each["code"]) for each in errors] == [(pointer, code)]


async def test_verification_begins_and_ends_once_each(
    service: RunningService, operator: dict[str, str]
) -> None:
    ada = (await register(service, operator, "ada@x.org")).json()["mahjic_id"]
    # The formula is fact 1; what holds already writes none.
    ends = (1, 2, 2, 3, 3, 4)
    for seq, is_verified in zip(ends, (False, True, True, False, False, True), strict=True):
        answer = await service.client.put(
            f"{PLAYERS}/{ada.lower()}/verification",
            json={"verified": is_verified},
            headers=operator,
        )
        assert answer.status_code == 200
        assert answer.json() == {"player_id": ada, "verified": is_verified, "seq": seq}
    assert await facts_about(service, ada) == [
        "PlayerVerified",
        "PlayerVerificationEnded",
        "PlayerVerified",
    ]


async def test_nobody_is_behind_an_anonymous_or_a_forgotten_player(
    service: RunningService, operator: dict[str, str]
) -> None:
    claim = {**CLAIM, "rounds": [{**CLAIM["rounds"][0]}]}
    claim["rounds"][0]["players"] = [
        CLAIM["rounds"][0]["players"][0],
        {**CLAIM["rounds"][0]["players"][1], "email": "ANON:Lucky"},
    ]
    answer = await service.submit(claim, await service.source_key())
    ada, lucky = (each["player_id"] for each in answer.json()["results"])
    forgotten = await service.client.delete(f"{PLAYERS}/{ada}/personal-data", headers=operator)
    assert forgotten.status_code == 204
    for each in (ada, lucky):
        verified = await service.client.put(
            f"{PLAYERS}/{each}/verification", json={"verified": True}, headers=operator
        )
        problem(verified, 422, "cannot_be_verified")
        shown = await service.client.put(
            f"{PLAYERS}/{each}/privacy", json={"privacy": "normal"}, headers=operator
        )
        problem(shown, 404, "unknown_player")
        assert await facts_about(service, each) == []


async def test_forgetting_ends_a_verification_and_deletes_all_that_tells_who_it_was(
    service: RunningService, operator: dict[str, str]
) -> None:
    ada = (await register(service, operator, "ada@x.org")).json()["mahjic_id"]
    path = f"{PLAYERS}/{ada}"
    await service.client.put(f"{path}/verification", json={"verified": True}, headers=operator)
    for _ in range(2):
        erased = await service.client.delete(f"{path}/personal-data", headers=operator)
        assert (erased.status_code, erased.content) == (204, b"")
    assert await facts_about(service, ada) == ["PlayerVerified", "PlayerVerificationEnded"]
    assert await service.pool.fetchval("SELECT count(*) FROM mahjic.people") == 0
    back = await register(service, operator, "ada@x.org")
    assert back.status_code == 201
    assert back.json()["mahjic_id"] != ada


async def test_the_operator_hides_and_shows_a_player_for_good(
    service: RunningService, operator: dict[str, str]
) -> None:
    key = await service.source_key()
    hidden = {**CLAIM, "session_date": "2026-01-01"}
    hidden["rounds"] = [
        {
            **CLAIM["rounds"][0],
            "players": [
                {**CLAIM["rounds"][0]["players"][0], "email": "PRIVATE:ada@example.com"},
                CLAIM["rounds"][0]["players"][1],
            ],
        }
    ]
    ada = player(await service.submit(hidden, key), "PRIVATE:ada@example.com")["mahjic_id"]

    async def privacy() -> tuple[bool, str]:
        row = await service.pool.fetchrow(
            "SELECT is_private, privacy_by FROM mahjic.people WHERE player_id = $1", ada
        )
        assert row is not None
        return row["is_private"], row["privacy_by"]

    assert await privacy() == (True, "source")
    for word, is_private in (("normal", False), ("private", True), ("normal", False)):
        answer = await service.client.put(
            f"{PLAYERS}/{ada}/privacy", json={"privacy": word}, headers=operator
        )
        assert (answer.status_code, answer.json()) == (200, {"player_id": ada, "privacy": word})
        assert await privacy() == (is_private, "operator")
    assert (await service.submit(hidden, key)).status_code == 200
    assert await privacy() == (False, "operator")


ROUTES = [
    ("POST", "", {"email": "ada@x.org"}),
    ("PUT", f"/{UNKNOWN}/verification", {"verified": True}),
    ("PUT", f"/{UNKNOWN}/privacy", {"privacy": "private"}),
    ("DELETE", f"/{UNKNOWN}/personal-data", None),
]


@pytest.mark.parametrize(("method", "path", "body"), ROUTES)
async def test_only_the_operator_may(
    service: RunningService, method: str, path: str, body: Any
) -> None:
    public = await service.client.request(method, PLAYERS + path, json=body)
    problem(public, 401, "not_authenticated")
    for key in (await service.source_key(), await service.auditor_key()):
        answer = await service.client.request(
            method, PLAYERS + path, json=body, headers=bearer(key)
        )
        problem(answer, 403, "not_allowed")
    assert await service.pool.fetchval("SELECT count(*) FROM mahjic.people") == 0


@pytest.mark.parametrize(("method", "path", "body"), ROUTES[1:])
async def test_a_mistyped_id_is_told_apart_from_an_unknown_one(
    service: RunningService, operator: dict[str, str], method: str, path: str, body: Any
) -> None:
    unknown = await service.client.request(method, PLAYERS + path, json=body, headers=operator)
    problem(unknown, 404, "unknown_player")
    mistyped = await service.client.request(
        method, PLAYERS + path.replace(UNKNOWN, MISTYPED), json=body, headers=operator
    )
    problem(mistyped, 422, "mistyped_player_id")


@pytest.mark.parametrize(
    ("path", "body", "pointer"),
    [
        ("verification", {"verified": "yes"}, "/verified"),
        ("verification", {"verified": 1}, "/verified"),
        ("verification", {}, "/verified"),
        ("privacy", {"privacy": "Private"}, "/privacy"),
        ("privacy", {"privacy": "private", "until": "2027"}, "/until"),
    ],
)
async def test_a_wrong_body_is_refused_at_its_place(
    service: RunningService, operator: dict[str, str], path: str, body: Any, pointer: str
) -> None:
    ada = (await register(service, operator, "ada@x.org")).json()["mahjic_id"]
    answer = await service.client.put(f"{PLAYERS}/{ada}/{path}", json=body, headers=operator)
    errors = problem(answer, 422, "claim_refused")["errors"]
    assert [each["pointer"] for each in errors] == [pointer]
