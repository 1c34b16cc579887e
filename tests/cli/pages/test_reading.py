"""The commands that read: a leaderboard, a player with a chart, and why a rating changed."""

import json
from decimal import Decimal
from typing import Any

import pytest

from tests.cli.running import mahjic
from tests.cli.scripted import ScriptedService, Told

ADA = "MJ-7K3Q9XZM"
PROBLEM = "application/problem+json"


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


def change(number: int, day: str, before: float, moved: float) -> dict[str, Any]:
    pool = {
        "rating_before": before,
        "rating_change": moved,
        "rating_after": before + moved,
        "games_before": 0,
        "games_after": 4,
    }
    return {
        "type": "round",
        "change_id": f"{ADA}.{number}.1",
        "fact_seq": number,
        "played_as": None,
        "voided": False,
        "superseded_by": None,
        "session_id": "ses_1",
        "source": {"slug": "columbus", "name": "Columbus"},
        "session_date": day,
        "game_type": "social",
        "round_number": 1,
        "games_played": 4,
        "wall_games": 1,
        "mahjongs": 3,
        "points": None,
        "mahjic": pool,
        "verified": pool,
        "opponents": [],
    }


HISTORY: dict[str, Any] = {
    "player_id": ADA,
    "seq": 17,
    "correcting": None,
    "changes": [change(9, "2026-02-07", 1530, -10), change(5, "2026-01-31", 1500, 30)],
    "next_cursor": "older",
}


def line(player: str, gain_nano: int) -> dict[str, Any]:
    return {
        "player_id": None,
        "player": player,
        "rating_before": 1600.0,
        "expected": 0.359935,
        "actual": 1.0,
        "k": 32,
        "points_bonus": -2.5,
        "pair_gain": gain_nano / 1e9,
        "pair_gain_nano": gain_nano,
    }


def correction(number: int, before: float, moved: float, **told: object) -> dict[str, Any]:
    pool = change(number, "2026-02-07", before, moved)["mahjic"]
    return {
        "type": "correction",
        "change_id": f"{ADA}.{number}",
        "played_as": None,
        "fact_seq": number,
        "corrected_on": "2026-02-09",
        "cause": "void",
        "reason": "entered_twice",
        "sessions": ["ses_1"],
        "sessions_count": 1,
        "replaced_by": None,
        "merged": None,
        "formula": None,
        "mahjic": pool,
        "verified": pool | {"rating_change": 0.0, "rating_after": before},
        **told,
    }


UNCOUNTED = {
    "counted": False,
    "rating_before": 1500.0,
    "games_before": 0,
    "lines": [],
    "sum_nano": 0,
    "divided_by": 1,
    "rounding_nano": 0,
    "rating_change": 0.0,
    "rating_after": 1500.0,
}
WHY: dict[str, Any] = {
    "type": "round",
    "seq": 17,
    "change_id": f"{ADA}.9.1",
    "fact_seq": 9,
    "played_as": None,
    "voided": False,
    "superseded_by": None,
    "corrections": [],
    "player_id": ADA,
    "session_id": "ses_1",
    "source": {"slug": "columbus", "name": "Columbus"},
    "session_date": "2026-02-07",
    "game_type": "league",
    "round_number": 1,
    "games_played": 4,
    "mahjongs": 3,
    "points": 120.0,
    "formula": "mahjic-elo/1",
    "mahjic": UNCOUNTED
    | {
        "counted": True,
        "lines": [line("Bo", 17_982_080_000), line("a private player", -2_000_000_000)],
        "sum_nano": 15_982_080_000,
        "rounding_nano": -2_080_000,
        "rating_change": 15.98,
        "rating_after": 1515.98,
    },
    "verified": UNCOUNTED,
}


@pytest.fixture(autouse=True)
def _a_public_reader(service: ScriptedService, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MAHJIC_KEY")


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


async def test_the_lines_of_why_add_up_to_the_change(service: ScriptedService) -> None:
    service.told = [Told(200, WHY)]

    ended = await mahjic("why", f"{ADA}.9.1")

    assert ended.exit_code == 0
    assert service.asked[0].path == f"/v1/players/{ADA}/changes/{ADA}.9.1"
    head, bo, hidden, total, rounding, moved = ended.rows
    assert head == ["pool", "opponent", "rating", "expected", "actual", "k", "bonus", "gain"]
    assert bo == [
        "mahjic", "Bo", "1600.00", "0.359935000", "1.0", "32", "-2.5000", "+17.982080000",
    ]  # fmt: skip
    assert hidden[1] == "a private player"
    assert Decimal(bo[7]) + Decimal(hidden[7]) == Decimal(total[7])
    assert (total[7], rounding[7]) == ("+15.982080000", "-0.002080000")
    assert Decimal(total[7]) + Decimal(rounding[7]) == Decimal(moved[7]) == Decimal("15.98")
    assert "In the mahjic pool 1500.00 +15.98 is 1515.98." in ended.stderr
    assert "did not count in the verified pool" in ended.stderr


@pytest.mark.parametrize(
    "arguments",
    [("player", "MJ-7K3Q9XZN"), ("player", "ada"), ("why", "17"), ("why", "MJ-7K3Q9XZN.1.1")],
)
async def test_a_mistyped_id_is_told_apart_from_an_unknown_one(
    service: ScriptedService, arguments: tuple[str, ...]
) -> None:
    ended = await mahjic(*arguments)
    assert (ended.exit_code, ended.stdout, service.asked) == (1, "", [])
    assert ended.stderr.startswith("mistyped_player_id: ")


def in_pools(before: float, moved: float) -> dict[str, Any]:
    pool = change(9, "2026-02-07", before, moved)["mahjic"]
    return {"mahjic": pool, "verified": pool | {"games_after": 0, "rating_change": 0.0}}


def changed_round(session: str, **numbers: dict[str, Any] | None) -> dict[str, Any]:
    return {
        "session_id": session,
        "source": {"slug": "columbus", "name": "Columbus"},
        "session_date": "2026-01-31",
        "game_type": "social",
        "round_number": 2,
        **numbers,
    }


WHY_CORRECTED: dict[str, Any] = {
    **correction(20, 1520, -32.5),
    "player_id": ADA,
    "seq": 21,
    "players_moved": 3,
    "rounds_count": 2,
    "rounds": [
        changed_round("ses_1", before=in_pools(1500, 30), after=None),
        changed_round("ses_2", before=in_pools(1530, -10), after=in_pools(1500, -12.5)),
    ],
    "next_cursor": None,
}


async def test_the_rounds_of_a_correction_add_up_to_its_change(service: ScriptedService) -> None:
    service.told = [Told(200, WHY_CORRECTED)]

    ended = await mahjic("why", f"{ADA}.20")

    assert ended.exit_code == 0
    assert service.asked[0].path == f"/v1/players/{ADA}/changes/{ADA}.20?limit=200"
    assert ended.rows == [
        ["pool", "played", "source", "round", "before", "after", "difference"],
        ["mahjic", "2026-01-31", "Columbus", "ses_1 2", "+30.00", "-", "-30.00"],
        ["mahjic", "2026-01-31", "Columbus", "ses_2 2", "-10.00", "-12.50", "-2.50"],
    ]
    assert sum(Decimal(row[6]) for row in ended.rows[1:]) == Decimal("-32.5")
    assert ended.stderr.startswith(f"{ADA}.20: 2026-02-09, void of ses_1 (entered_twice).")
    assert "In the mahjic pool 1520.00 -32.50 is 1487.50." in ended.stderr


async def test_why_asks_again_while_the_rounds_are_being_computed(
    service: ScriptedService,
) -> None:
    refused = Told(503, {"code": "being_computed", "detail": "Ask again."}, PROBLEM)
    service.told = [refused, refused, Told(200, WHY_CORRECTED | {"next_cursor": "more"})]

    ended = await mahjic("why", f"{ADA}.20")

    assert (ended.exit_code, len(service.asked)) == (0, 3)
    assert "These are the first 2 of 2 rounds." in ended.stderr


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"sessions_count": 12}, "void of 12 sessions (entered_twice)"),
        (
            {"cause": "correction", "replaced_by": "ses_9", "reason": "wrong_result"},
            "correction of ses_1 by ses_9 (wrong_result)",
        ),
        (
            {
                "cause": "merge",
                "reason": None,
                "merged": {
                    "player": {"player_id": None, "player": "a private player"},
                    "into": {"player_id": ADA, "player": "Ada"},
                },
            },
            "merge of a private player and Ada",
        ),
        (
            {"cause": "formula", "reason": None, "formula": "mahjic-elo/2-scaled"},
            "formula mahjic-elo/2-scaled from the beginning",
        ),
    ],
)
async def test_why_names_the_cause_of_a_correction(
    service: ScriptedService, told: dict[str, Any], said: str
) -> None:
    unlisted = {"rounds": None, "rounds_count": None}
    service.told = [Told(200, WHY_CORRECTED | unlisted | told)]
    ended = await mahjic("why", f"{ADA}.20")
    assert (ended.exit_code, ended.stdout) == (0, "")
    assert f"{ADA}.20: 2026-02-09, {said}." in ended.stderr
    assert "too long for the service" in ended.stderr


async def test_why_says_what_became_of_the_session_of_a_round(service: ScriptedService) -> None:
    later = [
        {"fact_seq": 12, "cause": "void", "reason": "entered_twice", "replaced_by": None},
        {"fact_seq": 14, "cause": "correction", "reason": "other", "replaced_by": "ses_9"},
    ]
    service.told = [Told(200, WHY | {"superseded_by": "ses_9", "corrections": later})]
    ended = await mahjic("why", f"{ADA}.9.1")
    assert f"voided since (entered_twice); for that change: mahjic why {ADA}.12" in ended.stderr
    assert f"corrected by ses_9 since (other); for that change: mahjic why {ADA}.14" in ended.stderr


async def test_the_line_of_a_scaled_formula_says_what_the_sum_is_divided_by(
    service: ScriptedService,
) -> None:
    pool = WHY["mahjic"] | {
        "sum_nano": 45_980_000_000,
        "divided_by": 3,
        "rounding_nano": -20_000_000,
        "rating_change": 15.32,
        "rating_after": 1515.32,
    }
    service.told = [Told(200, WHY | {"mahjic": pool})]
    ended = await mahjic("why", f"{ADA}.9.1")
    assert [row[1] for row in ended.rows[-2:]] == ["divided by 3", "= change"]
    assert ended.rows[-1][7] == "+15.320000000"


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
