"""The operator grants and blocks, with a reason; what is paid and checked stays as it was."""

from datetime import UTC, datetime
from typing import Any

import pytest

from services.ingest.record.ids_and_times import IdsAndTimes
from tests.db.rows import rows_by_table
from tests.ingest.answers import CLAIM, player, problem
from tests.ingest.changes.linking.merges import merge
from tests.service import RunningService, bearer
from tests.verification.staff.club import Club
from tests.verification.stripe.account.odd import ODD

PLAYERS = "/v1/admin/players"
ADA, BO = "ada@example.com", "bo@example.com"
REASON = "Vouched for by Flibbertigibbet, who has sold her a car."
DECIDED = "SELECT player_id, decision, reason FROM mahjic.verification_decisions ORDER BY 1"
ACTS = "SELECT act, about FROM mahjic.staff_acts WHERE act LIKE '%verif%' ORDER BY number"
IS_VERIFIED = """
SELECT EXISTS (
    SELECT FROM mahjic.verified_players JOIN mahjic.read_players USING (player_id)
    WHERE survivor_id = $1
)
"""


@pytest.fixture
async def operator(service: RunningService) -> dict[str, str]:
    """Return the headers of the operator."""
    return bearer(await service.operator_key())


@pytest.fixture
async def club(service: RunningService) -> Club:
    """Return a club of which some have paid, on the service."""
    return Club(service.pool, datetime.now(UTC))


async def put(
    service: RunningService, operator: dict[str, str], player_id: str, **body: Any
) -> Any:
    return await service.client.put(
        f"{PLAYERS}/{player_id}/verification", json=body, headers=operator
    )


async def decided(service: RunningService) -> list[tuple[str, str, str | None]]:
    return [tuple(row) for row in await service.pool.fetch(DECIDED)]


async def verified(
    service: RunningService, operator: dict[str, str], player_id: str, **body: Any
) -> bool:
    """Return whether a player is Verified, by the answer to a decision and by what is on record."""
    answer = await put(service, operator, player_id, **body)
    assert answer.status_code == 200
    told = answer.json()
    assert await service.pool.fetchval(IS_VERIFIED, player_id) == told["verified"]
    return bool(told["verified"])


async def test_what_is_taken_back_leaves_what_is_paid_and_checked(
    service: RunningService, operator: dict[str, str], club: Club
) -> None:
    await club.pays(ADA)
    await club.shows(ADA, ODD)
    ada, bo = await club.player(ADA), await club.player(BO)
    assert await verified(service, operator, ada, verified=None)
    assert not await verified(service, operator, ada, verified=False)
    assert await verified(service, operator, ada, verified=None)
    assert await verified(service, operator, ada, verified=True)
    assert await verified(service, operator, ada, verified=None)
    assert not await verified(service, operator, bo, verified=None)
    assert await verified(service, operator, bo, verified=True)
    assert not await verified(service, operator, bo, verified=None)
    assert await decided(service) == []
    acts = [tuple(row) for row in await service.pool.fetch(ACTS)]
    said = ["leave", "end", "leave", "verify", "leave", "leave", "verify", "leave"]
    kinds = {"leave": "leave_verification", "end": "end_verification", "verify": "verify_player"}
    assert acts == [(kinds[each], [ada if n < 5 else bo]) for n, each in enumerate(said)]


async def test_a_reason_is_kept_with_its_person_and_erased_with_them(
    service: RunningService, operator: dict[str, str], club: Club
) -> None:
    ada = await club.player(ADA)
    await put(service, operator, ada, verified=True, reason=f"  {REASON}\r\n")
    assert await decided(service) == [(ada, "grant", REASON)]
    await put(service, operator, ada, verified=False, reason=" \n ")
    assert await decided(service) == [(ada, "block", None)]
    await put(service, operator, ada, verified=False, reason=REASON)
    erased = await service.client.delete(f"{PLAYERS}/{ada}/personal-data", headers=operator)
    assert erased.status_code == 204
    rows = await rows_by_table(service.pool)
    assert not [name for name, each in rows.items() if "ibbertigi" in "\n".join(each)]


WRONG: tuple[tuple[object, int, str], ...] = (
    ("x" * 501, 422, "claim_refused"),
    ("x" * 100_000, 413, "payload_too_large"),
    ("invisible\u200b", 422, "unfit_text"),
    ("\u0000", 422, "claim_refused"),
    (7, 422, "claim_refused"),
    (["Because."], 422, "claim_refused"),
)


async def test_a_wrong_reason_decides_nothing(
    service: RunningService, operator: dict[str, str], club: Club
) -> None:
    ada = await club.player(ADA)
    for reason, status, code in WRONG:
        problem(await put(service, operator, ada, verified=True, reason=reason), status, code)
    assert await decided(service) == []
    assert await service.pool.fetch(ACTS) == []
    assert not await verified(service, operator, ada, verified=None)


async def test_a_merged_player_is_decided_about_as_the_person(
    service: RunningService, operator: dict[str, str], club: Club
) -> None:
    ada, bo = await club.player(ADA), await club.player(BO)
    await put(service, operator, ada, verified=False, reason=REASON)
    made: IdsAndTimes = club.room.ids_and_times
    await merge(service.pool, ada, bo, made)
    for decision in (True, False, None):
        merged = problem(await put(service, operator, ada, verified=decision), 409, "player_merged")
        assert bo in merged["detail"]
    # One decision for all ids of the person: the older one does not stay behind.
    assert await verified(service, operator, bo, verified=True)
    assert await decided(service) == [(bo, "grant", None)]


async def test_nothing_is_decided_about_whom_nobody_knows(
    service: RunningService, operator: dict[str, str]
) -> None:
    claim = {**CLAIM, "rounds": [{**CLAIM["rounds"][0]}]}
    ada, bo = CLAIM["rounds"][0]["players"]
    claim["rounds"][0]["players"] = [ada, {**bo, "email": "ANON:Lucky"}]
    answer = await service.submit(claim, await service.source_key())
    lucky = player(answer, "ANON:Lucky")["player_id"]
    gone = next(
        each["player_id"] for each in answer.json()["results"] if each["player_id"] != lucky
    )
    await service.client.delete(f"{PLAYERS}/{gone}/personal-data", headers=operator)
    for each in (lucky, gone):
        for decision in (True, False):
            refused = await put(service, operator, each, verified=decision, reason=REASON)
            problem(refused, 422, "cannot_be_verified")
        nothing = await put(service, operator, each, verified=None, reason=REASON)
        assert nothing.json()["verified"] is False
    assert await service.pool.fetchval("SELECT count(*) FROM mahjic.verification_notes") == 0
    assert await decided(service) == []
