"""Score sheets over HTTP: what they submit, what is wrong in them and where, and repeats."""

import asyncio
import io
from typing import Any

import httpx
import openpyxl
import pytest

from services.ingest.sheets.uploaded import XLSX
from shared.sheets.limits import Limits
from tests.ingest.answers import problem
from tests.ingest.guests import Guest
from tests.service import bearer

CSV = "text/csv"
NIGHT = """MAHJIC SCORE SHEET,,Date: 2026-01-31
Game Type: League,,

ROUND 1 | Games Played: 4 | Wall Games: 0,,
Player Email,Mahjongs,Points
Alice@example.com,2,125
bo@example.com,1,80
PRIVATE:carol@example.com,1,45
ANON:Dot,0,-50

ROUND 2 | Games Played: 4 | Wall Games: 1,,
Player Email,Mahjongs,Points
alice@example.com,1,60
bob@mahjic.org,2,-60
"""
CLAIM = {
    "session_date": "2026-01-31",
    "game_type": "league",
    "rounds": [
        {
            "players": [
                {"email": "Alice@example.com", "games_played": 4, "mahjongs": 2, "points": 125},
                {"email": "bo@example.com", "games_played": 4, "mahjongs": 1, "points": 80},
                {
                    "email": "PRIVATE:carol@example.com",
                    "games_played": 4,
                    "mahjongs": 1,
                    "points": 45,
                },
                {"email": "ANON:Dot", "games_played": 4, "mahjongs": 0, "points": -50},
            ],
            "wall_games": 0,
        },
        {
            "players": [
                {"email": "alice@example.com", "games_played": 4, "mahjongs": 1, "points": 60},
                {"email": "eve@example.com", "games_played": 4, "mahjongs": 2, "points": -60},
            ],
            "wall_games": 1,
        },
    ],
}
NIGHT = NIGHT.replace("bob@mahjic.org", "eve@example.com")


async def send(
    guest: Guest, content: bytes | str, key: str, kind: str = CSV, **headers: str
) -> httpx.Response:
    """Send a file as the body; `query="dry_run=true"` goes into the address."""
    query = headers.pop("query", "")
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return await guest.client.post(
        f"/v1/sheets?{query}",
        content=guest.own(content).encode() if isinstance(content, str) else content,
        headers={**named, **bearer(key), "Content-Type": kind},
    )


def places(body: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [(each["sheet"], each["row"], each["column"], each["code"]) for each in body["errors"]]


async def test_a_sheet_is_answered_as_the_submission_that_it_stands_for(
    guest: Guest,
) -> None:
    key = await guest.source_key()
    answer = await send(guest, NIGHT, key)
    assert answer.status_code == 201, answer.text
    body = guest.told(answer)
    assert answer.headers["Location"] == f"/v1/sessions/{body['session_id']}"
    assert answer.headers["Cache-Control"] == "no-store"
    assert [each["player"] for each in body["results"]] == [
        "Alice@example.com",
        "bo@example.com",
        "PRIVATE:carol@example.com",
        "ANON:Dot",
        "eve@example.com",
    ]
    assert [each["games_played_total"] for each in body["results"]] == [8, 4, 4, 4, 4]
    (warning,) = body["warnings"]
    assert (warning["code"], warning["pointer"]) == ("points_do_not_sum_to_zero", "/rounds/0")
    assert (warning["sheet"], warning["row"], warning["column"]) == (None, 4, None)
    # The same session as JSON is the same session.
    again = await guest.submit(CLAIM, key)
    assert (again.status_code, again.json()["session_id"]) == (200, body["session_id"])


async def test_a_dry_run_returns_what_is_submitted_then_and_records_nothing(
    guest: Guest,
) -> None:
    key = await guest.source_key()
    dry = await send(guest, NIGHT, key, query="dry_run=true")
    assert dry.status_code == 200, dry.text
    assert guest.told(dry)["claim"] == CLAIM
    assert [each["row"] for each in guest.told(dry)["warnings"]] == [4]
    assert await guest.facts() == 0
    assert await guest.people() == 0
    submitted = await guest.submit(guest.told(dry)["claim"], key)
    repeated = await send(guest, NIGHT, key)
    assert (repeated.status_code, repeated.headers["Idempotency-Replayed"]) == (200, "true")
    assert repeated.json()["session_id"] == submitted.json()["session_id"]


async def test_a_dry_run_says_hundredths_of_points_and_what_the_request_allows(
    guest: Guest,
) -> None:
    key = await guest.source_key()
    night = NIGHT.replace(",125", ",125.25").replace(",-50", ",-50.1").replace(",45", ",45.00")
    dry = await send(guest, night, key, query="dry_run=true&allow_duplicate=true")
    claim = guest.told(dry)["claim"]
    first = claim["rounds"][0]["players"]
    assert repr([each["points"] for each in first]) == "[125.25, 80, 45, -50.1]"
    assert claim["allow_duplicate"] is True
    counted = [(await send(guest, night, key)).status_code for _ in range(2)]
    allowed = await send(guest, night, key, query="allow_duplicate=true")
    assert [*counted, allowed.status_code] == [201, 200, 201]
    assert await guest.facts() == 2


async def test_a_sheet_sent_twice_is_one_session_with_a_key_and_without(
    guest: Guest,
) -> None:
    key = await guest.source_key()
    first = await send(guest, NIGHT, key, idempotency_key="january")
    by_key = await send(guest, NIGHT, key, idempotency_key="january")
    by_content = await send(guest, NIGHT, key)
    assert [each.status_code for each in (first, by_key, by_content)] == [201, 201, 200]
    assert by_key.headers["Idempotency-Replayed"] == "true"
    assert len({each.json()["session_id"] for each in (first, by_key, by_content)}) == 1
    other = NIGHT.replace("2026-01-31", "2026-01-30")
    reused = await send(guest, other, key, idempotency_key="january")
    problem(reused, 422, "idempotency_key_reused")
    assert await guest.facts() == 1
    unrated = await send(guest, other, key, prefer="respond-async")
    assert (unrated.status_code, unrated.json()["status"]) == (202, "accepted")
    assert unrated.headers["Location"] == f"/v1/sessions/{unrated.json()['session_id']}"


async def test_every_mistake_is_told_at_once_with_its_place_and_nothing_is_recorded(
    guest: Guest,
) -> None:
    key = await guest.source_key()
    wrong = (
        NIGHT.replace("2026-01-31", "1/2/2026")
        .replace("bo@example.com,1,80", "bo at example,1,80")
        .replace("ANON:Dot,0", "ANON:Dot,none")
        .replace("alice@example.com,1,60", "alice@example.com,1,")
        .replace("eve@example.com,2", "ALICE@example.com,3")
    )
    answer = await send(guest, wrong, key)
    body = problem(answer, 422, "invalid_sheet")
    assert [(row, column) for _, row, column, _ in places(body)] == [
        (1, "C"),
        (7, "A"),
        (9, "B"),
        (11, None),
        (13, "C"),
        (14, "A"),
    ]
    codes = [code for *_, code in places(body)]
    assert codes[1] == "invalid_email"
    assert codes[3:] == ["round_does_not_add_up", "points_missing", "player_twice"]
    # A sheet has rows where a claim has a list of players.
    told = body["errors"][-1]["message"]
    assert told.startswith("This is the same player as the one in row 13. ")
    assert await guest.facts() == 0
    assert await guest.people() == 0


async def test_a_round_on_record_is_named_by_its_row(guest: Guest) -> None:
    key, other = await guest.source_key(), await guest.source_key("another-club")
    first = await send(guest, NIGHT, key)
    longer = NIGHT + "\nROUND 3 | Games Played: 1 | Wall Games: 1\nPlayer Email,Mahjongs,Points\n"
    longer += "gus@example.com,0,0\nhal@example.com,0,0\n"
    body = problem(await send(guest, longer, key), 409, "duplicate_session")
    assert [(each["row"], each["session_id"]) for each in body["rounds"]] == [
        (4, first.json()["session_id"]),
        (11, first.json()["session_id"]),
    ]
    assert "row 4, 11" in body["detail"]
    assert "?allow_duplicate=true" in body["detail"]
    of_others = problem(await send(guest, longer, other), 409, "duplicate_session")
    assert {each["session_id"] for each in of_others["rounds"]} == {None}
    allowed = await send(guest, longer, key, query="allow_duplicate=true")
    assert allowed.status_code == 201
    assert await guest.facts() == 2


async def test_two_addresses_of_one_player_are_found_where_they_stand(
    guest: Guest,
) -> None:
    key, operator = await guest.source_key(), await guest.operator_key()
    made = await send(guest, NIGHT.replace("2026-01-31", "2026-01-01"), key)
    ids = {each["player"]: each["player_id"] for each in guest.told(made)["results"]}
    # Never at one table yet: eve and bo.
    merged = await guest.client.post(
        f"/v1/admin/players/{ids['eve@example.com']}/merge",
        json={"into": ids["bo@example.com"]},
        headers=bearer(operator),
    )
    assert merged.is_success, merged.text
    both = NIGHT.replace("alice@example.com,1,60", "bo@example.com,1,60")
    body = problem(await send(guest, both, key), 422, "invalid_sheet")
    assert places(body) == [(None, 14, "A", "player_twice")]
    assert body["errors"][0]["message"] == (
        "This address belongs to the same player as the one in row 13."
    )


@pytest.mark.parametrize(
    ("query", "codes"),
    [
        ("dryrun=true", ["unknown_field"]),
        ("dry_run=true&x=1&x=2", ["unknown_field"]),
        ("Dry_Run=true&x=1", ["unknown_field", "unknown_field"]),
        ("dry_run=true&dry_run=false", ["parameter_repeated"]),
        ("dry_run=true&sheet=a&sheet=b", ["parameter_repeated"]),
        ("dry_run=yes please", ["wrong_type"]),
        ("dry_run=", ["wrong_type"]),
        ("dry_run", ["wrong_type"]),
        ("dry_run=true;sheet=a", ["wrong_type"]),
    ],
)
async def test_a_slip_in_the_parameters_never_submits(
    guest: Guest, query: str, codes: list[str]
) -> None:
    key = await guest.source_key()
    body = problem(await send(guest, NIGHT, key, query=query), 422, "invalid_parameter")
    assert [each["code"] for each in body["errors"]] == codes
    assert await guest.facts() == 0


async def test_a_sheet_sent_twenty_times_at_once_is_one_session(guest: Guest) -> None:
    key = await guest.source_key()
    # Few are read at once, and the others wait for their turn however long that takes here.
    answers = await asyncio.gather(*(send(guest, NIGHT, key) for _ in range(20)))
    assert sorted(each.status_code for each in answers) == [200] * 19 + [201]
    assert len({each.json()["session_id"] for each in answers}) == 1
    assert await guest.facts() == 1


async def test_only_a_source_submits_sheets(guest: Guest) -> None:
    answer = await guest.client.post("/v1/sheets", content=NIGHT, headers={"Content-Type": CSV})
    problem(answer, 401, "not_authenticated")
    for key in (await guest.operator_key(), await guest.auditor_key()):
        problem(await send(guest, NIGHT, key), 403, "not_allowed")


async def test_10_000_rounds_are_refused_where_they_become_too_many(
    guest: Guest,
) -> None:
    key = await guest.source_key()
    head = "Date: 2026-01-31\nGame Type: Social\nPlayer Email,Mahjongs\n"
    rounds = "ROUND | Games Played: 1 | Wall Games: 1\nada@example.com,0\nbo@example.com,0\n"
    many = problem(await send(guest, head + rounds * 10_000, key), 422, "invalid_sheet")
    assert places(many) == [(None, Limits().rows_max + 1, None, "too_large")]
    # The first row of the 101st round: three lines above, and three for each round before.
    some = problem(await send(guest, head + rounds * 150, key), 422, "invalid_sheet")
    assert places(some) == [(None, 304, None, "too_many_rounds")]
    assert await guest.facts() == 0


async def test_a_workbook_with_several_sheets_is_read_when_one_is_named(
    guest: Guest,
) -> None:
    key = await guest.source_key()
    book = openpyxl.Workbook()
    book.worksheets[0].title = "January"
    for title in ("January", "February"):
        sheet = book[title] if title in book.sheetnames else book.create_sheet(title)
        for line in NIGHT.replace("bo@example.com,1,80", "bo@example.com,none,80").splitlines():
            sheet.append([_number(cell) for cell in line.split(",")])
    content = io.BytesIO()
    book.save(content)
    several = problem(await send(guest, content.getvalue(), key, XLSX), 422, "invalid_sheet")
    assert [each["code"] for each in several["errors"]] == ["several_sheets"]
    for title in ("January", "February"):
        one = await send(guest, content.getvalue(), key, XLSX, query=f"sheet={title}")
        body = problem(one, 422, "invalid_sheet")
        assert [place[:3] for place in places(body)] == [(title, 7, "B")]
    none = await send(guest, content.getvalue(), key, XLSX, query="sheet=March")
    body = problem(none, 422, "invalid_sheet")
    assert [each["code"] for each in body["errors"]] == ["unknown_sheet"]


def _number(text: str) -> str | int | None:
    return int(text) if text.lstrip("-").isdigit() else text or None
