"""Dry runs and `--if-similar` from the commands: what is asked, what is shown, what is kept."""

import json
from pathlib import Path

import pytest

from shared.answers.trials import TrialAnswer, TriedPlayer
from tests.cli.running import mahjic
from tests.cli.scripted import ScriptedService, Told
from tests.conftest import Database
from tests.ingest.claims import a_round, a_session
from tests.processes import serving


def would_move(player_id: str | None, player: str, before: float, change: float) -> TriedPlayer:
    return {
        "player_id": player_id,
        "mahjic_id": player_id,
        "player": player,
        "is_new_player": player_id is None,
        "rating_before": before,
        "rating_after": before + change,
        "rating_change": change,
        "verified_rating_before": 1500.0,
        "verified_rating_after": 1500.0,
        "verified_rating_change": 0.0,
        "games_played_total": 4,
        "verified_games_played_total": 0,
    }


TRIED: TrialAnswer = {
    "session_id": None,
    "status": "dry_run",
    "seq": 7,
    "counts": False,
    "results": [
        would_move("MJ-7K3Q9XZM", "ada@example.com", 1510.0, 15.25),
        would_move(None, "bo@example.com", 1500.0, -15.25),
    ],
    "rounds": [
        {"on_record": is_on_record, "games_played": 4, "wall_games": 1, "results": []}
        for is_on_record in (False, True)
    ],
    "warnings": [{"pointer": "/rounds/0", "code": "similar_round", "message": "Look at ses_1."}],
}


def names_in(folder: Path) -> set[str]:
    return {each.name for each in folder.iterdir()}


@pytest.fixture
def claim(tmp_path: Path) -> str:
    path = tmp_path / "night.json"
    path.write_text(json.dumps(a_session(a_round(ada=2, bo=1))))
    return str(path)


async def test_a_session_is_tried_without_a_key_and_shown(
    service: ScriptedService, claim: str
) -> None:
    service.told = [Told(200, TRIED)]
    ended = await mahjic("submit", claim, "--dry-run", "--if-similar", "refuse")
    assert ended.exit_code == 0, ended.stderr
    (asked,) = service.asked
    assert asked.path == "/v1/sessions?dry_run=true&if_similar=refuse"
    assert "Idempotency-Key" not in asked.headers
    assert ended.rows[1:] == [
        ["ada@example.com", "MJ-7K3Q9XZM", "no", "1510.00", "1525.25", "+15.25"],
        ["bo@example.com", "-", "yes", "1500.00", "1484.75", "-15.25"],
    ]
    assert ended.stderr.splitlines() == [
        "similar_round: Look at ses_1.",
        "Round 2 of this session: already on record.",
        "A dry run with today's ratings. Nothing was recorded.",
    ]
    as_json = await mahjic("submit", claim, "--dry-run", "--json")
    assert json.loads(as_json.stdout) == TRIED


async def test_what_becomes_of_similar_rounds_is_asked_with_each_command(
    service: ScriptedService, claim: str, tmp_path: Path
) -> None:
    problem = {"code": "similar_round", "status": 409, "detail": "You have similar rounds: ses_1."}
    service.told = [Told(409, problem, "application/problem+json")]
    ended = await mahjic("submit", claim, "--if-similar", "refuse")
    assert (ended.exit_code, ended.stdout) == (1, "")
    assert "similar_round: You have similar rounds: ses_1." in ended.stderr
    (tmp_path / "sheet.csv").write_text("Date: 2026-01-31\nPlayer Email,Mahjongs\n")
    await mahjic("sheet", str(tmp_path / "sheet.csv"), "--if-similar", "refuse")
    assert [each.path for each in service.asked] == [
        "/v1/sessions?if_similar=refuse",
        "/v1/sheets?if_similar=refuse",
    ]


async def test_games_are_tried_night_by_night_and_no_table_is_written(
    service: ScriptedService, tmp_path: Path
) -> None:
    (tmp_path / "games").write_text("2026-01-31\nAnn Bea Cy Di\n3 - - d\n2026-02-28\n3 - - d\n")
    names = "".join(f"{name} {name.lower()}@example.com\n" for name in ("Ann", "Bea", "Cy", "Di"))
    (tmp_path / "players").write_text(names)
    service.told = [Told(200, TRIED)]
    ended = await mahjic(
        "score", "hk", str(tmp_path / "games"), "--players", str(tmp_path / "players"),
        "--submit", "--dry-run",
    )  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    assert [each.path for each in service.asked] == ["/v1/sessions?dry_run=true"] * 2
    assert names_in(tmp_path) == {"games", "players"}
    assert "2026-01-31:" in ended.stderr
    assert "2026-02-28:" in ended.stderr


async def test_an_import_is_tried_and_then_made_as_if_it_had_not_been(
    own_database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [a_session(a_round(ada=number, bo=1)) for number in range(3)]
    file = tmp_path / "season.ndjson"
    file.write_text("".join(f"{json.dumps(each)}\n" for each in lines) + "{\n")
    count = "SELECT count(*) FROM mahjic.submissions"
    async with serving({"MAHJIC_DATABASE_URL": own_database.dsn}) as served:
        await mahjic("source", "add", "columbus", "--name", "Columbus", "--type", "league")
        monkeypatch.setenv("MAHJIC_KEY", (await mahjic("key", "create", "columbus")).stdout.strip())
        monkeypatch.setenv("MAHJIC_URL", served.url)
        for options, recorded in ((["--dry-run"], 0), ([], 3)):
            ended = await mahjic("import", str(file), *options)
            assert ended.exit_code == 1, "A line is refused."
            assert ended.rows[1][:2] == ["4", "3"]
            assert ("Nothing was recorded." in ended.stderr) == bool(options)
            assert await own_database.pool.fetchval(count) == recorded
            assert names_in(tmp_path) == {"season.ndjson", "season.ndjson.refused.ndjson"}
