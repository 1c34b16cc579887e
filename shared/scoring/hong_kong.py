"""The Hong Kong rules: what each player gets out of one game, in exact fractions.

The sections named here are those of the rule book in docs/scoring.md. Seats count from 0 to 3.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal, TypeAlias, assert_never

SEATS: Final = 4
SPICE_BEGINS_FAAN: Final = 4


@dataclass(frozen=True, slots=True)
class HouseRules:
    """What a table has agreed on: base points, maximum faan, responsibility and spiciness."""

    base: Fraction = Fraction(1)
    maximum_faan: int = 13
    responsibility: Literal["half", "full"] = "full"
    spiciness: Literal["half", "spicy"] = "half"


@dataclass(frozen=True, slots=True)
class Draw:
    """No one wins."""


@dataclass(frozen=True, slots=True)
class FalseWin:
    """Someone claims a win and has none."""

    by: int


@dataclass(frozen=True, slots=True)
class SelfDraw:
    """The winner draws the last tile; a guarantor, if there is one, pays for the others."""

    winner: int
    faan: int
    guarantor: int | None = None


@dataclass(frozen=True, slots=True)
class Discard:
    """The winner takes a discarded tile; with `is_guaranteed`, the discarder pays for everyone."""

    winner: int
    faan: int
    by: int
    is_guaranteed: bool = False


Result: TypeAlias = Draw | FalseWin | SelfDraw | Discard


def settle(result: Result, rules: HouseRules) -> tuple[Fraction, ...]:
    """Return what each seat gets, above 0 for a gain. The four sum to zero.

    The faan of a win may not exceed the maximum, and no one blamed may be the winner.
    """
    match result:
        case Draw():
            # "Scores do not change": Draw.
            return (Fraction(0),) * SEATS
        case FalseWin(by):
            # "The maximum self-drawn win amount to each other player": False win.
            each = 3 * portion(rules.maximum_faan, rules)
            return tuple(-3 * each if seat == by else each for seat in range(SEATS))
        case SelfDraw(winner, faan, guarantor):
            one = portion(faan, rules)
            if guarantor is not None:
                # "Bears all the losses of a self-drawn win": Guaranteeing. These are 3, no more.
                return _paid_by_one(winner, guarantor, 3 * one)
            # "The blameless players each pay the winner one portion": Self-drawn win.
            return tuple(3 * one if seat == winner else -one for seat in range(SEATS))
        case Discard(winner, faan, by, is_guaranteed):
            one = portion(faan, rules)
            if rules.responsibility == "full" or is_guaranteed:
                # "Player at fault loses 2 portions": Discarding, full responsibility.
                return _paid_by_one(winner, by, 2 * one)
            # "Blameless players each lose a 1/2 portion": Discarding, half responsibility.
            gains = {winner: 2 * one, by: -one}
            return tuple(gains.get(seat, -one / 2) for seat in range(SEATS))
        case _:
            assert_never(result)


def portion(faan: int, rules: HouseRules) -> Fraction:
    """Return what one share of a win is worth: "Base Points x Multiplier" (Portion)."""
    assert 0 <= faan <= rules.maximum_faan
    return rules.base * multiplier(faan, rules.spiciness)


def multiplier(faan: int, spiciness: Literal["half", "spicy"]) -> int:
    """Return by how much the base points rise: Multiplier.

    It doubles with each faan. Half-spicy it does so with every second one above 4, and the odd ones
    between have the mean of their neighbors.
    """
    if spiciness == "spicy" or faan <= SPICE_BEGINS_FAAN:
        return 1 << faan
    pairs, is_between = divmod(faan - SPICE_BEGINS_FAAN, 2)
    below = 1 << (SPICE_BEGINS_FAAN + pairs)
    return below * 3 // 2 if is_between else below


def _paid_by_one(winner: int, payer: int, amount: Fraction) -> tuple[Fraction, ...]:
    assert winner != payer
    return tuple({winner: amount, payer: -amount}.get(seat, Fraction(0)) for seat in range(SEATS))
