"""Voiding over HTTP: who may, what it answers, and that it is so once and for good."""

from datetime import timedelta

import pytest

from shared.events.facts import SessionsVoided
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
    void_all,
)
from tests.ingest.claims import a_round, a_session
from tests.log.deadlines import deadline, until
from tests.service import RunningService, bearer, running_service

BACKDATE = """
UPDATE mahjic.submissions SET submitted_at = now() - $2::interval WHERE session_id = $1
"""


async def test_a_void_gives_everybody_back_what_the_session_took(service: RunningService) -> None:
    key = await service.source_key()
    session = await played(service, key, ada=3, bo=1)
    answer = await void(service, session, key, reason="not_played")
    assert answer.status_code == 201
    assert answer.headers["Location"] == f"/v1/sessions/{session}"
    assert answer.headers["Cache-Control"] == "no-store"
    ids = await player_ids(service)
    body = answer.json()
    effect = body.pop("effect")
    assert body == {
        "session_id": session,
        "status": "voided",
        "reason": "not_played",
        "fact_seq": 3,
        "seq": 3,
    }
    # Half of K = 32 had changed hands, in four games.
    still = {"verified_rating_before": 1500, "verified_rating_after": 1500}
    still |= {"verified_rating_change": 0, "verified_games_before": 0, "verified_games_after": 0}
    by_player = {each["player_id"]: each for each in effect.pop("changes")}
    assert effect == {"fact_seq": 3, "players_moved": 2, "others_moved": 0}
    for name, before, change in (("ada", 1516, -16), ("bo", 1484, 16)):
        assert by_player[ids[name]] == {
            "player_id": ids[name],
            "mahjic_id": ids[name],
            "rating_before": before,
            "rating_after": 1500,
            "rating_change": change,
            "games_before": 4,
            "games_after": 0,
            **still,
        }
    assert await facts_of(service, SessionsVoided) == [SessionsVoided((session,), "not_played")]


async def test_a_void_that_comes_again_is_answered_as_the_first_time(
    service: RunningService,
) -> None:
    key = await service.source_key()
    session = await played(service, key, ada=3, bo=1)
    first = await void(service, session, key, reason="not_played")
    for by, headers in ((key, {}), (key, {"idempotency_key": "again"})):
        again = await void(service, session, by, reason="other", note="So be it.", **headers)
        assert (again.status_code, again.json()) == (200, first.json())
        assert again.headers["Idempotency-Replayed"] == "true"
    operator = await void(service, session, await service.operator_key())
    assert (operator.status_code, operator.json()) == (200, first.json())
    assert len(await facts_of(service, SessionsVoided)) == 1
    assert await service.pool.fetchval("SELECT count(*) FROM mahjic.notes") == 0


async def test_a_void_sent_again_under_its_key_is_the_same_and_with_another_reason_refused(
    service: RunningService,
) -> None:
    key = await service.source_key()
    session = await played(service, key, ada=3, bo=1)
    first = await void(service, session, key, note="A slip.", idempotency_key="v")
    again = await void(service, session, key, note="Another note.", idempotency_key='"v"')
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.json() == first.json()
    other = await void(service, session, key, reason="other", idempotency_key="v")
    problem(other, 422, "idempotency_key_reused")
    # A key holds for one path: under the same, another session is another request.
    second = await played(service, key, cy=3, di=1)
    assert (await void(service, second, key, idempotency_key="v")).status_code == 201
    notes = await service.pool.fetch("SELECT note FROM mahjic.notes")
    assert [row["note"] for row in notes] == ["A slip."]


async def test_a_void_is_told_again_under_its_key_also_when_the_session_was_corrected_since(
    service: RunningService,
) -> None:
    key = await service.source_key()
    session = await played(service, key, ada=3, bo=1)
    first = await void(service, session, key, reason="not_played", idempotency_key="v")
    # It came when the session was void already, so it was answered by the void before it.
    second = await void(service, session, key, reason="other", idempotency_key="w")
    corrected = await correct(service, session, a_session(a_round(ada=1, bo=3)), key)
    assert (first.status_code, second.status_code, corrected.status_code) == (201, 200, 201)
    for reason, name, told in (("not_played", "v", first), ("other", "w", second)):
        again = await void(service, session, key, reason=reason, idempotency_key=name)
        assert again.status_code == 201
        assert again.headers["Idempotency-Replayed"] == "true"
        assert again.json()["fact_seq"] == told.json()["fact_seq"]
        assert again.json()["effect"] == told.json()["effect"]
        assert again.json()["status"] == "corrected"
    problem(await void(service, session, key, reason="not_played"), 409, "already_corrected")
    assert len(await facts_of(service, SessionsVoided)) == 1


async def test_nobody_voids_a_session_of_another_source_or_none(service: RunningService) -> None:
    key, other = await service.source_key(), await service.source_key("b-club")
    session = await played(service, key, ada=3, bo=1)
    answers = [
        await void(service, session, other),
        await void(service, "ses_" + "0" * 26, key),
        await void(service, "nonsense", key),
        await void(service, "ses_" + "0" * 26, await service.operator_key()),
    ]
    bodies = [problem(each, 404, "unknown_session") | {"instance": ""} for each in answers]
    assert all(body == bodies[0] for body in bodies)
    problem(await void(service, session, await service.auditor_key()), 403, "not_allowed")
    public = await service.client.post(f"/v1/sessions/{session}/void", json={"reason": "other"})
    problem(public, 401, "not_authenticated")
    assert await facts_of(service, SessionsVoided) == []


async def test_what_a_void_says_is_checked(service: RunningService) -> None:
    key = await service.source_key()
    session = await played(service, key, ada=3, bo=1)
    path = f"/v1/sessions/{session}/void"
    for claim, pointer, code in (
        ({}, "/reason", "missing"),
        ({"reason": "bored"}, "/reason", "unknown_value"),
        ({"reason": "other", "note": "x" * 501}, "/note", "too_long"),
        ({"reason": "other", "note": ""}, "/note", "too_short"),
        ({"reason": "other", "note": "a\0b"}, "/note", "forbidden_character"),
        ({"reason": "other", "color": "red"}, "/color", "unknown_field"),
    ):
        body = problem(await ask(service, path, claim, key), 422, "claim_refused")
        assert [(each["pointer"], each["code"]) for each in body["errors"]] == [(pointer, code)]
    assert await facts_of(service, SessionsVoided) == []


async def test_a_source_changes_its_sessions_for_ninety_days_and_the_operator_forever(
    service: RunningService,
) -> None:
    key, operator = await service.source_key(), await service.operator_key()
    young = await played(service, key, ada=3, bo=1)
    old, older = await played(service, key, cy=3, di=1), await played(service, key, eve=3, fay=1)
    await service.pool.execute(BACKDATE, young, timedelta(days=89, hours=23))
    for each in (old, older):
        await service.pool.execute(BACKDATE, each, timedelta(days=90, minutes=1))
    assert (await void(service, young, key)).status_code == 201
    refused = problem(await void(service, old, key), 403, "too_late_to_change")
    assert refused["days_max"] == 90
    claim = a_session(a_round(cy=1, di=3))
    problem(await correct(service, old, claim, key), 403, "too_late_to_change")
    assert (await void(service, old, operator)).status_code == 201
    # What is so is told to the source all the same.
    assert (await void(service, old, key)).status_code == 200
    assert (await correct(service, older, claim, operator)).status_code == 201


async def test_a_correction_does_not_make_a_session_any_younger(service: RunningService) -> None:
    key = await service.source_key()
    session = await played(service, key, ada=3, bo=1)
    corrected = await correct(service, session, a_session(a_round(ada=1, bo=3)), key)
    await service.pool.execute(BACKDATE, session, timedelta(days=91))
    problem(await void(service, corrected.json()["session_id"], key), 403, "too_late_to_change")


async def test_the_days_are_a_setting(database: Database) -> None:
    async with running_service(database, change_days_max=1) as service:
        key = await service.source_key()
        session = await played(service, key, ada=3, bo=1)
        await service.pool.execute(BACKDATE, session, timedelta(days=2))
        problem(await void(service, session, key), 403, "too_late_to_change")


async def test_a_void_without_ratings_in_time_is_202_and_says_so_later(database: Database) -> None:
    async with running_service(database, is_rating=False) as service:
        key = await service.source_key()
        session = await played(service, key, ada=3, bo=1, prefer="respond-async")
        answer = await void(service, session, key, prefer="respond-async")
        assert answer.status_code == 202
        assert answer.headers["Location"] == f"/v1/sessions/{session}"
        assert answer.headers["Retry-After"] == "1"
        body = answer.json()
        assert (body["status"], body["fact_seq"], body["effect"]) == ("voided", 3, None)
        assert (await look(service, session, key))["status"] == "voided"
        await service.start_rating()
        later = await void(service, session, key)
        assert (later.status_code, later.json()["effect"]["players_moved"]) == (200, 2)


async def test_the_operator_voids_many_in_one_fact_or_none(service: RunningService) -> None:
    key, operator = await service.source_key(), await service.operator_key()
    club = await service.source_key("b-club")
    one = await played(service, key, ada=3, bo=1)
    two = await played(service, club, ada=3, cy=1)
    gone, old = await played(service, key, di=3, eve=1), await played(service, key, fay=3, gus=1)
    assert (await void(service, gone, key)).status_code == 201
    new = (await correct(service, old, a_session(a_round(fay=1, gus=3)), key)).json()["session_id"]
    unknown = ["ses_" + "0" * 26, "nonsense"]
    answer = await void_all(service, [one, unknown[0], old, unknown[1]], operator)
    assert problem(answer, 404, "unknown_session")["session_ids"] == unknown
    answer = await void_all(service, [one, old], operator)
    assert problem(answer, 409, "already_corrected")["newest"] == new
    assert len(await facts_of(service, SessionsVoided)) == 1

    answer = await void_all(service, [one, gone, two, one], operator)
    body = answer.json()
    assert answer.status_code == 201
    assert (body["session_ids"], body["skipped"]) == ([one, two], [gone])
    assert body["effect"]["players_moved"] == 3
    again = await void_all(service, [one, gone, two], operator)
    assert (again.status_code, again.json()) == (200, body)
    assert (await facts_of(service, SessionsVoided))[1:] == [
        SessionsVoided((one, two), "test_entry")
    ]
    problem(await void_all(service, [one], key), 403, "not_allowed")


async def test_ten_thousand_sessions_are_as_many_as_one_void_takes(
    service: RunningService,
) -> None:
    operator = await service.operator_key()
    ids = [f"ses_{number:026}" for number in range(10_001)]
    body = problem(await void_all(service, ids, operator), 422, "claim_refused")
    assert [each["code"] for each in body["errors"]] == ["too_long"]
    problem(await void_all(service, [], operator), 422, "claim_refused")
    refused = problem(await void_all(service, ids[:10_000], operator), 404, "unknown_session")
    assert refused["session_ids"] == ids[:10_000]


async def test_a_source_that_voids_again_is_told_of_its_own_players_however_many_were_moved(
    service: RunningService,
) -> None:
    key, operator = await service.source_key(), await service.operator_key()
    nights = []
    for night in range(3):
        tables = [{f"p{night}-{table}-{n}": n for n in range(4)} for table in range(100)]
        answer = await service.submit(a_session(*map(a_round, tables)), key)
        assert answer.status_code == 201
        nights.append(answer.json()["session_id"])
    assert (await void_all(service, nights, operator)).status_code == 201
    await caught_up(service)
    for night in nights:
        again = await void(service, night, key, reason="test_entry")
        assert (again.status_code, again.headers["Idempotency-Replayed"]) == (200, "true")
        effect = again.json()["effect"]
        assert (effect["players_moved"], effect["others_moved"]) == (1200, 800)
        seated = {each["player_id"] for each in (await look(service, night, key))["results"]}
        assert {each["player_id"] for each in effect["changes"]} == seated
        assert all(each["games_after"] == 0 for each in effect["changes"])


async def test_many_sources_are_voided_at_once_and_their_rounds_may_be_sent_again_by_others(
    service: RunningService,
) -> None:
    key, club = await service.source_key(), await service.source_key("b-club")
    claim = a_session(a_round(ada=3, bo=1))
    session = (await service.submit(claim, key)).json()["session_id"]
    problem(await service.submit(claim, club), 409, "duplicate_session")
    await void(service, session, key)
    # The source's own file sent again never brings a voided mistake back.
    again = await service.submit(claim, key)
    assert (again.status_code, again.json()["status"]) == (200, "voided")
    assert (await service.submit(claim, club)).status_code == 201


@pytest.mark.parametrize("is_private", [False, True])
async def test_a_note_is_for_its_source_and_the_operator_and_can_be_erased(
    service: RunningService, is_private: bool
) -> None:
    key, operator = await service.source_key(), await service.operator_key()
    other = await service.source_key("b-club")
    won = {"PRIVATE:ada@example.com" if is_private else "ada": 3, "bo": 1}
    answer = await service.submit(a_session(a_round(won)), key)
    session = answer.json()["session_id"]
    voided = await void(service, session, key, note="Ada says: never.", reason="not_played")
    seq = voided.json()["fact_seq"]
    for reader in (key, operator):
        ended = (await look(service, session, reader))["ended"]
        assert (ended["fact_seq"], ended["reason"]) == (seq, "not_played")
        assert ended["note"] == "Ada says: never."
    assert (await look(service, session, await service.auditor_key()))["ended"]["note"] is None
    hidden = await service.client.get(f"/v1/sessions/{session}", headers=bearer(other))
    problem(hidden, 404, "unknown_session")
    log = await service.pool.fetch(
        "SELECT body FROM mahjic.facts UNION ALL SELECT body FROM mahjic.verdicts"
    )
    assert not any(b"Ada says" in row["body"] for row in log)

    path = f"/v1/admin/notes/{seq}"
    problem(await service.client.delete(path, headers=bearer(key)), 403, "not_allowed")
    for _ in range(2):
        erased = await service.client.delete(path, headers=bearer(operator))
        assert (erased.status_code, erased.content) == (204, b"")
    assert (await look(service, session, key))["ended"]["note"] is None
    far = await service.client.delete("/v1/admin/notes/99", headers=bearer(operator))
    problem(far, 404, "not_found")


async def test_a_session_that_is_not_rated_yet_can_be_voided(database: Database) -> None:
    async with running_service(database, is_rating=False) as service:
        key = await service.source_key()
        session = await played(service, key, ada=3, bo=1, prefer="respond-async")
        async with deadline():
            pending = await void(service, session, key, prefer="respond-async")
            assert pending.status_code == 202
            await service.start_rating()
            answer = await void(service, session, key)
        # It was rated, and then it was taken back.
        assert [each["rating_after"] for each in answer.json()["effect"]["changes"]] == [1500, 1500]

        async def is_shown() -> bool:
            return bool((await look(service, session, key))["results"])

        await until(is_shown)
        shown = await look(service, session, key)
        assert shown["status"] == "voided"
        assert [each["rating_after"] for each in shown["results"]] == [1516, 1484]
