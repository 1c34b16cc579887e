"""What is done with a key of the operator is kept, and so is every look at an address."""

import re
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

import asyncpg
import httpx
import pytest

from services.roles import INGEST, READ, SERVE
from shared.http.routes import Route
from tests.conftest import Database
from tests.ingest.changes.asking import player_ids, void
from tests.ingest.claims import a_round, a_session
from tests.service import RunningService, bearer, running_service

READ_ACTS = "SELECT key_id, staff_id, act, about FROM mahjic.staff_acts ORDER BY number"
KEY_ID = "SELECT key_id FROM mahjic.api_keys WHERE kind = 'operator'"
# Changes of the operator's that are tagged as the operator's, and those that sources make as well.
OF_OPERATOR = [each for each in SERVE.routes if each.tag == "operator" and each.method != "GET"]
OF_BOTH = [
    ("/v1/sessions/{session_id}/void", {"reason": "test_entry"}, "void_session"),
    ("/v1/sessions/{session_id}/corrections", a_session(a_round(ada=0, bo=3)), "correct_session"),
]


@dataclass
class Office:
    """A service with one session of Ada and Bo, and an operator."""

    service: RunningService
    source: str
    operator: str
    session_id: str
    ids: Mapping[str, str]

    @property
    def pool(self) -> asyncpg.Pool:
        """The connections of the service."""
        return self.service.pool

    async def send(self, route: Route, body: Any = None, *, key: str | None = None) -> Any:
        """Ask for what a route does, with its own example unless there is a body."""
        values = {"player_id": self.ids["ada"], "session_id": self.session_id, "fact_seq": "1"}
        path = re.sub(r"{(\w+)}", lambda found: values[found[1]], route.path)
        if body is None and "requestBody" in route.extra:
            body = route.extra["requestBody"]["content"]["application/json"]["example"]
        headers = {**bearer(key or self.operator), "Prefer": "respond-async"}
        return await self.service.client.request(route.method, path, json=body, headers=headers)

    async def acts(self) -> list[tuple[str, list[str]]]:
        """Return what is kept of the operator's key, and that nothing is kept of another."""
        key_id = await self.pool.fetchval(KEY_ID)
        rows = await self.pool.fetch(READ_ACTS)
        assert {(row["key_id"], row["staff_id"]) for row in rows} <= {(key_id, None)}
        return [(row["act"], row["about"]) for row in rows]


@pytest.fixture
async def office(database: Database) -> AsyncIterator[Office]:
    async with running_service(database, is_rating=False) as service:
        source, operator = await service.source_key(), await service.operator_key()
        claim = a_session(a_round(ada=2, bo=1))
        sent = await service.submit(claim, source, prefer="respond-async")
        ids = await player_ids(service)
        yield Office(service, source, operator, sent.json()["session_id"], ids)


@pytest.mark.parametrize("route", OF_OPERATOR, ids=lambda route: route.handler.__name__)
async def test_every_change_with_a_key_of_the_operator_is_kept(
    office: Office, route: Route
) -> None:
    await office.send(route)
    # What was refused is kept too.
    ((act, about),) = await office.acts()
    assert act
    assert all(re.fullmatch(r"[A-Za-z0-9_-]+", each) for each in about)
    if "{player_id}" in route.path:
        assert about[0] == office.ids["ada"]


def test_every_process_that_answers_the_operator_keeps_it() -> None:
    answered = {each.path for role in (INGEST, READ) for each in role.routes}
    assert {each.path for each in OF_OPERATOR} <= answered
    assert len(OF_OPERATOR) >= 11


@pytest.mark.parametrize(("path", "body", "act"), OF_BOTH)
async def test_what_sources_may_do_as_well_is_kept_of_the_operator_alone(
    office: Office, path: str, body: Any, act: str
) -> None:
    (route,) = [each for each in SERVE.routes if (each.method, each.path) == ("POST", path)]
    if "corrections" in path:
        body = {**body, "reason": "wrong_result"}
    answer: httpx.Response = await office.send(route, body, key=office.source)
    assert answer.status_code == 202, answer.text
    assert await office.acts() == []
    await office.send(route, body)
    assert await office.acts() == [(act, [office.session_id])]


async def test_looks_at_addresses_are_kept_with_whom_they_were_about(office: Office) -> None:
    client, operator = office.service.client, bearer(office.operator)
    for who in ("ada@example.com", "nobody@example.com"):
        looked = await client.post("/v1/people/lookup", json={"who": who}, headers=operator)
        assert looked.status_code == 200
    assert (office.ids["ada"], "ada@example.com") in {
        (each["player_id"], each["player"]) for each in await _lookup(office, "ada@example.com")
    }
    sheet = await client.get(f"/v1/sessions/{office.session_id}/sheet.csv", headers=operator)
    assert sheet.status_code == 200
    assert b"ada@example.com" in sheet.content
    assert await office.acts() == [
        ("look_up_players", [office.ids["ada"]]),
        ("look_up_players", []),
        ("look_up_players", [office.ids["ada"]]),
        ("see_sheet", [office.session_id]),
    ]
    # A source sees only what it sent itself.
    source = bearer(office.source)
    await client.post("/v1/people/lookup", json={"who": "ada@example.com"}, headers=source)
    await client.get(f"/v1/sessions/{office.session_id}/sheet.csv", headers=source)
    assert len(await office.acts()) == 4


async def _lookup(office: Office, who: str) -> list[dict[str, Any]]:
    answer = await office.service.client.post(
        "/v1/people/lookup", json={"who": who}, headers=bearer(office.operator)
    )
    found: list[dict[str, Any]] = answer.json()["people"]
    return found


async def test_an_address_in_the_place_of_an_id_is_not_kept(office: Office) -> None:
    (voids,) = [each for each in OF_OPERATOR if each.path.endswith("/sessions/void")]
    body = {"session_ids": ["ada@example.com", office.session_id], "reason": "test_entry"}
    await office.send(voids, body)
    rows = await office.pool.fetch("SELECT acts::text AS text FROM mahjic.staff_acts AS acts")
    assert all("@" not in row["text"] for row in rows)


async def test_what_cannot_be_kept_is_not_done(office: Office) -> None:
    await office.pool.execute(
        "ALTER TABLE mahjic.staff_acts ADD CHECK (act NOT IN ('hide_player', 'void_session'))"
    )
    (route,) = [each for each in OF_OPERATOR if each.path.endswith("/privacy")]
    answer = await office.send(route, {"privacy": "private"})
    assert answer.status_code == 500
    hidden = await office.pool.fetchval("SELECT count(*) FROM mahjic.people WHERE is_private")
    assert hidden == 0
    assert (await void(office.service, office.session_id, office.operator)).status_code == 500
    assert await office.pool.fetchval("SELECT status FROM mahjic.submissions") == "accepted"
    assert await office.acts() == []
