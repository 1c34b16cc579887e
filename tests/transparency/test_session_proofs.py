"""A source is shown its own sessions as they are on the logs, and nobody else's."""

import json
from typing import Any

from tests.ingest.changes.asking import correct
from tests.ingest.claims import a_round, a_session
from tests.log.deadlines import until
from tests.service import RunningService, bearer
from tests.transparency.test_served import service

__all__ = ["service"]

NIGHT = a_session(a_round({"PRIVATE:ada@example.com": 2, "bo@example.com": 1}))


async def a_night(service: RunningService, key: str) -> dict[str, Any]:
    answer = await service.submit(NIGHT, key, prefer="wait=30")
    assert answer.status_code in {200, 201}, answer.text
    told: dict[str, Any] = answer.json()
    return told


async def proof(service: RunningService, session_id: str, key: str) -> dict[str, Any]:
    """Return the proof of a session, once it is signed."""
    found: list[dict[str, Any]] = []

    async def is_signed() -> bool:
        path = f"/v1/sessions/{session_id}/proof"
        answer = await service.client.get(path, headers=bearer(key))
        if answer.status_code == 503:
            assert answer.json()["code"] == "proof_pending"
            assert answer.headers["retry-after"]
            return False
        assert answer.status_code == 200, answer.text
        assert answer.headers["cache-control"] == "no-store"
        found.append(answer.json())
        return True

    await until(is_signed)
    return found[0]


async def test_a_source_sees_private_people_whom_it_named(service: RunningService) -> None:
    own, other = await service.source_key("a-club"), await service.source_key("another-club")
    session_id = (await a_night(service, own))["session_id"]
    found = await proof(service, session_id, own)
    fact, verdict = (json.loads(found[each]["record"]["body"]) for each in ("fact", "verdict"))
    assert fact["data"]["session_id"] == session_id
    assert verdict["data"]["fact_seq"] == found["fact"]["seq"]
    for headers, status in ((bearer(other), 404), ({}, 401)):
        path = f"/v1/sessions/{session_id}/proof"
        assert (await service.client.get(path, headers=headers)).status_code == status
    for key in (await service.auditor_key(), await service.operator_key()):
        assert (await proof(service, session_id, key))["fact"]["record"] is not None


async def test_a_source_is_not_told_whom_a_private_player_is_merged_into(
    service: RunningService,
) -> None:
    own, operator = await service.source_key(), await service.operator_key()
    night = await a_night(service, own)
    (ada,) = (each["player_id"] for each in night["results"] if "ada" in each["player"])
    headers = bearer(operator)
    told = await service.client.post(
        "/v1/admin/players", json={"email": "PRIVATE:zoe@example.com"}, headers=headers
    )
    zoe = told.json()["mahjic_id"]
    merged = await service.client.post(
        f"/v1/admin/players/{ada}/merge", json={"into": zoe}, headers=headers
    )
    assert merged.status_code in {200, 201, 202}, merged.text
    found = await proof(service, night["session_id"], own)
    for part in (found["fact"], found["verdict"]):
        assert part["record"] is None
        assert part["withheld"]["code"] == "not_everybody_public"
    assert zoe not in json.dumps(found)
    found = await proof(service, night["session_id"], operator)
    assert found["fact"]["record"] is not None


async def test_a_correction_shows_nobody_of_another_source(service: RunningService) -> None:
    """The verdict on a correction names everyone whose rating it moves, also elsewhere.

    The source has named her too, on another night; what she did elsewhere is not its to see.
    """
    own, other = await service.source_key("a-club"), await service.source_key("another-club")
    zoe, ada, bo = "PRIVATE:zoe@example.com", "ada@example.com", "bo@example.com"
    nights = (
        (own, a_session(a_round({zoe: 2, "cy@example.com": 1}), on="2026-01-05")),
        (own, a_session(a_round({ada: 2, bo: 1}), on="2026-01-10")),
        (other, a_session(a_round({zoe: 2, ada: 1}), on="2026-01-20")),
    )
    told = []
    for key, claim in nights:
        answer = await service.submit(claim, key, prefer="wait=30")
        assert answer.status_code in {200, 201}, answer.text
        told.append(answer.json())
    claim = a_session(a_round({ada: 1, bo: 2}), on="2026-01-10", reason="wrong_result")
    old = told[1]["session_id"]
    answer = await correct(service, old, claim, own)
    assert answer.status_code in {200, 201, 202}, answer.text
    new = answer.json()["session_id"]
    auditors = await proof(service, new, await service.auditor_key())
    body = json.loads(auditors["verdict"]["record"]["body"])
    (zoes,) = (each["player_id"] for each in told[0]["results"] if "zoe" in each["player"])
    assert zoes in body["data"]["players"]
    found = await proof(service, new, own)
    assert found["fact"]["record"] is not None
    assert found["verdict"]["record"] is None
    assert found["verdict"]["withheld"]["code"] == "not_everybody_public"
