"""How often a player should win against an opponent, looked up by the difference of their ratings.

The logistic curve of Elo is kept as a table of whole numbers whose SHA-256 is part of the formula,
so that no machine's floating point can ever move a rating.
"""

import hashlib
import sys
from array import array
from collections.abc import Iterable, Iterator
from decimal import Decimal, localcontext
from functools import cache
from typing import Final

from shared.errors import MahjicError

WIN_NANO: Final = 1_000_000_000
SCALE_CENTI: Final = 40_000  # 400 points ahead means ten wins for each loss.
CERTAIN_CENTI: Final = 372_042  # From this difference upward the curve rounds to a sure win.
TABLE_SHA256: Final = "1c252a22bb2016f0dde672fcf3419721746247211900006a1f9f14c8dc4eb150"
FIXED_BITS: Final = 160
CERTAIN_BITS: Final = 100  # Far above the error of 2^24 steps, times the 2^31 halves of a win.


class ExpectedTableMismatch(MahjicError):
    """The table of expected scores is not the published one, so nothing may be rated with it."""

    code = "expected_table_mismatch"
    title = "This machine computes a different table of expected scores"

    def __init__(self, found_sha256: str) -> None:
        super().__init__(
            f"The table of expected scores has SHA-256 {found_sha256} instead of "
            f"{TABLE_SHA256}. Its ratings would differ from everyone else's; run Mahjic with "
            "another build of Python or of its math library.",
        )


def expected_nano(difference_centi: int, scale_centi: int = SCALE_CENTI) -> int:
    """Return the expected score, in nano, of a player rated `difference_centi` above the opponent.

    The expected scores of the two players of a pair always add up to exactly one win.
    """
    if difference_centi < 0:
        return WIN_NANO - expected_nano(-difference_centi, scale_centi)
    table = expected_table(scale_centi)
    return table[difference_centi] if difference_centi < len(table) else WIN_NANO


@cache
def expected_table(scale_centi: int) -> "array[int]":
    """Return the expected scores for a difference of 0, 1, 2 ... to the first sure win, built once.

    Raises ExpectedTableMismatch if the table of the published scale is not the published one.
    """
    scores_nano = exact_scores_nano(scale_centi)
    return checked_table(scores_nano) if scale_centi == SCALE_CENTI else array("i", scores_nano)


def published_table() -> "array[int]":
    """Return the table of mahjic-elo/1. Raises ExpectedTableMismatch."""
    return expected_table(SCALE_CENTI)


def exact_scores_nano(scale_centi: int) -> Iterator[int]:
    """Yield `1e9 / (1 + 10^(-d / scale_centi))`, rounded, for d = 0, 1, 2 ... until it is 1e9.

    Whole numbers with FIXED_BITS binary places, no floating point: the error of the odds of d is
    less than 2d + 2 in the last place, and the assert proves that no score is close enough to a
    half for that to matter. No score is exactly a half: 10^(d / scale) would be a fraction of odd
    numbers.
    """
    with localcontext(prec=2 * FIXED_BITS // 5):  # More decimals than FIXED_BITS can hold.
        step = int(Decimal(2) ** FIXED_BITS * Decimal(10) ** (Decimal(-1) / scale_centi))
    one = odds = 1 << FIXED_BITS
    score_nano = WIN_NANO // 2
    yield score_nano
    while score_nano < WIN_NANO:
        odds = odds * step >> FIXED_BITS
        halves, rest = divmod(2 * WIN_NANO * one, one + odds)
        assert one >> CERTAIN_BITS < rest < one + odds - (one >> CERTAIN_BITS), "Too near to tell."
        score_nano = (halves + 1) // 2
        yield score_nano


def checked_table(scores_nano: Iterable[int]) -> "array[int]":
    """Return the scores as a compact table if they match the published ones to the last digit.

    Raises ExpectedTableMismatch.
    """
    table = array("i", scores_nano)
    assert table.itemsize == 4, "The published hash is taken over 32-bit numbers."
    big_endian = table[:]
    if sys.byteorder == "little":
        big_endian.byteswap()
    found_sha256 = hashlib.sha256(big_endian).hexdigest()
    if found_sha256 != TABLE_SHA256:
        raise ExpectedTableMismatch(found_sha256)
    return table
