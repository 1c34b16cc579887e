"""The banker rule book, section by section, in its own numbers."""

from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.scoring.against_rules import AgainstTheRules
from shared.scoring.banker import (
    START_POINTS,
    BankerDiscard,
    BankerSelfDraw,
    bonus_multiplier,
    is_over,
    settle,
    share,
)

# The seats of these tables, in the "role order" of the rule book.
WINNER, SECOND, THIRD, FOURTH = range(4)
SEATS: Final = st.integers(0, 3)

# How standup and in-between make G [3.3].
BONUSES: Final = [
    pytest.param(False, False, 1, id="G=1"),
    pytest.param(True, False, 2, id="G=2, standup"),
    pytest.param(False, True, 2, id="G=2, in-between"),
    pytest.param(True, True, 4, id="G=4"),
]


@pytest.mark.parametrize(("standup", "in_between", "expected"), BONUSES)
def test_the_bonuses_multiply_each_other(standup: bool, in_between: bool, expected: int) -> None:
    assert bonus_multiplier(standup=standup, in_between=in_between) == expected


@pytest.mark.parametrize(("standup", "in_between", "g"), BONUSES)
@pytest.mark.parametrize(
    ("win", "banker", "per_g"),
    [
        pytest.param(BankerSelfDraw(), WINNER, (12, -4, -4, -4), id="5.1.1 banker self-draw"),
        pytest.param(BankerSelfDraw(), SECOND, (8, -4, -2, -2), id="5.1.2 non-banker self-draw"),
        pytest.param(BankerDiscard(SECOND), WINNER, (8, -8, 0, 0), id="6.1 banker wins by discard"),
        pytest.param(BankerDiscard(SECOND), SECOND, (6, -6, 0, 0), id="6.2 banker discards"),
        pytest.param(BankerDiscard(THIRD), SECOND, (5, 0, -5, 0), id="6.3 neither is banker"),
    ],
)
def test_a_hand_moves_the_points_of_its_pattern(
    *,
    win: BankerSelfDraw | BankerDiscard,
    banker: int,
    per_g: tuple[int, ...],
    standup: bool,
    in_between: bool,
    g: int,
) -> None:
    moved = settle(WINNER, win, banker, standup=standup, in_between=in_between)
    assert moved == tuple(points * g for points in per_g)


@pytest.mark.parametrize(
    ("situation", "win", "banker", "gains", "discarder_pays"),
    [
        ("Banker self-draw", BankerSelfDraw(), WINNER, 12, None),
        ("Non-banker self-draw", BankerSelfDraw(), FOURTH, 8, None),
        ("Banker wins by discard", BankerDiscard(FOURTH), WINNER, 8, 8),
        ("Non-banker wins, banker discards", BankerDiscard(FOURTH), FOURTH, 6, 6),
        ("Non-banker wins, non-banker discards", BankerDiscard(FOURTH), THIRD, 5, 5),
    ],
)
def test_the_summary_table_holds_without_bonuses(
    situation: str,
    win: BankerSelfDraw | BankerDiscard,
    banker: int,
    gains: int,
    discarder_pays: int | None,
) -> None:
    moved = settle(WINNER, win, banker)
    assert moved[WINNER] == gains, situation
    if discarder_pays is not None:
        assert moved[FOURTH] == -discarder_pays, situation


@pytest.mark.parametrize(
    ("payer", "winner", "banker", "expected"),
    [
        pytest.param(0, 1, 0, 2, id="the payer is the banker"),
        pytest.param(0, 1, 1, 2, id="the winner is the banker"),
        pytest.param(0, 1, 2, 1, id="neither is the banker"),
    ],
)
def test_the_advantage_of_the_banker_is_pairwise(
    payer: int, winner: int, banker: int, expected: int
) -> None:
    assert share(payer, winner, banker) == expected


@given(
    winner=SEATS,
    banker=SEATS,
    standup=st.booleans(),
    in_between=st.booleans(),
    steps=st.integers(0, 3),
)
def test_every_hand_is_zero_sum_and_moves_whole_points(
    winner: int, banker: int, standup: bool, in_between: bool, steps: int
) -> None:
    win = BankerDiscard((winner + steps) % 4) if steps else BankerSelfDraw()
    moved = settle(winner, win, banker, standup=standup, in_between=in_between)
    assert sum(moved) == 0
    assert all(isinstance(points, int) for points in moved)
    assert [seat for seat in range(4) if moved[seat] > 0] == [winner]
    paying = 1 if isinstance(win, BankerDiscard) else 3
    assert len([points for points in moved if points < 0]) == paying


@given(winner=SEATS, banker=SEATS, steps=st.integers(0, 3), turn=SEATS)
def test_it_does_not_matter_from_where_the_seats_are_counted(
    winner: int, banker: int, steps: int, turn: int
) -> None:
    def turned(seat: int) -> int:
        return (seat + turn) % 4

    by = (winner + steps) % 4
    here = settle(winner, BankerDiscard(by) if steps else BankerSelfDraw(), banker)
    there = settle(
        turned(winner), BankerDiscard(turned(by)) if steps else BankerSelfDraw(), turned(banker)
    )
    assert tuple(there[turned(seat)] for seat in range(4)) == here


@pytest.mark.parametrize("winner", range(4))
def test_the_winner_cannot_be_the_discarder(winner: int) -> None:
    with pytest.raises(AgainstTheRules, match="winner is also the discarder") as refused:
        settle(winner, BankerDiscard(winner), 0)
    assert refused.value.code == "winner_as_discarder"


@pytest.mark.parametrize("stranger", [-1, 4])
def test_a_player_who_is_not_at_the_table_is_refused_in_every_role(stranger: int) -> None:
    with pytest.raises(AgainstTheRules, match=f"winner sits in seat {stranger}"):
        settle(stranger, BankerSelfDraw(), 0)
    with pytest.raises(AgainstTheRules, match=f"banker sits in seat {stranger}"):
        settle(0, BankerSelfDraw(), stranger)
    with pytest.raises(AgainstTheRules, match=f"discarder sits in seat {stranger}"):
        settle(0, BankerDiscard(stranger), 0)


@pytest.mark.parametrize(
    ("points", "expected"),
    [
        pytest.param((100, 100, 100, 100), False, id="at the start"),
        pytest.param((400, 0, 0, 0), False, id="0 is not below 0"),
        pytest.param((401, -1, 0, 0), True, id="-1 is below 0"),
    ],
)
def test_a_game_ends_when_somebody_is_below_0(points: tuple[int, ...], expected: bool) -> None:
    assert is_over(points) is expected


def test_everybody_begins_with_100_points() -> None:
    assert START_POINTS == 100
