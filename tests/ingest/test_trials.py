"""Dry runs: they tell what would come, to the last digit, record nothing, and are no oracle."""

import json
import random
from typing import Any

import pytest

from services.database import ids_and_times
from services.ingest.changes.correction_trial import try_correction
from services.ingest.record.judging.identified import Submission
from services.ingest.trials import Trials
from shared.ids import session_id
from tests.ingest.answers import problem
from tests.ingest.batches.sending import BATCH, LINES, body_of, lines_of
from tests.ingest.changes.asking import caught_up, correct
from tests.ingest.changes.linking.merges import all_on_record
from tests.ingest.claims import Claim, a_round, a_session, read
from tests.ingest.counting import CountingPool
from tests.log.chances import seeded_chance
from tests.service import RunningService, bearer, running_service

DRY = "/v1/sessions?dry_run=true"
NUMBERS = (
    "rating_before",
    "rating_after",
    "rating_change",
    "verified_rating_before",
    "verified_rating_after",
    "verified_rating_change",
    "games_played_total",
    "verified_games_played_total",
)


async def tried(service: RunningService, claim: Claim, key: str, **headers: str) -> Any:
    await caught_up(service)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return await service.client.post(DRY, json=claim, headers={**named, **bearer(key)})


async def used_key(service: RunningService) -> str:
    """Return a key of which the day of its last use is noted already."""
    key = await service.source_key()
    assert (await service.client.get("/v1/sessions", headers=bearer(key))).status_code == 200
    return key


def numbers(results: list[dict[str, Any]]) -> list[list[Any]]:
    return [[each["player"], *(each[name] for name in NUMBERS)] for each in results]


def some_rounds(chance: random.Random, people: list[str]) -> list[Claim]:
    rounds = []
    for _ in range(chance.randrange(1, 4)):
        seats = chance.sample(people, chance.randrange(2, 5))
        if seats.count("bob@mahjic.org") and len(seats) == 2:
            seats.append(next(each for each in people if each not in seats))
        won = {who: chance.randrange(4) for who in seats}
        points = [chance.randrange(-20000, 20000) / 100 for _ in seats]
        rounds.append(a_round(won, wall_games=1, points=points))
    return rounds


async def test_what_is_tried_comes_to_the_last_digit_and_nothing_is_left_of_it(
    service: RunningService,
) -> None:
    chance = seeded_chance()
    key, operator = await used_key(service), await service.operator_key()
    people = ["ada", "bo", "PRIVATE:cy@example.com", "ANON:Dee", "eve", "bob@mahjic.org"]
    verified_moves = 0
    for number in range(20):
        on, game_type = f"2026-01-{number + 1:02}", chance.choice(["social", "league"])
        claim = a_session(*some_rounds(chance, people), on=on, game_type=game_type)
        await caught_up(service)
        before = await all_on_record(service.pool)
        dry = (await tried(service, claim, key, idempotency_key="k")).json()
        assert await all_on_record(service.pool) == before
        assert (dry["status"], dry["session_id"]) == ("dry_run", None)
        came = (await service.submit(claim, key)).json()
        for mine, theirs in [
            (dry["results"], came["results"]),
            *zip(
                [each["results"] for each in dry["rounds"]],
                [each["results"] for each in came["rounds"]],
                strict=True,
            ),
        ]:
            assert numbers(mine) == numbers(theirs)
        assert dry["seq"] == came["seq"] - 1
        verified_moves += any(each["verified_rating_change"] for each in came["results"])
        for mine, theirs in zip(dry["results"], came["results"], strict=True):
            assert mine["is_new_player"] == theirs["is_new_player"]
            assert mine["player_id"] == (None if mine["is_new_player"] else theirs["player_id"])
        if number in {5, 7}:
            # Of who is private the source is not told that they are Verified now.
            for each in came["results"]:
                if each["player"] in {"ada@example.com", "bo@example.com", "eve@example.com"}:
                    granted = await service.client.put(
                        f"/v1/admin/players/{each['mahjic_id']}/verification",
                        json={"verified": True},
                        headers=bearer(operator),
                    )
                    assert granted.status_code == 200
    assert verified_moves, "Nothing was tried in the pool of the Verified."


async def test_whoever_the_source_never_had_is_a_newcomer_whether_known_or_not(
    service: RunningService,
) -> None:
    key, other = await service.source_key(), await service.source_key("b-club")
    await service.submit(
        a_session(a_round({"ada": 3, "known1": 0, "PRIVATE:known2@example.com": 1})), other
    )
    await service.submit(a_session(a_round(bo=1, cy=0)), key)
    answers = [
        await tried(service, a_session(a_round({who: 2, "bo": 1, "cy": 1})), key)
        for who in ("known1", "known2", "nobody", "noone1")
    ]
    texts = {
        answer.text.replace(who, "someone")
        for who, answer in zip(("known1", "known2", "nobody", "noone1"), answers, strict=True)
    }
    assert len(texts) == 1
    guessed = answers[0].json()["results"][0]
    assert (guessed["rating_before"], guessed["player_id"], guessed["is_new_player"]) == (
        1500,
        None,
        True,
    )


async def test_a_guess_takes_the_same_work_whether_it_is_right_or_not(
    service: RunningService,
) -> None:
    await service.source_key()
    other = await service.source_key("b-club")
    await service.submit(a_session(a_round(known1=1, known2=0)), other)
    await caught_up(service)
    trials: Trials = service.service.recording.trials
    pool = CountingPool(service.pool)
    trials._pool = pool  # type: ignore[assignment]
    # The first one finds out where the views are.
    for who in ("nobody", "known1", "nobody", "known2", "noone1"):
        await trials.run(read(a_session(a_round({who: 1, "x": 0}))), source="a-club")
    first, *others = pool.asked[1:]
    assert first
    assert others == [first] * 3


async def test_a_guess_in_a_correction_that_is_tried_takes_the_same_work_and_tells_the_same(
    service: RunningService,
) -> None:
    key, other = await service.source_key(), await service.source_key("b-club")
    hidden = {"known1": 1, "PRIVATE:known2@example.com": 0, "known3": 0, "known4": 0}
    await service.submit(a_session(a_round(hidden)), other)
    first = (await service.submit(a_session(a_round(ada=1, bo=0)), key)).json()["session_id"]
    await merge_people(service, "known3@example.com", "ada@example.com")
    pool = CountingPool(service.pool)
    answers = set()
    for number, who in enumerate(("nobody", "known1", "known2", "known4", "known3")):
        claim = a_session(a_round({who: 1, "bo": 0}))
        submission = Submission(session_id(1, number), "a-club", read(claim), None)
        tried = await try_correction(
            pool,  # type: ignore[arg-type]
            ids_and_times(),
            submission,
            corrects=first,
            by="a-club",
            claim=claim,
        )
        answers.add(json.dumps(tried).replace(who, "someone"))
    assert len(answers) == 1
    assert pool.asked[0]
    assert pool.asked == [pool.asked[0]] * 5


async def merge_people(service: RunningService, member: str, survivor: str) -> None:
    """Let the operator read the player of one address as that of another."""
    operator = await service.operator_key()
    rows = await service.pool.fetch("SELECT email, player_id FROM mahjic.people")
    ids = {row["email"]: row["player_id"] for row in rows}
    await caught_up(service)
    merged = await service.client.post(
        f"/v1/admin/players/{ids[member]}/merge",
        json={"into": ids[survivor]},
        headers=bearer(operator),
    )
    assert merged.status_code in {201, 202}, merged.text


async def test_a_night_with_somebody_merged_is_tried_as_it_comes(service: RunningService) -> None:
    key, other = await service.source_key(), await service.source_key("b-club")
    rounds = [a_round(ada=2, bo=1), a_round(ada=1, bo=2)]
    first = (await service.submit(a_session(*rounds), key)).json()["session_id"]
    await service.submit(a_session(a_round(zoe=1, cy=0)), other)
    await merge_people(service, "ada@example.com", "zoe@example.com")
    grown = a_session(*rounds, a_round(ada=3, bo=0), whole_night=True)
    dry, came = await tried(service, grown, key), await service.submit(grown, key)
    for each in (dry, came):
        night = problem(each, 409, "duplicate_session")["night"]
        assert (night["kind"], night["session_id"]) == ("grown", first)
        assert [one["what"] for one in night["rounds"]] == ["same", "same", "new"]
    assert {**dry.json(), "instance": None} == {**came.json(), "instance": None}
    corrected = await service.client.post(
        f"/v1/sessions/{first}/corrections?dry_run=true", json=grown, headers=bearer(key)
    )
    assert [one["what"] for one in corrected.json()["rounds"]] == ["same", "same", "new"]


async def test_what_others_hold_is_never_told(service: RunningService) -> None:
    key, other = await service.source_key(), await service.source_key("b-club")
    theirs = a_session(a_round(ada=2, bo=1, cy=0))
    await service.submit(theirs, other)
    await service.submit(a_session(a_round(ada=1, bo=0, cy=1), on="2026-01-01"), key)
    for guess in (
        theirs,
        a_session(a_round(ada=1, bo=1, cy=1)),
        a_session(a_round(ada=9, bo=0, cy=0)),
    ):
        answer = await tried(service, guess, key)
        assert (answer.status_code, answer.json()["warnings"]) == (200, [])
        assert [each["on_record"] for each in answer.json()["rounds"]] == [False]
    refused = await service.submit(theirs, key)
    problem(refused, 409, "duplicate_session")


async def test_a_private_player_counts_with_what_this_source_was_told_last(
    service: RunningService,
) -> None:
    key, other = await service.source_key(), await service.source_key("b-club")
    hidden = {"PRIVATE:ada@example.com": 1, "bo": 0}
    last = (await service.submit(a_session(a_round(hidden)), key)).json()["results"][0]
    await service.submit(a_session(a_round({"ada": 5, "cy": 0}), on="2026-01-05"), other)
    claim = a_session(a_round({"ada": 1, "bo": 0}), on="2026-01-06")
    dry = (await tried(service, claim, key)).json()["results"]
    assert dry[0]["rating_before"] == last["rating_after"]
    came = (await service.submit(claim, key)).json()["results"]
    assert came[0]["rating_before"] > last["rating_after"]
    assert dry[1]["rating_before"] == came[1]["rating_before"], "A public one stands as of now."


async def test_whom_only_the_operator_named_and_who_is_merged_with_whom_is_not_told(
    service: RunningService,
) -> None:
    key, other, operator = (
        await service.source_key(),
        await service.source_key("b-club"),
        await service.operator_key(),
    )
    await service.submit(a_session(a_round(zoe=5, cy=0)), other)
    first = (await service.submit(a_session(a_round(ada=1, bo=0)), key)).json()["session_id"]
    await correct(service, first, a_session(a_round(zoe=1, bo=0)), operator)
    guesses = [
        (await tried(service, a_session(a_round({who: 1, "bo": 0}), on="2026-01-02"), key)).text
        for who in ("zoe", "xyz")
    ]
    assert guesses[0].replace("zoe", "xyz") == guesses[1]
    await service.submit(a_session(a_round(ada=3, dee=1), on="2026-01-03"), key)
    second = await service.submit(a_session(a_round(eve=0, dee=1), on="2026-01-03"), key)
    ids = {each["player"]: each["player_id"] for each in second.json()["results"]}
    found = await service.pool.fetchval(
        "SELECT player_id FROM mahjic.people WHERE email = 'ada@example.com'"
    )
    merged = await service.client.post(
        f"/v1/admin/players/{ids['eve@example.com']}/merge",
        json={"into": found},
        headers=bearer(operator),
    )
    assert merged.status_code in {200, 201}
    both = a_session(a_round(ada=1, eve=1, dee=1), on="2026-01-04")
    answer = await tried(service, both, key)
    assert answer.status_code == 200, "The real one would be refused, which tells who is whom."
    ada, eve, _ = answer.json()["results"]
    assert eve["rating_before"] == second.json()["results"][0]["rating_after"]
    assert (eve["player_id"], ada["player_id"]) == (None, found)


async def test_what_the_source_has_on_record_is_told_as_it_would_be(
    service: RunningService,
) -> None:
    key = await service.source_key()
    night = a_session(a_round(ada=2, bo=1, cy=1, dee=0))
    first = (await service.submit(night, key)).json()["session_id"]
    again = (await tried(service, night, key)).json()
    (warning,) = again["warnings"]
    assert (warning["code"], warning["session_id"]) == ("already_recorded", first)
    assert again["results"] == []
    longer = a_session(a_round(ada=2, bo=1, cy=1, dee=0), a_round(eve=1, fay=0))
    problem(await tried(service, longer, key), 409, "duplicate_session")
    allowed = (await tried(service, {**longer, "allow_duplicate": True}, key)).json()
    assert [each["on_record"] for each in allowed["rounds"]] == [True, False]
    slip = a_session(a_round(ada=2, bo=2, cy=0, dee=0))
    (warning,) = (await tried(service, slip, key)).json()["warnings"]
    assert (warning["code"], warning["session_id"]) == ("similar_round", first)
    refused = await tried(service, {**slip, "if_similar": "refuse"}, key)
    assert problem(refused, 409, "similar_round")["rounds"][0]["session_id"] == first
    broken = {**slip, "session_date": "2026-02-30"}
    problem(await tried(service, broken, key), 422, "claim_refused")


async def test_sheets_and_batches_are_tried_as_they_are_submitted(service: RunningService) -> None:
    key = await used_key(service)
    sheet = (
        "Date: 2026-01-31\nGame Type: Social\nROUND 1 | Games Played: 3 | Wall Games: 0\n"
        "Player Email,Mahjongs\nada@example.com,2\nbo@example.com,1\n"
    )
    headers = {"Content-Type": "text/csv", **bearer(key)}
    await caught_up(service)
    before = await all_on_record(service.pool)
    dry = await service.client.post("/v1/sheets?dry_run=true", content=sheet, headers=headers)
    lines = body_of(a_session(a_round(ada=2, bo=1)), "{", a_session(a_round(ada=1, cy=1)))
    answer = await service.client.post(
        f"{BATCH}?dry_run=true", content=lines, headers={"Content-Type": LINES, **bearer(key)}
    )
    assert await all_on_record(service.pool) == before
    told = lines_of(answer.content)
    assert [each["status"] for each in told] == [200, 400, 200]
    body = dry.json()
    assert body["claim"]["rounds"][0]["players"][0]["email"] == "ada@example.com"
    for one in (body, told[0]["session"]):
        assert one["status"] == "dry_run"
        assert [each["rating_after"] for each in one["results"]] == [1516, 1484]
        assert [each["is_new_player"] for each in one["results"]] == [True, True]


async def test_dry_runs_have_a_limit_of_their_own_by_source(database: Any) -> None:
    async with running_service(database, dry_run_limit_per_minute=3) as service:
        keys = [await service.source_key() for _ in range(2)]
        claim = a_session(a_round(ada=1, bo=0))
        for number in range(3):
            assert (await tried(service, claim, keys[number % 2])).status_code == 200
        refused = await tried(service, claim, keys[0])
        problem(refused, 429, "too_many_dry_runs")
        assert int(refused.headers["Retry-After"]) > 0
        other = await service.source_key("b-club")
        assert (await tried(service, claim, other)).status_code == 200
        assert (await service.submit(claim, keys[0])).status_code == 201


@pytest.mark.parametrize("text", ["yes please", "", "2"])
async def test_a_mistyped_dry_run_submits_nothing(service: RunningService, text: str) -> None:
    key = await service.source_key()
    claim = json.dumps(a_session(a_round(ada=1, bo=0)))
    answer = await service.client.post(
        f"/v1/sessions?dry_run={text}",
        content=claim,
        headers={"Content-Type": "application/json", **bearer(key)},
    )
    assert answer.status_code == 422
    assert await service.pool.fetchval("SELECT count(*) FROM mahjic.submissions") == 0
