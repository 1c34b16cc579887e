"""The command that scores: its table, the sessions that it makes, and what it leaves undone."""

import json
import re
import shutil
from pathlib import Path

import pytest

from shared.answers import SessionAnswer
from tests.cli.running import ROOT, Ended, call, end_of, mahjic, start
from tests.cli.scripted import ScriptedService, Told

VECTORS = Path(__file__).parents[2] / "vectors" / "hk"
RESULTS = (VECTORS / "RESULTS.txt").read_text()
REFUSED = re.findall(r"(?m)^(\S+) rc=1 .*line (\d+)\)", RESULTS)
SCORED = re.findall(r"(?m)^(\S+) rc=0", RESULTS)
NIGHTS = """\
2026-01-31
Ann Bea Cy Di
3 - - d
- - - -
2026-02-28
Di Cy Bea Ann
- - - 4
"""
MAP = """\
Ann ann@example.com
Bea PRIVATE:bea@example.com
Cy = cy@example.com
Di\tANON:Di  # on holiday here
"""
RATED: SessionAnswer = {
    "session_id": "ses_1",
    "status": "rated",
    "seq": 7,
    "counts": True,
    "results": [],
    "rounds": [],
    "warnings": [],
}
PROBLEM = "application/problem+json"


@pytest.fixture
def nights(tmp_path: Path) -> Path:
    """Return a folder with the scores of two nights and who played."""
    (tmp_path / "scores.txt").write_text(NIGHTS)
    (tmp_path / "players").write_text(MAP)
    return tmp_path


def of(nights: Path, *options: str) -> tuple[str, ...]:
    """Return the arguments that make sessions of the nights."""
    return ("hk", str(nights / "scores.txt"), "--players", str(nights / "players"), *options)


def written(folder: Path) -> set[str]:
    return {file.name for file in folder.iterdir()} - {"scores.txt", "players"}


@pytest.mark.parametrize("name", SCORED)
def test_the_table_is_written_beside_the_file_byte_for_byte(name: str, tmp_path: Path) -> None:
    shutil.copy(VECTORS / name, tmp_path)
    ended = call("score", "hk", str(tmp_path / name))
    assert (ended.exit_code, ended.stdout) == (0, "")
    assert (tmp_path / f"{name}.tsv").read_bytes() == (VECTORS / f"{name}.tsv").read_bytes()


@pytest.mark.parametrize(("name", "line"), REFUSED)
def test_a_mistake_is_told_with_file_and_line_and_nothing_is_written(
    name: str, line: str, tmp_path: Path
) -> None:
    shutil.copy(VECTORS / name, tmp_path)
    (tmp_path / f"{name}.tsv").write_text("of last week")
    ended = call("score", "hk", str(tmp_path / name))
    assert (ended.exit_code, ended.stdout) == (1, "")
    first, located = ended.stderr.splitlines()
    assert first.startswith(f"invalid_scores: 1 mistake found in {tmp_path / name}")
    assert located.startswith(f"  line {line}: ")
    assert (tmp_path / f"{name}.tsv").read_text() == "of last week"


def test_every_mistake_is_told_at_once(tmp_path: Path) -> None:
    file = tmp_path / "scores.txt"
    file.write_text("A B C D\n3 3 - -\n- - - -\nx\n")
    ended = call("score", "hk", str(file))
    assert re.findall(r"(?m)^  line (\d+)", ended.stderr) == ["2", "4"]
    assert written(tmp_path) == set()


def test_sessions_are_printed_a_line_for_each_date(nights: Path) -> None:
    ended = call("score", *of(nights, "--session"))
    assert ended.exit_code == 0
    january, february = map(json.loads, ended.stdout.splitlines())
    assert (january["session_date"], january["game_type"]) == ("2026-01-31", "league")
    assert january["rounds"][0]["wall_games"] == 1
    assert [(each["email"], each["points"]) for each in february["rounds"][0]["players"]] == [
        ("ANON:Di", -16),
        ("cy@example.com", -16),
        ("PRIVATE:bea@example.com", -16),
        ("ann@example.com", 48),
    ]
    assert written(nights) == {"scores.txt.tsv"}


def test_the_date_and_the_type_may_be_given(nights: Path) -> None:
    (nights / "scores.txt").write_text("Ann Bea Cy Di\n3 - - -\n")
    undated = call("score", *of(nights, "--session"))
    assert (undated.exit_code, written(nights)) == (1, set())
    assert "  line 2: no_date: " in undated.stderr
    ended = call("score", *of(nights, "--session", "--date", "2026-03-31", "--game-type", "social"))
    (claim,) = map(json.loads, ended.stdout.splitlines())
    assert (claim["session_date"], claim["game_type"]) == ("2026-03-31", "social")


def test_names_without_an_address_are_listed_and_nothing_is_written(nights: Path) -> None:
    (nights / "players").write_text("Ann ann@example.com\n")
    ended = call("score", *of(nights, "--session"))
    assert (ended.exit_code, ended.stdout, written(nights)) == (1, "", set())
    assert "Bea, Cy, Di" in ended.stderr


def test_a_mistake_in_the_map_is_told_with_its_line(nights: Path) -> None:
    (nights / "players").write_text(f"{MAP}nobody\n")
    ended = call("score", *of(nights, "--session"))
    assert (ended.exit_code, written(nights)) == (1, set())
    assert f"1 mistake found in {nights / 'players'}" in ended.stderr
    assert "  line 5: " in ended.stderr


@pytest.mark.parametrize(
    "options",
    [
        ("--session",),
        ("--submit",),
        ("--players", "players"),
        ("--date", "2026-01-31"),
        ("--session", "--players", "players", "--date", "31.1.2026"),
        ("--session", "--players", "players", "--game-type", "friendly"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    nights: Path, options: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(nights)
    ended = call("score", "hk", "scores.txt", *options)
    assert (ended.exit_code, ended.stdout, written(nights)) == (2, "", set())


def test_an_unknown_rule_book_is_refused(nights: Path) -> None:
    assert call("score", "riichi", str(nights / "scores.txt")).exit_code == 2


async def test_each_session_is_submitted_under_a_key_of_its_own(
    service: ScriptedService, nights: Path
) -> None:
    service.told = [Told(201, RATED)]
    printed = (await mahjic("score", *of(nights, "--session"))).stdout

    first, again = [await mahjic("score", *of(nights, "--submit")) for _ in range(2)]

    assert (first.exit_code, again.exit_code) == (0, 0)
    assert [asked.path for asked in service.asked] == ["/v1/sessions"] * 4
    assert [asked.body.decode() for asked in service.asked[:2]] == printed.splitlines()
    keys = [asked.headers["Idempotency-Key"] for asked in service.asked]
    assert keys[:2] == keys[2:]
    assert keys[0] != keys[1]
    assert "ses_1 is rated." in first.stderr
    assert written(nights) == {"scores.txt.tsv"}


async def test_a_refused_session_is_told_with_how_many_are_recorded(
    service: ScriptedService, nights: Path
) -> None:
    problem = {"code": "claim_refused", "detail": "1 mistake found.", "errors": []}
    service.told = [Told(201, RATED), Told(422, problem, PROBLEM)]
    ended = await mahjic("score", *of(nights, "--submit", "--json"))
    assert (ended.exit_code, json.loads(ended.stdout)) == (1, RATED)
    assert "1 of 2 sessions are recorded." in ended.stderr
    assert "claim_refused: 1 mistake found." in ended.stderr


async def test_a_session_that_the_rater_refused_is_a_failure(
    service: ScriptedService, nights: Path
) -> None:
    service.told = [Told(200, {**RATED, "status": "refused"}), Told(201, RATED)]
    ended = await mahjic("score", *of(nights, "--submit"))
    assert (ended.exit_code, len(service.asked)) == (1, 2)


@pytest.mark.parametrize(
    ("statuses", "code"),
    [(("voided", "rated"), 4), (("rated", "corrected"), 4), (("voided", "refused"), 1)],
)
async def test_nights_that_no_longer_count_are_a_failure_of_its_own(
    service: ScriptedService, nights: Path, statuses: tuple[str, ...], code: int
) -> None:
    service.told = [Told(200, {**RATED, "status": status}) for status in statuses]
    ended = await mahjic("score", *of(nights, "--submit"))
    assert (ended.exit_code, len(service.asked)) == (code, 2)


async def test_without_a_key_nothing_is_written(
    service: ScriptedService, nights: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MAHJIC_KEY")
    ended = await mahjic("score", *of(nights, "--submit"))
    assert (ended.exit_code, service.asked, written(nights)) == (2, [], set())


async def test_scores_and_players_cannot_both_come_through_one_pipe() -> None:
    program = await start("score", "hk", "-", "--session", "--players", "-")
    ended = await end_of(program, NIGHTS.encode())
    assert (ended.exit_code, ended.stdout) == (2, "")
    assert "cannot both come from stdin" in ended.stderr


def test_one_person_under_two_names_is_one_player(nights: Path) -> None:
    (nights / "players").write_text(f"{MAP}Annie private:ann@example.com\n")
    (nights / "scores.txt").write_text(
        NIGHTS.replace("Di Cy Bea Ann", "2026-01-31\nDi Cy Bea Annie")
    )
    ended = call("score", *of(nights, "--session"))
    (claim,) = map(json.loads, ended.stdout.splitlines())
    (only,) = claim["rounds"]
    ann = only["players"][0]
    assert "line 8: one_address_two_names: Ann (line 3) and Annie have the same" in ended.stderr
    assert (ann["email"], ann["games_played"]) == ("private:ann@example.com", 3)


async def test_scores_may_come_through_a_pipe(tmp_path: Path) -> None:
    program = await start("score", "hk", "-")
    ended = await end_of(program, (VECTORS / "historic.txt").read_bytes())
    assert ended == Ended(0, (VECTORS / "historic.txt.tsv").read_text(), "")


def test_a_table_that_cannot_be_written_is_told(nights: Path) -> None:
    (nights / "scores.txt.tsv").mkdir()
    ended = call("score", "hk", str(nights / "scores.txt"))
    assert ended.exit_code == 1
    assert ended.stderr.startswith(f"unwritable_file: {nights / 'scores.txt.tsv'} ")


@pytest.mark.parametrize("option", ["--version", "-v"])
def test_the_version_is_told_without_a_file(option: str) -> None:
    (version,) = re.findall(r'(?m)^version = "(.*)"$', (ROOT / "pyproject.toml").read_text())
    ended = call("score", "hk", option)
    assert ended == Ended(0, f"mahjic score version {version}\n", "")
