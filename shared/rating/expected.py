"""How often a player should win against an opponent, looked up by the difference of their ratings.

The logistic curve of Elo is kept as a table of whole numbers whose SHA-256 is part of the formula,
so that no machine's floating point can ever move a rating.
"""

import hashlib
import sys
from array import array
from collections.abc import Iterable
from functools import cache
from typing import Final

from shared.errors import MahjicError

WIN_NANO: Final = 1_000_000_000
SCALE_CENTI: Final = 40_000  # 400 points ahead means ten wins for each loss.
CERTAIN_CENTI: Final = 372_042  # From this difference upward the curve rounds to a sure win.
TABLE_SHA256: Final = "1c252a22bb2016f0dde672fcf3419721746247211900006a1f9f14c8dc4eb150"


class ExpectedTableMismatch(MahjicError):
    """The table of expected scores is not the published one, so nothing may be rated with it."""

    code = "expected_table_mismatch"
    title = "This machine computes another table of expected scores"

    def __init__(self, found_sha256: str) -> None:
        super().__init__(
            f"The table of expected scores has SHA-256 {found_sha256} instead of {TABLE_SHA256}. "
            "Ratings from it would differ from everybody else's; "
            "run Mahjic with another build of Python or of its mathematical library.",
        )


def expected_nano(difference_centi: int) -> int:
    """Return the expected score, in nano, of a player rated `difference_centi` above the opponent.

    The expected scores of the two players of a pair always add up to exactly one win.
    """
    if difference_centi < 0:
        return WIN_NANO - expected_nano(-difference_centi)
    if difference_centi >= CERTAIN_CENTI:
        return WIN_NANO
    return published_table()[difference_centi]


@cache
def published_table() -> "array[int]":
    """Return the expected scores for a difference of 0, 1, 2 ... CERTAIN_CENTI, built once."""
    return checked_table(
        round(WIN_NANO / (1 + 10 ** (-difference_centi / SCALE_CENTI)))
        for difference_centi in range(CERTAIN_CENTI + 1)
    )


def checked_table(scores_nano: Iterable[int]) -> "array[int]":
    """Return the scores as a compact table if they are the published ones, to the last digit.

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
