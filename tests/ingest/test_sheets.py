"""Score sheets over HTTP: what they submit, what is wrong in them and where, and repeats."""

import io
from typing import Any

import httpx
import openpyxl
import pytest

from services.ingest.sheets_api import XLSX
from shared.sheets.limits import Limits
from tests.ingest.answers import facts, problem
from tests.service import RunningService, bearer

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
    service: RunningService, content: bytes | str, key: str, kind: str = CSV, **headers: str
) -> httpx.Response:
    """Send a file as the body; `query="dry_run=true"` goes into the address."""
    query = headers.pop("query", "")
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return await service.client.post(
        f"/v1/sheets?{query}",
        content=content.encode() if isinstance(content, str) else content,
        headers={**named, **bearer(key), "Content-Type": kind},
    )


def places(body: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [(each["sheet"], each["row"], each["column"], each["code"]) for each in body["errors"]]


async def test_a_sheet_is_answered_as_the_submission_that_it_stands_for(
    service: RunningService,
) -> None:
    key = await service.source_key()
    answer = await send(service, NIGHT, key)
    assert answer.status_code == 201, answer.text
    body = answer.json()
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
    again = await service.submit(CLAIM, key)
    assert (again.status_code, again.json()["session_id"]) == (200, body["session_id"])


async def test_a_dry_run_returns_what_is_submitted_then_and_records_nothing(
    service: RunningService,
) -> None:
    key = await service.source_key()
    dry = await send(service, NIGHT, key, query="dry_run=true")
    assert dry.status_code == 200, dry.text
    assert dry.json()["claim"] == CLAIM
    assert [each["row"] for each in dry.json()["warnings"]] == [4]
    assert await facts(service) == 0
    assert await service.pool.fetchval("SELECT count(*) FROM mahjic.people") == 0
    submitted = await service.submit(dry.json()["claim"], key)
    repeated = await send(service, NIGHT, key)
    assert (repeated.status_code, repeated.headers["Idempotency-Replayed"]) == (200, "true")
    assert repeated.json()["session_id"] == submitted.json()["session_id"]


async def test_a_sheet_sent_twice_is_one_session_with_a_key_and_without(
    service: RunningService,
) -> None:
    key = await service.source_key()
    first = await send(service, NIGHT, key, idempotency_key="january")
    by_key = await send(service, NIGHT, key, idempotency_key="january")
    by_content = await send(service, NIGHT, key)
    assert [each.status_code for each in (first, by_key, by_content)] == [201, 201, 200]
    assert by_key.headers["Idempotency-Replayed"] == "true"
    assert len({each.json()["session_id"] for each in (first, by_key, by_content)}) == 1
    other = NIGHT.replace("2026-01-31", "2026-01-30")
    reused = await send(service, other, key, idempotency_key="january")
    problem(reused, 422, "idempotency_key_reused")
    assert await facts(service) == 1
    unrated = await send(service, other, key, prefer="respond-async")
    assert (unrated.status_code, unrated.json()["status"]) == (202, "accepted")
    assert unrated.headers["Location"] == f"/v1/sessions/{unrated.json()['session_id']}"


async def test_every_mistake_is_told_at_once_with_its_place_and_nothing_is_recorded(
    service: RunningService,
) -> None:
    key = await service.source_key()
    wrong = (
        NIGHT.replace("2026-01-31", "1/2/2026")
        .replace("bo@example.com,1,80", "bo at example,1,80")
        .replace("ANON:Dot,0", "ANON:Dot,none")
        .replace("alice@example.com,1,60", "alice@example.com,1,")
        .replace("eve@example.com,2", "ALICE@example.com,3")
    )
    answer = await send(service, wrong, key)
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
    assert body["errors"][-1]["message"] == "This is the same player as the one in row 13."
    assert await facts(service) == 0
    assert await service.pool.fetchval("SELECT count(*) FROM mahjic.people") == 0


async def test_a_round_on_record_is_named_by_its_row(service: RunningService) -> None:
    key, other = await service.source_key(), await service.source_key("another-club")
    first = await send(service, NIGHT, key)
    longer = NIGHT + "\nROUND 3 | Games Played: 1 | Wall Games: 1\nPlayer Email,Mahjongs,Points\n"
    longer += "gus@example.com,0,0\nhal@example.com,0,0\n"
    body = problem(await send(service, longer, key), 409, "duplicate_session")
    assert [(each["row"], each["session_id"]) for each in body["rounds"]] == [
        (4, first.json()["session_id"]),
        (11, first.json()["session_id"]),
    ]
    assert "row 4, 11" in body["detail"]
    assert "?allow_duplicate=true" in body["detail"]
    of_others = problem(await send(service, longer, other), 409, "duplicate_session")
    assert {each["session_id"] for each in of_others["rounds"]} == {None}
    allowed = await send(service, longer, key, query="allow_duplicate=true")
    assert allowed.status_code == 201
    assert await facts(service) == 2


async def test_two_addresses_of_one_player_are_found_where_they_stand(
    service: RunningService,
) -> None:
    key, operator = await service.source_key(), await service.operator_key()
    made = await send(service, NIGHT.replace("2026-01-31", "2026-01-01"), key)
    ids = {each["player"]: each["player_id"] for each in made.json()["results"]}
    # Never at one table yet: eve and bo.
    merged = await service.client.post(
        f"/v1/admin/players/{ids['eve@example.com']}/merge",
        json={"into": ids["bo@example.com"]},
        headers=bearer(operator),
    )
    assert merged.is_success, merged.text
    both = NIGHT.replace("alice@example.com,1,60", "bo@example.com,1,60")
    body = problem(await send(service, both, key), 422, "invalid_sheet")
    assert places(body) == [(None, 14, "A", "player_twice")]
    assert body["errors"][0]["message"] == (
        "This address and that of the one in row 13 are one player's."
    )


@pytest.mark.parametrize("query", ["dryrun=true", "dry_run=true&x=1"])
async def test_a_mistyped_parameter_never_submits(service: RunningService, query: str) -> None:
    key = await service.source_key()
    body = problem(await send(service, NIGHT, key, query=query), 422, "invalid_parameter")
    assert [each["code"] for each in body["errors"]] == ["unknown_field"]
    assert await facts(service) == 0


async def test_only_a_source_submits_sheets(service: RunningService) -> None:
    answer = await service.client.post("/v1/sheets", content=NIGHT, headers={"Content-Type": CSV})
    problem(answer, 401, "not_authenticated")
    for key in (await service.operator_key(), await service.auditor_key()):
        problem(await send(service, NIGHT, key), 403, "not_allowed")


async def test_10_000_rounds_are_refused_where_they_become_too_many(
    service: RunningService,
) -> None:
    key = await service.source_key()
    head = "Date: 2026-01-31\nGame Type: Social\nPlayer Email,Mahjongs\n"
    rounds = "ROUND | Games Played: 1 | Wall Games: 1\nada@example.com,0\nbo@example.com,0\n"
    many = problem(await send(service, head + rounds * 10_000, key), 422, "invalid_sheet")
    assert places(many) == [(None, Limits().rows_max + 1, None, "too_large")]
    # The first row of the 101st round: three lines above, and three for each round before.
    some = problem(await send(service, head + rounds * 150, key), 422, "invalid_sheet")
    assert places(some) == [(None, 304, None, "too_many_rounds")]
    assert await facts(service) == 0


async def test_a_workbook_with_several_sheets_is_read_when_one_is_named(
    service: RunningService,
) -> None:
    key = await service.source_key()
    book = openpyxl.Workbook()
    book.worksheets[0].title = "January"
    for title in ("January", "February"):
        sheet = book[title] if title in book.sheetnames else book.create_sheet(title)
        for line in NIGHT.replace("bo@example.com,1,80", "bo@example.com,none,80").splitlines():
            sheet.append([_number(cell) for cell in line.split(",")])
    content = io.BytesIO()
    book.save(content)
    several = problem(await send(service, content.getvalue(), key, XLSX), 422, "invalid_sheet")
    assert [each["code"] for each in several["errors"]] == ["several_sheets"]
    for title in ("January", "February"):
        one = await send(service, content.getvalue(), key, XLSX, query=f"sheet={title}")
        body = problem(one, 422, "invalid_sheet")
        assert [place[:3] for place in places(body)] == [(title, 7, "B")]
    none = await send(service, content.getvalue(), key, XLSX, query="sheet=March")
    body = problem(none, 422, "invalid_sheet")
    assert [each["code"] for each in body["errors"]] == ["unknown_sheet"]


def _number(text: str) -> str | int | None:
    return int(text) if text.lstrip("-").isdigit() else text or None
