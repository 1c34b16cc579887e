"""Rounds ratios and logarithms in whole numbers, the same on every machine. Pure."""

from decimal import Decimal, localcontext
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shared.rating.expected import WIN_NANO

Whole: TypeAlias = NDArray[np.int64]

# The last places of a logarithm depend on the machine. Whatever comes this near to a half, where it
# would matter, is worked out by hand.
NEAR_HALF: Final = 1e-3
DIGITS: Final = 40


def ratio(part: int, whole: int) -> int:
    """Return a ratio as a whole number; halves go to the even one."""
    quotient, rest = divmod(part, whole)
    is_up = 2 * rest > whole or (2 * rest == whole and quotient % 2 == 1)
    return quotient + is_up


def loss_nano(given_nano: Whole) -> Whole:
    """Return -ln of the chances given to what happened, in billionths; chances from 1 nano on."""
    exact = -np.log(given_nano / WIN_NANO) * WIN_NANO
    rounded: Whole = np.rint(exact).astype(np.int64)
    for at in np.flatnonzero(np.abs(exact - np.floor(exact) - 0.5) < NEAR_HALF).tolist():
        rounded[at] = _loss_by_hand(int(given_nano[at]))
    return rounded


def square_sum(numbers: Whole) -> int:
    """Return the sum of the squares of numbers up to 2^30, which may be beyond 64 bits."""
    high, low = numbers >> 15, numbers & 0x7FFF
    parts = ((high * high, 30), (high * low, 16), (low * low, 0))
    return sum(int(products.sum()) << shift for products, shift in parts)


def _loss_by_hand(given_nano: int) -> int:
    with localcontext(prec=DIGITS):
        return int((-(Decimal(given_nano) / WIN_NANO).ln() * WIN_NANO).to_integral_value())
