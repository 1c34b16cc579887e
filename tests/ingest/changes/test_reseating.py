"""What the operator does over HTTP when two people share one address: seats go to another one."""

from typing import Any

import httpx

from shared.events.facts import SeatsReassigned
from tests.conftest import Database
from tests.ingest.answers import problem
from tests.ingest.changes.asking import (
    ask,
    caught_up,
    correct,
    facts_of,
    look,
    played,
    player_ids,
    void,
)
from tests.ingest.claims import a_round, a_session
from tests.service import RunningService, bearer, running_service


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


async def entries(service: RunningService, player_id: str) -> list[dict[str, Any]]:
    """Return the whole history of a player, the newest first."""
    answer = await service.client.get(f"/v1/players/{player_id}/history")
    assert answer.status_code == 200, answer.text
    changes: list[dict[str, Any]] = answer.json()["changes"]
    return changes


async def test_rounds_stay_where_they_were_published_and_both_pages_tell_of_it(
    service: RunningService,
) -> None:
    key, operator = await service.source_key(), await service.operator_key()
    first = await played(service, key, ada=3, bo=1)
    second = await played(service, key, ada=3, cy=1, on="2026-02-01")
    ada = (await player_ids(service))["ada"]
    answer = await reseat(service, ada, [second], "karen@example.com", operator)
    karen, fact_seq = answer.json()["to"], answer.json()["fact_seq"]
    await caught_up(service)
    of_ada, of_karen = await entries(service, ada), await entries(service, karen)
    assert [each.get("session_id") for each in of_ada] == [None, second, first]
    assert [each.get("session_id") for each in of_karen] == [None]
    for entry in (of_ada[0], of_karen[0]):
        told = (entry["type"], entry["cause"], entry["sessions"], entry["fact_seq"])
        assert told == ("correction", "reseat", [second], fact_seq)
        assert (entry["merged"], entry["reason"], entry["replaced_by"]) == (None, None, None)
    assert not any(each["voided"] or each["superseded_by"] for each in of_ada[1:])
    # 1500.00 and all entries make the rating.
    for who, shown in ((ada, of_ada), (karen, of_karen)):
        profile = (await service.client.get(f"/v1/players/{who}")).json()
        moved = sum(round(each["mahjic"]["rating_change"] * 100) for each in shown)
        assert 150_000 + moved == round(profile["rating"] * 100)
        assert profile["games"] == 4
    # Why: the round that is no longer hers, and the one that is.
    change = of_karen[0]["change_id"]
    why = (await service.client.get(f"/v1/players/{karen}/changes/{change}")).json()
    (reason,) = why["rounds"]
    assert (reason["session_id"], reason["before"]) == (second, None)
    assert reason["after"]["mahjic"]["rating_change"] == 16
    change = of_ada[0]["change_id"]
    why = (await service.client.get(f"/v1/players/{ada}/changes/{change}")).json()
    (reason,) = why["rounds"]
    assert (reason["session_id"], reason["after"]) == (second, None)


async def test_the_sheet_names_who_sits_there_and_the_session_tells_of_it(
    service: RunningService,
) -> None:
    key, operator = await service.source_key(), await service.operator_key()
    night = await played(service, key, ada=3, bo=1)
    ada = (await player_ids(service))["ada"]
    assert (await look(service, night, key))["reseated_fact_seq"] is None
    answer = await reseat(service, ada, [night], "karen@example.com", operator)
    await caught_up(service)
    told = await look(service, night, key)
    assert told["reseated_fact_seq"] == answer.json()["fact_seq"]
    path = f"/v1/sessions/{night}/sheet.csv"
    of_operator = await service.client.get(path, headers=bearer(operator))
    assert "karen@example.com" in of_operator.text
    assert "ada@example.com" not in of_operator.text
    # The source never named Karen, and learns no address from the operator.
    of_source = await service.client.get(path, headers=bearer(key))
    assert of_source.status_code == 200
    assert "karen" not in of_source.text
    assert answer.json()["to"] not in of_source.text


async def test_voids_and_corrections_after_it_are_exact(service: RunningService) -> None:
    key, operator = await service.source_key(), await service.operator_key()
    first = await played(service, key, ada=3, bo=1)
    second = await played(service, key, ada=3, cy=1, on="2026-02-01")
    ids = await player_ids(service)
    answer = await reseat(service, ids["ada"], [first, second], "karen@x.org", operator)
    karen = answer.json()["to"]
    voided = await void(service, first, key)
    assert voided.status_code == 201
    await caught_up(service)
    profile = (await service.client.get(f"/v1/players/{karen}")).json()
    assert (profile["rating"], profile["games"], profile["sessions"]) == (1516, 4, 1)
    # A correction brings its own seats: Ada sits there again.
    claim = a_session(a_round(ada=1, cy=3), on="2026-02-01")
    corrected = await correct(service, second, claim, key)
    assert corrected.status_code == 201
    await caught_up(service)
    profile = (await service.client.get(f"/v1/players/{karen}")).json()
    assert (profile["rating"], profile["games"], profile["sessions"]) == (1500, 0, 0)
    profile = (await service.client.get(f"/v1/players/{ids['ada']}")).json()
    assert (profile["rating"], profile["games"], profile["sessions"]) == (1484, 4, 1)
    newest = corrected.json()["session_id"]
    late = await reseat(service, ids["ada"], [second], "karen@x.org", operator)
    assert problem(late, 409, "already_corrected")["newest"] == newest
    gone = await reseat(service, ids["ada"], [first], "karen@x.org", operator)
    assert problem(gone, 409, "not_seated")["session_ids"] == [first]


async def test_only_the_operator_may_and_mistakes_are_named(service: RunningService) -> None:
    key, operator = await service.source_key(), await service.operator_key()
    night = await played(service, key, ada=3, bo=1)
    ada = (await player_ids(service))["ada"]
    problem(await reseat(service, ada, [night], "karen@x.org", key), 403, "not_allowed")
    for email, code in (("nobody", "invalid_email"), ("ANON:Nick", "not_a_person")):
        answer = await reseat(service, ada, [night], email, operator)
        refused = problem(answer, 422, "claim_refused")
        assert [(each["pointer"], each["code"]) for each in refused["errors"]] == [("/email", code)]
    answer = await reseat(service, ada, [], "karen@x.org", operator)
    assert answer.status_code == 422
    answer = await reseat(service, ada, [night] * 1001, "karen@x.org", operator)
    assert answer.status_code == 422
    met = problem(
        await reseat(service, ada, [night], "bo@example.com", operator), 409, "seat_taken"
    )
    assert met["sessions"] == [{"session_id": night, "rounds": [1]}]
    assert await facts_of(service, SeatsReassigned) == []


async def test_an_answer_that_comes_early_says_that_the_ratings_follow(
    database: Database,
) -> None:
    async with running_service(database, is_rating=False) as service:
        key, operator = await service.source_key(), await service.operator_key()
        night = await played(service, key, prefer="respond-async", ada=3, bo=1)
        ada = (await player_ids(service))["ada"]
        body = {"sessions": [night], "email": "karen@x.org"}
        path = f"/v1/admin/players/{ada}/reseat"
        answer = await ask(service, path, body, operator, prefer="respond-async")
        assert (answer.status_code, answer.json()["effect"]) == (202, None)
        again = await ask(service, path, body, operator, prefer="respond-async")
        assert again.headers["Idempotency-Replayed"] == "true"
        assert again.json() == answer.json()
