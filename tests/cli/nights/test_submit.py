"""The command that submits: what it sends, what it shows, and when it sends again."""

import asyncio
import json
import signal
from pathlib import Path

import pytest

from shared.answers.sessions import PlayerAnswer, SessionAnswer
from tests.cli.running import end_of, mahjic, start
from tests.cli.scripted import ScriptedService, Told

CLAIM = b'{"session_date": "2026-01-31", "game_type": "social", "rounds": []}'
ACCEPTED: SessionAnswer = {
    "session_id": "ses_1",
    "status": "accepted",
    "seq": 7,
    "counts": True,
    "results": [],
    "rounds": [],
    "warnings": [],
}
SOON = {"Retry-After": "0"}
PROBLEM = "application/problem+json"


def moved(player: str | None, before: float, change: float, verified: float = 0) -> PlayerAnswer:
    return {
        "player_id": "MJ-7K3Q9XZM",
        "mahjic_id": "MJ-7K3Q9XZM",
        "player": player,
        "is_new_player": False,
        "rating_before": before,
        "rating_after": before + change,
        "rating_change": change,
        "verified_rating_before": 1500,
        "verified_rating_after": 1500 + verified,
        "verified_rating_change": verified,
        "games_played_total": 4,
        "verified_games_played_total": 0,
    }


BOB: PlayerAnswer = {
    **moved("bob@mahjic.org", 1500, 0),
    "player_id": "BOB",
    "mahjic_id": None,
}
RATED: SessionAnswer = {
    "session_id": "ses_1",
    "status": "rated",
    "seq": 7,
    "counts": True,
    "results": [moved("ada@example.com", 1500, 12.5), moved(None, 1610, -12.25, -4.5), BOB],
    "rounds": [],
    "warnings": [{"pointer": "/rounds/0", "code": "points_do_not_cancel", "message": "Odd."}],
}


@pytest.fixture
def claim(tmp_path: Path) -> str:
    file = tmp_path / "night.json"
    file.write_bytes(CLAIM)
    return str(file)


async def test_who_moved_is_a_plain_table(service: ScriptedService, claim: str) -> None:
    service.told = [Told(201, RATED)]

    ended = await mahjic("submit", claim)

    assert ended.exit_code == 0
    head, ada, nameless, bob = ended.rows
    assert head == [
        "player", "mahjic_id", "rating_before", "rating_after", "rating_change",
        "verified_rating_before", "verified_rating_after", "verified_rating_change",
    ]  # fmt: skip
    assert ada[:5] == ["ada@example.com", "MJ-7K3Q9XZM", "1500.00", "1512.50", "+12.50"]
    assert ada[5:] == ["1500.00", "1500.00", "0.00"]
    assert nameless[0] == "MJ-7K3Q9XZM"
    assert nameless[4:] == ["-12.25", "1500.00", "1495.50", "-4.50"]
    assert bob[:5] == ["bob@mahjic.org", "-", "1500.00", "1500.00", "0.00"]
    assert "points_do_not_cancel: Odd." in ended.stderr
    assert "ses_1 is rated." in ended.stderr


async def test_the_claim_is_sent_as_it_is_with_the_key_of_the_source(
    service: ScriptedService, claim: str
) -> None:
    service.told = [Told(201, RATED)]
    await mahjic("submit", claim)
    (asked,) = service.asked
    assert (asked.method, asked.path, asked.body) == ("POST", "/v1/sessions", CLAIM)
    assert asked.headers["Authorization"] == "Bearer mjk_" + "k" * 43
    assert asked.headers["Content-Type"] == "application/json"
    assert asked.headers["Prefer"].startswith("wait=")


async def test_the_same_claim_has_the_same_idempotency_key_and_another_claim_has_not(
    service: ScriptedService, claim: str, tmp_path: Path
) -> None:
    service.told = [Told(201, RATED)]
    other = tmp_path / "other.json"
    other.write_bytes(CLAIM.replace(b"01-31", b"01-30"))

    for file in (claim, claim, str(other)):
        await mahjic("submit", file)

    first, again, different = [asked.headers["Idempotency-Key"] for asked in service.asked]
    assert first == again != different
    assert first.isprintable()
    assert len(first) <= 255


@pytest.mark.parametrize(
    "first",
    [
        Told(202, ACCEPTED, headers=SOON),
        Told(503, {"code": "database_unavailable", "detail": "Away."}, PROBLEM, SOON),
        Told(429, {"code": "too_many_requests", "detail": "Slow."}, PROBLEM, SOON),
        Told(409, {"code": "request_in_progress", "detail": "Runs."}, PROBLEM, SOON),
        Told(502, b"<html>", "text/html", SOON),
        Told(None),
    ],
    ids=["accepted", "away", "busy", "running", "gateway", "hung up"],
)
async def test_a_claim_is_sent_again_until_it_is_rated(
    service: ScriptedService, claim: str, first: Told
) -> None:
    service.told = [first, Told(200, RATED)]

    ended = await mahjic("submit", claim)

    assert (ended.exit_code, len(ended.rows)) == (0, 4)
    once, twice = service.asked
    assert once.body == twice.body
    assert once.headers["Idempotency-Key"] == twice.headers["Idempotency-Key"]


async def test_a_claim_that_is_not_rated_in_time_counts_all_the_same(
    service: ScriptedService, claim: str
) -> None:
    service.told = [Told(202, ACCEPTED, headers={"Retry-After": "1"})]
    ended = await mahjic("submit", claim, "--wait", "0")
    assert (ended.exit_code, ended.stdout) == (0, "")
    assert "ses_1 is recorded and counts; it is not rated yet." in ended.stderr
    assert len(service.asked) == 1


async def test_mistakes_in_a_claim_are_told_where_they_are(
    service: ScriptedService, claim: str
) -> None:
    errors = [
        {"pointer": "/rounds/0/wall_games", "code": "missing", "message": "It is required."},
        {"pointer": "", "code": "too_short", "message": "A\x1b[2Jround\nis needed."},
    ]
    detail = "2 mistakes found."
    problem = {"code": "claim_refused", "status": 422, "detail": detail, "errors": errors}
    service.told = [Told(422, problem, PROBLEM)]

    ended = await mahjic("submit", claim)

    assert (ended.exit_code, ended.stdout) == (1, "")
    assert ended.stderr.splitlines() == [
        "claim_refused: 2 mistakes found.",
        "  /rounds/0/wall_games: missing: It is required.",
        "  (the whole): too_short: A\\u001b[2Jround\\u000ais needed.",
    ]
    assert len(service.asked) == 1


async def test_a_duplicate_is_told_once_and_not_tried_again(
    service: ScriptedService, claim: str
) -> None:
    problem = {"code": "duplicate_session", "detail": "It is in ses_0."}
    service.told = [Told(409, problem, PROBLEM, SOON)]
    ended = await mahjic("submit", claim)
    assert (ended.exit_code, ended.stderr) == (1, "duplicate_session: It is in ses_0.\n")
    assert len(service.asked) == 1


async def test_json_is_printed_as_it_came(service: ScriptedService, claim: str) -> None:
    service.told = [Told(201, RATED)]
    ended = await mahjic("submit", claim, "--json")
    assert json.loads(ended.stdout) == RATED


def told_again(status: str, code: str) -> Told:
    # As a sheet is told; a session has no places.
    place = {"sheet": None, "row": None, "column": None}
    warning = {"pointer": "", "code": code, "message": "How it stands.", **place}
    told = {**RATED, "status": status, "warnings": [warning]}
    return Told(201, told, headers={"Idempotency-Replayed": "true"})


@pytest.mark.parametrize("status", ["voided", "corrected"])
@pytest.mark.parametrize("as_json", [False, True], ids=["table", "json"])
async def test_a_session_that_no_longer_counts_shows_no_gains_and_is_a_failure_of_its_own(
    service: ScriptedService, claim: str, tmp_path: Path, status: str, *, as_json: bool
) -> None:
    service.told = [told_again(status, f"session_{status}")]
    sheet = tmp_path / "sheet.csv"
    sheet.write_bytes(b"Date,2026-01-31")
    for command in (("submit", claim), ("sheet", str(sheet))):
        ended = await mahjic(*command, *(["--json"] if as_json else []))
        assert ended.exit_code == 4
        if as_json:
            assert json.loads(ended.stdout)["status"] == status
        else:
            assert ended.stdout == ""
            assert ended.stderr == f"session_{status}: How it stands.\n"


async def test_a_file_that_is_on_record_says_so_and_is_no_failure(
    service: ScriptedService, claim: str
) -> None:
    service.told = [told_again("rated", "already_recorded")]
    ended = await mahjic("submit", claim)
    assert ended.exit_code == 0
    assert "already_recorded: How it stands." in ended.stderr
    assert len(ended.rows) == 4


async def test_what_this_very_command_recorded_is_no_repeat(
    service: ScriptedService, claim: str
) -> None:
    service.told = [Told(202, ACCEPTED, headers=SOON), told_again("rated", "already_recorded")]
    ended = await mahjic("submit", claim)
    assert (ended.exit_code, len(service.asked)) == (0, 2)
    assert "already_recorded" not in ended.stderr


async def test_a_session_that_was_refused_is_a_failure(
    service: ScriptedService, claim: str
) -> None:
    service.told = [Told(200, {**ACCEPTED, "status": "refused"})]
    ended = await mahjic("submit", claim)
    assert ended.exit_code == 1
    assert "ses_1 is refused." in ended.stderr


@pytest.mark.parametrize(
    "told",
    [
        Told(200, b"<html>", "text/html"),
        Told(200, b"{}", "application/json"),
        Told(200, b"not json", "application/json"),
        Told(404, b"not json", PROBLEM),
        Told(500, b"", "text/plain"),
    ],
)
async def test_an_answer_that_is_not_ours_is_told_as_such(
    service: ScriptedService, claim: str, told: Told
) -> None:
    service.told = [told]
    ended = await mahjic("submit", claim)
    assert (ended.exit_code, ended.stdout) == (1, "")
    assert ended.stderr.startswith(f"unexpected_answer: {service.url} answered ")


async def test_a_service_that_is_not_there_is_told_at_once(
    claim: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ScriptedService(Told(200)) as gone:
        url = gone.url
    monkeypatch.setenv("MAHJIC_URL", url.replace("http://", "http://ada:hunter2@"))
    monkeypatch.setenv("MAHJIC_KEY", "mjk_" + "k" * 43)
    ended = await mahjic("submit", claim)
    assert (ended.exit_code, ended.stdout) == (1, "")
    assert ended.stderr.startswith(f"service_unreachable: {url} cannot be reached: ")
    assert "hunter2" not in ended.stderr


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MAHJIC_KEY", "secret-but-no-key"),
        ("MAHJIC_KEY", "mjk_" + "é" * 43),
        ("MAHJIC_URL", "mahjic.example"),
        ("MAHJIC_URL", "http://[::1"),
    ],
)
async def test_a_wrong_setting_is_named(
    service: ScriptedService, claim: str, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    ended = await mahjic("submit", claim)
    assert (ended.exit_code, service.asked) == (2, [])
    assert ended.stderr.startswith(f"invalid_settings: {name}: ")
    assert "secret" not in ended.stderr


async def test_a_submission_needs_a_key(
    service: ScriptedService, claim: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MAHJIC_KEY")
    ended = await mahjic("submit", claim)
    assert (ended.exit_code, service.asked) == (2, [])
    assert ended.stderr.startswith("invalid_settings: MAHJIC_KEY: ")


async def test_a_file_that_cannot_be_read_is_named(
    service: ScriptedService, tmp_path: Path
) -> None:
    for name in (str(tmp_path / "none.json"), str(tmp_path)):
        ended = await mahjic("submit", name)
        assert (ended.exit_code, ended.stdout) == (1, "")
        assert ended.stderr.startswith(f"unreadable_file: {name} ")


async def test_a_claim_may_come_from_a_pipe_and_be_given_up(service: ScriptedService) -> None:
    service.told = [Told(201, RATED)]
    service.may_answer.clear()
    settings = {"MAHJIC_URL": service.url, "MAHJIC_KEY": "mjk_" + "k" * 43}
    program = await start("submit", "-", **settings)
    end = asyncio.create_task(end_of(program, CLAIM))
    assert await asyncio.to_thread(service.arrived.wait, 30)

    program.send_signal(signal.SIGINT)
    ended = await end

    assert service.asked[0].body == CLAIM
    assert (ended.exit_code, ended.stdout, ended.stderr) == (130, "", "")
