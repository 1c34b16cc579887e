"""Nights that come again through every door that takes whole ones, and how they are corrected."""

import json
from typing import Any

import httpx
import pytest

from tests.ingest.answers import problem
from tests.ingest.claims import Claim, a_round, a_session
from tests.ingest.guests import Guest
from tests.service import bearer

HEAD = "Date: 2026-01-31,,\nGame Type: Social,,\n"
COLUMNS = "Player Email,Mahjongs,Notes\n"
ROUND_1 = "ROUND 1 | Games Played: 4 | Wall Games: 1\nada@example.com,2,\nbo@example.com,1,\n"
ROUND_2 = "ROUND 2 | Games Played: 2 | Wall Games: 0\nada@example.com,0,\nbo@example.com,2,\n"
SHORT = HEAD + COLUMNS + ROUND_1
LONG = SHORT + ROUND_2
MENDED = SHORT.replace("ada@example.com,2", "ada@example.com,3").replace("Games: 1", "Games: 0")


async def send(guest: Guest, content: str, key: str, path: str = "/v1/sheets") -> httpx.Response:
    return await guest.client.post(
        path,
        content=guest.own(content).encode(),
        headers={**bearer(key), "Content-Type": "text/csv"},
    )


async def recorded(guest: Guest, content: str, key: str) -> str:
    answer = await send(guest, content, key)
    assert answer.status_code == 201, answer.text
    session_id = answer.json()["session_id"]
    assert isinstance(session_id, str)
    return session_id


async def test_case_201_a_sheet_with_another_round_names_its_session_and_the_way_to_correct_it(
    guest: Guest,
) -> None:
    key = await guest.source_key()
    first = await recorded(guest, SHORT, key)
    body = problem(await send(guest, LONG, key), 409, "duplicate_session")
    told = body["night"]
    assert (told["kind"], told["session_id"]) == ("grown", first)
    assert told["correct"] == f"/v1/sessions/{first}/corrections/sheet"
    assert [(each["what"], each["row"]) for each in told["rounds"]] == [("same", 4), ("new", 7)]
    assert "new: row 7" in body["detail"]
    assert body["detail"].index(first) < body["detail"].index("allow_duplicate")

    corrected = await send(guest, LONG, key, told["correct"])
    assert corrected.status_code == 201, corrected.text
    assert (corrected.json()["corrects"], corrected.json()["status"]) == (first, "rated")
    assert len(corrected.json()["rounds"]) == 2
    again = await send(guest, LONG, key)
    assert (again.status_code, again.json()["session_id"]) == (200, corrected.json()["session_id"])
    assert await guest.facts() == 2


async def test_case_201_an_edited_sheet_of_one_round_is_not_rated_beside_the_old_one(
    guest: Guest,
) -> None:
    key = await guest.source_key()
    first = await recorded(guest, SHORT, key)
    body = problem(await send(guest, MENDED, key), 409, "night_changed")
    (only,) = body["night"]["rounds"]
    assert (only["session_id"], only["row"], only["what"]) == (first, 4, "changed")
    assert guest.plain(only["message"]) == "ada@example.com has 3 mahjongs, and had 2."
    assert await guest.facts() == 1
    allowed = await send(guest, MENDED, key, "/v1/sheets?allow_duplicate=true")
    assert allowed.status_code == 201


async def test_a_correction_by_a_sheet_is_tried_without_recording_anything(guest: Guest) -> None:
    key = await guest.source_key()
    first = await recorded(guest, SHORT, key)
    path = f"/v1/sessions/{first}/corrections/sheet?dry_run=true"
    tried = await send(guest, MENDED + ROUND_2.replace("bo@", "new@"), key, path)
    assert tried.status_code == 200, tried.text
    body = guest.told(tried)
    assert (body["status"], body["kind"], body["corrects"]) == ("dry_run", "changed", first)
    assert [(each["what"], each["row"]) for each in body["rounds"]] == [("changed", 4), ("new", 7)]
    assert body["claim"]["session_date"] == "2026-01-31"
    for content, kind in ((SHORT, "same"), (LONG, "grown")):
        assert (await send(guest, content, key, path)).json()["kind"] == kind
    gone = await send(guest, HEAD + COLUMNS + ROUND_2.replace("ada@", "zoe@"), key, path)
    assert [each["what"] for each in gone.json()["rounds"]] == ["new", "missing"]
    assert (await guest.facts(), await guest.people()) == (1, 2)


async def test_a_correction_as_json_is_tried_too(guest: Guest) -> None:
    key, operator = await guest.source_key(), await guest.operator_key()
    first = await recorded(guest, SHORT, key)
    claim = a_session(a_round(ada=2, bo=1, wall_games=1), a_round(ada=0, bo=2))
    for owner in (key, operator):
        tried = await guest.client.post(
            f"/v1/sessions/{first}/corrections?dry_run=true",
            json=json.loads(guest.own(json.dumps(claim))),
            headers=bearer(owner),
        )
        assert (tried.status_code, tried.json()["kind"]) == (200, "grown")


async def test_a_correction_by_a_sheet_is_refused_as_others_are(guest: Guest) -> None:
    key, other = await guest.source_key(), await guest.source_key("other-club")
    first = await recorded(guest, SHORT, key)
    for query in ("", "?dry_run=true"):
        path = f"/v1/sessions/{first}/corrections/sheet{query}"
        problem(await send(guest, LONG, other, path), 404, "unknown_session")
        wrong = await send(guest, LONG.replace("bo@example.com,1", "bo@example.com,7"), key, path)
        assert {each["row"] for each in problem(wrong, 422, "invalid_sheet")["errors"]} == {4}
    newest = (await send(guest, LONG, key, f"/v1/sessions/{first}/corrections/sheet")).json()
    for query in ("", "?dry_run=true"):
        path = f"/v1/sessions/{first}/corrections/sheet{query}"
        late = problem(await send(guest, MENDED, key, path), 409, "already_corrected")
        assert late["newest"] == newest["session_id"]


async def test_a_round_that_another_session_holds_refuses_a_correction_in_the_rows_of_the_sheet(
    guest: Guest,
) -> None:
    key = await guest.source_key()
    first = await recorded(guest, SHORT, key)
    second = await recorded(guest, HEAD + COLUMNS + ROUND_2.replace("ada@", "zoe@"), key)
    both = SHORT + ROUND_2.replace("ada@", "zoe@")
    told = problem(await send(guest, both, key), 409, "duplicate_session")["night"]
    assert sorted(told["session_ids"]) == sorted([first, second])
    path = f"/v1/sessions/{first}/corrections/sheet"
    body = problem(await send(guest, both, key, path), 409, "duplicate_session")
    assert [(each["row"], each["session_id"]) for each in body["rounds"]] == [(7, second)]
    voided = await guest.client.post(
        f"/v1/sessions/{second}/void", json={"reason": "entered_twice"}, headers=bearer(key)
    )
    assert voided.status_code == 201
    assert (await send(guest, both, key, path)).status_code == 201


async def batch(guest: Guest, claims: list[Claim], key: str, query: str = "") -> list[Any]:
    lines = "\n".join(guest.own(json.dumps(each)) for each in claims)
    answer = await guest.client.post(
        f"/v1/sessions/batch{query}",
        content=lines,
        headers={**bearer(key), "Content-Type": "application/x-ndjson"},
    )
    return [json.loads(line) for line in answer.text.splitlines()]


FIRST = a_round(ada=2, bo=1, cy=0, wall_games=1)
EDITED = a_round(ada=3, bo=1, cy=0)


@pytest.mark.parametrize("is_one_request", [True, False])
async def test_whole_nights_of_a_batch_are_told_apart_line_by_line(
    guest: Guest, *, is_one_request: bool
) -> None:
    key = await guest.source_key()
    old = [a_session(FIRST), a_session(FIRST, on="2026-01-30")]
    new = [
        a_session(EDITED),
        a_session(FIRST, on="2026-01-30"),
        a_session(FIRST, EDITED),
        a_session(EDITED, on="2026-01-29"),
    ]
    query = "?whole_nights=true"
    if is_one_request:
        answers = (await batch(guest, [*old, *new], key, query))[2:]
    else:
        await batch(guest, old, key, query)
        answers = await batch(guest, new, key, query)
    assert [each["status"] for each in answers] == [409, 200, 409, 201]
    assert [each["problem"]["code"] for each in answers if "problem" in each] == [
        "night_changed",
        "duplicate_session",
    ]
    assert answers[2]["problem"]["night"]["kind"] == "grown"


async def test_a_platform_sends_several_sessions_of_the_same_people_on_one_date(
    guest: Guest,
) -> None:
    key = await guest.source_key()
    games = [a_session(a_round(ada=won, bo=1, cy=0)) for won in range(6)]
    assert [each["status"] for each in await batch(guest, games, key)] == [201] * 6
    body = problem(await guest.submit(a_session(EDITED, FIRST), key), 409, "duplicate_session")
    assert body["night"]["kind"] == "grown"


async def test_a_night_is_known_under_the_address_that_was_merged_as_well(guest: Guest) -> None:
    key, operator = await guest.source_key(), await guest.operator_key()
    first = (await guest.submit(a_session(FIRST), key)).json()
    other = (await guest.submit(a_session(a_round(ana=1, zed=0), on="2026-01-02"), key)).json()
    ids = {each["player"].split("@")[0]: each["player_id"] for each in
           [*first["results"], *other["results"]]}  # fmt: skip
    merged = await guest.client.post(
        f"/v1/admin/players/{ids['ana']}/merge", json={"into": ids["ada"]}, headers=bearer(operator)
    )
    assert merged.status_code in {201, 202}, merged.text
    under_other = a_session(a_round(ana=3, bo=1, cy=0), whole_night=True)
    body = problem(await guest.submit(under_other, key), 409, "night_changed")
    assert body["night"]["session_id"] == first["session_id"]
    assert guest.plain(body["night"]["rounds"][0]["message"]) == (
        "ana@example.com has 3 mahjongs, and had 2."
    )


async def test_whom_the_operator_named_in_a_night_is_not_told_by_comparing_with_it(
    guest: Guest,
) -> None:
    key, operator = await guest.source_key(), await guest.operator_key()
    first = (await guest.submit(a_session(FIRST), key)).json()["session_id"]
    with_zoe = a_session(a_round(ada=2, bo=1, zoe=0, wall_games=1))
    corrected = await guest.client.post(
        f"/v1/sessions/{first}/corrections",
        json=json.loads(guest.own(json.dumps(with_zoe))),
        headers=bearer(operator),
    )
    assert corrected.status_code == 201
    newest = corrected.json()["session_id"]
    guessed = json.loads(guest.own(json.dumps(a_session(a_round(ada=3, bo=1, zoe=0)))))
    told = {}
    for owner in (key, operator):
        tried = await guest.client.post(
            f"/v1/sessions/{newest}/corrections?dry_run=true", json=guessed, headers=bearer(owner)
        )
        told[owner] = [each["what"] for each in tried.json()["rounds"]]
    # The operator sees the same people with another number; to the source it is another table.
    assert told == {key: ["new", "missing"], operator: ["changed"]}
    assert (await guest.submit({**guessed, "whole_night": True}, key)).status_code == 201
