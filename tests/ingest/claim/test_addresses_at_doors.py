# ruff: noqa: RUF001 - the letters that look alike are meant.
"""What stands in the place of an address is judged alike at every door, in the same words."""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from services.ingest.claim.people import what_is_wrong
from tests.cli.running import mahjic
from tests.ingest.claims import Claim, a_session
from tests.ingest.guests import Guest
from tests.service import bearer

# Who this is, in the letters of different keyboards: one person.
SPELLINGS = (
    "hal@one.example",
    "ＨＡＬ@one.example",
    "hal＠ｏｎｅ．example",
    "\u210cal@ONE.example",
)
REFUSED = ("carol@gmail", "x@localhost", "x@127.0.0.1", "x@[127.0.0.1]", "x@[IPv6:::1]", "Carol")

Door = Callable[[Guest, Path, str], Awaitable[str]]


def a_night(text: str) -> Claim:
    seats: list[Claim] = [{"email": text}, {"email": "bo@example.com", "mahjongs": 1}]
    players = [{"games_played": 1, "mahjongs": 0, **seat} for seat in seats]
    return a_session({"players": players, "wall_games": 0})


async def by_json(guest: Guest, _: Path, text: str) -> str:
    answer = await guest.submit(a_night(text), await guest.source_key())
    return answer.text


async def by_batch(guest: Guest, _: Path, text: str) -> str:
    line = json.dumps(a_night(text))
    headers = {**bearer(await guest.source_key()), "Content-Type": "application/x-ndjson"}
    return (await guest.client.post("/v1/sessions/batch", content=line, headers=headers)).text


async def by_sheet(guest: Guest, _: Path, text: str) -> str:
    rows = [
        ["Date: 2026-01-31"],
        ["Game Type: Social"],
        ["ROUND 1 | Games Played: 1 | Wall Games: 0"],
    ]
    rows += [["Player Email", "Mahjongs"], [text, "0"], ["bo@example.com", "1"]]
    content = "\n".join(",".join(row) for row in rows)
    headers = {**bearer(await guest.source_key()), "Content-Type": "text/csv"}
    return (await guest.client.post("/v1/sheets", content=content, headers=headers)).text


async def by_score(guest: Guest, _: Path, text: str) -> str:
    people = {"Ann": text, "Bea": "b@x.org", "Cy": "c@x.org", "Di": "d@x.org"}
    body = {"games": "2026-01-31\nAnn Bea Cy Di\n3 - - d\n", "players": people}
    return (await guest.client.post("/v1/score/hk?session=true", json=body)).text


async def by_players_file(_: Guest, folder: Path, text: str) -> str:
    games, players = folder / "games.txt", folder / "players.txt"
    games.write_text("2026-01-31\nAnn Bea Cy Di\n3 - - d\n")
    players.write_text(f"Ann {text}\nBea b@x.org\nCy c@x.org\nDi d@x.org\n")
    ended = await mahjic("score", "hk", str(games), "--session", "--players", str(players))
    return json.dumps(ended.stdout + ended.stderr)


async def by_register(guest: Guest, _: Path, text: str) -> str:
    headers = bearer(await guest.operator_key())
    return (
        await guest.client.post("/v1/admin/players", json={"email": text}, headers=headers)
    ).text


DOORS: list[Door] = [by_json, by_batch, by_sheet, by_score, by_players_file, by_register]


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("text", REFUSED)
async def test_what_is_no_address_is_refused_with_what_to_write(
    door: Door, text: str, guest: Guest, tmp_path: Path
) -> None:
    told = await door(guest, tmp_path, text)
    wrong = what_is_wrong(text)
    assert wrong is not None
    assert json.dumps(wrong[1], ensure_ascii=False)[1:-1] in told
    assert "invalid_email" in told


async def test_a_person_is_found_by_every_spelling_at_every_door(
    guest: Guest, tmp_path: Path
) -> None:
    found = set()
    for text in SPELLINGS:
        answer = json.loads(await by_register(guest, tmp_path, text))
        found.add(answer["mahjic_id"])
        for door in (by_json, by_batch, by_sheet):
            assert '"session_id"' in await door(guest, tmp_path, text)
    assert len(found) == 1
    emails = await guest.pool.fetch(
        "SELECT email FROM mahjic.people WHERE email LIKE '%@one.example' OR email LIKE '%\uff4f%'"
    )
    assert [row["email"] for row in emails] == ["hal@one.example"]


@pytest.mark.parametrize("text", ["Carol", "carol@gmail", "carol@example.com", "ANON:Carol"])
@pytest.mark.parametrize(
    "command", [("merge", "--into", "MJ-7K3Q9XZM"), ("unmerge",), ("verification", "grant")]
)
async def test_who_names_a_player_otherwise_than_by_id_is_told_what_an_id_is(
    command: tuple[str, ...], text: str
) -> None:
    ended = await mahjic(*command, text)
    assert ended.exit_code != 0
    assert ended.stderr.startswith("mistyped_player_id: Write a Mahjic ID here, not a name")
