"""Ratios and logarithms are right to the last digit, whatever the machine's own are."""

from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.report import exactly
from services.report.exactly import loss_nano, ratio, square_sum

chances = st.lists(st.integers(1, 10**9), min_size=1, max_size=50)


@given(st.integers(0, 10**30), st.integers(1, 10**20))
def test_a_ratio_is_rounded_as_a_fraction_is(part: int, whole: int) -> None:
    assert ratio(part, whole) == round(Fraction(part, whole))


@pytest.mark.parametrize("near_half", [exactly.NEAR_HALF, 1.0])
@given(given_nano=chances)
def test_a_loss_is_the_logarithm_to_fifty_digits(near_half: float, given_nano: list[int]) -> None:
    """Also where each is worked out by hand: then nothing depends on the machine."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(exactly, "NEAR_HALF", near_half)
        found = loss_nano(np.array(given_nano)).tolist()
    with localcontext(prec=50):
        losses = [-(Decimal(each) / 10**9).ln() * 10**9 for each in given_nano]
        assert found == [int(each.to_integral_value()) for each in losses]


@given(st.lists(st.integers(0, 1 << 30), max_size=50))
def test_squares_are_added_up_beyond_64_bits(numbers: list[int]) -> None:
    assert square_sum(np.array(numbers, np.int64)) == sum(each * each for each in numbers)
