"""Tells why a round moved a rating, as sums that a reader can follow on a calculator. Pure.

Every number is written with all the digits that it was worked out with. Where something is rounded,
the sum says so, so that everyone arrives at the same last digit.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from services.projections.history.answers import PairLine, PoolReason, Why
from services.site.kit.figures import centi, nano
from services.site.kit.words import MINUS, _
from shared.rating.parameters import Parameters
from shared.rating.registry import formula_named

NANO: Final = 1_000_000_000

ACTUAL_WORDS: Final[Mapping[float, str]] = {
    1.0: _("won more games"),
    0.5: _("won the same number of games"),
    0.0: _("won fewer games"),
}


@dataclass(frozen=True, slots=True)
class ComparedPair:
    """What the comparison with one opponent gave. All digits are written out."""

    opponent_id: str | None
    opponent: str
    rating: float
    won: str
    percent: str
    product: str
    bonus: str
    gain: str
    gain_nano: int


@dataclass(frozen=True, slots=True)
class PoolSum:
    """What all comparisons of a round gave in one pool.

    `quotient` is what the sum is divided to, if the formula divides it; empty otherwise.
    """

    rating_before: float
    games_before: int
    k: int
    k_range: str
    steps: Sequence[ComparedPair]
    total: str
    divided_by: int
    quotient: str
    is_rounded: bool
    rating_change: float
    rating_after: float


@dataclass(frozen=True, slots=True)
class RuleTold:
    """The numbers of a formula, as its rules beside the sum name them."""

    scale: str
    ks: Sequence[tuple[int, str]]
    points_per_bonus_point: int
    bonus_max: str
    is_scaled: bool


def sum_of(reason: Why, pool: PoolReason) -> PoolSum:
    """Return a pool's part of the reason for a change, as a sum."""
    total, divided_by = pool["sum_nano"], pool["divided_by"]
    return PoolSum(
        rating_before=pool["rating_before"],
        games_before=pool["games_before"],
        k=pool["lines"][0]["k"],
        k_range=_games_range(formula_named(reason["formula"]).rules, pool["games_before"]),
        steps=[_step(line, has_points=reason["points"] is not None) for line in pool["lines"]],
        total=nano(total, signed=True),
        divided_by=divided_by,
        quotient=_quotient(total, divided_by) if divided_by > 1 else "",
        is_rounded=pool["rounding_nano"] != 0,
        rating_change=pool["rating_change"],
        rating_after=pool["rating_after"],
    )


def rule_of(reason: Why) -> RuleTold:
    """Return the numbers of the formula that a round was rated by."""
    rules = formula_named(reason["formula"]).rules
    return RuleTold(
        scale=centi(rules.scale_centi, shortest=True),
        ks=[(k, _games_range(rules, first)) for first, k in rules.k_bands],
        points_per_bonus_point=rules.points_per_bonus_point,
        bonus_max=nano(rules.bonus_max_nano, shortest=True),
        is_scaled=rules.is_scaled,
    )


def percent_words(expected: float) -> str:
    """Return an expected score as a percentage. It is never called certain unless it is."""
    percent = round(expected * 100)
    if percent == 100 and expected < 1:
        return _("more than 99%")
    if percent == 0 and expected > 0:
        return _("less than 1%")
    return f"{percent}%"


def _step(line: PairLine, *, has_points: bool) -> ComparedPair:
    expected_nano = round(line["expected"] * NANO)
    bonus_nano = round(line["points_bonus"] * NANO)
    sign = MINUS if bonus_nano < 0 else "+"
    return ComparedPair(
        opponent_id=line["player_id"],
        opponent=line["player"],
        rating=line["rating_before"],
        won=ACTUAL_WORDS[line["actual"]],
        percent=percent_words(line["expected"]),
        product=f"{line['k']} × ({line['actual']:g} {MINUS} {nano(expected_nano)})",
        bonus=f"{sign} {nano(abs(bonus_nano), shortest=True)}" if has_points else "",
        gain=nano(line["pair_gain_nano"], signed=True),
        gain_nano=line["pair_gain_nano"],
    )


def _quotient(total_nano: int, divided_by: int) -> str:
    """Return a quotient with the digits that it begins with, and dots if there are more."""
    whole, rest = divmod(abs(total_nano), divided_by)
    sign = MINUS if total_nano < 0 else "+"
    return f"{sign}{nano(whole)}{'…' if rest else ''}"


def _games_range(rules: Parameters, games: int) -> str:
    """Return for which numbers of games the K of so many games holds."""
    for (first, _k), (after, _next) in pairwise(rules.k_bands):
        if first <= games < after:
            return (
                _("fewer than {} games").format(after)
                if first == 0
                else _("{} to {} games").format(first, after - 1)
            )
    return _("{} games or more").format(rules.k_bands[-1][0])
