"""The table of expected scores is the published one, and nothing else is accepted."""

import hashlib
import struct
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.rating.expected import (
    ExpectedTableMismatch,
    checked_table,
    exact_scores_nano,
    expected_nano,
    expected_table,
)
from tests.rating import by_definition

PUBLISHED_SHA256 = "1c252a22bb2016f0dde672fcf3419721746247211900006a1f9f14c8dc4eb150"
differences_centi = st.one_of(
    st.integers(-1_000, 1_000),
    st.integers(-373_000, 373_000),
    st.integers(-2_000_000_000, 2_000_000_000),
)


def test_the_answers_for_every_difference_have_the_published_hash() -> None:
    answers = hashlib.sha256()
    for difference_centi in range(372_042 + 1):
        answers.update(struct.pack(">i", expected_nano(difference_centi)))
    assert answers.hexdigest() == PUBLISHED_SHA256


@pytest.mark.parametrize(
    ("difference_centi", "expected"),
    [
        (0, 500_000_000),
        (10_000, 640_065_000),  # 1 / (1 + 10^-0.25) = 0.64006499980...
        (40_000, 909_090_909),  # 10 / 11.
        (80_000, 990_099_010),  # 100 / 101 = 0.99009900990...
        (372_041, 999_999_999),
        (372_042, 1_000_000_000),
        (372_043, 1_000_000_000),
        (-10_000, 359_935_000),
        (-372_041, 1),
        (-372_042, 0),
        (-(10**18), 0),
    ],
)
def test_the_expected_score_is_that_of_a_pocket_calculator(
    difference_centi: int, expected: int
) -> None:
    assert expected_nano(difference_centi) == expected


@given(differences_centi)
def test_the_expected_score_is_that_of_the_definition(difference_centi: int) -> None:
    by_hand = by_definition.expected_score(Fraction(abs(difference_centi), 100))
    if difference_centi < 0:
        by_hand = 1 - by_hand
    assert Fraction(expected_nano(difference_centi), 10**9) == by_hand


@given(differences_centi)
def test_the_two_expected_scores_of_a_pair_are_one_win(difference_centi: int) -> None:
    assert expected_nano(difference_centi) + expected_nano(-difference_centi) == 1_000_000_000


@given(differences_centi)
def test_being_rated_higher_never_lowers_the_expectation(difference_centi: int) -> None:
    assert expected_nano(difference_centi + 1) >= expected_nano(difference_centi)


def test_a_table_that_differs_by_one_nano_is_refused() -> None:
    scores_nano = [expected_nano(difference_centi) for difference_centi in range(372_042 + 1)]
    assert list(checked_table(scores_nano)) == scores_nano
    scores_nano[200_000] += 1
    with pytest.raises(ExpectedTableMismatch) as refusal:
        checked_table(scores_nano)
    assert PUBLISHED_SHA256 in refusal.value.detail


@given(st.sampled_from((1_000, 7_919, 40_001, 50_000)), st.floats(0, 1))
def test_the_expected_score_of_another_scale_is_that_of_the_definition(
    scale_centi: int, how_far: float
) -> None:
    difference_centi = round(how_far * 10 * scale_centi)  # A win is sure from 9.3 scales upward.
    scale = Fraction(scale_centi, 100)
    by_hand = by_definition.expected_score(Fraction(difference_centi, 100), scale)
    assert Fraction(expected_nano(difference_centi, scale_centi), 10**9) == by_hand
    assert expected_nano(-difference_centi, scale_centi) == 10**9 - by_hand * 10**9


@pytest.mark.parametrize("scale_centi", [1_000, 40_000, 200_000])
def test_the_scores_that_lie_nearest_to_a_half_are_rounded_to_the_right_side(
    scale_centi: int,
) -> None:
    table = expected_table(scale_centi)
    doubles = [1e9 / (1 + 10 ** (-ahead / scale_centi)) for ahead in range(len(table))]
    nearest = sorted(range(1, len(table)), key=lambda ahead: abs(doubles[ahead] % 1 - 0.5))[:50]
    for ahead in nearest:
        by_hand = by_definition.expected_score(Fraction(ahead), Fraction(scale_centi))
        assert Fraction(table[ahead], 10**9) == by_hand


@pytest.mark.parametrize("scale_centi", [1_000, 40_000, 123_457])
def test_a_table_rises_from_a_tie_to_its_only_sure_win(scale_centi: int) -> None:
    table = list(expected_table(scale_centi))
    assert table[0] == 500_000_000
    assert table == sorted(table)
    assert table.index(1_000_000_000) == len(table) - 1


def test_the_same_ratio_of_lead_and_scale_is_expected_alike() -> None:
    narrow, wide = list(exact_scores_nano(2_000)), list(exact_scores_nano(6_000))
    assert wide[::3] == narrow[: len(wide[::3])]
