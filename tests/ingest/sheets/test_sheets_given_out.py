"""The template for everybody, and a session as a sheet for its source and the operator alone."""

import csv
import io
import json
from collections.abc import Mapping
from functools import partial
from typing import Any

import httpx
import openpyxl
import pytest

from tests.ingest.answers import problem
from tests.ingest.guests import Guest
from tests.service import bearer

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


async def sheet(guest: Guest, session_id: str, key: str, kind: str = "csv") -> httpx.Response:
    path = f"/v1/sessions/{session_id}/sheet.{kind}"
    return await guest.client.get(path, headers=bearer(key))


async def submitted(guest: Guest, claim: Mapping[str, Any], key: str) -> str:
    answer = await guest.submit(dict(claim), key)
    assert answer.status_code == 201, answer.text
    session_id = answer.json()["session_id"]
    assert isinstance(session_id, str)
    return session_id


def players(guest: Guest, answer: httpx.Response) -> list[str]:
    """Return whom the rows of a CSV sheet name, in their order."""
    assert answer.status_code == 200, answer.text
    rows = list(csv.reader(io.StringIO(guest.plain(answer.content.decode("utf-8-sig")))))
    return [row[0] for row in rows if len(row) > 1 and row[1].isdigit()]


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
async def test_a_session_as_a_sheet_is_the_same_session_when_it_is_sent(
    guest: Guest, kind: str
) -> None:
    key = await guest.source_key()
    session_id = await submitted(guest, NIGHT, key)
    given = await sheet(guest, session_id, key, kind)
    assert given.headers["Content-Type"] == TYPES[kind]
    assert given.headers["Cache-Control"] == "no-store"
    assert given.headers["Content-Disposition"] == f'attachment; filename="{session_id}.{kind}"'
    headers = {**bearer(key), "Content-Type": given.headers["Content-Type"]}
    dry = await guest.client.post("/v1/sheets?dry_run=true", content=given.content, headers=headers)
    # As it is kept: the address in its one form, and the nickname as it was typed.
    lower = a_round(
        ("ada@example.com", 2, 125), ("PRIVATE:bo@example.com", 1, -125.5), ("ANON:Cy", 0, 0.5)
    )
    assert guest.told(dry)["claim"] == {**NIGHT, "rounds": [lower, NIGHT["rounds"][1]]}
    again = await guest.client.post("/v1/sheets", content=given.content, headers=headers)
    assert (again.status_code, again.json()["session_id"]) == (200, session_id)
    assert again.headers["Idempotency-Replayed"] == "true"
    # As a browser sends it.
    form = {"file": ("night", given.content, "application/octet-stream")}
    again = await guest.client.post("/v1/sheets", files=form, headers=bearer(key))
    assert (again.status_code, again.json()["session_id"]) == (200, session_id)
    assert await guest.facts() == 1


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
async def test_a_session_without_points_has_a_sheet_too(guest: Guest, kind: str) -> None:
    key = await guest.source_key()
    social = a_night(a_round(("ada@example.com", 1, 5), ("bo@example.com", 1, 7), wall_games=2))
    session_id = await submitted(guest, {**social, "game_type": "social"}, key)
    given = await sheet(guest, session_id, key, kind)
    headers = {**bearer(key), "Content-Type": TYPES[kind]}
    again = await guest.client.post("/v1/sheets", content=given.content, headers=headers)
    assert (again.status_code, again.json()["session_id"]) == (200, session_id)


async def test_the_sheet_of_a_session_is_for_its_source_and_the_operator(
    guest: Guest,
) -> None:
    key, other = await guest.source_key(), await guest.source_key("another-club")
    session_id = await submitted(guest, NIGHT, key)
    path = f"/v1/sessions/{session_id}/sheet.csv"
    problem(await guest.client.get(path), 401, "not_authenticated")
    problem(await sheet(guest, session_id, other), 404, "unknown_session")
    problem(await sheet(guest, session_id, await guest.auditor_key()), 403, "not_allowed")
    unknown = "ses_01HZX3Y5ZQ8W6V4T2R0PNMKJHG"
    problem(await sheet(guest, unknown, key), 404, "unknown_session")
    problem(await sheet(guest, "ses_none", key), 404, "unknown_session")
    # A nickname is shown to its own source only.
    assert players(guest, await sheet(guest, session_id, await guest.operator_key())) == [
        "ada@example.com",
        "PRIVATE:bo@example.com",
        "(not shown)",
        "ada@example.com",
        "bob@mahjic.org",
        "di@example.com",
    ]


async def test_private_stands_only_where_the_source_itself_said_so(
    guest: Guest,
) -> None:
    key, other = await guest.source_key(), await guest.source_key("another-club")
    plain = a_night(a_round(("ada@example.com", 1, 1), ("eve@example.com", 0, -1)))
    said = a_night(a_round(("PRIVATE:ada@example.com", 2, 1), ("eve@example.com", 0, -1)))
    here = await submitted(guest, plain, key)
    there = await submitted(guest, said, other)
    operator = await guest.operator_key()
    assert players(guest, await sheet(guest, here, key)) == ["ada@example.com", "eve@example.com"]
    assert players(guest, await sheet(guest, here, operator))[0] == "ada@example.com"
    assert players(guest, await sheet(guest, there, other))[0] == "PRIVATE:ada@example.com"
    # A repeat says so too.
    repeated = a_night(a_round(("PRIVATE:ada@example.com", 1, 1), ("eve@example.com", 0, -1)))
    assert (await guest.submit(repeated, key)).status_code == 200
    assert players(guest, await sheet(guest, here, key))[0] == "PRIVATE:ada@example.com"


async def test_a_forgotten_player_is_named_to_nobody_and_the_sheet_cannot_be_sent(
    guest: Guest,
) -> None:
    key, operator = await guest.source_key(), await guest.operator_key()
    answer = await guest.submit(NIGHT, key)
    session_id = answer.json()["session_id"]
    ids = {each["player"]: each["player_id"] for each in guest.told(answer)["results"]}
    for name in ("PRIVATE:bo@example.com", "ANON:Cy"):
        path = f"/v1/admin/players/{ids[name]}/personal-data"
        erased = await guest.client.delete(path, headers=bearer(operator))
        assert erased.is_success, erased.text
    given = await sheet(guest, session_id, key)
    assert players(guest, given)[:3] == ["ada@example.com", "(erased)", "(erased)"]
    assert players(guest, await sheet(guest, session_id, operator))[:3] == players(guest, given)[:3]
    sent = await guest.client.post(
        "/v1/sheets", content=given.content, headers={**bearer(key), "Content-Type": "text/csv"}
    )
    body = problem(sent, 422, "invalid_sheet")
    assert [(each["row"], each["column"]) for each in body["errors"]] == [(7, "A"), (8, "A")]
    assert await guest.private_words() == 0


async def test_who_is_forgotten_leaves_no_word_under_any_address(guest: Guest) -> None:
    ids = []
    for slug, name in (("a-club", "ada"), ("another-club", "ada.b")):
        seats = [(f"PRIVATE:{name}@example.com", 1, 1.0), (f"with.{name}@example.com", 0, -1.0)]
        answer = await guest.submit(a_night(a_round(*seats)), await guest.source_key(slug))
        ids.append(answer.json()["results"][0]["player_id"])
    assert await guest.private_words() == 2
    operator = bearer(await guest.operator_key())
    path = f"/v1/admin/players/{ids[0]}"
    merged = await guest.client.post(f"{path}/merge", json={"into": ids[1]}, headers=operator)
    assert merged.is_success, merged.text
    erased = await guest.client.delete(f"{path}/personal-data", headers=operator)
    assert erased.is_success, erased.text
    assert await guest.private_words() == 0


async def test_merged_players_have_the_address_that_the_source_sent(
    guest: Guest,
) -> None:
    key, other = await guest.source_key(), await guest.source_key("another-club")
    here = await guest.submit(
        a_night(a_round(("ada@example.com", 1, 1), ("eve@example.com", 0, -1))), key
    )
    there = await guest.submit(
        a_night(a_round(("ada@work.example.com", 1, 1), ("gus@example.com", 0, -1))), other
    )
    (mine, theirs) = (each.json()["results"][0]["player_id"] for each in (here, there))
    merged = await guest.client.post(
        f"/v1/admin/players/{mine}/merge",
        json={"into": theirs},
        headers=bearer(await guest.operator_key()),
    )
    assert merged.is_success, merged.text
    session_id = here.json()["session_id"]
    given = await sheet(guest, session_id, key)
    assert players(guest, given) == ["ada@example.com", "eve@example.com"]
    headers = {**bearer(key), "Content-Type": "text/csv"}
    again = await guest.client.post("/v1/sheets", content=given.content, headers=headers)
    assert (again.status_code, again.json()["session_id"]) == (200, session_id)


async def test_whom_the_operator_put_in_is_shown_to_the_operator_alone(
    guest: Guest,
) -> None:
    key, operator = await guest.source_key(), await guest.operator_key()
    first = await submitted(
        guest, a_night(a_round(("ada@example.com", 1, 1), ("eve@example.com", 0, -1))), key
    )

    async def correct(session_id: str, by: str, *names: str) -> str:
        seats = [(name, int(not at), 1.0) for at, name in enumerate(names)]
        answer = await guest.client.post(
            f"/v1/sessions/{session_id}/corrections",
            json=json.loads(guest.own(json.dumps(a_night(a_round(*seats))))),
            headers=bearer(by),
        )
        assert answer.status_code == 201, answer.text
        return str(answer.json()["session_id"])

    second = await correct(first, operator, "ada@example.com", "PRIVATE:ina@example.com")
    assert players(guest, await sheet(guest, second, key)) == ["ada@example.com", "(not shown)"]
    assert players(guest, await sheet(guest, second, operator))[1] == "ina@example.com"
    # What was corrected is still what was sent; and the source's own correction is its own word.
    assert players(guest, await sheet(guest, first, key)) == ["ada@example.com", "eve@example.com"]
    third = await correct(second, key, "ada@example.com", "PRIVATE:jo@example.com")
    assert players(guest, await sheet(guest, third, key)) == [
        "ada@example.com",
        "PRIVATE:jo@example.com",
    ]


async def test_the_template_is_public_kept_by_caches_and_submits_once_it_is_filled_in(
    guest: Guest,
) -> None:
    key = await guest.source_key()
    claims = []
    for kind, media_type in TYPES.items():
        path = f"/v1/sheets/template.{kind}"
        given = await guest.client.get(path)
        assert given.status_code == 200
        assert given.headers["Content-Type"] == media_type
        assert given.headers["Cache-Control"] == "public, max-age=86400"
        assert given.headers["Access-Control-Allow-Origin"] == "*"
        name = f'attachment; filename="mahjic-score-sheet.{kind}"'
        assert given.headers["Content-Disposition"] == name
        held = {"If-None-Match": given.headers["ETag"]}
        assert (await guest.client.get(path, headers=held)).status_code == 304
        headers = {**bearer(key), "Content-Type": media_type}
        dry_run = partial(guest.client.post, "/v1/sheets?dry_run=true", headers=headers)
        errors = problem(await dry_run(content=given.content), 422, "invalid_sheet")["errors"]
        assert [each["code"] for each in errors] == ["example_row"] * 8
        dry = await dry_run(content=filled_in(given.content, kind))
        assert dry.status_code == 200, dry.text
        claims.append(dry.json()["claim"])
    assert claims[0] == claims[1]
    assert [len(each["players"]) for each in claims[0]["rounds"]] == [4, 4]
    assert [each["points"] for each in claims[0]["rounds"][1]["players"]] == [20, 65, -25, -60]


def filled_in(template: bytes, kind: str) -> bytes:
    """Return a template with people of a club in the place of those of the example."""
    if kind == "csv":
        return template.replace(b"@example.com", b"@club.example")
    book = openpyxl.load_workbook(io.BytesIO(template))
    for row in book.worksheets[0].iter_rows():
        for cell in row:
            if isinstance(cell.value, str):
                cell.value = cell.value.replace("@example.com", "@club.example")
    filled = io.BytesIO()
    book.save(filled)
    return filled.getvalue()


async def test_no_cell_of_a_sheet_is_a_formula(guest: Guest) -> None:
    key = await guest.source_key()
    claim = a_night(a_round(("=1+1@example.com", 1, 1), ("-bo@example.com", 0, -1)))
    session_id = await submitted(guest, claim, key)
    book = openpyxl.load_workbook(io.BytesIO((await sheet(guest, session_id, key, "xlsx")).content))
    kinds = {cell.value: cell.data_type for row in book.worksheets[0].iter_rows() for cell in row}
    assert (kinds[guest.own("=1+1@example.com")], kinds[guest.own("-bo@example.com")]) == ("s", "s")
    given = await sheet(guest, session_id, key)
    assert players(guest, given) == ["'=1+1@example.com", "'-bo@example.com"]
    headers = {**bearer(key), "Content-Type": "text/csv"}
    again = await guest.client.post("/v1/sheets", content=given.content, headers=headers)
    assert (again.status_code, again.json()["session_id"]) == (200, session_id)
