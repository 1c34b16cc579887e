"""Nobody learns for nothing, and unseen, what other sources submitted or who is whom."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from services.ingest.record.known.refusals import READ_LAST_DAY, ForeignRefusals
from shared.sheets.writing import csv_bytes, sheet_rows
from tests.conftest import Database
from tests.ingest.answers import problem
from tests.ingest.changes.asking import ask, correct, played, player_ids
from tests.ingest.claims import Claim, a_round, a_session
from tests.ingest.counting import CountingPool
from tests.service import RunningService, bearer, running_service

OWN = a_round(ada=3, bo=1)
THEIRS = a_round(cy=3, di=1)
GUESSES = [a_round({f"guess{number}": 3, "di": 1}) for number in range(98)]


async def two_clubs(service: RunningService) -> tuple[str, str]:
    """Let both clubs play one round, and return their keys."""
    ours, theirs = await service.source_key(), await service.source_key("b-club")
    assert (await service.submit(a_session(OWN), ours)).status_code == 201
    assert (await service.submit(a_session(THEIRS), theirs)).status_code == 201
    return ours, theirs


async def counted(service: RunningService) -> dict[str, int]:
    return {row["source"]: row["refusals"] for row in await service.pool.fetch(READ_LAST_DAY)}


def told(answer: httpx.Response) -> dict[str, Any]:
    """Return all of an answer but what is different each time."""
    return {**answer.json(), "instance": None, "status_code": answer.status_code}


async def batch(service: RunningService, claim: Claim, key: str) -> dict[str, Any]:
    headers = {**bearer(key), "Content-Type": "application/x-ndjson"}
    content = json.dumps(claim) + "\n"
    answer = await service.client.post("/v1/sessions/batch", content=content, headers=headers)
    line: dict[str, Any] = json.loads(answer.text.splitlines()[0])
    return {**line["problem"], "instance": None}


async def test_with_an_own_round_on_record_a_hundred_guesses_tell_nothing(
    service: RunningService,
) -> None:
    ours, _ = await two_clubs(service)
    another = (await service.submit(a_session(a_round(eve=1), on="2026-01-01"), ours)).status_code
    assert another == 422  # One player is no round.
    old = await played(service, ours, eve=3, flo=1, on="2026-01-02")
    answers = []
    for hit in (THEIRS, a_round({"nobody": 3, "di": 1})):
        claim = a_session(OWN, *GUESSES, hit)
        alone = await service.submit(claim, ours)
        problem(alone, 409, "duplicate_session")
        assert [each["pointer"] for each in alone.json()["rounds"]] == ["/rounds/0"]
        corrected = await correct(service, old, claim, ours)
        keyed = await service.submit(claim, ours, idempotency_key="k")
        answers.append(
            [told(alone), told(corrected), told(keyed), await batch(service, claim, ours)]
        )
    assert answers[0] == answers[1]
    assert await counted(service) == {}


async def test_what_an_own_round_refuses_takes_the_same_work_whatever_others_hold(
    service: RunningService,
) -> None:
    ours, theirs = await two_clubs(service)
    old = await played(service, ours, eve=3, flo=1, on="2026-01-02")
    pairs = [a_round({f"left{number}": 3, f"right{number}": 1}) for number in range(3)]
    assert (await service.submit(a_session(*pairs), theirs)).status_code == 201
    others = [a_round({f"left{number}": 3, f"right{(number + 1) % 3}": 1}) for number in range(3)]
    pool = CountingPool(service.pool)
    service.service.recording.recorder._pool = pool  # type: ignore[assignment]
    for guesses in ([OWN, *pairs], [OWN, *others]):
        problem(await service.submit(a_session(*guesses), ours), 409, "duplicate_session")
        problem(await correct(service, old, a_session(*guesses), ours), 409, "duplicate_session")
    hit, miss = pool.asked[:2], pool.asked[2:]
    assert hit[0]
    assert hit == miss


async def test_who_asks_too_often_is_refused_by_the_same_work_whatever_others_hold(
    database: Database,
) -> None:
    async with running_service(database, foreign_refusals_per_day=1) as service:
        ours, _ = await two_clubs(service)
        problem(await service.submit(a_session(THEIRS), ours), 409, "duplicate_session")
        # How often that was is known for some seconds.
        problem(await service.submit(a_session(THEIRS), ours), 429, "too_many_foreign_hits")
        pool = CountingPool(service.pool)
        service.service.recording.recorder._pool = pool  # type: ignore[assignment]
        # The same people with other numbers, and people of whom none sat with another.
        for guess in (THEIRS, a_round(cy=1, di=3), a_round(ada=1, di=3)):
            refused = await service.submit(a_session(guess), ours)
            problem(refused, 429, "too_many_foreign_hits")
        assert pool.asked[0]
        assert pool.asked == [pool.asked[0]] * 3


async def test_beside_a_round_that_another_key_of_ones_own_sent_guesses_tell_nothing(
    service: RunningService,
) -> None:
    ours, _ = await two_clubs(service)
    accomplice = await service.source_key("c-club")
    bait = a_round(bait=1, di=0)
    assert (await service.submit(a_session(bait), accomplice)).status_code == 201
    answers, sheets = [], []
    for number, hit in enumerate((THEIRS, a_round({"nobody": 3, "di": 1})), start=1):
        claim = a_session(bait, *GUESSES[:5], hit)
        alone = await service.submit(claim, ours)
        problem(alone, 409, "duplicate_session")
        line = await batch(service, claim, ours)
        sheet = await service.client.post(
            "/v1/sheets",
            content=csv_bytes(sheet_rows(claim)),
            headers={**bearer(ours), "Content-Type": "text/csv"},
        )
        answers.append([told(alone), line])
        sheets.append(told(sheet))
        assert await counted(service) == {"a-club": 3 * number}
    assert answers[0] == answers[1]
    assert sheets[0] == sheets[1]
    assert sheets[0]["rounds"][0]["row"] is None
    assert "?allow_duplicate=true" in sheets[0]["detail"]


async def test_a_ref_of_ones_own_is_an_own_round_too(service: RunningService) -> None:
    ours, _ = await two_clubs(service)
    first = a_session(a_round({"eve": 3, "flo": 1}, ref="t1"), on="2026-02-01")
    assert (await service.submit(first, ours)).status_code == 201
    changed = a_round({"eve": 1, "gus": 3}, ref="t1")
    answer = await service.submit(a_session(changed, THEIRS), ours)
    assert answer.json()["rounds"] == [
        {
            "pointer": "/rounds/0",
            "session_id": answer.json()["rounds"][0]["session_id"],
            "held_by": "your own session",
        }
    ]
    assert answer.json()["rounds"][0]["session_id"] is not None


async def test_what_others_hold_is_told_once_it_is_counted(service: RunningService) -> None:
    ours, theirs = await two_clubs(service)
    for number, claim in enumerate((a_session(THEIRS), a_session(*GUESSES, THEIRS)), start=1):
        answer = await service.submit(claim, ours)
        body = problem(answer, 409, "duplicate_session")
        assert [each["held_by"] for each in body["rounds"]] == ["another source"]
        assert await counted(service) == {"a-club": number}
    line = await batch(service, a_session(THEIRS), ours)
    assert line["code"] == "duplicate_session"
    assert await counted(service) == {"a-club": 3}
    # What is taken on purpose is no refusal, nor is a session that nobody holds.
    assert (await service.submit(a_session(a_round(x=1, y=0)), theirs)).status_code == 201
    again = await service.submit(a_session(THEIRS, allow_duplicate=True), ours)
    assert again.status_code == 201
    assert await counted(service) == {"a-club": 3}


@pytest.mark.parametrize("door", ["single", "batch", "correction"])
async def test_a_source_that_asks_too_often_is_told_nothing_more_whichever_key_it_uses(
    database: Database, door: str
) -> None:
    async with running_service(database, foreign_refusals_per_day=2) as service:
        ours, theirs = await two_clubs(service)
        second = await service.source_key()
        old = await played(service, ours, eve=3, flo=1, on="2026-01-02")
        for key in (ours, second):
            problem(await service.submit(a_session(THEIRS), key), 409, "duplicate_session")
        hit, miss = a_session(THEIRS), a_session(a_round(nobody=3, di=1))

        async def send(claim: Claim) -> dict[str, Any]:
            if door == "batch":
                return await batch(service, claim, second)
            if door == "correction":
                return told(await correct(service, old, claim, second))
            answer = await service.submit(claim, second)
            assert 0 < int(answer.headers["Retry-After"]) <= 86_400
            return told(answer)

        assert (await send(hit))["code"] == "too_many_foreign_hits"
        assert {**await send(hit), "detail": None} == {**await send(miss), "detail": None}
        # What is its own is told as ever, what is meant twice is taken, and others go on.
        assert (await service.submit(a_session(OWN), ours)).status_code == 200
        problem(await service.submit(a_session(OWN, THEIRS), ours), 409, "duplicate_session")
        meant = a_session(THEIRS, allow_duplicate=True)
        assert (await service.submit(meant, ours)).status_code == 201
        assert (await service.submit(miss, theirs)).status_code == 201
        assert await counted(service) == {"a-club": 2}
        await service.pool.execute(
            "UPDATE mahjic.foreign_refusals SET hour = hour - interval '1 day'"
        )
    # A day later it may ask again.
    async with running_service(database, foreign_refusals_per_day=2) as later:
        problem(await later.submit(miss, ours), 409, "duplicate_session")


async def test_that_two_addresses_are_one_person_is_told_to_whom_had_both(
    service: RunningService,
) -> None:
    ours, theirs = await service.source_key(), await service.source_key("b-club")
    operator = await service.operator_key()
    await played(service, theirs, ada=3, eve=1)
    await played(service, theirs, bo=3, eve=1, on="2026-01-01")
    own = await played(service, ours, ada=2, cy=1)
    ids = await player_ids(service)
    path = f"/v1/admin/players/{ids['ada']}/merge"
    assert (await ask(service, path, {"into": ids["bo"]}, operator)).status_code == 201
    both = a_session(a_round({"ada": 1, "bo": 0, "gus": 0}))
    # Who had one of them is told nothing, in a session, a line or a correction.
    answers = [
        told(await service.submit(both, ours)),
        told(await correct(service, own, both, ours)),
        {**await batch(service, both, ours), "status_code": 409},
    ]
    assert {each["code"] for each in answers} == {"ask_the_operator"}
    assert answers[0] == answers[1] == answers[2]
    assert "errors" not in answers[0]
    assert await counted(service) == {"a-club": 3}
    # Nor is it by sending an own round again with the other address in it.
    swapped = await service.submit(a_session(a_round(bo=2, cy=1)), ours)
    assert problem(swapped, 409, "duplicate_session")["rounds"] == [
        {"pointer": "/rounds/0", "session_id": None, "held_by": "another source"}
    ]
    # Whoever had both, and the operator, are told where.
    refused = problem(await service.submit(both, theirs), 422, "claim_refused")
    assert [each["pointer"] for each in refused["errors"]] == ["/rounds/0/players/1/email"]
    problem(await correct(service, own, both, operator), 422, "claim_refused")
    assert await counted(service) == {"a-club": 4}


async def test_a_correction_that_cannot_be_made_tells_nothing_of_others(
    database: Database,
) -> None:
    async with running_service(database, change_days_max=1) as service:
        ours, _ = await two_clubs(service)
        old = await played(service, ours, eve=3, flo=1, on="2026-01-02")
        await service.pool.execute(
            "UPDATE mahjic.submissions SET submitted_at = now() - interval '2 days'"
        )
        hit, miss = a_session(THEIRS), a_session(a_round(nobody=3, di=1))
        late = [told(await correct(service, old, each, ours)) for each in (hit, miss)]
        assert late[0] == late[1]
        assert late[0]["code"] == "too_late_to_change"
        operator = await service.operator_key()
        assert (await correct(service, old, miss, operator)).status_code == 201
        done = [
            told(await correct(service, old, each, ours))
            for each in (hit, a_session(a_round(z=1, w=0)))
        ]
        assert done[0] == done[1]
        assert done[0]["code"] == "already_corrected"
        assert await counted(service) == {}


async def test_what_is_similar_to_an_own_round_refuses_before_anything_of_others_is_told(
    service: RunningService,
) -> None:
    ours, theirs = await two_clubs(service)
    slip = a_round(ada=2, bo=2)
    answers = []
    for guess in (THEIRS, a_round({"nobody": 3, "di": 1})):
        claim = a_session(slip, guess, if_similar="refuse")
        answers.append(told(await service.submit(claim, ours)))
    assert {each["code"] for each in answers} == {"similar_round"}
    assert answers[0] == answers[1]
    # Nor whether somebody else in an own round is the same person under another address.
    four = {"ada": 3, "cleo": 1, "dora": 0, "eve": 0}
    assert (
        await service.submit(a_session(a_round(four), on="2026-03-01"), ours)
    ).status_code == 201
    await played(service, theirs, zoe=1, fay=0, on="2026-03-02")
    await played(service, theirs, yan=1, fay=0, on="2026-03-03")
    ids = await player_ids(service)
    path = f"/v1/admin/players/{ids['ada']}/merge"
    operator = await service.operator_key()
    assert (await ask(service, path, {"into": ids["zoe"]}, operator)).status_code == 201
    swapped = []
    for name in ("zoe", "yan"):
        others = {name: 3, **{each: four[each] for each in ("cleo", "dora", "eve")}}
        claim = a_session(a_round(others), on="2026-03-01", if_similar="refuse")
        swapped.append(told(await service.submit(claim, ours)))
    assert swapped[0] == swapped[1]
    assert swapped[0]["code"] == "similar_round"
    assert await counted(service) == {}


async def test_a_process_knows_its_own_refusals_at_once_and_those_of_others_soon(
    service: RunningService,
) -> None:
    await service.source_key()
    mine, others = ForeignRefusals(5), ForeignRefusals(5)
    now = datetime(2026, 2, 1, 12, 30, tzinfo=UTC)
    async with service.pool.acquire() as connection:

        async def known(refusals: ForeignRefusals, at: datetime) -> tuple[int, int]:
            return (await refusals.lately(connection, ["a-club"], now=at))["a-club"]

        assert await known(mine, now) == (0, 24 * 3600)
        await mine.count(connection, {"a-club": 2}, now=now)
        # The hour of the first began half an hour ago.
        assert await known(mine, now) == (2, 23 * 3600 + 1800)
        await others.count(connection, {"a-club": 1}, now=now)
        assert (await known(others, now))[0] == 3
        assert (await known(mine, now + timedelta(seconds=9)))[0] == 2
        assert (await known(mine, now + timedelta(seconds=10)))[0] == 3
        # A clock that was put back makes nothing fresh forever.
        await others.count(connection, {"a-club": 1}, now=now)
        assert (await known(mine, now - timedelta(seconds=1)))[0] == 4
