"""What a source sees: every answer of `POST /v1/sessions`, from a service that runs."""

import json

import pytest

from shared.access.sources import suspend_source
from tests.conftest import Database
from tests.ingest.answers import CLAIM, facts, player, problem
from tests.ingest.claims import Claim, a_round, a_session
from tests.log.deadlines import deadline, until
from tests.service import RunningService, bearer, running_service

SESSIONS = "/v1/sessions"


async def test_a_session_is_answered_with_every_rating(service: RunningService) -> None:
    answer = await service.submit(CLAIM, await service.source_key())
    assert answer.status_code == 201
    body = answer.json()
    assert answer.headers["Location"] == f"{SESSIONS}/{body['session_id']}"
    assert "Idempotency-Replayed" not in answer.headers
    assert "Retry-After" not in answer.headers
    assert answer.headers["Cache-Control"] == "no-store"
    assert body["status"] == "rated"
    assert body["warnings"] == []
    ada, bo = body["results"]
    # Two new players at 1500: half of K = 32 changes hands.
    assert ada == {
        "player_id": ada["mahjic_id"],
        "mahjic_id": ada["mahjic_id"],
        "player": "Ada@Example.com",
        "is_new_player": True,
        "rating_before": 1500,
        "rating_after": 1516,
        "rating_change": 16,
        "verified_rating_before": 1500,
        "verified_rating_after": 1500,
        "verified_rating_change": 0,
        "games_played_total": 4,
        "verified_games_played_total": 0,
    }
    assert ada["mahjic_id"].startswith("MJ-")
    assert (bo["player"], bo["rating_after"]) == ("bo@example.com", 1484)
    (played,) = body["rounds"]
    assert (played["games_played"], played["wall_games"]) == (4, 0)
    assert [each["mahjongs"] for each in played["results"]] == [3, 1]
    assert [each["points"] for each in played["results"]] == [None, None]


async def test_results_stand_in_order_of_first_appearance_with_what_they_were_called(
    service: RunningService,
) -> None:
    claim = a_session(
        a_round({"cy": 1, "bob@mahjic.org": 0, " ANON: Lucky": 2}),
        a_round({"PRIVATE:Ada@X.org": 1, "CY@example.com": 1}),
    )
    answer = await service.submit(claim, await service.source_key())
    cy, bob, lucky, ada = answer.json()["results"]
    assert [each["player"] for each in (cy, bob, lucky, ada)] == [
        "cy@example.com",
        "bob@mahjic.org",
        " ANON: Lucky",
        "PRIVATE:Ada@X.org",
    ]
    assert (bob["player_id"], bob["mahjic_id"], bob["is_new_player"]) == ("BOB", None, False)
    assert (bob["rating_before"], bob["rating_after"], bob["games_played_total"]) == (1500, 1500, 0)
    assert lucky["player_id"].startswith("AN-")
    assert lucky["mahjic_id"] is None
    assert ada["mahjic_id"] == ada["player_id"]
    assert ada["rating_after"] == ada["rating_before"] + ada["rating_change"]
    assert cy["games_played_total"] == 5


async def test_verified_players_move_in_both_pools(service: RunningService) -> None:
    operator = bearer(await service.operator_key())
    for name in ("Ada@Example.com", "bo@example.com"):
        registered = await service.client.post(
            "/v1/admin/players", json={"email": name}, headers=operator
        )
        mahjic_id = registered.json()["mahjic_id"]
        verified = await service.client.put(
            f"/v1/admin/players/{mahjic_id}/verification", json={"verified": True}, headers=operator
        )
        assert verified.status_code == 200
    answer = await service.submit(CLAIM, await service.source_key())
    ada, bo = answer.json()["results"]
    for each, change in ((ada, 16), (bo, -16)):
        assert each["is_new_player"] is False
        assert each["rating_change"] == each["verified_rating_change"] == change
        assert each["verified_rating_after"] == 1500 + change
        assert each["verified_games_played_total"] == 4


async def test_league_points_that_do_not_sum_to_zero_are_rated_and_warned_about(
    service: RunningService,
) -> None:
    key = await service.source_key()
    claim = a_session(a_round(ada=1, bo=1, points=[200, 0]), game_type="league")
    odd = ("/rounds/0", "points_do_not_sum_to_zero")
    for status, expected in ((201, [odd]), (200, [("", "already_recorded"), odd])):
        answer = await service.submit(claim, key)
        assert answer.status_code == status
        told = [(each["pointer"], each["code"]) for each in answer.json()["warnings"]]
        assert told == expected


async def test_all_mistakes_are_told_at_once_and_nothing_is_recorded(
    service: RunningService,
) -> None:
    claim = a_session(a_round({"PRIVATE:": 2, "bo": 1}), on="2026-02-30", color="red")
    claim["rounds"][0]["wall_games"] = 1
    answer = await service.submit(claim, await service.source_key())
    body = problem(answer, 422, "claim_refused")
    assert {(each["pointer"], each["code"]) for each in body["errors"]} == {
        ("/color", "unknown_field"),
        ("/session_date", "invalid_date"),
        ("/rounds/0", "round_does_not_add_up"),
        ("/rounds/0/players/0/email", "empty_player"),
    }
    assert await facts(service) == 0
    assert await service.pool.fetchval("SELECT count(*) FROM mahjic.people") == 0


@pytest.mark.parametrize("body", ["", "{", "[NaN]", '{"a":1,"a":2}', "\ufeff{}"])
async def test_a_body_that_is_not_json_is_400(service: RunningService, body: str) -> None:
    headers = {**bearer(await service.source_key()), "Content-Type": "application/json"}
    answer = await service.client.post(SESSIONS, content=body.encode(), headers=headers)
    problem(answer, 400, "malformed_json")


async def test_numbers_beyond_every_reader_are_refused_and_not_a_fault(
    service: RunningService,
) -> None:
    headers = {**bearer(await service.source_key()), "Content-Type": "application/json"}
    text = json.dumps(a_session(a_round(ada=1, bo=0, points=[111, 0]), game_type="league"))
    for number, status in (("1e30", 422), ("1e999", 422), ("1e-400", 422), ("1e" + "9" * 30, 400)):
        body = text.replace("111", number).encode()
        answer = await service.client.post(SESSIONS, content=body, headers=headers)
        assert answer.status_code == status, number
    assert await facts(service) == 0


async def test_a_body_of_another_type_or_size_is_refused(service: RunningService) -> None:
    key = bearer(await service.source_key())
    form = await service.client.post(SESSIONS, data={"a": "b"}, headers=key)
    problem(form, 415, "unsupported_media_type")
    large = {**CLAIM, "x": "x" * (1 << 20)}
    problem(await service.client.post(SESSIONS, json=large, headers=key), 413, "payload_too_large")


async def test_only_the_key_of_a_source_submits(service: RunningService) -> None:
    key = await service.source_key()
    problem(await service.client.post(SESSIONS, json=CLAIM), 401, "not_authenticated")
    problem(await service.submit(CLAIM, "mjk_" + "x" * 43), 401, "not_authenticated")
    problem(await service.submit(CLAIM, "hello"), 401, "not_authenticated")
    for other in (await service.operator_key(), await service.auditor_key()):
        problem(await service.submit(CLAIM, other), 403, "not_allowed")
    await suspend_source(service.pool, "a-club")
    problem(await service.submit(CLAIM, key), 403, "source_suspended")
    assert await facts(service) == 0


async def test_the_source_named_in_the_body_must_be_that_of_the_key(
    service: RunningService,
) -> None:
    key = await service.source_key("a-club")
    await service.source_key("b-club")
    answer = await service.submit({**CLAIM, "source_id": "b-club"}, key)
    body = problem(answer, 422, "claim_refused")
    assert [each["code"] for each in body["errors"]] == ["source_mismatch"]
    assert (await service.submit({**CLAIM, "source_id": "a-club"}, key)).status_code == 201


async def test_a_source_beyond_its_limit_is_told_when_to_come_back(database: Database) -> None:
    async with running_service(database, source_limit_per_minute=1) as service:
        key = await service.source_key()
        assert (await service.submit(CLAIM, key)).status_code == 201
        answer = await service.submit(CLAIM, key)
        problem(answer, 429, "too_many_requests")
        assert 0 < int(answer.headers["Retry-After"]) <= 60


async def test_another_method_is_405(service: RunningService) -> None:
    problem(await service.client.delete(SESSIONS), 405, "method_not_allowed")


@pytest.mark.parametrize("prefer", ["respond-async", "wait=0"])
async def test_without_a_wait_a_session_is_accepted_and_found_where_the_answer_says(
    database: Database, prefer: str
) -> None:
    async with running_service(database, is_rating=False) as service, deadline():
        key = await service.source_key()
        answer = await service.submit(CLAIM, key, prefer=prefer)
        assert answer.status_code == 202
        body = answer.json()
        assert (body["status"], body["results"], body["rounds"]) == ("accepted", [], [])
        assert answer.headers["Location"] == f"{SESSIONS}/{body['session_id']}"
        assert int(answer.headers["Retry-After"]) > 0
        again = await service.submit(CLAIM, key, prefer=prefer)
        (warning,) = again.json()["warnings"]
        assert warning["code"] == "already_recorded"
        assert (again.status_code, {**again.json(), "warnings": []}) == (202, body)
        assert again.headers["Idempotency-Replayed"] == "true"
        await service.start_rating()

        async def is_found() -> bool:
            found = await service.client.get(answer.headers["Location"], headers=bearer(key))
            return found.status_code == 200 and found.json()["status"] == "rated"

        await until(is_found)
        rated = await service.submit(CLAIM, key, prefer=prefer)
        assert (rated.status_code, rated.json()["status"]) == (200, "rated")
        assert player(rated, "Ada@Example.com")["rating_after"] == 1516
        assert await facts(service) == 1


async def test_a_wait_that_ends_before_the_rating_is_no_error(database: Database) -> None:
    async with running_service(database, is_rating=False, wait_s_default=0.05) as service:
        answer = await service.submit(CLAIM, await service.source_key())
        assert (answer.status_code, answer.json()["status"]) == (202, "accepted")


async def test_an_answer_that_waits_comes_with_the_rating(database: Database) -> None:
    async with running_service(database, is_rating=False) as service, deadline():
        key = await service.source_key()
        later = {**CLAIM, "session_date": "2026-01-30"}
        assert (await service.submit(CLAIM, key, prefer="wait=0")).status_code == 202
        await service.start_rating()
        answer = await service.submit(later, key, prefer="wait=30, respond-async")
        assert answer.status_code == 201
        assert player(answer, "Ada@Example.com")["rating_before"] == 1516


async def test_a_late_session_acts_on_the_ratings_of_the_moment(service: RunningService) -> None:
    key = await service.source_key()
    first = await service.submit({**CLAIM, "session_date": "2026-01-10"}, key)
    late = await service.submit({**CLAIM, "session_date": "2026-01-01"}, key)
    assert player(first, "Ada@Example.com")["rating_after"] == 1516
    assert player(late, "Ada@Example.com")["rating_before"] == 1516


async def test_equal_players_who_tie_do_not_move(service: RunningService) -> None:
    claim = a_session(a_round(ada=1, bo=1, cy=1, dee=1, points=[0] * 4), game_type="league")
    answer = await service.submit(claim, await service.source_key())
    assert [each["rating_change"] for each in answer.json()["results"]] == [0, 0, 0, 0]


async def test_somebody_who_was_forgotten_comes_back_as_a_new_player(
    service: RunningService,
) -> None:
    key, operator = await service.source_key(), bearer(await service.operator_key())
    first = player(await service.submit(CLAIM, key), "Ada@Example.com")
    erased = await service.client.delete(
        f"/v1/admin/players/{first['mahjic_id']}/personal-data", headers=operator
    )
    assert erased.status_code == 204
    # The same session again: it names a person who is not on record, so it is another session.
    again = await service.submit(CLAIM, key)
    assert again.status_code == 201
    back = player(again, "Ada@Example.com")
    assert back["is_new_player"] is True
    assert back["mahjic_id"] != first["mahjic_id"]
    assert back["rating_before"] == 1500
    assert player(again, "bo@example.com")["rating_before"] == 1484


def a_key_of(length: int) -> str:
    return "k" * length


@pytest.mark.parametrize(("key", "status"), [(a_key_of(255), 201), (a_key_of(256), 400), ("", 400)])
async def test_a_key_that_is_too_long_or_empty_is_refused(
    service: RunningService, key: str, status: int
) -> None:
    answer = await service.submit(CLAIM, await service.source_key(), idempotency_key=key)
    assert answer.status_code == status
    if status == 400:
        problem(answer, 400, "invalid_idempotency_key")
    assert await facts(service) == (status == 201)


def a_later(claim: Claim) -> Claim:
    return {**claim, "session_date": "2026-02-01"}


async def test_a_player_hidden_by_a_source_is_hidden_from_the_public_at_once(
    service: RunningService,
) -> None:
    key = await service.source_key()
    ada = player(await service.submit(CLAIM, key), "Ada@Example.com")["mahjic_id"]
    hidden = a_session(a_round({"PRIVATE:ada@example.com": 3, "bo": 1}))

    async def status() -> int:
        return (await service.client.get(f"/v1/players/{ada}")).status_code

    async def is_shown() -> bool:
        return await status() == 200

    await until(is_shown)
    # The same session once more, now with the prefix.
    assert (await service.submit(hidden, key)).status_code == 200
    assert await status() == 404
    assert (await service.submit(a_later(CLAIM), key)).status_code == 201
    assert await status() == 404
