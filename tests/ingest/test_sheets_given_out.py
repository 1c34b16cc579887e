"""The template for everybody, and a session as a sheet for its source and the operator alone."""

import csv
import io
from collections.abc import Mapping
from typing import Any

import httpx
import openpyxl
import pytest

from tests.ingest.answers import facts, problem
from tests.service import RunningService, bearer

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
TYPES = {"csv": "text/csv; charset=utf-8", "xlsx": XLSX}


def a_round(*seats: tuple[str, int, float], wall_games: int = 0) -> dict[str, Any]:
    games = sum(mahjongs for _, mahjongs, _ in seats) + wall_games
    return {
        "players": [
            {"email": email, "games_played": games, "mahjongs": mahjongs, "points": points}
            for email, mahjongs, points in seats
        ],
        "wall_games": wall_games,
    }


def a_night(*rounds: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"session_date": "2026-01-31", "game_type": "league", "rounds": [*rounds], **fields}


NIGHT = a_night(
    a_round(
        ("Ada@Example.com", 2, 125), ("PRIVATE:bo@example.com", 1, -125.5), ("ANON:Cy", 0, 0.5)
    ),
    a_round(("ada@example.com", 0, -1250), ("bob@mahjic.org", 1, 0), ("di@example.com", 0, 1250)),
)


async def sheet(
    service: RunningService, session_id: str, key: str, kind: str = "csv"
) -> httpx.Response:
    path = f"/v1/sessions/{session_id}/sheet.{kind}"
    return await service.client.get(path, headers=bearer(key))


async def submitted(service: RunningService, claim: Mapping[str, Any], key: str) -> str:
    answer = await service.submit(dict(claim), key)
    assert answer.status_code == 201, answer.text
    session_id = answer.json()["session_id"]
    assert isinstance(session_id, str)
    return session_id


def players(answer: httpx.Response) -> list[str]:
    """Return whom the rows of a CSV sheet name, in their order."""
    assert answer.status_code == 200, answer.text
    rows = list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig"))))
    return [row[0] for row in rows if len(row) > 1 and row[1].isdigit()]


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
async def test_a_session_as_a_sheet_is_the_same_session_when_it_is_sent(
    service: RunningService, kind: str
) -> None:
    key = await service.source_key()
    session_id = await submitted(service, NIGHT, key)
    given = await sheet(service, session_id, key, kind)
    assert given.headers["Content-Type"] == TYPES[kind]
    assert given.headers["Cache-Control"] == "no-store"
    assert given.headers["Content-Disposition"] == f'attachment; filename="{session_id}.{kind}"'
    headers = {**bearer(key), "Content-Type": given.headers["Content-Type"]}
    dry = await service.client.post(
        "/v1/sheets?dry_run=true", content=given.content, headers=headers
    )
    # As it is kept: the address in its one form, and the nickname as it was typed.
    lower = a_round(
        ("ada@example.com", 2, 125), ("PRIVATE:bo@example.com", 1, -125.5), ("ANON:Cy", 0, 0.5)
    )
    assert dry.json()["claim"] == {**NIGHT, "rounds": [lower, NIGHT["rounds"][1]]}
    again = await service.client.post("/v1/sheets", content=given.content, headers=headers)
    assert (again.status_code, again.json()["session_id"]) == (200, session_id)
    assert again.headers["Idempotency-Replayed"] == "true"
    # As a browser sends it.
    form = {"file": ("night", given.content, "application/octet-stream")}
    again = await service.client.post("/v1/sheets", files=form, headers=bearer(key))
    assert (again.status_code, again.json()["session_id"]) == (200, session_id)
    assert await facts(service) == 1


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
async def test_a_session_without_points_has_a_sheet_too(service: RunningService, kind: str) -> None:
    key = await service.source_key()
    social = a_night(a_round(("ada@example.com", 1, 5), ("bo@example.com", 1, 7), wall_games=2))
    session_id = await submitted(service, {**social, "game_type": "social"}, key)
    given = await sheet(service, session_id, key, kind)
    headers = {**bearer(key), "Content-Type": TYPES[kind]}
    again = await service.client.post("/v1/sheets", content=given.content, headers=headers)
    assert (again.status_code, again.json()["session_id"]) == (200, session_id)


async def test_the_sheet_of_a_session_is_for_its_source_and_the_operator(
    service: RunningService,
) -> None:
    key, other = await service.source_key(), await service.source_key("another-club")
    session_id = await submitted(service, NIGHT, key)
    path = f"/v1/sessions/{session_id}/sheet.csv"
    problem(await service.client.get(path), 401, "not_authenticated")
    problem(await sheet(service, session_id, other), 404, "unknown_session")
    problem(await sheet(service, session_id, await service.auditor_key()), 403, "not_allowed")
    unknown = "ses_01HZX3Y5ZQ8W6V4T2R0PNMKJHG"
    problem(await sheet(service, unknown, key), 404, "unknown_session")
    problem(await sheet(service, "ses_none", key), 404, "unknown_session")
    # A nickname is shown to its own source only.
    assert players(await sheet(service, session_id, await service.operator_key())) == [
        "ada@example.com",
        "PRIVATE:bo@example.com",
        "(not shown)",
        "ada@example.com",
        "bob@mahjic.org",
        "di@example.com",
    ]


async def test_private_stands_only_where_the_source_itself_said_so(
    service: RunningService,
) -> None:
    key, other = await service.source_key(), await service.source_key("another-club")
    plain = a_night(a_round(("ada@example.com", 1, 1), ("eve@example.com", 0, -1)))
    said = a_night(a_round(("PRIVATE:ada@example.com", 2, 1), ("eve@example.com", 0, -1)))
    here = await submitted(service, plain, key)
    there = await submitted(service, said, other)
    operator = await service.operator_key()
    assert players(await sheet(service, here, key)) == ["ada@example.com", "eve@example.com"]
    assert players(await sheet(service, here, operator))[0] == "ada@example.com"
    assert players(await sheet(service, there, other))[0] == "PRIVATE:ada@example.com"
    # A repeat says so too.
    repeated = a_night(a_round(("PRIVATE:ada@example.com", 1, 1), ("eve@example.com", 0, -1)))
    assert (await service.submit(repeated, key)).status_code == 200
    assert players(await sheet(service, here, key))[0] == "PRIVATE:ada@example.com"


async def test_a_forgotten_player_is_named_to_nobody_and_the_sheet_cannot_be_sent(
    service: RunningService,
) -> None:
    key, operator = await service.source_key(), await service.operator_key()
    answer = await service.submit(NIGHT, key)
    session_id = answer.json()["session_id"]
    ids = {each["player"]: each["player_id"] for each in answer.json()["results"]}
    for name in ("PRIVATE:bo@example.com", "ANON:Cy"):
        path = f"/v1/admin/players/{ids[name]}/personal-data"
        erased = await service.client.delete(path, headers=bearer(operator))
        assert erased.is_success, erased.text
    given = await sheet(service, session_id, key)
    assert players(given)[:3] == ["ada@example.com", "(erased)", "(erased)"]
    assert players(await sheet(service, session_id, operator))[:3] == players(given)[:3]
    sent = await service.client.post(
        "/v1/sheets", content=given.content, headers={**bearer(key), "Content-Type": "text/csv"}
    )
    body = problem(sent, 422, "invalid_sheet")
    assert [(each["row"], each["column"]) for each in body["errors"]] == [(7, "A"), (8, "A")]
    assert await service.pool.fetchval("SELECT count(*) FROM mahjic.private_words") == 0


async def test_merged_players_have_the_address_that_the_source_sent(
    service: RunningService,
) -> None:
    key, other = await service.source_key(), await service.source_key("another-club")
    here = await service.submit(
        a_night(a_round(("ada@example.com", 1, 1), ("eve@example.com", 0, -1))), key
    )
    there = await service.submit(
        a_night(a_round(("ada@work.example.com", 1, 1), ("gus@example.com", 0, -1))), other
    )
    (mine, theirs) = (each.json()["results"][0]["player_id"] for each in (here, there))
    merged = await service.client.post(
        f"/v1/admin/players/{mine}/merge",
        json={"into": theirs},
        headers=bearer(await service.operator_key()),
    )
    assert merged.is_success, merged.text
    session_id = here.json()["session_id"]
    given = await sheet(service, session_id, key)
    assert players(given) == ["ada@example.com", "eve@example.com"]
    headers = {**bearer(key), "Content-Type": "text/csv"}
    again = await service.client.post("/v1/sheets", content=given.content, headers=headers)
    assert (again.status_code, again.json()["session_id"]) == (200, session_id)


async def test_whom_the_operator_put_in_is_shown_to_the_operator_alone(
    service: RunningService,
) -> None:
    key, operator = await service.source_key(), await service.operator_key()
    first = await submitted(
        service, a_night(a_round(("ada@example.com", 1, 1), ("eve@example.com", 0, -1))), key
    )

    async def correct(session_id: str, by: str, *names: str) -> str:
        seats = [(name, int(not at), 1.0) for at, name in enumerate(names)]
        answer = await service.client.post(
            f"/v1/sessions/{session_id}/corrections",
            json=a_night(a_round(*seats)),
            headers=bearer(by),
        )
        assert answer.status_code == 201, answer.text
        return str(answer.json()["session_id"])

    second = await correct(first, operator, "ada@example.com", "PRIVATE:ina@example.com")
    assert players(await sheet(service, second, key)) == ["ada@example.com", "(not shown)"]
    assert players(await sheet(service, second, operator))[1] == "ina@example.com"
    # What was corrected is still what was sent; and the source's own correction is its own word.
    assert players(await sheet(service, first, key)) == ["ada@example.com", "eve@example.com"]
    third = await correct(second, key, "ada@example.com", "PRIVATE:jo@example.com")
    assert players(await sheet(service, third, key)) == [
        "ada@example.com",
        "PRIVATE:jo@example.com",
    ]


async def test_the_template_is_public_kept_by_caches_and_submits_as_it_stands(
    service: RunningService,
) -> None:
    key = await service.source_key()
    claims = []
    for kind, media_type in TYPES.items():
        path = f"/v1/sheets/template.{kind}"
        given = await service.client.get(path)
        assert given.status_code == 200
        assert given.headers["Content-Type"] == media_type
        assert given.headers["Cache-Control"] == "public, max-age=86400"
        assert given.headers["Access-Control-Allow-Origin"] == "*"
        name = f'attachment; filename="mahjic-score-sheet.{kind}"'
        assert given.headers["Content-Disposition"] == name
        held = {"If-None-Match": given.headers["ETag"]}
        assert (await service.client.get(path, headers=held)).status_code == 304
        headers = {**bearer(key), "Content-Type": media_type}
        dry = await service.client.post(
            "/v1/sheets?dry_run=true", content=given.content, headers=headers
        )
        assert dry.status_code == 200, dry.text
        claims.append(dry.json()["claim"])
    assert claims[0] == claims[1]
    assert [len(each["players"]) for each in claims[0]["rounds"]] == [4, 4]
    assert [each["points"] for each in claims[0]["rounds"][1]["players"]] == [60, 110, 40, -10]


async def test_no_cell_of_a_sheet_is_a_formula(service: RunningService) -> None:
    key = await service.source_key()
    claim = a_night(a_round(("=1+1@example.com", 1, 1), ("-bo@example.com", 0, -1)))
    session_id = await submitted(service, claim, key)
    book = openpyxl.load_workbook(
        io.BytesIO((await sheet(service, session_id, key, "xlsx")).content)
    )
    kinds = {cell.value: cell.data_type for row in book.worksheets[0].iter_rows() for cell in row}
    assert (kinds["=1+1@example.com"], kinds["-bo@example.com"]) == ("s", "s")
    given = await sheet(service, session_id, key)
    assert players(given) == ["'=1+1@example.com", "'-bo@example.com"]
    headers = {**bearer(key), "Content-Type": "text/csv"}
    again = await service.client.post("/v1/sheets", content=given.content, headers=headers)
    assert (again.status_code, again.json()["session_id"]) == (200, session_id)
