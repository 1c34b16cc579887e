"""The table of expected scores is the published one, and nothing else is accepted."""

import hashlib
import struct
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.rating.expected import ExpectedTableMismatch, checked_table, expected_nano
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
