"""How often a player should win against another, as the table of whole numbers Mahjic publishes.

The table is computed without floating point when it is first needed, which takes a fraction of a
second, and is checked against the published SHA-256.
"""

import hashlib
import sys
from array import array
from collections.abc import Iterator
from decimal import Context, Decimal, localcontext
from functools import lru_cache
from typing import Final

WIN_NANO: Final = 1_000_000_000
SCALE_CENTI: Final = 40_000  # 400 points ahead means ten wins for each loss.
TABLE_SHA256: Final = "1c252a22bb2016f0dde672fcf3419721746247211900006a1f9f14c8dc4eb150"

# The error of 372,042 steps stays far below what could round a score the other way.
FIXED_BITS: Final = 160
DECIMALS: Final = 64


def expected_nano(ahead_centi: int) -> int:
    """Return the expected score of a player who is rated this much above the opponent.

    The expected scores of the two always add up to exactly one win.
    """
    if ahead_centi < 0:
        return WIN_NANO - expected_nano(-ahead_centi)
    table = expected_table()
    return table[ahead_centi] if ahead_centi < len(table) else WIN_NANO


@lru_cache(maxsize=1)
def expected_table() -> "array[int]":
    """Return the expected scores for a lead of 0, 1, 2 ... hundredths up to the first sure win."""
    table = array("i", _scores_nano())
    big_endian = table[:]
    if sys.byteorder == "little":
        big_endian.byteswap()
    found = hashlib.sha256(big_endian.tobytes()).hexdigest()
    assert found == TABLE_SHA256, f"This machine computes another table of scores: {found}."
    return table


def _scores_nano() -> Iterator[int]:
    """Yield `1e9 / (1 + 10^(-lead / 40000))`, rounded, until it is a sure win."""
    with localcontext(Context(prec=DECIMALS)):
        step = int(Decimal(2) ** FIXED_BITS * Decimal(10) ** (Decimal(-1) / SCALE_CENTI))
    one = odds = 1 << FIXED_BITS
    score_nano = 0
    while score_nano < WIN_NANO:
        # Twice the score, cut, plus one, halved: the nearest whole number.
        score_nano = (2 * WIN_NANO * one // (one + odds) + 1) // 2
        yield score_nano
        odds = odds * step >> FIXED_BITS
