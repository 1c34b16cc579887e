"""Whoever was told of a session finds it so, at once and with all that it did."""

import asyncio

from services.projections.sessions.queries import read_session
from tests.ingest.changes.asking import ask, correct, look, played, void
from tests.ingest.claims import a_round, a_session
from tests.log.deadlines import deadline
from tests.service import RunningService, bearer

NIGHTS = 12


async def behind(service: RunningService, session_id: str) -> bool:
    """Tell whether the view is still behind a session, so that to look it up means to wait."""
    stored = await read_session(service.service.views.reader, session_id)
    assert stored is not None
    return stored.begun_seq < stored.last_fact_seq


async def test_a_session_is_never_behind_the_answer_to_it(service: RunningService) -> None:
    key = await service.source_key()
    were_behind = []
    for number in range(NIGHTS):
        told = (await service.submit(a_session(a_round({"ada": number, "bo": 1})), key)).json()
        were_behind.append(await behind(service, told["session_id"]))
        read = await look(service, told["session_id"], key)
        assert (read["status"], read["fact_seq"]) == ("rated", told["seq"])
        assert read["seq"] >= told["seq"]
        assert read["results"] == told["results"]
    assert any(were_behind), "Nothing was shown by this: every view was there already."


async def test_what_became_of_a_session_is_never_behind_either(service: RunningService) -> None:
    key = await service.source_key()
    session_id = await played(service, key, ada=1, bo=0)
    for number in range(2, NIGHTS):
        claim = {**a_session(a_round({"ada": number, "bo": 0})), "reason": "wrong_result"}
        told = (await correct(service, session_id, claim, key)).json()
        was = await look(service, session_id, key)
        assert was["ended"]["effect"] == told["effect"]
        session_id = told["session_id"]
        now = await look(service, session_id, key)
        assert (now["status"], now["effect"]) == ("rated", told["effect"])
        assert told["seq"] == told["fact_seq"] == now["fact_seq"]
    told = (await void(service, session_id, key)).json()
    read = await look(service, session_id, key)
    assert (read["status"], read["ended"]["effect"]) == ("voided", told["effect"])
    assert told["seq"] == told["fact_seq"]


async def test_nobody_waits_for_the_rater(service: RunningService) -> None:
    key = await service.source_key()
    await played(service, key, ada=1, bo=0)
    await service.stop_rating()
    # A view that comes no further must not matter: nobody was told more than this shows.
    await service.stop_part("views")
    told = await service.submit(a_session(a_round(cy=1, di=0)), key, prefer="respond-async")
    assert told.status_code == 202
    read = await look(service, told.json()["session_id"], key)
    assert (read["status"], read["results"]) == ("accepted", [])


async def test_a_session_that_is_rated_is_never_told_to_be_accepted(
    service: RunningService,
) -> None:
    key = await service.source_key()
    await played(service, key, ada=1, bo=0)
    await service.stop_part("views")
    told = await service.submit(a_session(a_round(cy=1, di=0)), key)
    assert told.json()["status"] == "rated"
    path = f"/v1/sessions/{told.json()['session_id']}"
    read = await service.client.get(path, headers=bearer(key))
    assert (read.status_code, read.json()["code"]) == (503, "view_behind")
    assert read.headers["Retry-After"] == "1"
    service.run("views", service.service.views.feed.run())
    async with deadline():
        while read.status_code == 503:
            read = await service.client.get(path, headers=bearer(key))
    assert read.json()["status"] == "rated"


async def test_every_change_says_the_fact_that_a_page_shows_it_by(service: RunningService) -> None:
    source, operator = await service.source_key(), await service.operator_key()
    told = (
        await service.submit(a_session(a_round(ada=1, bo=0), a_round(cy=1, di=0)), source)
    ).json()
    ada, bo, cy, di = (each["player_id"] for each in told["results"])

    async def profile(player_id: str, seq: int) -> dict[str, object]:
        path = f"/v1/players/{player_id}?min_seq={seq}"
        answer = await service.client.get(path, follow_redirects=True)
        assert answer.status_code == 200, answer.text
        body: dict[str, object] = answer.json()
        assert isinstance(body["seq"], int)
        assert body["seq"] >= seq
        return body

    assert (await profile(ada, told["seq"]))["rating"] == 1516
    for holds in (True, False):
        path = f"/v1/admin/players/{ada}/verification"
        body = {"verified": holds}
        answer = await service.client.put(path, json=body, headers=bearer(operator))
        assert (await profile(ada, answer.json()["seq"]))["is_verified"] is holds
        again = await service.client.put(path, json=body, headers=bearer(operator))
        assert again.json()["seq"] >= answer.json()["seq"]
    merged = (await ask(service, f"/v1/admin/players/{cy}/merge", {"into": ada}, operator)).json()
    assert (await profile(cy, merged["seq"]))["player_id"] == ada
    undone = (await ask(service, f"/v1/admin/players/{cy}/unmerge", {}, operator)).json()
    assert (await profile(cy, undone["seq"]))["rating"] == 1516
    sessions = {"session_ids": [told["session_id"]], "reason": "test_entry"}
    voided = (await ask(service, "/v1/admin/sessions/void", sessions, operator)).json()
    assert [(await profile(each, voided["seq"]))["games"] for each in (ada, bo, cy, di)] == [0] * 4
    formula = {"formula": "mahjic-elo/1", "since": "beginning"}
    adopted = (await ask(service, "/v1/admin/formulas", formula, operator)).json()
    board = await service.client.get(f"/v1/formula?min_seq={adopted['seq']}")
    assert board.json()["seq"] >= adopted["seq"]


async def test_many_who_submit_at_once_each_find_their_own(service: RunningService) -> None:
    key = await service.source_key()

    async def night(number: int) -> None:
        won = {f"ada{number}": 1, f"bo{number}": 0}
        told = (await service.submit(a_session(a_round(won)), key)).json()
        read = await look(service, told["session_id"], key)
        assert (read["status"], read["fact_seq"]) == ("rated", told["seq"])
        for each in told["results"]:
            path = f"/v1/players/{each['player_id']}?min_seq={told['seq']}"
            assert (await service.client.get(path)).json()["rating"] == each["rating_after"]

    await asyncio.gather(*map(night, range(NIGHTS)))
