"""A correction that still has the one address of two people says that it gives their seats back."""

from typing import Any

import httpx
import pytest

from tests.ingest.changes.asking import ask, correct, played, player_ids
from tests.ingest.changes.test_reseating import reseat
from tests.ingest.claims import Claim, a_round, a_session
from tests.service import RunningService, bearer

KAREN = "karen@example.com"


def returned(answer: httpx.Response) -> list[str]:
    """Return which seats are said to be given back."""
    body: dict[str, Any] = answer.json()
    assert all("@" not in each["message"] for each in body["warnings"])
    return [each["pointer"] for each in body["warnings"] if each["code"] == "seats_returned"]


async def tried(service: RunningService, session_id: str, claim: Claim, key: str) -> httpx.Response:
    """Try a correction out."""
    path = f"/v1/sessions/{session_id}/corrections?dry_run=true"
    answer = await service.client.post(path, json=claim, headers=bearer(key))
    assert answer.status_code == 200, answer.text
    return answer


def a_correction(*rounds: Any) -> Claim:
    return {**a_session(*rounds), "reason": "wrong_result"}


async def test_the_source_is_told_before_and_after_and_when_it_asks_again(
    service: RunningService,
) -> None:
    key, operator = await service.source_key(), await service.operator_key()
    night = await played(service, key, ada=3, bo=1)
    ada = (await player_ids(service))["ada"]
    assert (await reseat(service, ada, [night], KAREN, operator)).status_code == 201
    claim = a_correction(a_round(cy=0, bo=1), a_round(bo=2, ada=2), a_round(ada=1, cy=2))
    # Once, where she sits first.
    expected = ["/rounds/1/players/1"]
    assert returned(await tried(service, night, claim, key)) == expected
    for status in (201, 200):
        answer = await correct(service, night, claim, key)
        assert (answer.status_code, returned(answer)) == (status, expected)


@pytest.mark.parametrize("is_by_operator", [True, False])
async def test_who_names_the_other_one_is_told_nothing(
    service: RunningService, is_by_operator: bool
) -> None:
    source, operator = await service.source_key(), await service.operator_key()
    key = operator if is_by_operator else source
    night, other = [
        await played(service, source, on=f"2026-01-{day}", ada=3, bo=1) for day in (30, 31)
    ]
    ada = (await player_ids(service))["ada"]
    await reseat(service, ada, [night], KAREN, operator)
    on = {"session_date": "2026-01-30"}
    with_karen = {**a_correction(a_round({KAREN: 2, "bo@example.com": 1})), **on}
    without = {**a_correction(a_round(bo=2, cy=1)), **on}
    for claim in (with_karen, without):
        assert returned(await tried(service, night, claim, key)) == []
    assert returned(await correct(service, night, with_karen, key)) == []
    # A session of which no seat was ever given away.
    assert returned(await correct(service, other, a_correction(a_round(ada=2, bo=1)), key)) == []


async def test_seats_that_came_back_already_are_nothing_to_tell(service: RunningService) -> None:
    key, operator = await service.source_key(), await service.operator_key()
    night = await played(service, key, ada=3, bo=1)
    ada = (await player_ids(service))["ada"]
    given = await reseat(service, ada, [night], KAREN, operator)
    back = await reseat(service, given.json()["to"], [night], "ada@example.com", operator)
    assert back.status_code == 201, back.text
    claim = a_correction(a_round(ada=2, bo=1))
    assert returned(await correct(service, night, claim, key)) == []


async def test_a_source_hears_only_of_whom_it_sent(service: RunningService) -> None:
    """Also if somebody else had the seat in between, or if they are one person by now."""
    key, operator = await service.source_key(), await service.operator_key()
    night = await played(service, key, ada=3, bo=1)
    ada = (await player_ids(service))["ada"]
    first = await reseat(service, ada, [night], KAREN, operator)
    await reseat(service, first.json()["to"], [night], "mia@example.com", operator)
    claim = a_correction(a_round({KAREN: 2, "bo@example.com": 1}))
    assert returned(await tried(service, night, claim, key)) == []
    # The operator is told of Ada by an address that is read as hers.
    await played(service, key, on="2026-02-01", old=1, bo=0)
    old = (await player_ids(service))["old"]
    merged = await ask(service, f"/v1/admin/players/{old}/merge", {"into": ada}, operator)
    assert merged.status_code == 201
    again = a_correction(a_round(old=2, bo=1))
    assert returned(await tried(service, night, again, operator)) == ["/rounds/0/players/0"]
    assert returned(await correct(service, night, claim, key)) == []
