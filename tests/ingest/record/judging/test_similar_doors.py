"""A night entered twice with a slip in it (case 230) is told of at every door, or refused there."""

from typing import Any

import httpx
import pytest

from tests.ingest.answers import problem
from tests.ingest.batches.sending import BATCH, LINES, body_of, lines_of
from tests.ingest.changes.asking import caught_up
from tests.ingest.claims import Claim, a_round, a_session
from tests.ingest.guests import Guest
from tests.service import bearer

DAY = "2026-01-31"
NIGHT = a_round(ada=2, bo=1, cy=1, dee=0)
SLIPS = {
    "a number": a_round(ada=2, bo=2, cy=0, dee=0),
    "an address": a_round(ada=2, bo=1, cy=1, dea=0),
}


def sheet_of(played: Claim) -> str:
    rows = [f"{seat['email']},{seat['mahjongs']}" for seat in played["players"]]
    head = f"ROUND 1 | Games Played: {played['players'][0]['games_played']} | Wall Games: 0"
    return "\n".join([f"Date: {DAY}", "Game Type: Social", head, "Player Email,Mahjongs", *rows])


async def by_json(guest: Guest, key: str, played: Claim, refuse: bool) -> httpx.Response:
    more: Claim = {"if_similar": "refuse"} if refuse else {}
    return await guest.submit(a_session(played, **more), key)


async def by_query(guest: Guest, key: str, played: Claim, refuse: bool) -> httpx.Response:
    asked = "?if_similar=refuse" if refuse else ""
    return await guest.client.post(
        f"/v1/sessions{asked}",
        content=guest.own(body_of(a_session(played)).decode()),
        headers={"Content-Type": "application/json", **bearer(key)},
    )


async def by_sheet(guest: Guest, key: str, played: Claim, refuse: bool) -> httpx.Response:
    """Send it as another night: else a sheet is the whole night, and has changed."""
    asked = "&if_similar=refuse" if refuse else ""
    return await guest.client.post(
        f"/v1/sheets?allow_duplicate=true{asked}",
        content=guest.own(sheet_of(played)),
        headers={"Content-Type": "text/csv", **bearer(key)},
    )


async def in_batch(
    guest: Guest, key: str, claim: Claim, query: str = ""
) -> tuple[int, dict[str, Any]]:
    answer = await guest.client.post(
        f"{BATCH}{query}",
        content=guest.own(body_of(claim).decode()),
        headers={"Content-Type": LINES, **bearer(key)},
    )
    (line,) = lines_of(answer.content)
    return line["status"], line.get("session") or line["problem"]


DOORS = [by_json, by_query, by_sheet]


@pytest.mark.parametrize("slip", SLIPS)
@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
async def test_a_slip_is_told_of_or_refused(guest: Guest, door: Any, slip: str) -> None:
    key = await guest.source_key()
    first = (await door(guest, key, NIGHT, True)).json()
    assert (first["status"], first["warnings"]) == ("rated", [])
    refused = problem(await door(guest, key, SLIPS[slip], True), 409, "similar_round")
    (named,) = refused["rounds"]
    assert (named["pointer"], named["session_id"]) == ("/rounds/0", first["session_id"])
    assert await guest.facts() == 1
    answer = await door(guest, key, SLIPS[slip], False)
    assert answer.status_code == 201
    (warning,) = answer.json()["warnings"]
    assert (warning["pointer"], warning["code"]) == ("/rounds/0", "similar_round")
    assert warning["session_id"] == first["session_id"]
    assert first["session_id"] in warning["message"]
    if door is by_sheet:
        assert (named["row"], warning["row"]) == (3, 3)
        assert "row 3 " in refused["detail"]


@pytest.mark.parametrize("slip", SLIPS)
async def test_a_sheet_with_a_slip_is_a_night_that_has_changed(guest: Guest, slip: str) -> None:
    key = await guest.source_key()
    for played, status in ((NIGHT, 201), (SLIPS[slip], 409)):
        answer = await guest.client.post(
            "/v1/sheets",
            content=guest.own(sheet_of(played)),
            headers={"Content-Type": "text/csv", **bearer(key)},
        )
        assert answer.status_code == status
    problem(answer, 409, "night_changed")


@pytest.mark.parametrize("slip", SLIPS)
async def test_each_line_of_a_batch_says_what_becomes_of_it_or_all_do(
    guest: Guest, slip: str
) -> None:
    key = await guest.source_key()
    _, first = await in_batch(guest, key, a_session(NIGHT))
    claim = a_session(SLIPS[slip])
    for refused in (
        await in_batch(guest, key, {**claim, "if_similar": "refuse"}),
        await in_batch(guest, key, claim, "?if_similar=refuse"),
    ):
        assert (refused[0], refused[1]["code"]) == (409, "similar_round")
        assert refused[1]["rounds"][0]["session_id"] == first["session_id"]
    assert await guest.facts() == 1
    status, session = await in_batch(
        guest, key, {**claim, "if_similar": "warn"}, "?if_similar=refuse"
    )
    assert (status, [each["code"] for each in session["warnings"]]) == (201, ["similar_round"])


async def test_lines_of_one_batch_are_held_against_each_other(guest: Guest) -> None:
    key = await guest.source_key()
    claims = [a_session(NIGHT), *(a_session(each, if_similar="refuse") for each in SLIPS.values())]
    answer = await guest.client.post(
        BATCH,
        content=guest.own(body_of(*claims).decode()),
        headers={"Content-Type": LINES, **bearer(key)},
    )
    assert [each["status"] for each in lines_of(answer.content)] == [201, 409, 409]


async def test_another_source_is_told_once_it_has_recorded_and_of_nothing_but_that(
    guest: Guest,
) -> None:
    key, other = await guest.source_key(), await guest.source_key("another-club")
    first = await guest.submit(a_session(NIGHT), key)
    answer = await guest.submit(a_session(SLIPS["a number"], if_similar="refuse"), other)
    (warning,) = answer.json()["warnings"]
    assert answer.status_code == 201
    assert set(warning) == {"pointer", "code", "message"}
    assert (warning["pointer"], warning["code"]) == ("/rounds", "similar_round")
    assert "Another source holds a similar round" in warning["message"]
    assert first.json()["session_id"] not in answer.text
    by_third = await by_sheet(
        guest, await guest.source_key("third-club"), a_round(ada=1, bo=1, cy=1, dee=1), False
    )
    assert [each["code"] for each in by_third.json()["warnings"]] == ["similar_round"]


@pytest.mark.parametrize("played", [NIGHT, a_round(ada=0, bo=2, cy=1, dee=1)])
async def test_a_correction_is_not_held_against_what_it_corrects(
    guest: Guest, played: Claim
) -> None:
    """It is held against all else, also if it says once more what it corrects."""
    key = await guest.source_key()
    first = (await guest.submit(a_session(NIGHT), key)).json()["session_id"]
    other = (await guest.submit(a_session(SLIPS["an address"]), key)).json()["session_id"]
    path = f"/v1/sessions/{first}/corrections"
    headers = {"Content-Type": "application/json", **bearer(key)}
    asked = guest.own(body_of(a_session(played)).decode())
    refused = await guest.client.post(f"{path}?if_similar=refuse", content=asked, headers=headers)
    assert problem(refused, 409, "similar_round")["rounds"] == [
        {"pointer": "/rounds/0", "session_id": other}
    ]
    await guest.client.post(
        f"/v1/sessions/{other}/void",
        content='{"reason": "entered_twice"}',
        headers=headers,
    )
    for status in (201, 200):
        corrected = await guest.client.post(
            f"{path}?if_similar=refuse", content=asked, headers=headers
        )
        codes = {each["code"] for each in corrected.json()["warnings"]}
        assert (corrected.status_code, codes - {"already_recorded"}) == (status, set())


async def test_each_round_says_whether_it_was_on_record(guest: Guest) -> None:
    key = await guest.source_key()
    await guest.submit(a_session(NIGHT), key)
    longer = a_session(NIGHT, a_round(eve=1, fay=0), allow_duplicate=True)
    answer = (await guest.submit(longer, key)).json()
    assert [each["on_record"] for each in answer["rounds"]] == [True, False]
    again = (await guest.submit(longer, key)).json()
    assert again["rounds"] == answer["rounds"]
    await caught_up(guest.service)
    looked_up = await guest.client.get(f"/v1/sessions/{answer['session_id']}", headers=bearer(key))
    assert [each["on_record"] for each in looked_up.json()["rounds"]] == [None, None]


@pytest.mark.parametrize("path", ["/v1/sessions", "/v1/sheets", BATCH])
async def test_a_mistyped_wish_is_refused(guest: Guest, path: str) -> None:
    key = await guest.source_key()
    kind = {BATCH: LINES, "/v1/sheets": "text/csv"}.get(path, "application/json")
    answer = await guest.client.post(
        f"{path}?if_similar=refused", content=b"{}", headers={"Content-Type": kind, **bearer(key)}
    )
    assert answer.status_code == 422
    assert await guest.facts() == 0
