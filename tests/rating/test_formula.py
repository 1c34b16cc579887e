"""The formula against numbers from outside: the original, the specification, a second opinion."""

import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from shared.rating.formula import (
    Seat,
    k_factor,
    points_bonus_nano,
    rate_round,
    round_half_even,
)
from shared.rating.parameters import Parameters
from shared.rating.registry import MAHJIC_ELO_2_SCALED, PUBLISHED
from tests.rating import by_definition
from tests.rating.rounds import a_seat, changes, rules, seats, tables

SCALED = MAHJIC_ELO_2_SCALED.rules
VECTORS = Path(__file__).parents[1] / "vectors" / "original_elo.json"
ORIGINAL_ROUNDS: list[dict[str, Any]] = json.loads(VECTORS.read_text(), parse_float=Decimal)[
    "vectors"
]


def centi(number: Decimal | int) -> int:
    hundredths = Decimal(number) * 100
    assert hundredths == int(hundredths), f"{number} is no whole number of hundredths."
    return int(hundredths)


def test_there_are_two_hundred_rounds_of_the_original() -> None:
    assert len(ORIGINAL_ROUNDS) == 200
    assert {original["points_bonus"] for original in ORIGINAL_ROUNDS} == {True, False}


@pytest.mark.parametrize("original", ORIGINAL_ROUNDS, ids=lambda original: original["name"])
def test_a_round_comes_out_as_in_the_original(original: dict[str, Any]) -> None:
    table = [
        Seat(
            centi(player["rating"]),
            player["games_before"],
            player["mahjongs"],
            centi(player.get("points", 0)),
        )
        for player in original["players"]
    ]
    expected = tuple(centi(change) for change in original["changes"])
    assert changes(table, points_count=original["points_bonus"]) == expected


@pytest.mark.parametrize(
    ("points_centi", "expected"),
    [
        (25, (0, 2, 0, 0)),  # 0.015 goes up to 0.02, -0.005 goes up to 0.00.
        (75, (-2, 4, -2, -2)),  # 0.045 goes down to 0.04, -0.015 goes down to -0.02.
    ],
)
def test_an_exact_half_goes_to_the_even_hundredth(
    points_centi: int, expected: tuple[int, ...]
) -> None:
    table = [a_seat(), a_seat(points_centi=points_centi), a_seat(), a_seat()]
    assert changes(table, points_count=True) == expected


@pytest.mark.parametrize(
    ("sum_nano", "change_centi"),
    [
        (4_999_999, 0),
        (5_000_000, 0),
        (5_000_001, 1),
        (14_999_999, 1),
        (15_000_000, 2),
        (25_000_000, 2),
        (-4_999_999, 0),
        (-5_000_000, 0),
        (-5_000_001, -1),
        (-15_000_000, -2),
        (-25_000_000, -2),
        (-25_000_001, -3),
    ],
)
def test_sums_are_rounded_half_to_even(sum_nano: int, change_centi: int) -> None:
    assert round_half_even(sum_nano) == change_centi


@given(st.integers(-(10**13), 10**13), st.booleans())
def test_rounding_is_that_of_fractions(number: int, on_a_half: bool) -> None:
    sum_nano = number // 5_000_000 * 5_000_000 if on_a_half else number
    assert round_half_even(sum_nano) == round(Fraction(sum_nano, 10_000_000))


@pytest.mark.parametrize(
    ("games", "k"), [(0, 32), (29, 32), (30, 24), (100, 24), (101, 16), (10**9, 16)]
)
def test_k_goes_by_the_games_before_the_round(games: int, k: int) -> None:
    assert k_factor(PUBLISHED, games) == k
    # Against an equal, half of K is at stake, whatever the opponent's own experience.
    assert changes([a_seat(games=games, mahjongs=1), a_seat(games=55)])[0] == k * 50


@pytest.mark.parametrize(
    ("points_ahead_centi", "bonus_nano"),
    [
        (0, 0),
        (1, 200_000),
        (17_500, 3_500_000_000),
        (24_999, 4_999_800_000),
        (25_000, 5_000_000_000),
        (25_001, 5_000_000_000),
        (200_000_000, 5_000_000_000),
    ],
)
def test_the_points_bonus_is_a_fiftieth_and_at_most_five(
    points_ahead_centi: int, bonus_nano: int
) -> None:
    ahead, behind = a_seat(points_centi=points_ahead_centi), a_seat()
    assert points_bonus_nano(PUBLISHED, ahead, behind) == bonus_nano
    assert points_bonus_nano(PUBLISHED, behind, ahead) == -bonus_nano


def test_the_points_bonus_is_clamped_for_each_pair_and_not_for_the_sum() -> None:
    table = [a_seat(points_centi=30_000), a_seat(), a_seat(), a_seat()]
    assert changes(table, points_count=True) == (1_500, -500, -500, -500)


def test_social_games_ignore_points() -> None:
    table = [a_seat(points_centi=30_000), a_seat()]
    assert changes(table, points_count=False) == (0, 0)


def test_a_round_of_one_is_a_mistake_of_ours() -> None:
    with pytest.raises(AssertionError):
        changes([a_seat()])


@given(tables, st.booleans(), rules)
@example([a_seat(), a_seat(points_centi=25), a_seat(), a_seat()], True, PUBLISHED)
@example([a_seat(), a_seat(points_centi=75), a_seat(), a_seat()], True, SCALED)
@settings(max_examples=500)
def test_any_round_comes_out_as_by_definition(
    table: list[Seat], points_count: bool, parameters: Parameters
) -> None:
    people = [
        by_definition.Person(
            Fraction(seat.rating_centi, 100),
            seat.games,
            seat.mahjongs,
            Fraction(seat.points_centi, 100),
        )
        for seat in table
    ]
    rules = by_definition.Rules(
        scale=Fraction(parameters.scale_centi, 100),
        k_from_games=parameters.k_bands,
        points_per_bonus_point=parameters.points_per_bonus_point,
        bonus_max=Fraction(parameters.bonus_max_nano, 10**9),
        is_scaled=parameters.is_scaled,
    )
    expected = tuple(
        by_definition.change(people, place, points_count=points_count, rules=rules) * 100
        for place in range(len(people))
    )
    assert rate_round(parameters, table, points_count=points_count) == expected


@pytest.mark.parametrize(
    ("sum_nano", "divided_by", "change_centi"),
    [
        (15_000_000, 3, 0),  # Exactly half a centi for each of three opponents.
        (15_000_001, 3, 1),  # A third of a nano above it: rounded to nanos first, it were a half.
        (45_000_000, 3, 2),
        (44_999_999, 3, 1),
        (-15_000_000, 3, 0),
        (-15_000_001, 3, -1),
        (10_000_000, 2, 0),
        (30_000_000, 2, 2),
    ],
)
def test_a_divided_sum_is_rounded_once(sum_nano: int, divided_by: int, change_centi: int) -> None:
    assert round_half_even(sum_nano, divided_by) == change_centi


@pytest.mark.parametrize(
    ("points_centi", "expected"),
    [
        (25, (0, 0, 0, 0)),  # 0.015 / 3 = 0.005 goes down to 0.00.
        (75, (0, 2, 0, 0)),  # 0.045 / 3 = 0.015 goes up to 0.02, -0.015 / 3 = -0.005 to 0.00.
        (100, (-1, 2, -1, -1)),
    ],
)
def test_a_scaled_sum_is_divided_by_the_opponents(
    points_centi: int, expected: tuple[int, ...]
) -> None:
    table = [a_seat(), a_seat(points_centi=points_centi), a_seat(), a_seat()]
    assert MAHJIC_ELO_2_SCALED.rate_round(table, points_count=True) == expected


@given(st.lists(seats, min_size=2, max_size=2), st.booleans())
def test_with_one_opponent_a_scaled_formula_is_the_other(
    table: list[Seat], points_count: bool
) -> None:
    scaled = MAHJIC_ELO_2_SCALED.rate_round(table, points_count=points_count)
    assert scaled == changes(table, points_count=points_count)
