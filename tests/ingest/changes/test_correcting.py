"""Correcting over HTTP: the new session takes the old one's place, and everything is judged."""

import json
from typing import Any

from shared.events.facts import SessionCorrected
from tests.conftest import Database
from tests.ingest.answers import CLAIM, as_at_first, player, problem
from tests.ingest.changes.asking import caught_up, correct, facts_of, look, played, player_ids, void
from tests.ingest.claims import Claim, a_round, a_session
from tests.service import RunningService, running_service

RIGHT = a_session(a_round({"Ada@Example.com": 1, "bo": 3}))


async def new_of(
    service: RunningService, session_id: str, claim: Claim, key: str, **headers: str
) -> str:
    """Correct a session, and return the id of the new one."""
    answer = await correct(service, session_id, claim, key, **headers)
    assert answer.status_code == 201, answer.text
    new = answer.json()["session_id"]
    assert isinstance(new, str)
    return new


async def test_a_correction_is_rated_in_the_place_of_the_old_session(
    service: RunningService,
) -> None:
    key = await service.source_key()
    old = await played(service, key, ada=3, bo=1)
    # Ada's 16 points ahead are 32 apart: expected 0.545922, so the second round gives 14.53.
    later = await service.submit(a_session(a_round(ada=3, bo=1), on="2026-02-01"), key)
    assert player(later, "ada@example.com")["rating_after"] == 1530.53
    answer = await correct(service, old, RIGHT, key)
    assert answer.status_code == 201
    body = answer.json()
    new = body["session_id"]
    assert answer.headers["Location"] == f"/v1/sessions/{new}"
    assert (body["status"], body["corrects"], body["reason"]) == ("rated", old, "wrong_result")
    assert body["fact_seq"] == body["effect"]["fact_seq"] == 4
    ada, bo = body["results"]
    assert (ada["player"], ada["rating_before"], ada["rating_after"]) == (
        "Ada@Example.com",
        1500,
        1484,
    )
    assert (bo["rating_after"], bo["games_played_total"]) == (1516, 4)
    # From 32 behind, a win is worth 32 * 0.545922 = 17.47.
    ids = await player_ids(service)
    moved = {each["player_id"]: each for each in body["effect"]["changes"]}
    assert moved.keys() == set(ids.values())
    assert moved[ids["ada"]]["rating_before"] == 1530.53
    assert moved[ids["ada"]]["rating_after"] == 1501.47
    assert moved[ids["bo"]]["rating_after"] == 1498.53
    assert (moved[ids["bo"]]["games_before"], moved[ids["bo"]]["games_after"]) == (8, 8)
    (fact,) = await facts_of(service, SessionCorrected)
    assert (fact.corrects, fact.reason, fact.session.session_id) == (old, "wrong_result", new)
    assert fact.session.source == "a-club"


async def test_the_old_and_the_new_session_name_each_other(service: RunningService) -> None:
    key = await service.source_key()
    old = await played(service, key, ada=3, bo=1)
    claim = {**RIGHT, "reason": "wrong_players", "note": "It was the other way round."}
    new = await new_of(service, old, claim, key)
    await caught_up(service)
    before, after = await look(service, old, key), await look(service, new, key)
    assert (before["status"], before["corrected_by"], before["corrects"]) == (
        "corrected",
        new,
        None,
    )
    assert (after["status"], after["corrects"], after["corrected_by"]) == ("rated", old, None)
    assert (before["place_seq"], after["place_seq"]) == (2, 2)
    assert (before["fact_seq"], after["fact_seq"]) == (2, 3)
    ended = before["ended"]
    assert (ended["fact_seq"], ended["reason"]) == (3, "wrong_players")
    assert ended["note"] == after["note"] == "It was the other way round."
    assert after["ended"] is None
    assert ended["effect"] == after["effect"]
    assert [each["rating_after"] for each in after["results"]] == [1484, 1516]
    assert [each["rating_after"] for each in before["results"]] == [1516, 1484]
    # The correction of a correction stands in the first one's place.
    newest = await new_of(service, new, a_session(a_round(ada=2, bo=2)), key)
    await caught_up(service)
    chain = [await look(service, each, key) for each in (old, new, newest)]
    assert [each["status"] for each in chain] == ["corrected", "corrected", "rated"]
    assert [each["place_seq"] for each in chain] == [2, 2, 2]


async def test_a_correction_sent_again_gets_the_first_answer_and_another_is_told_the_newest(
    service: RunningService,
) -> None:
    key, operator = await service.source_key(), await service.operator_key()
    old = await played(service, key, ada=3, bo=1)
    first = await correct(service, old, RIGHT, key)
    new = first.json()["session_id"]
    for sender, headers in ((key, {}), (operator, {}), (key, {"idempotency_key": "own"})):
        again = await correct(service, old, {**RIGHT, "allow_duplicate": True}, sender, **headers)
        assert again.status_code == 200
        assert again.headers["Idempotency-Replayed"] == "true"
        assert as_at_first(again) == first.json()
    other = a_session(a_round(ada=2, bo=2))
    assert (
        problem(await correct(service, old, other, key), 409, "already_corrected")["newest"] == new
    )
    newest = await new_of(service, new, other, key)
    told = problem(
        await correct(service, old, a_session(a_round(ada=4, bo=0)), key), 409, "already_corrected"
    )
    assert told["newest"] == newest
    problem(await void(service, old, key), 409, "already_corrected")
    # The first correction has been corrected since, and its answer says so.
    again = await correct(service, old, RIGHT, key)
    assert (again.status_code, again.json()["status"]) == (200, "corrected")
    assert len(await facts_of(service, SessionCorrected)) == 2


async def test_a_key_holds_the_content_and_the_reason_of_a_correction(
    service: RunningService,
) -> None:
    key = await service.source_key()
    old = await played(service, key, ada=3, bo=1)
    first = await correct(service, old, RIGHT, key, idempotency_key="c")
    again = await correct(service, old, {**RIGHT, "note": "Hm."}, key, idempotency_key="c")
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert as_at_first(again) == first.json()
    for claim in (a_session(a_round(ada=2, bo=2)), {**RIGHT, "reason": "other"}):
        answer = await correct(service, old, claim, key, idempotency_key="c")
        problem(answer, 422, "idempotency_key_reused")
    assert len(await facts_of(service, SessionCorrected)) == 1


async def test_a_session_that_is_sent_again_never_brings_the_mistake_back(
    service: RunningService,
) -> None:
    key = await service.source_key()
    old = (await service.submit(CLAIM, key)).json()["session_id"]
    new = await new_of(service, old, RIGHT, key)
    again = await service.submit(CLAIM, key)
    assert (again.status_code, again.json()["status"]) == (200, "corrected")
    assert again.json()["session_id"] == old
    right = await service.submit(RIGHT, key)
    assert (right.status_code, right.json()["session_id"]) == (200, new)
    assert [each["rating_after"] for each in right.json()["results"]] == [1484, 1516]
    # A round of a correction is on record for others too; one that it took out is not.
    other = await service.source_key("b-club")
    problem(await service.submit(RIGHT, other), 409, "duplicate_session")
    assert (await service.submit(CLAIM, other)).status_code == 201


async def test_rounds_of_the_corrected_session_are_no_duplicates_and_all_others_are(
    service: RunningService,
) -> None:
    key = await service.source_key()
    one, two = a_round(ada=3, bo=1, ref="t1"), a_round(cy=3, di=1, ref="t2")
    old = (await service.submit(a_session(one, two), key)).json()["session_id"]
    elsewhere = await played(service, key, eve=3, fay=1)
    claim = a_session(one, a_round(eve=3, fay=1))
    refused = problem(await correct(service, old, claim, key), 409, "duplicate_session")
    assert [(each["pointer"], each["session_id"]) for each in refused["rounds"]] == [
        ("/rounds/1", elsewhere)
    ]
    # A session that is the same as another one as a whole is a duplicate as well.
    same = a_session(a_round(eve=3, fay=1))
    problem(await correct(service, old, same, key), 409, "duplicate_session")
    await new_of(service, old, a_session(one, a_round(cy=1, di=3, ref="t2")), key)
    allowed = await correct(service, elsewhere, {**a_session(one), "allow_duplicate": True}, key)
    assert allowed.status_code == 201


async def test_a_correction_is_checked_as_a_submission_is(service: RunningService) -> None:
    key = await service.source_key()
    old = await played(service, key, ada=3, bo=1)
    claim = {**a_session(a_round(ada=3, bo=1), on="2026-02-30"), "source_id": "b-club"}
    claim["rounds"][0]["wall_games"] = 1
    claim |= {"reason": "bored", "note": "x" * 501, "color": "red"}
    body = problem(await correct(service, old, claim, key), 422, "claim_refused")
    assert {(each["pointer"], each["code"]) for each in body["errors"]} == {
        ("/source_id", "source_mismatch"),
        ("/session_date", "invalid_date"),
        ("/rounds/0", "round_does_not_add_up"),
        ("/reason", "unknown_value"),
        ("/note", "too_long"),
        ("/color", "unknown_field"),
    }
    twice = a_session(a_round({"ada@example.com": 3, " ADA@Example.com": 1}))
    body = problem(await correct(service, old, twice, key), 422, "claim_refused")
    assert [each["code"] for each in body["errors"]] == ["player_twice"]
    assert await facts_of(service, SessionCorrected) == []


async def test_new_people_and_privacy_come_in_with_a_correction(service: RunningService) -> None:
    key = await service.source_key()
    old = await played(service, key, ada=3, bo=1)
    claim = a_session(a_round({"PRIVATE:ada@example.com": 1, "cy": 3, "ANON:Dee": 0}))
    claim["rounds"][0]["players"][1]["name"] = "Cy Coleman"
    answer = await correct(service, old, claim, key)
    assert [each["is_new_player"] for each in answer.json()["results"]] == [False, True, True]
    rows = await service.pool.fetch(
        "SELECT email, is_private, known.name "
        "FROM mahjic.people JOIN mahjic.acquaintances AS known USING (player_id)"
    )
    people = {row["email"]: (row["is_private"], row["name"]) for row in rows}
    assert people == {
        "ada@example.com": (True, None),
        "bo@example.com": (False, None),
        "cy@example.com": (False, "Cy Coleman"),
        None: (True, None),
    }
    (fact,) = await facts_of(service, SessionCorrected)
    ids = await player_ids(service)
    assert fact.session.new_players[0] == ids["cy"]
    assert fact.session.new_players[1].startswith("AN-")


async def test_the_operator_corrects_in_the_name_of_the_source(service: RunningService) -> None:
    key, operator = await service.source_key(), await service.operator_key()
    other = await service.source_key("b-club")
    first = await service.submit(a_session(a_round({"ANON:Dee": 3, "bo": 1})), key)
    old = first.json()["session_id"]
    claim = {**a_session(a_round({"ANON:Dee": 1, "bo": 3})), "source_id": "a-club"}
    problem(await correct(service, old, claim, other), 404, "unknown_session")
    answer = await correct(service, old, claim, operator)
    assert answer.status_code == 201
    # The nickname is that of the source, so it is the same player.
    assert answer.json()["results"][0]["player_id"] == first.json()["results"][0]["player_id"]
    assert (await look(service, answer.json()["session_id"], key))["corrects"] == old
    problem(await correct(service, "ses_" + "0" * 26, claim, operator), 404, "unknown_session")
    problem(await correct(service, old, claim, await service.auditor_key()), 403, "not_allowed")


async def test_a_voided_session_comes_back_by_a_correction_with_its_own_content(
    service: RunningService,
) -> None:
    key = await service.source_key()
    old = (await service.submit(CLAIM, key)).json()["session_id"]
    await void(service, old, key)
    new = await new_of(service, old, CLAIM, key)
    await caught_up(service)
    shown = await look(service, old, key)
    assert (shown["status"], shown["corrected_by"]) == ("corrected", new)
    assert (shown["ended"]["fact_seq"], shown["ended"]["reason"]) == (4, "wrong_result")
    moved = {each["rating_after"] for each in (await look(service, new, key))["effect"]["changes"]}
    assert moved == {1516, 1484}
    # And away again, and back: each in the place of the first.
    assert (await void(service, new, key)).status_code == 201
    newest = await new_of(service, new, CLAIM, key)
    assert (await look(service, newest, key))["place_seq"] == 2


async def test_a_voided_session_does_not_come_back_beside_its_repetition(
    service: RunningService,
) -> None:
    key = await service.source_key()
    old = (await service.submit(CLAIM, key)).json()["session_id"]
    await void(service, old, key)
    beside = await service.submit(CLAIM, await service.source_key("b-club"))
    assert beside.status_code == 201
    problem(await correct(service, old, CLAIM, key), 409, "duplicate_session")


async def test_a_correction_without_ratings_in_time_is_202(database: Database) -> None:
    async with running_service(database, is_rating=False) as service:
        key = await service.source_key()
        old = await played(service, key, ada=3, bo=1, prefer="respond-async")
        answer = await correct(service, old, RIGHT, key, prefer="respond-async")
        assert answer.status_code == 202
        body = answer.json()
        assert answer.headers["Location"] == f"/v1/sessions/{body['session_id']}"
        assert answer.headers["Retry-After"] == "1"
        assert (body["status"], body["effect"], body["results"]) == ("accepted", None, [])
        await service.start_rating()
        again = await correct(service, old, RIGHT, key)
        assert again.status_code == 200
        assert [each["rating_after"] for each in again.json()["results"]] == [1484, 1516]
        assert again.json()["effect"]["players_moved"] == 2


async def test_a_correction_of_the_largest_session_fits(service: RunningService) -> None:
    key = await service.source_key()
    old = await played(service, key, ada=3, bo=1)

    def rounds(of: int) -> list[Any]:
        names = [f"{'x' * 50}{of}{number}" for number in range(400)]
        return [
            a_round(dict.fromkeys(names[place : place + 4], 50), points=[-1e6, 1e6, 0.25, -0.25])
            for place in range(0, 400, 4)
        ]

    claim = a_session(*rounds(1), game_type="league")
    assert 50_000 < len(json.dumps(claim)) < 1 << 20
    new = await new_of(service, old, claim, key)
    answer = await correct(service, new, a_session(*rounds(2), game_type="league"), key)
    assert answer.status_code == 201
    effect = answer.json()["effect"]
    # All of the old and all of the new session, and a source sees every one of them.
    assert (effect["players_moved"], len(effect["changes"]), effect["others_moved"]) == (
        800,
        800,
        0,
    )
