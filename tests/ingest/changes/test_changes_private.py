"""Whatever a source asks, it is told of nobody but the players of its own sessions."""

import json
import re
from typing import Any

import httpx

from tests.ingest.changes.asking import (
    ask,
    caught_up,
    correct,
    look,
    player_ids,
    void,
    void_all,
)
from tests.ingest.claims import Claim, a_round, a_session
from tests.service import RunningService, bearer

PLAYER = re.compile(r"(?:MJ|AN)-[0-9A-Z]{8}")
HIDDEN = "PRIVATE:hilda@example.com"


def named_in(answers: list[httpx.Response]) -> set[str]:
    """Return every player id anywhere in these answers, headers and all."""
    texts = [each.text + json.dumps(dict(each.headers)) for each in answers]
    return set(PLAYER.findall(" ".join(texts)))


def ids_in(answer: httpx.Response) -> set[str]:
    return {each["player_id"] for each in answer.json()["results"]}


async def two_clubs(service: RunningService, ours: str, theirs: str) -> list[httpx.Response]:
    """Let both clubs play: ours first, so that what changes there moves everybody of theirs."""
    claims: list[tuple[str, Claim]] = [
        (ours, a_session(a_round({"ada": 3, HIDDEN: 1, "ANON:Lucky": 0}))),
        (theirs, a_session(a_round({"hilda": 3, "bo": 1, "ANON:Lucky": 0}), on="2026-02-01")),
        (theirs, a_session(a_round({"bo": 3, "cy": 1}), on="2026-02-02")),
        (ours, a_session(a_round({"di": 3, "eve": 1}), on="2026-02-03")),
    ]
    return [await service.submit(claim, key) for key, claim in claims]


async def test_a_source_is_told_of_nobody_but_its_own_players(service: RunningService) -> None:
    ours, theirs = await service.source_key(), await service.source_key("b-club")
    operator = await service.operator_key()
    first, *_ = await two_clubs(service, ours, theirs)
    old = first.json()["session_id"]
    claim = a_session(a_round({"ada": 1, HIDDEN: 2, "flo": 1}))
    corrected = await correct(service, old, claim, ours, idempotency_key="c")
    new = corrected.json()["session_id"]
    allowed = ids_in(first) | ids_in(corrected)
    assert len(allowed) == 4
    await caught_up(service)
    voided = await void(service, new, ours, idempotency_key="v")
    await caught_up(service)
    answers = [
        corrected,
        voided,
        await void(service, new, ours),
        await void(service, new, ours, idempotency_key="v"),
        await correct(service, old, claim, ours),
        await correct(service, old, claim, ours, idempotency_key="c"),
        await correct(service, old, a_session(a_round({"gus": 1, "flo": 1})), ours),
        await void(service, old, ours),
        await correct(service, old, claim, ours, prefer="respond-async"),
        *[
            await service.client.get(f"/v1/sessions/{each}", headers=bearer(ours))
            for each in (old, new)
        ],
    ]
    assert {each.status_code for each in answers} == {200, 201, 409}
    assert named_in(answers) <= allowed
    # Whoever is theirs alone has moved as well, and is only counted.
    for answer in (corrected, voided):
        effect = answer.json()["effect"]
        assert effect["others_moved"] >= 2
        assert effect["others_moved"] + len(effect["changes"]) == effect["players_moved"]
    # A private player is in the source's own answer, as ever; the operator is shown everybody.
    ids = await player_ids(service)
    assert ids["hilda"] in {each["player_id"] for each in voided.json()["effect"]["changes"]}
    told = await void(service, new, operator)
    assert {ids["bo"], ids["cy"], ids["hilda"]} <= named_in([told])
    assert told.json()["effect"]["others_moved"] == 0


async def test_a_session_of_theirs_is_nothing_to_us_whatever_we_send(
    service: RunningService,
) -> None:
    ours, theirs = await service.source_key(), await service.source_key("b-club")
    sent = await two_clubs(service, ours, theirs)
    claim = a_session(a_round({"hilda": 1, "bo": 3}))
    for each in sent[1:3]:
        session = each.json()["session_id"]
        answers = [
            await void(service, session, ours),
            await void(service, session, ours, idempotency_key="k"),
            await correct(service, session, claim, ours),
            await correct(service, session, {"session_date": "never"}, ours),
            await void_all(service, [session], ours),
            await service.client.get(f"/v1/sessions/{session}", headers=bearer(ours)),
        ]
        assert [each.status_code for each in answers] == [404, 404, 404, 404, 403, 404]
        assert named_in(answers) == set()


async def test_an_id_that_is_read_as_another_is_told_as_that_one(service: RunningService) -> None:
    ours, theirs = await service.source_key(), await service.source_key("b-club")
    operator = await service.operator_key()
    first, *_ = await two_clubs(service, ours, theirs)
    ids = await player_ids(service)
    merged = await ask(
        service, f"/v1/admin/players/{ids['ada']}/merge", {"into": ids["cy"]}, operator
    )
    assert merged.status_code == 201
    voided = await void(service, first.json()["session_id"], ours)
    changes = {each["player_id"]: each for each in voided.json()["effect"]["changes"]}
    assert ids["cy"] in changes
    assert ids["bo"] not in changes
    assert ids["ada"] not in changes


async def test_the_operator_sees_a_hundred_at_most_and_how_many_more(
    service: RunningService,
) -> None:
    key, operator = await service.source_key(), await service.operator_key()
    rounds: list[Any] = [
        a_round({f"p{table}x{seat}": 4 - seat for seat in range(4)}) for table in range(30)
    ]
    answer = await service.submit(a_session(*rounds), key)
    told = await void(service, answer.json()["session_id"], operator)
    effect = told.json()["effect"]
    assert (effect["players_moved"], len(effect["changes"]), effect["others_moved"]) == (
        120,
        100,
        20,
    )
    again = await void(service, answer.json()["session_id"], key)
    assert len(again.json()["effect"]["changes"]) == 120
    await caught_up(service)
    shown = await look(service, answer.json()["session_id"], key)
    assert shown["ended"]["effect"] == again.json()["effect"]
