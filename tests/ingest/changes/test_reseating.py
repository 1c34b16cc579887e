"""What the operator does over HTTP when two people share one address: seats go to another one."""

from typing import Any

import httpx
import pytest

from shared.events.facts import SeatsReassigned
from tests.ingest.answers import problem
from tests.ingest.changes.asking import ask, correct, facts_of, played, player_ids, void
from tests.ingest.claims import a_round, a_session
from tests.service import RunningService


async def reseat(
    service: RunningService, player_id: str, sessions: list[str], email: str, key: str, **more: str
) -> httpx.Response:
    body = {"sessions": sessions, "email": email, **more}
    return await ask(service, f"/v1/admin/players/{player_id}/reseat", body, key)


def by_player(answer: httpx.Response) -> dict[str, Any]:
    """Return rating and games after the change of whoever it lists."""
    changes = answer.json()["effect"]["changes"]
    return {each["player_id"]: (each["rating_after"], each["games_after"]) for each in changes}


async def test_seats_go_to_someone_new_and_back(service: RunningService) -> None:
    key, operator = await service.source_key(), await service.operator_key()
    first = await played(service, key, ada=3, bo=1)
    second = await played(service, key, ada=3, cy=1, on="2026-02-01")
    before = await player_ids(service)
    answer = await reseat(
        service, before["ada"].lower(), [second, second], "Karen@x.org", operator, note="A couple."
    )
    assert answer.status_code == 201, answer.text
    body = answer.json()
    ids = await player_ids(service)
    (karen,) = set(ids.values()) - set(before.values())
    assert (body["player_id"], body["to"]) == (ids["ada"], karen)
    assert (body["session_ids"], body["skipped"]) == ([second], [])
    assert answer.headers["Location"] == f"/v1/players/{karen}"
    # Ada only beat Bo, and Karen only Cy, all of them as newcomers.
    assert by_player(answer) == {
        ids["ada"]: (1516, 4),
        karen: (1516, 4),
        ids["cy"]: (1484, 4),
    }
    again = await reseat(service, ids["ada"], [second], "karen@x.org", operator)
    assert (again.status_code, again.json()) == (200, body)
    assert again.headers["Idempotency-Replayed"] == "true"

    undone = await reseat(service, karen, [second], "ada", operator)
    assert undone.status_code == 422  # No address.
    address = await service.pool.fetchval(
        "SELECT email FROM mahjic.people WHERE player_id = $1", ids["ada"]
    )
    undone = await reseat(service, karen, [second], address, operator)
    assert undone.status_code == 201
    assert by_player(undone)[karen] == (1500, 0)
    assert by_player(undone)[ids["ada"]] == (1531.26, 8)
    assert await facts_of(service, SeatsReassigned) == [
        SeatsReassigned(ids["ada"], karen, (second,)),
        SeatsReassigned(karen, ids["ada"], (second,)),
    ]
    notes = await service.pool.fetch("SELECT note FROM mahjic.notes")
    assert [row["note"] for row in notes] == ["A couple."]
    assert first
