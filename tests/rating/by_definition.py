"""A second implementation of the formulas, from docs/rating.md alone: fractions, no shared code.

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


class Rules(NamedTuple):
    """The numbers in which the formulas differ, in points."""

    scale: Fraction
    k_from_games: Sequence[tuple[int, int]]
    points_per_bonus_point: int
    bonus_max: Fraction
    is_scaled: bool


MAHJIC_ELO_1 = Rules(
    scale=Fraction(400),
    k_from_games=((0, 32), (30, 24), (101, 16)),
    points_per_bonus_point=50,
    bonus_max=Fraction(5),
    is_scaled=False,
)


def expected_score(ahead: Fraction, scale: Fraction = Fraction(400)) -> Fraction:
    with localcontext(prec=50):
        tens = -ahead / scale
        exponent = Decimal(tens.numerator) / Decimal(tens.denominator)
        # Beyond 1e-40 the last of nine decimals cannot feel it.
        score = 1 / (1 + Decimal(10) ** max(Decimal(-40), min(Decimal(40), exponent)))
        return Fraction(score.quantize(Decimal("1e-9"), ROUND_HALF_EVEN))


def change(
    table: Sequence[Person], place: int, *, points_count: bool, rules: Rules = MAHJIC_ELO_1
) -> Fraction:
    me = table[place]
    k = [k for games_min, k in rules.k_from_games if me.games >= games_min][-1]
    total = Fraction(0)
    for them in [*table[:place], *table[place + 1 :]]:
        actual = Fraction((me.mahjongs > them.mahjongs) + (me.mahjongs >= them.mahjongs), 2)
        total += k * (actual - expected_score(me.rating - them.rating, rules.scale))
        if points_count:
            lead = (me.points - them.points) / rules.points_per_bonus_point
            total += sorted((-rules.bonus_max, lead, rules.bonus_max))[1]
    if rules.is_scaled:
        total /= len(table) - 1
    return round(total, 2)  # Fractions round half to even.
