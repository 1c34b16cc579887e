"""Nights that come again, as the commands show them; and files of another kind than they take."""

import gzip
import json
from pathlib import Path

import pytest

from shared.answers.nights import CorrectionTrialAnswer
from shared.sheets.template import template_csv, template_xlsx
from tests.cli.running import Ended, mahjic
from tests.cli.scripted import ScriptedService, Told
from tests.conftest import Database
from tests.log.deadlines import deadline
from tests.processes import Served, serving

PROBLEM = "application/problem+json"
GAMES = "2026-01-03\nAnn Bea Cy Di\n3 - - d\n2026-01-10\nAnn Bea Cy Di\n- 4 - d\n"
MAP = "Ann ann@example.com\nBea bea@example.com\nCy cy@example.com\nDi ANON:Di\n"
SHEET = """Date: 2026-01-31
Game Type: Social
Player Email,Mahjongs
ROUND 1 | Games Played: 4 | Wall Games: 1
ann@example.com,2
bea@example.com,1
"""
SECOND_HALF = """Date: 2026-01-31
Game Type: Social
Player Email,Mahjongs
ROUND 2 | Games Played: 2 | Wall Games: 0
ann@example.com,0
bea@example.com,2
"""
CLAIM = {"session_date": "2026-01-31", "game_type": "social", "rounds": []}
COUNT = "SELECT count(*) FROM mahjic.submissions WHERE status = 'accepted'"


@pytest.fixture
async def folder(tmp_path: Path) -> Path:
    (tmp_path / "scores.txt").write_text(GAMES)
    (tmp_path / "players").write_text(MAP)
    (tmp_path / "night.csv").write_text(SHEET)
    (tmp_path / "later.csv").write_text(SECOND_HALF)
    return tmp_path


def said(served: Served, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAHJIC_URL", served.url)
    monkeypatch.setenv("MAHJIC_KEY", key)


async def a_key() -> str:
    await mahjic("source", "add", "columbus", "--name", "Columbus", "--type", "club")
    return (await mahjic("key", "create", "columbus")).stdout.strip()


def command_in(ended: Ended, begin: str) -> list[str]:
    """Return the words of the command that a refusal gives, after `mahjic`."""
    (line,) = (each for each in ended.stderr.splitlines() if each.strip().startswith(begin))
    return line.split()[1:]


async def test_case_201_a_file_of_games_names_each_night_and_one_old_one_holds_up_no_other(
    own_database: Database, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = folder / "scores.txt"
    submit = ("score", "hk", str(scores), "--players", str(folder / "players"), "--submit")
    async with serving({"MAHJIC_DATABASE_URL": own_database.dsn}) as served:
        said(served, await a_key(), monkeypatch)
        assert (await mahjic(*submit)).exit_code == 0
        # One has grown, one is the same, one was edited, and one is new.
        scores.write_text(GAMES.replace("3 - - d", "3 - - d\n- 3 d -") + "2026-01-17\n- - - 2\n")
        again = await mahjic(*submit)
        assert again.exit_code == 1
        assert "2 of 3 sessions are recorded." in again.stderr
        assert "2026-01-03: night_changed: this night is on record as ses_" in again.stderr
        assert "It has 2 games, and had 1." in again.stderr
        assert await own_database.pool.fetchval(COUNT) == 3
        before = again.stderr.index("mahjic correct ses_")
        assert before < again.stderr.index("--allow-duplicate")

        corrected = await mahjic(*command_in(again, "mahjic correct"))
        assert corrected.exit_code == 0, corrected.stderr
        done = await mahjic(*submit)
        assert done.exit_code == 0, done.stderr
        assert await own_database.pool.fetchval(COUNT) == 3


async def test_a_night_in_two_sheets_is_one_session_at_once_or_by_a_correction(
    own_database: Database, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, later = str(folder / "night.csv"), str(folder / "later.csv")
    async with serving({"MAHJIC_DATABASE_URL": own_database.dsn}) as served:
        said(served, await a_key(), monkeypatch)
        assert (await mahjic("sheet", first)).exit_code == 0
        both = await mahjic("sheet", first, later)
        assert both.exit_code == 1
        assert "has grown since" in both.stderr
        words = command_in(both, "mahjic correct")
        assert words[2:] == [first, later]

        tried = await mahjic(*words, "--dry-run")
        assert tried.exit_code == 0, tried.stderr
        assert [row[:2] for row in tried.rows[1:]] == [["round 1", "same"], ["round 2", "new"]]
        assert "on record, and it has grown. Nothing was recorded." in tried.stderr
        assert await own_database.pool.fetchval(COUNT) == 1
        corrected = await mahjic(*words, "--note", "The second half.")
        assert corrected.exit_code == 0, corrected.stderr
        again = await mahjic(*words, "--note", "The second half.")
        assert (again.exit_code, again.stdout) == (0, corrected.stdout), again.stderr
        changed = await mahjic("correct", words[1], later)
        assert (changed.exit_code, "already_corrected: " in changed.stderr) == (1, True)
        assert await own_database.pool.fetchval("SELECT count(*) FROM mahjic.submissions") == 2

        half = await mahjic("sheet", later)
        assert half.exit_code == 1
        assert "with this one, without what is missing:" in half.stderr
        assert "in another file, name both files" in half.stderr
        one = folder / "one.csv"
        one.write_text(
            SHEET.replace("ann@example.com,2", "ann@example.com,3").replace(": 1", ": 0")
        )
        edited = await mahjic("sheet", str(one))
        assert edited.exit_code == 1
        assert "row 4: changed: ann@example.com has 3 mahjongs, and had 2." in edited.stderr
        by_one = await mahjic(*command_in(edited, "mahjic correct"), "--json")
        assert by_one.exit_code == 0, by_one.stderr
        assert len(json.loads(by_one.stdout)["rounds"]) == 1
        unknown = await mahjic("correct", "ses_01HZX3Y5ZQ8W6V4T2R0PNMKJHG", first)
        assert unknown.stderr.startswith("unknown_session: ")


async def both_listed() -> list[str]:
    """Return the ids of two sessions, once the list shows both; it follows a moment later."""
    async with deadline():
        while len((listed := await mahjic("sessions")).rows) < 3:
            pass
    return [row[1] for row in listed.rows[1:]]


async def test_a_command_names_its_own_option_and_no_member_of_json(
    own_database: Database, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    night, games = str(folder / "night.csv"), str(folder / "scores.txt")
    scored = ("score", "hk", games, "--players", str(folder / "players"), "--submit")
    async with serving({"MAHJIC_DATABASE_URL": own_database.dsn}) as served:
        said(served, await a_key(), monkeypatch)
        for command in (("sheet", night), scored):
            assert (await mahjic(*command)).exit_code == 0
        for session_id in await both_listed():
            assert (await mahjic("void", session_id, "--reason", "test_entry")).exit_code == 0
        for command in (("sheet", night), scored):
            for words, code in ((command, 4), ((*command, "--dry-run"), 0)):
                ended = await mahjic(*words)
                assert (ended.exit_code, "session_voided" in ended.stderr) == (code, True)
                assert "send it again with --allow-duplicate, or correct" in ended.stderr
                assert '"allow_duplicate"' not in ended.stderr
        folder.joinpath("night.csv").write_text(SHEET.replace("bea@example.com,1", "bea,x"))
        wrong = await mahjic("sheet", night)
        assert "Correct what is listed here" in wrong.stderr
        (folder / "night.json").write_text("{}")
        asked = [await mahjic("submit", str(folder / "night.json"))]
        asked.append(await mahjic("sessions", "--from", "1/2/2026"))
        for each in (wrong, *asked):
            assert (each.exit_code, "`errors`" in each.stderr) == (1, False)


async def test_sheets_of_two_dates_are_not_one_night(
    service: ScriptedService, folder: Path
) -> None:
    other = {**CLAIM, "session_date": "2026-02-01"}
    service.told = [Told(200, {"claim": each, "warnings": []}) for each in (CLAIM, other)]
    ended = await mahjic("sheet", str(folder / "night.csv"), str(folder / "later.csv"))
    assert (ended.exit_code, len(service.asked)) == (1, 2)
    assert ended.stderr.startswith("files_differ: A session has one date")


async def test_a_file_of_games_with_several_nights_corrects_by_the_one_that_is_named(
    service: ScriptedService, folder: Path
) -> None:
    correct = ["correct", "ses_1", str(folder / "scores.txt"), "--score", "hk", "--dry-run"]
    correct += ["--players", str(folder / "players")]
    several = await mahjic(*correct)
    assert (several.exit_code, service.asked) == (2, [])
    assert "2026-01-03, 2026-01-10" in " ".join(several.stderr.split())
    answer: CorrectionTrialAnswer = {
        "corrects": "ses_1",
        "status": "dry_run",
        "kind": "same",
        "claim": {},
        "rounds": [],
        "warnings": [],
    }
    service.told = [Told(200, answer)]
    ended = await mahjic(*correct, "--night", "2026-01-10")
    assert ended.exit_code == 0, ended.stderr
    (asked,) = service.asked
    assert asked.path == "/v1/sessions/ses_1/corrections?dry_run=true"
    assert json.loads(asked.body)["session_date"] == "2026-01-10"


async def test_what_befalls_every_night_ends_a_submission_at_once(
    service: ScriptedService, folder: Path
) -> None:
    told = {"code": "invalid_key", "detail": "No such key.", "status": 401}
    service.told = [Told(401, told, PROBLEM)]
    players = str(folder / "players")
    ended = await mahjic(
        "score", "hk", str(folder / "scores.txt"), "--players", players, "--submit"
    )
    assert (ended.exit_code, len(service.asked)) == (1, 1)


FILES = {
    "workbook": (template_xlsx(), "mahjic sheet"),
    "sheet": (template_csv(), "mahjic sheet"),
    "session": (json.dumps(CLAIM).encode(), "mahjic submit"),
    "long session": (json.dumps(CLAIM, indent=1).encode(), "mahjic submit"),
    "sessions": (b"\n".join([json.dumps(CLAIM).encode()] * 2), "mahjic import"),
    "packed": (gzip.compress(b"{}"), "mahjic import"),
    "games": (GAMES.encode(), "mahjic score hk"),
    "archive": (b"PK\x05\x06" + bytes(18), "a ZIP archive"),
    "PDF": (b"%PDF-1.7\n", "a PDF document"),
    "picture": (b"\x89PNG\r\n\x1a\n", "a picture"),
    "web page": (b"<!doctype html><html>", "a web page"),
}
COMMANDS = {
    "submit": (("submit", "FILE"), {"session", "long session"}),
    "sheet": (("sheet", "FILE"), {"workbook", "sheet"}),
    "score": (("score", "hk", "FILE"), {"games"}),
    "correct": (
        ("correct", "ses_1", "FILE"),
        {"workbook", "sheet", "session", "long session"},
    ),
    "import": (("import", "FILE"), {"sessions", "session", "long session", "packed"}),
}


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize("command", COMMANDS)
async def test_a_file_of_another_kind_is_named_by_every_command_and_not_sent(
    service: ScriptedService, tmp_path: Path, command: str, kind: str
) -> None:
    content, words = FILES[kind]
    arguments, taken = COMMANDS[command]
    if kind in taken:
        return
    file = tmp_path / "a file"
    file.write_bytes(content)
    ended = await mahjic(*(str(file) if each == "FILE" else each for each in arguments))
    assert ended.exit_code == (2 if command == "import" else 1)
    assert ended.stderr.startswith(f"other_kind_of_file: {file} is ")
    assert words in ended.stderr
    assert service.asked == []
    assert not file.with_name("a file.tsv").exists()


@pytest.mark.parametrize("command", ["submit", "sheet", "correct"])
async def test_what_nobody_can_tell_is_left_to_the_service(
    service: ScriptedService, tmp_path: Path, command: str
) -> None:
    told = {"code": "malformed_json", "detail": "No.", "status": 400}
    service.told = [Told(400, told, PROBLEM)]
    file = tmp_path / "a file"
    file.write_bytes(b"whatever this may be")
    arguments = ["ses_1"] if command == "correct" else []
    ended = await mahjic(command, *arguments, str(file))
    assert (ended.exit_code, len(service.asked)) == (1, 1)


async def test_whole_nights_are_asked_for_by_their_own_address(
    service: ScriptedService, tmp_path: Path
) -> None:
    told = {"code": "forbidden", "detail": "No.", "status": 403}
    service.told = [Told(403, told, PROBLEM)]
    file = tmp_path / "nights.ndjson"
    file.write_bytes(json.dumps(CLAIM).encode() + b"\n")
    await mahjic("import", str(file), "--whole-nights")
    assert service.asked[0].path == "/v1/sessions/batch?whole_nights=true"
