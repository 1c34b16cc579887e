"""Laws of Wright-Patterson: no point comes or goes, whatever is played."""

from fractions import Fraction
from typing import Final

from hypothesis import given, settings
from hypothesis import strategies as st

from shared.scoring.wright_patterson.hands import Ready
from shared.scoring.wright_patterson.rounds import (
    DealtRound,
    Table,
    Win,
    difference_payments,
    end_game,
    play,
    win_payments,
)
from shared.scoring.wright_patterson.tiles import Bouquet, Wind
from tests.scoring.wright_patterson.played import hand, pots


def money(table: Table) -> Fraction:
    return sum(table.points, table.flower_pot + table.wall_pot)


# Hands for each seat out of tiles of its own, so that any of them can lie on one table.
HANDS: Final = (
    ("1234567891234c", "111c 222c 333c 444c 5c", "[1111c] 999c 2345678c 1f"),
    ("1234567891234d", "[123d] [789d] 1234567d", "(5555d) (6666d) 1112223d 2f"),
    ("1234567891234b", "[222b] 1345678999b 3f", "19b 19b 19b 2345678b 123s"),
    ("EESSWWNNRRGGP", "EEE SSS RRR GGG P", "[RRR] [GGGG] PP EE SSS 4f", "(NNNN) PPP RRR GG EE"),
)
SEATS: Final = st.integers(0, 3)


@st.composite
def rounds(draw: st.DrawFn) -> DealtRound:
    """Draw a round that can have been, whoever is East."""
    prevailing = draw(st.sampled_from(Wind))
    first_flower = draw(st.none() | SEATS)
    if draw(st.booleans()):
        bouquets = tuple((draw(SEATS), what) for what in Bouquet if draw(st.booleans()))
        return DealtRound(prevailing, None, first_flower=first_flower, bouquets=bouquets)
    win = Win(draw(SEATS), draw(st.integers(1, 1500)))
    readies = st.sampled_from(Ready)
    shown = {
        seat: hand(draw(st.sampled_from(HANDS[seat])), draw(readies))
        for seat in range(4)
        if seat != win.by
    }
    are_declared = draw(st.booleans()) or any(each.flowers for each in shown.values())
    kinds = {flower.bouquet for each in shown.values() for flower in each.flowers}
    bouquets = tuple((draw(SEATS), what) for what in Bouquet if are_declared and what not in kinds)
    return DealtRound(prevailing, win, shown, are_declared, first_flower, bouquets)


@settings(max_examples=40)  # Of ten rounds each.
@given(st.lists(rounds(), max_size=10), SEATS)
def test_no_point_comes_or_goes_and_a_game_that_is_over_has_empty_pots(
    played: list[DealtRound], east: int
) -> None:
    table = Table(east=east)
    for each in played:
        if table.is_over:
            break
        table = play(table, each)
        assert money(table) == 40_000
        assert table.is_over == (table.passes == 8)
        # Four players always put in the same, so a pot can always be split evenly.
        assert table.flower_pot % 200 == table.wall_pot % 200 == 0
    over = table if table.is_over else end_game(table)
    assert sum(over.points) == 40_000
    assert pots(over) == [0, 0]


@given(st.lists(st.integers(0, 2000), min_size=3, max_size=3), SEATS, SEATS)
def test_payments_sum_to_zero_and_keep_within_their_limits(
    scores: list[int], winner: int, east: int
) -> None:
    losers = [seat for seat in range(4) if seat != winner]
    paid = difference_payments(dict(zip(losers, scores, strict=True)), east)
    assert sum(paid) == 0
    assert paid[winner] == 0
    most = {seat: 1000 + 1000 if seat == east else 1000 + 500 for seat in losers}
    assert all(abs(paid[seat]) <= most[seat] for seat in losers)
    highest = max(losers, key=lambda seat: scores[losers.index(seat)])
    assert paid[highest] >= 0


@given(SEATS, SEATS, st.integers(1, 1500))
def test_what_a_win_brings_sums_to_zero_and_comes_from_all_others(
    winner: int, east: int, worth: int
) -> None:
    paid = win_payments(Win(winner, worth), east)
    assert sum(paid) == 0
    assert all(paid[seat] in {-worth, -2 * worth} for seat in range(4) if seat != winner)
