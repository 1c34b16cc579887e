"""The commands that read: a leaderboard, a player with a chart, and why a rating changed."""

import json
from typing import Any

import pytest

from tests.cli.pages.changes import (
    ADA,
    PROBLEM,
    WHY,
    WHY_CORRECTED,
    change,
    correction,
)
from tests.cli.running import mahjic
from tests.cli.scripted import ScriptedService, Told

pytestmark = pytest.mark.usefixtures("a_public_reader")


def board(*players: dict[str, Any]) -> dict[str, Any]:
    return {
        "board": "global",
        "seq": 17,
        "min_games": 10,
        "active_within_days": None,
        "players": list(players),
        "next_cursor": None,
        "board_moved": None,
        "correcting": None,
    }


def leader(place: int, name: str, rating: float) -> dict[str, Any]:
    return {
        "place": place,
        "player_id": ADA,
        "name": name,
        "verified_rating": rating,
        "band": "Advanced",
        "verified_games": 40,
        "last_played": "2026-01-31",
    }


PROFILE = {
    "player_id": ADA,
    "name": "Ada \x1b[2JLovelace",
    "is_verified": True,
    "tier": "verified",
    "rating": 1520.0,
    "band": "Intermediate",
    "games": 12,
    "mahjongs": 5,
    "verified_rating": 1500.0,
    "verified_games": 0,
    "global_rank": None,
    "region": "west",
    "sessions": 2,
    "last_played": "2026-02-07",
    "seq": 17,
    "fact_seq": 9,
    "correcting": None,
}
HISTORY: dict[str, Any] = {
    "player_id": ADA,
    "seq": 17,
    "correcting": None,
    "changes": [change(9, "2026-02-07", 1530, -10), change(5, "2026-01-31", 1500, 30)],
    "next_cursor": "older",
}


async def test_a_leaderboard_is_a_plain_table(service: ScriptedService) -> None:
    leaders = [leader(1, "Ada [red]L[/red]", 1612.5), leader(2, "Bo", 1600), leader(2, "Cy", 1600)]
    service.told = [Told(200, board(*leaders))]

    ended = await mahjic("leaderboard")

    assert ended.exit_code == 0
    head, first, second, third = ended.rows
    assert head == [
        "place", "name", "mahjic_id", "verified_rating", "band", "verified_games", "last_played",
    ]  # fmt: skip
    assert first == ["1", "Ada [red]L[/red]", ADA, "1612.50", "Advanced", "40", "2026-01-31"]
    assert [second[0], third[0]] == ["2", "2"]
    assert "Authorization" not in service.asked[0].headers


@pytest.mark.parametrize(
    ("arguments", "path"),
    [
        ((), "/v1/leaderboard?limit=20"),
        (("--limit", "3"), "/v1/leaderboard?limit=3"),
        (("--region", "west"), "/v1/leaderboard/west?limit=20"),
        (("--source", "bam"), "/v1/sources/bam/leaderboard?limit=20"),
        (("--source", "../x?y"), "/v1/sources/..%2Fx%3Fy/leaderboard?limit=20"),
    ],
)
async def test_each_leaderboard_has_its_address(
    service: ScriptedService, arguments: tuple[str, ...], path: str
) -> None:
    service.told = [Told(200, board())]
    ended = await mahjic("leaderboard", *arguments)
    assert (ended.exit_code, len(ended.rows)) == (0, 1)
    assert [asked.path for asked in service.asked] == [path]
    assert "10 verified games" in ended.stderr


@pytest.mark.parametrize(
    "arguments",
    [("--region", "atlantis"), ("--limit", "0"), ("--region", "west", "--source", "bam")],
)
async def test_a_leaderboard_that_cannot_be_is_not_asked_for(
    service: ScriptedService, arguments: tuple[str, ...]
) -> None:
    ended = await mahjic("leaderboard", *arguments)
    assert (ended.exit_code, ended.stdout, service.asked) == (2, "", [])


async def test_a_player_is_shown_in_plain_lines(service: ScriptedService) -> None:
    service.told = [Told(200, PROFILE)]

    ended = await mahjic("player", " mj-7k3q9xzm ")

    assert ended.exit_code == 0
    assert [asked.path for asked in service.asked] == [f"/v1/players/{ADA}"]
    facts = dict(ended.rows)
    assert (facts["mahjic_id"], facts["rating"], facts["tier"]) == (ADA, "1520.00", "verified")
    assert facts["name"] == "Ada \\u001b[2JLovelace"
    assert facts["global_rank"] == "-"


async def test_the_chart_runs_from_the_first_round_to_the_last(service: ScriptedService) -> None:
    service.told = [Told(200, PROFILE), Told(200, HISTORY)]

    ended = await mahjic("player", ADA, "--chart")

    assert service.asked[1].path == f"/v1/players/{ADA}/history?limit=200"
    drawn = [text for text in ended.stdout.splitlines() if "┤" in text]
    assert len(drawn) == 10
    assert (drawn[0].startswith("1530.0 ┤"), drawn[-1].startswith("1500.0 ┤─")) == (True, True)
    (ends,) = [row for row in ended.stdout.splitlines() if row.startswith("        2026")]
    assert ends.split() == ["2026-01-31", "2026-02-07"]
    assert ended.rows[-2:] == [
        ["2026-02-07", "Columbus", "-10.00", "1520.00", f"{ADA}.9.1"],
        ["2026-01-31", "Columbus", "+30.00", "1530.00", f"{ADA}.5.1"],
    ]


async def test_a_player_who_has_not_played_has_no_chart(service: ScriptedService) -> None:
    service.told = [Told(200, PROFILE), Told(200, HISTORY | {"changes": []})]
    ended = await mahjic("player", ADA, "--chart")
    assert (ended.exit_code, "┤" in ended.stdout) == (0, False)


async def test_corrections_are_on_the_chart_and_those_of_merged_ids_are_not(
    service: ScriptedService,
) -> None:
    theirs = change(6, "2026-02-01", 1200, -50) | {"played_as": "MJ-0000001Y"}
    changes = [correction(20, 1520, -32.5), *HISTORY["changes"][:1], theirs, HISTORY["changes"][1]]
    service.told = [Told(200, PROFILE), Told(200, HISTORY | {"changes": changes})]

    ended = await mahjic("player", ADA, "--chart")

    assert ended.rows[-3:] == [
        ["2026-02-09", "(a session voided)", "-32.50", "1487.50", f"{ADA}.20"],
        ["2026-02-07", "Columbus", "-10.00", "1520.00", f"{ADA}.9.1"],
        ["2026-01-31", "Columbus", "+30.00", "1530.00", f"{ADA}.5.1"],
    ]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("player", ADA), "unknown_player"),
        (("why", f"{ADA}.1.1"), "unknown_change"),
        (("leaderboard", "--source", "nobody"), "unknown_source"),
    ],
)
async def test_what_is_not_there_is_told_in_the_words_of_the_service(
    service: ScriptedService, arguments: tuple[str, ...], code: str
) -> None:
    service.told = [Told(404, {"code": code, "detail": "There is none."}, PROBLEM)]
    ended = await mahjic(*arguments)
    assert (ended.exit_code, ended.stdout) == (1, "")
    assert ended.stderr == f"{code}: There is none.\n"


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        (("leaderboard",), board(leader(1, "Ada", 1600))),
        (("player", ADA), PROFILE),
        (("why", f"{ADA}.9.1"), WHY),
        (("why", f"{ADA}.20"), WHY_CORRECTED),
    ],
)
async def test_json_is_printed_as_it_came(
    service: ScriptedService, arguments: tuple[str, ...], answer: dict[str, Any]
) -> None:
    service.told = [Told(200, answer)]
    ended = await mahjic(*arguments, "--json")
    assert (json.loads(ended.stdout), ended.stderr) == (answer, "")
    assert len(service.asked) == 1
