"""One round of one pool by its definition, under every formula that the tests adopt.

The numbers are fractions until the one rounding at the end; the expected score comes from its
definition with 50 decimal digits. No code of the formulas under test is shared.
"""

from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from tests.rating.by_definition import expected_score

ELO = "mahjic-elo/1"
SCALED = "mahjic-elo/2-scaled"


class Seat(NamedTuple):
    """One person at the table as the round finds them. Rating and points in hundredths."""

    rating_centi: int
    games: int
    mahjongs: int
    points_centi: int


@lru_cache(maxsize=200_000)
def changes_centi(formula: str, table: tuple[Seat, ...], points_count: bool) -> tuple[int, ...]:
    """Return by how many hundredths each seat moves.

    The cache only saves time: a replay plays mostly the rounds that the one before it played.
    """
    return tuple(_change_centi(formula, table, place, points_count) for place in range(len(table)))


def _change_centi(formula: str, table: tuple[Seat, ...], place: int, points_count: bool) -> int:
    me = table[place]
    others = [*table[:place], *table[place + 1 :]]
    total = sum((_gain(me, them, points_count) for them in others), Fraction(0))
    if formula == SCALED:
        total /= len(others)
    else:
        assert formula == ELO, formula
    return round(total * 100)  # Fractions round half to even.


def _gain(me: Seat, them: Seat, points_count: bool) -> Fraction:
    actual = Fraction((me.mahjongs > them.mahjongs) + (me.mahjongs >= them.mahjongs), 2)
    gain = _k(me.games) * (actual - _expected(me.rating_centi - them.rating_centi))
    if points_count:
        per_fifty = Fraction(me.points_centi - them.points_centi, 100 * 50)
        gain += sorted((Fraction(-5), per_fifty, Fraction(5)))[1]
    return gain


def _k(games: int) -> int:
    if games <= 29:
        return 32
    return 24 if games <= 100 else 16


@lru_cache(maxsize=200_000)
def _expected(ahead_centi: int) -> Fraction:
    if ahead_centi < 0:
        return 1 - _expected(-ahead_centi)
    return expected_score(Fraction(ahead_centi, 100))
