"""The command that explains a change: its lines add up, and it says what the change came from."""

from decimal import Decimal
from typing import Any

import pytest

from tests.cli.pages.changes import ADA, PROBLEM, WHY, WHY_CORRECTED
from tests.cli.running import mahjic
from tests.cli.scripted import ScriptedService, Told

pytestmark = pytest.mark.usefixtures("a_public_reader")


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
    assert "In the mahjic pool, 1500.00 +15.98 is 1515.98." in ended.stderr
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
    assert "In the mahjic pool, 1520.00 -32.50 is 1487.50." in ended.stderr


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
    assert f"voided since (entered_twice); to see that change: mahjic why {ADA}.12" in ended.stderr
    assert (
        f"corrected by ses_9 since (other); to see that change: mahjic why {ADA}.14" in ended.stderr
    )


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
