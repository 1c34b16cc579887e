"""Works out a change again from the numbers that are shown with it, to the last digit. Pure."""

from typing import Final, Literal, TypeAlias

from services.cli.checking.found import DoesNotHold, same
from services.projections.history.answers import Correction, PairLine, PoolChange, PoolReason, Why
from shared.rating.expected import WIN_NANO, expected_nano
from shared.rating.formula import k_factor, round_half_even, sum_divisor
from shared.rating.parameters import NANO_PER_CENTI, Parameters
from shared.rating.registry import UnknownFormula, formula_named

PoolName: TypeAlias = Literal["mahjic", "verified"]

POOLS: Final[tuple[PoolName, ...]] = ("mahjic", "verified")
# No rating is that far from 0, and no number that a change is made of.
_NUMBER_MAX: Final = 1e9
# A number with two decimals is no nearer to a hundredth than this, read as a float.
_CENTI_SLACK: Final = 1e-11
_SCORES_NANO: Final = frozenset({0, WIN_NANO // 2, WIN_NANO})


def check_arithmetic(why: Why | Correction) -> None:
    """Check that the numbers of a change follow from each other. Raises DoesNotHold."""
    if why["type"] == "correction":
        for pool in (why["mahjic"], why["verified"]):
            check_added(pool)
        return
    try:
        rules = formula_named(why["formula"]).rules
    except UnknownFormula as error:
        raise DoesNotHold(error.detail) from None
    for name in POOLS:
        _check_pool(rules, why, name)


def check_added(pool: PoolChange) -> None:
    """Check that before and change make after. Raises DoesNotHold."""
    after = centi(pool["rating_before"]) + centi(pool["rating_change"])
    same("rating_after", pool["rating_after"], after / 100)


def centi(points: float) -> int:
    """Return points in hundredths. Raises DoesNotHold if they have more decimals."""
    hundredths = _times(points, 100)
    if abs(points * 100 - hundredths) > _CENTI_SLACK * max(1, abs(hundredths)):
        raise DoesNotHold(f"{points} has more than two decimals.")
    return hundredths


def _times(number: float, unit: int) -> int:
    """Return a number in units of so many to 1. Raises DoesNotHold if it cannot be."""
    if not -_NUMBER_MAX < number < _NUMBER_MAX:
        raise DoesNotHold(f"{number} cannot be.")
    return round(number * unit)


def _check_pool(rules: Parameters, why: Why, name: PoolName) -> None:
    pool = why[name]
    before, change = centi(pool["rating_before"]), centi(pool["rating_change"])
    same(f"{name}: rating_after", pool["rating_after"], (before + change) / 100)
    if not pool["counted"]:
        same(f"{name}: what an uncounted round changed", change, 0)
        same(f"{name}: the lines of an uncounted round", pool["lines"], [])
        return
    if pool["games_before"] < 0 or not pool["lines"]:
        raise DoesNotHold(f"{name}: games_before or the number of lines cannot be.")
    has_points = why["points"] is not None
    for number, line in enumerate(pool["lines"], start=1):
        where = f"{name}, line {number}"
        _check_line(rules, pool, line, where, has_points=has_points)
    sum_nano = sum(line["pair_gain_nano"] for line in pool["lines"])
    divided_by = sum_divisor(rules, len(pool["lines"]) + 1)
    same(f"{name}: sum_nano", pool["sum_nano"], sum_nano)
    same(f"{name}: divided_by", pool["divided_by"], divided_by)
    same(f"{name}: rating_change in hundredths", change, round_half_even(sum_nano, divided_by))
    rounding = change * NANO_PER_CENTI * divided_by - sum_nano
    same(f"{name}: rounding_nano", pool["rounding_nano"], rounding)


def _check_line(
    rules: Parameters, pool: PoolReason, line: PairLine, where: str, *, has_points: bool
) -> None:
    ahead = centi(pool["rating_before"]) - centi(line["rating_before"])
    expected = expected_nano(ahead, rules.scale_centi)
    actual = _times(line["actual"], WIN_NANO)
    bonus = _times(line["points_bonus"], WIN_NANO)
    same(f"{where}: k", line["k"], k_factor(rules, pool["games_before"]))
    same(f"{where}: expected", line["expected"], expected / WIN_NANO)
    if actual not in _SCORES_NANO or line["actual"] != actual / WIN_NANO:
        raise DoesNotHold(f"{where}: actual is {line['actual']}, and must be 0, 0.5 or 1.")
    bonus_max = rules.bonus_max_nano if has_points else 0
    if abs(bonus) > bonus_max or line["points_bonus"] != bonus / WIN_NANO:
        told, most = line["points_bonus"], bonus_max / WIN_NANO
        raise DoesNotHold(f"{where}: points_bonus is {told}, and is at most {most}.")
    gain = line["k"] * (actual - expected) + bonus
    same(f"{where}: pair_gain_nano", line["pair_gain_nano"], gain)
    same(f"{where}: pair_gain", line["pair_gain"], round_half_even(gain) / 100)
