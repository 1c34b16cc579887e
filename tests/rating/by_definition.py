"""A second implementation of mahjic-elo/1, from docs/rating.md alone: fractions, no shared code.

It takes the expected score from the definition with 50 decimal digits instead of a table, and
never counts in centi or nano until the end.
"""

from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from fractions import Fraction
from typing import NamedTuple


class Person(NamedTuple):
    rating: Fraction
    games: int
    mahjongs: int
    points: Fraction


def expected_score(ahead: Fraction) -> Fraction:
    with localcontext(prec=50):
        exponent = Decimal(-ahead.numerator) / Decimal(ahead.denominator) / 400
        # Beyond 1e-40 the last of nine decimals cannot feel it.
        score = 1 / (1 + Decimal(10) ** max(Decimal(-40), min(Decimal(40), exponent)))
        return Fraction(score.quantize(Decimal("1e-9"), ROUND_HALF_EVEN))


def change(table: Sequence[Person], place: int, *, points_count: bool) -> Fraction:
    me = table[place]
    if me.games <= 29:
        k = 32
    elif me.games >= 101:
        k = 16
    else:
        k = 24
    total = Fraction(0)
    for them in [*table[:place], *table[place + 1 :]]:
        actual = Fraction((me.mahjongs > them.mahjongs) + (me.mahjongs >= them.mahjongs), 2)
        total += k * (actual - expected_score(me.rating - them.rating))
        if points_count:
            total += sorted((Fraction(-5), (me.points - them.points) / 50, Fraction(5)))[1]
    return round(total, 2)  # Fractions round half to even.
