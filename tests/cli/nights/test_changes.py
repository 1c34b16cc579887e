"""The commands that change the past: what they send, and how they show who moved."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import mahjic
from tests.cli.scripted import ScriptedService, Told

SESSION, OTHER = "ses_01HZX3Y5ZQ8W6V4T2R0PNMKJHG", "ses_01HZX3Y5ZQ8W6V4T2R0PNMKJHH"
ADA, BO = "MJ-7K3Q9XZM", "MJ-ABCDEFGG"
CLAIM = b'{"session_date": "2026-01-31", "game_type": "social", "rounds": []}'
SOON = {"Retry-After": "0"}
PROBLEM = "application/problem+json"


def change(player_id: str, before: float, by: float, verified: float = 0) -> dict[str, Any]:
    return {
        "player_id": player_id,
        "mahjic_id": player_id,
        "rating_before": before,
        "rating_after": before + by,
        "rating_change": by,
        "games_before": 8,
        "games_after": 4,
        "verified_rating_before": 1500,
        "verified_rating_after": 1500 + verified,
        "verified_rating_change": verified,
        "verified_games_before": 0,
        "verified_games_after": 0,
    }


EFFECT = {
    "fact_seq": 17,
    "players_moved": 5,
    "changes": [change(ADA, 1516, -16), change(BO, 1484.25, 15.5, 2)],
    "others_moved": 3,
}
VOIDED = {
    "session_id": SESSION,
    "status": "voided",
    "seq": 9,
    "reason": "not_played",
    "fact_seq": 17,
    "effect": EFFECT,
}
CORRECTED = {
    "session_id": OTHER,
    "status": "rated",
    "seq": 9,
    "counts": True,
    "results": [],
    "rounds": [],
    "warnings": [{"pointer": "/rounds/0", "code": "points_do_not_cancel", "message": "Odd."}],
    "corrects": SESSION,
    "reason": "wrong_result",
    "fact_seq": 17,
    "effect": EFFECT,
}
MERGED: dict[str, Any] = {
    "player_id": ADA,
    "into": BO,
    "is_merged": True,
    "fact_seq": 17,
    "seq": 17,
}
RESEATED = {
    "player_id": ADA,
    "to": BO,
    "session_ids": [SESSION],
    "skipped": [],
    "fact_seq": 17,
    "seq": 17,
    "effect": EFFECT,
}
MERGED["effect"] = EFFECT


@pytest.fixture
def claim(tmp_path: Path) -> str:
    file = tmp_path / "night.json"
    file.write_bytes(CLAIM)
    return str(file)


async def test_a_void_shows_who_moved_and_how_many_more(service: ScriptedService) -> None:
    service.told = [Told(201, VOIDED)]
    ended = await mahjic("void", SESSION, "--reason", "not_played", "--note", "Rained off.")
    assert ended.exit_code == 0
    head, ada, bo = ended.rows
    assert head == [
        "player_id", "rating_before", "rating_after", "rating_change", "games_before",
        "games_after", "verified_rating_before", "verified_rating_after",
        "verified_rating_change", "verified_games_before", "verified_games_after", "player",
    ]  # fmt: skip
    assert ada[:6] == [ADA, "1516.00", "1500.00", "-16.00", "8", "4"]
    assert bo == [
        BO, "1484.25", "1499.75", "+15.50", "8", "4", "1500.00", "1502.00", "+2.00", "0", "0", "-",
    ]  # fmt: skip
    assert "5 moved; 3 of them are not listed here." in ended.stderr
    (asked,) = service.asked
    assert (asked.method, asked.path) == ("POST", f"/v1/sessions/{SESSION}/void")
    assert json.loads(asked.body) == {"reason": "not_played", "note": "Rained off."}
    assert asked.headers["Authorization"] == "Bearer mjk_" + "k" * 43
    assert asked.headers["Prefer"].startswith("wait=")


async def test_several_sessions_are_voided_at_once(service: ScriptedService) -> None:
    voided = {k: v for k, v in VOIDED.items() if k != "session_id"}
    service.told = [Told(201, {**voided, "session_ids": [SESSION], "skipped": [OTHER]})]
    ended = await mahjic("void", SESSION, OTHER, "--reason", "test_entry")
    assert ended.exit_code == 0
    (asked,) = service.asked
    assert asked.path == "/v1/admin/sessions/void"
    assert json.loads(asked.body) == {"session_ids": [SESSION, OTHER], "reason": "test_entry"}
    assert f"Voided before: {OTHER}." in ended.stderr


async def test_a_reason_is_one_of_the_list_and_must_be_there(service: ScriptedService) -> None:
    service.told = [Told(201, VOIDED)]
    for arguments in ((), ("--reason", "bored")):
        ended = await mahjic("void", SESSION, *arguments)
        assert ended.exit_code == 2
        assert "--reason" in ended.stderr
    assert service.asked == []


async def test_a_correction_sends_the_file_as_it_is(service: ScriptedService, claim: str) -> None:
    service.told = [Told(201, CORRECTED)]
    ended = await mahjic("correct", SESSION, claim)
    assert ended.exit_code == 0
    assert [row[0] for row in ended.rows] == ["player_id", ADA, BO]
    assert "points_do_not_cancel: Odd." in ended.stderr
    assert f"{OTHER} replaces {SESSION}; it is rated." in ended.stderr
    (asked,) = service.asked
    assert (asked.path, asked.body) == (f"/v1/sessions/{SESSION}/corrections", CLAIM)


async def test_a_correction_takes_its_reason_and_note_from_the_options(
    service: ScriptedService, claim: str
) -> None:
    service.told = [Told(201, CORRECTED)]
    await mahjic("correct", SESSION, claim, "--reason", "wrong_players", "--note", "Not Bo.")
    (asked,) = service.asked
    said = {"reason": "wrong_players", "note": "Not Bo."}
    assert json.loads(asked.body) == {**json.loads(CLAIM), **said}


@pytest.mark.parametrize("content", [b"{", b"[]"])
async def test_what_is_no_session_is_not_sent(
    service: ScriptedService, tmp_path: Path, content: bytes
) -> None:
    service.told = [Told(201, CORRECTED)]
    file = tmp_path / "broken.json"
    file.write_bytes(content)
    ended = await mahjic("correct", SESSION, str(file), "--reason", "other")
    assert ended.exit_code == 1
    assert ended.stderr.startswith("unreadable_file: ")
    assert service.asked == []


@pytest.mark.parametrize(
    "content",
    [
        b'\n {"points": 12.34000000000000000001}',
        b'{"mahjongs": 1, "mahjongs": 3}',
        b'{"games": 2.0}\n',
        b"{}",
    ],
)
async def test_what_the_options_say_is_added_to_the_file_as_it_stands(
    service: ScriptedService, tmp_path: Path, content: bytes
) -> None:
    service.told = [Told(201, CORRECTED)]
    file = tmp_path / "odd.json"
    file.write_bytes(content)
    await mahjic("correct", SESSION, str(file), "--reason", "other")
    (asked,) = service.asked
    assert content.strip()[1:] in asked.body
    assert json.loads(asked.body) == {**json.loads(content), "reason": "other"}


async def test_a_reason_is_given_in_one_place(service: ScriptedService, tmp_path: Path) -> None:
    file = tmp_path / "said.json"
    file.write_bytes(b'{"reason": "wrong_players"}')
    ended = await mahjic("correct", SESSION, str(file), "--reason", "other")
    assert (ended.exit_code, service.asked) == (1, [])
    assert "also says reason. Say it in one place only." in ended.stderr


async def test_merges_name_players_in_any_case(service: ScriptedService) -> None:
    service.told = [Told(201, MERGED)]
    ended = await mahjic("merge", ADA.lower(), "--into", BO.lower(), "--note", "One woman.")
    assert ended.exit_code == 0
    assert [row[0] for row in ended.rows] == ["player_id", ADA, BO]
    assert f"{ADA} is merged into {BO}, from fact 17 on." in ended.stderr
    service.told = [Told(201, {**MERGED, "is_merged": False})]
    ended = await mahjic("unmerge", ADA)
    assert f"{ADA} is no longer merged into {BO}, from fact 17 on." in ended.stderr
    assert [(asked.path, json.loads(asked.body)) for asked in service.asked] == [
        (f"/v1/admin/players/{ADA}/merge", {"into": BO, "note": "One woman."}),
        (f"/v1/admin/players/{ADA}/unmerge", {}),
    ]


async def test_seats_are_given_to_another_address(service: ScriptedService) -> None:
    service.told = [Told(201, RESEATED)]
    address = "karen@example.com"
    ended = await mahjic("reseat", ADA.lower(), SESSION, "--email", address, "--note", "A couple.")
    assert ended.exit_code == 0
    assert [row[0] for row in ended.rows] == ["player_id", ADA, BO]
    told = f"The seats of {ADA} in {SESSION} are those of {BO}, from fact 17 on."
    assert told in ended.stderr
    service.told = [Told(201, {**RESEATED, "session_ids": [SESSION, "ses_2"]})]
    ended = await mahjic("reseat", ADA, SESSION, "ses_2", "--email", address)
    assert f"The seats of {ADA} in 2 sessions are those of {BO}" in ended.stderr
    assert [(asked.path, json.loads(asked.body)) for asked in service.asked] == [
        (
            f"/v1/admin/players/{ADA}/reseat",
            {"sessions": [SESSION], "email": address, "note": "A couple."},
        ),
        (
            f"/v1/admin/players/{ADA}/reseat",
            {"sessions": [SESSION, "ses_2"], "email": address},
        ),
    ]


async def test_a_mistyped_player_is_not_sent(service: ScriptedService) -> None:
    service.told = [Told(201, MERGED)]
    for arguments in ((ADA, "--into", "MJ-ABCDEFGH"), ("MJ-ABCDEFGH", "--into", ADA)):
        ended = await mahjic("merge", *arguments)
        assert ended.exit_code == 1
        assert ended.stderr.startswith("mistyped_player_id: ")
    assert service.asked == []


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        (("void", SESSION, "--reason", "other"), VOIDED),
        (("correct", SESSION, "CLAIM"), CORRECTED),
        (("merge", ADA, "--into", BO), MERGED),
        (("unmerge", ADA), MERGED),
        (("reseat", ADA, SESSION, "--email", "karen@example.com"), RESEATED),
    ],
    ids=["void", "correct", "merge", "unmerge", "reseat"],
)
async def test_a_change_is_asked_for_until_its_effect_is_known(
    service: ScriptedService, claim: str, arguments: tuple[str, ...], answer: dict[str, Any]
) -> None:
    given = [claim if each == "CLAIM" else each for each in arguments]
    pending = {**answer, "effect": None}
    service.told = [Told(202, pending, headers=SOON), Told(None), Told(200, answer)]
    ended = await mahjic(*given, "--json")
    assert (ended.exit_code, json.loads(ended.stdout)) == (0, answer)
    assert len({(asked.path, asked.body) for asked in service.asked}) == 1
    assert len(service.asked) == 3
    # Whoever does not wait is told that it holds all the same.
    service.told = [Told(202, pending, headers={"Retry-After": "1"})]
    ended = await mahjic(*given, "--wait", "0")
    assert ended.exit_code == 0
    assert "It counts; the ratings will follow." in ended.stderr


async def test_what_the_service_refuses_is_told_with_its_code(service: ScriptedService) -> None:
    problem = {"code": "already_corrected", "detail": f"{SESSION} is corrected already."}
    service.told = [Told(409, problem, PROBLEM)]
    ended = await mahjic("void", SESSION, "--reason", "other")
    assert (ended.exit_code, ended.stdout) == (1, "")
    assert ended.stderr == f"already_corrected: {SESSION} is corrected already.\n"


def found(player_id: str, player: str | None, name: str | None = None) -> dict[str, Any]:
    return {
        "player_id": player_id,
        "mahjic_id": player_id,
        "player": player,
        "name": name,
        "privacy": "private",
        "last_session": {"session_id": SESSION, "session_date": "2026-01-31"},
        "rating": 1516.25,
        "games": 8,
        "verified_rating": 1500,
        "verified_games": 0,
        "is_verified": None,
        "named_by": [],
    }


PEOPLE = [found(ADA, "ada@example.com", "Ada B."), found(ADA, "ANON:Lucky"), found(BO, None)]
FOUND = Told(200, {"seq": 1, "people": PEOPLE, "has_more": False})


@pytest.mark.parametrize("command", ["void", "correct", "merge", "unmerge"])
async def test_each_table_of_a_change_says_what_its_reader_calls_the_players(
    service: ScriptedService, claim: str, command: str
) -> None:
    arguments, told = {
        "void": ((SESSION, "--reason", "not_played"), VOIDED),
        "correct": ((SESSION, claim), CORRECTED),
        "merge": ((ADA, "--into", BO), MERGED),
        "unmerge": ((ADA,), MERGED),
    }[command]
    service.told, service.found = [Told(201, told)], FOUND
    ended = await mahjic(command, *arguments)
    assert ended.exit_code == 0, ended.stderr
    names = [(row[0], row[-1]) for row in ended.rows]
    assert names == [
        ("player_id", "player"),
        (ADA, "ada@example.com (Ada B.), ANON:Lucky"),
        (BO, "-"),
    ]
    (asked,) = service.looked_up
    assert json.loads(asked.body) == {"player_ids": [ADA, BO]}
    # The change holds, whatever becomes of the names.
    problem = {"code": "too_many_requests", "detail": "Slower.", "status": 429}
    service.told = [Told(201, told)]
    service.found = Told(429, problem, PROBLEM)
    ended = await mahjic(command, *arguments)
    assert (ended.exit_code, ended.rows[1][-1]) == (0, "-")
    assert "could not be looked up: Slower." in ended.stderr


async def test_who_shows_whom_one_has_had_and_says_when_there_is_nobody(
    service: ScriptedService,
) -> None:
    service.found = FOUND
    ended = await mahjic("who", "Ada")
    assert ended.exit_code == 0
    assert ended.rows[1] == [
        "ada@example.com", "Ada B.", ADA, "private", "1516.25", "8", "1500.00", "0", SESSION,
        "2026-01-31",
    ]  # fmt: skip
    assert "after your last session" in ended.stderr
    (asked,) = service.looked_up
    assert (asked.method, json.loads(asked.body)) == ("POST", {"who": "Ada"})
    shown = await mahjic("who", "Ada", "--json")
    assert json.loads(shown.stdout)["people"] == PEOPLE
    service.found = Told(200, {"seq": 1, "people": [], "has_more": False})
    nobody = await mahjic("who", "Ada")
    assert (nobody.exit_code, nobody.stdout) == (1, "")
    assert "No one found." in nobody.stderr
