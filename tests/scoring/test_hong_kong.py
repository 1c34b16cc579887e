"""The Hong Kong rules in the words of their rule book, and what holds for every game."""

from fractions import Fraction
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.scoring.hong_kong import (
    Discard,
    Draw,
    FalseWin,
    HouseRules,
    Result,
    SelfDraw,
    multiplier,
    settle,
)

A, B, C, D = range(4)
# One portion of 8 faan at a base of 1, half-spicy: the table below.
EIGHT = 64


def points(result: Result, **house: object) -> list[float]:
    """Return what A, B, C and D get under the usual rules, but for what is said."""
    return [float(each) for each in settle(result, HouseRules(**house))]  # type: ignore[arg-type]


# "Number of faan | Multiplier for half-spicy increase | Multiplier for spicy-spicy increase".
MULTIPLIERS = """
 0   1    1
 1   2    2
 2   4    4
 3   8    8
 4  16   16
 5  24   32
 6  32   64
 7  48  128
 8  64  256
 9  96  512
10 128 1024
11 192 2048
12 256 4096
13 384 8192
"""


@pytest.mark.parametrize("line", MULTIPLIERS.strip().splitlines())
def test_the_multiplier_rises_as_in_the_table(line: str) -> None:
    faan, half, spicy = map(int, line.split())
    assert multiplier(faan, "half") == half
    assert multiplier(faan, "spicy") == spicy


# "Base | Blameless payment | Discarding payment" for a chicken win under half responsibility.
@pytest.mark.parametrize(
    ("base", "blameless", "discarding"), [("0.5", 0.25, 0.5), ("1", 0.5, 1), ("2", 1, 2)]
)
def test_a_chicken_win_costs_what_the_base_says(
    base: str, blameless: float, discarding: float
) -> None:
    won, *paid = points(Discard(A, 0, by=D), base=Fraction(base), responsibility="half")
    assert paid == [-blameless, -blameless, -discarding]
    assert won == 2 * blameless + discarding


def test_in_a_draw_scores_do_not_change() -> None:
    assert points(Draw()) == [0, 0, 0, 0]


def test_a_false_win_pays_each_other_player_the_maximum_self_drawn_win_amount() -> None:
    """Blameless players each gain 3 portions at maximum faan, the player at fault loses 9."""
    assert points(FalseWin(D), maximum_faan=8) == [3 * EIGHT, 3 * EIGHT, 3 * EIGHT, -9 * EIGHT]
    assert points(FalseWin(A)) == [-9 * 384, 3 * 384, 3 * 384, 3 * 384]
    assert points(FalseWin(B), maximum_faan=0) == [3, -9, 3, 3]


def test_for_a_self_drawn_win_the_blameless_players_each_pay_one_portion() -> None:
    for responsibility in ("half", "full"):
        won = points(SelfDraw(A, 8), responsibility=responsibility)
        assert won == [3 * EIGHT, -EIGHT, -EIGHT, -EIGHT]


def test_under_half_responsibility_the_blameless_players_each_lose_half_a_portion() -> None:
    assert points(Discard(A, 8, by=D), responsibility="half") == [
        2 * EIGHT,
        -EIGHT / 2,
        -EIGHT / 2,
        -EIGHT,
    ]


def test_under_full_responsibility_the_discarding_player_loses_two_portions() -> None:
    assert points(Discard(A, 8, by=D), responsibility="full") == [2 * EIGHT, 0, 0, -2 * EIGHT]


def test_the_guarantor_of_a_self_draw_loses_three_portions_and_no_more() -> None:
    for responsibility in ("half", "full"):
        won = points(SelfDraw(A, 8, guarantor=D), responsibility=responsibility)
        assert won == [3 * EIGHT, 0, 0, -3 * EIGHT]


def test_a_guaranteed_discard_loses_two_portions_and_the_others_nothing() -> None:
    won = points(Discard(A, 8, by=D, is_guaranteed=True), responsibility="half")
    assert won == [2 * EIGHT, 0, 0, -2 * EIGHT]


seats = st.integers(0, 3)
two_seats = st.permutations(range(4)).map(lambda order: order[:2])


@st.composite
def games(draw: st.DrawFn) -> tuple[Result, HouseRules]:
    maximum = draw(st.integers(0, 20))
    responsibility: Literal["half", "full"] = draw(st.sampled_from(["half", "full"]))
    rules = HouseRules(
        draw(st.fractions(min_value=0, max_value=1000)),
        maximum,
        responsibility,
        draw(st.sampled_from(["half", "spicy"])),
    )
    faan = draw(st.integers(0, maximum))
    winner, other = draw(two_seats)
    kinds: list[Result] = [
        Draw(),
        FalseWin(other),
        SelfDraw(winner, faan),
        SelfDraw(winner, faan, guarantor=other),
        Discard(winner, faan, by=other),
        Discard(winner, faan, by=other, is_guaranteed=responsibility == "half"),
    ]
    result = draw(st.sampled_from(kinds))
    return result, rules


@settings(max_examples=50)
@given(games())
def test_what_one_player_gets_others_lose(game: tuple[Result, HouseRules]) -> None:
    assert sum(settle(*game)) == 0


@settings(max_examples=50)
@given(games())
def test_only_a_winner_gains_but_after_a_false_win(game: tuple[Result, HouseRules]) -> None:
    result, rules = game
    gains = settle(result, rules)
    winner = getattr(result, "winner", None)
    for seat, gain in enumerate(gains):
        if isinstance(result, FalseWin):
            assert (gain <= 0) == (seat == result.by or rules.base == 0)
        elif seat != winner:
            assert gain <= 0


@settings(max_examples=50)
@given(games(), st.permutations(range(4)))
def test_no_seat_is_better_than_another(game: tuple[Result, HouseRules], moved: list[int]) -> None:
    """Whoever sits elsewhere gets the same there."""
    result, rules = game
    match result:
        case FalseWin(by):
            elsewhere: Result = FalseWin(moved[by])
        case SelfDraw(winner, faan, guarantor):
            guarantor = None if guarantor is None else moved[guarantor]
            elsewhere = SelfDraw(moved[winner], faan, guarantor)
        case Discard(winner, faan, by, is_guaranteed):
            elsewhere = Discard(moved[winner], faan, moved[by], is_guaranteed)
        case _:
            elsewhere = result
    before, after = settle(result, rules), settle(elsewhere, rules)
    assert [after[moved[seat]] for seat in range(4)] == list(before)
