"""A round of Wright-Patterson: payments, bouquets, pots, the dealership, the end of the game."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

import pytest

from shared.scoring.against_rules import AgainstTheRules
from shared.scoring.wright_patterson.hands import Hand
from shared.scoring.wright_patterson.rounds import (
    DealtRound,
    Table,
    TripleLimit,
    Win,
    bouquet_payments,
    difference_payments,
    end_game,
    play,
    scores_of,
    win_payments,
)
from shared.scoring.wright_patterson.tiles import Bouquet, Wind
from tests.scoring.wright_patterson.played import hand, pots

E, S, W, N = Wind
NOTHING: Final = "13579d 24689b 123c"  # A hand without points.
HALF_LIMIT: Final = "RRR GGG PP 1357d 9c"  # 8 + 8 + 2 points, 2 + 3 doubles: 18 x 32 = 576.


def hands_beside(winner: int, **by_seat: str) -> dict[int, Hand]:
    """Return the hands of the three others: those given, as `seat_1="..."`, and worthless ones."""
    return {seat: hand(by_seat.get(f"seat_{seat}", NOTHING)) for seat in range(4) if seat != winner}


def a_win(by: int, worth: int | TripleLimit = 100, **by_seat: str) -> DealtRound:
    return DealtRound(prevailing=W, win=Win(by, worth), hands=hands_beside(by, **by_seat))


def gains(before: Table, after: Table) -> list[Fraction]:
    return [now - had for had, now in zip(before.points, after.points, strict=True)]


# The rule book, Setup: "Players each start with 10000 points."
def test_everybody_begins_with_10000_points_and_empty_pots() -> None:
    table = Table()
    assert list(table.points) == [10_000] * 4
    assert pots(table) == [0, 0]
    assert (table.passes, table.is_over) == (0, False)


# Game End: "If a player declares Mah Jongg, they are paid the value of their hand by each player.
# East always pays and receives double."
@pytest.mark.parametrize(
    ("by", "east", "expected"),
    [
        pytest.param(1, 0, (-600, 1200, -300, -300), id="East pays double"),
        pytest.param(0, 0, (1800, -600, -600, -600), id="East receives double"),
        pytest.param(1, 3, (-300, 1200, -300, -600), id="whoever is East"),
    ],
)
def test_the_winner_is_paid_the_value_by_each(
    by: int, east: int, expected: tuple[int, ...]
) -> None:
    assert win_payments(Win(by, 300), east) == expected


# Game End: "If East wins immediately after the Charleston, or any player wins off East's first
# discard, they are paid Triple Limit."
@pytest.mark.parametrize(
    ("by", "triple", "expected"),
    [
        (0, TripleLimit.AFTER_CHARLESTON, (9000, -3000, -3000, -3000)),
        (2, TripleLimit.FIRST_DISCARD, (-3000, -1500, 6000, -1500)),
    ],
)
def test_the_two_earliest_wins_are_paid_triple_limit(
    by: int, triple: TripleLimit, expected: tuple[int, ...]
) -> None:
    assert win_payments(Win(by, triple), east=0) == expected


# Game End: "Each player pays each higher-scoring player the difference between their two hands'
# scores, up to the limit of 500 points. East always pays and receives double at the end of each
# round, and their limit is also doubled (to 1000 points)."
@pytest.mark.parametrize(
    ("scores", "east", "expected"),
    [
        pytest.param({1: 60, 2: 20, 3: 0}, 0, (0, 100, -20, -80), id="40 + 60, 20 - 40, -60 - 20"),
        pytest.param({1: 50, 2: 50, 3: 50}, 0, (0, 0, 0, 0), id="equal scores"),
        pytest.param({1: 500, 2: 0, 3: 0}, 0, (0, 1000, -500, -500), id="at the limit"),
        pytest.param({1: 490, 2: 0, 3: 0}, 0, (0, 980, -490, -490), id="just below the limit"),
        pytest.param({1: 510, 2: 0, 3: 0}, 0, (0, 1000, -500, -500), id="just over the limit"),
        pytest.param({1: 13_310, 2: 0, 3: 600}, 0, (0, 1000, -1000, 0), id="each pair has its own"),
        pytest.param({0: 250, 1: 0, 2: 0}, 0, (1000, -500, -500, 0), id="East receives double"),
        pytest.param({0: 0, 1: 250, 2: 0}, 0, (-500, 750, -250, 0), id="East pays double"),
        pytest.param({0: 500, 1: 0, 2: 0}, 0, (2000, -1000, -1000, 0), id="East at the limit"),
        pytest.param({0: 510, 1: 0, 2: 0}, 0, (2000, -1000, -1000, 0), id="East over the limit"),
        pytest.param({0: 0, 1: 800, 2: 700}, 0, (-2000, 1100, 900, 0), id="East pays the limit"),
    ],
)
def test_the_others_pay_each_other_the_differences(
    scores: Mapping[int, int], east: int, expected: tuple[int, ...]
) -> None:
    assert difference_payments(scores, east) == expected


def test_the_limit_is_one_of_payments_and_not_of_scores() -> None:
    # Seat 3 is North: 18 x 32 = 576, rounded 580; seats 1 and 2 pay 500 each.
    table = Table()
    played = a_win(0, seat_3=HALF_LIMIT)
    assert scores_of(table, played) == {1: 0, 2: 0, 3: 580}
    assert gains(table, play(table, played)) == [600, -200 - 500, -200 - 500, -200 + 1000]


def test_the_seat_wind_goes_with_the_dealership() -> None:
    assert [Table(east=1).wind_of(seat) for seat in range(4)] == [N, E, S, W]
    assert [Table(east=3).wind_of(seat) for seat in range(4)] == [S, W, N, E]


def test_triple_limit_leaves_the_differences_to_the_others() -> None:
    table = Table()
    after = play(table, a_win(2, TripleLimit.FIRST_DISCARD, seat_1=HALF_LIMIT))
    # Seat 0 is East: 3000 to seat 2 and the doubled limit to seat 1.
    assert gains(table, after) == [-3000 - 1000, -1500 + 1000 + 500, 6000, -1500 - 500]


# Setup: "If a player declares all four flowers or all four seasons, they are instantly paid 500
# points by each other player. (Note that East, who normally pays and receives double, does not do
# so here.)"
@pytest.mark.parametrize("seat", range(4))
def test_a_bouquet_is_paid_500_by_each_and_never_double(seat: int) -> None:
    paid = [-500] * 4
    paid[seat] = 1500
    assert bouquet_payments(seat) == tuple(paid)


def test_a_bouquet_is_paid_in_a_wall_game_too_and_both_can_be_made() -> None:
    table = Table()
    both = ((0, Bouquet.FLOWERS), (3, Bouquet.SEASONS))
    after = play(table, DealtRound(prevailing=E, win=None, bouquets=both))
    assert gains(table, after) == [1500 - 500 - 50, -1000 - 50, -1000 - 50, 1500 - 500 - 50]


# Setup: "If nobody declares any flowers, each player puts 50 points into the Flower Pot. The Flower
# Pot is collected by the first player who declares a flower after the end of the Charleston; it
# carries over between rounds."
def test_the_flower_pot_grows_and_carries_over_until_a_flower_is_declared() -> None:
    table = Table()
    dry = DealtRound(
        prevailing=E, win=Win(0, 10), hands=hands_beside(0), are_flowers_declared=False
    )
    after_two = play(play(table, dry), dry)
    assert after_two.flower_pot == 400
    assert gains(table, after_two) == [-100 + 120, -100 - 40, -100 - 40, -100 - 40]
    # The round puts its own 200 in first, then seat 2, who is not East, collects 600.
    collected = DealtRound(
        prevailing=E,
        win=Win(0, 10),
        hands=hands_beside(0),
        are_flowers_declared=False,
        first_flower=2,
    )
    after_three = play(after_two, collected)
    assert after_three.flower_pot == 0
    assert gains(after_two, after_three) == [-50 + 60, -50 - 20, -50 - 20 + 600, -50 - 20]


def test_flowers_of_the_go_around_fill_no_pot_and_collect_none() -> None:
    table = Table(points=(Fraction(9950),) * 4, flower_pot=Fraction(200))
    after = play(table, a_win(0, 10))
    assert after.flower_pot == 200


def test_who_declares_a_flower_first_collects_what_is_there_also_nothing() -> None:
    table = Table()
    after = play(table, DealtRound(prevailing=E, win=None, first_flower=1))
    assert gains(table, after) == [-50] * 4


# Game End: "If the round ends with nobody declaring Mah Jongg, each player puts 50 points into the
# Wall Pot. The Wall Pot carries over between rounds, and is collected by the next player who
# declares Mah Jongg. Hands are not scored."
def test_the_wall_pot_grows_and_carries_over_until_somebody_wins() -> None:
    wall = DealtRound(prevailing=E, win=None)
    after_two = play(play(Table(), wall), wall)
    assert after_two.wall_pot == 400
    assert list(after_two.points) == [9900] * 4
    after_win = play(after_two, a_win(3, 10))
    assert after_win.wall_pot == 0
    assert gains(after_two, after_win) == [-20, -10, -10, 40 + 400]


# Game End: "Dealership passes only if someone other than East wins."
def test_the_dealership_stays_with_east_who_wins_and_after_a_wall_game() -> None:
    after_win = play(Table(), a_win(0))
    after_wall = play(after_win, DealtRound(prevailing=E, win=None))
    assert (after_wall.east, after_wall.passes) == (0, 0)
    after_loss = play(after_wall, a_win(2))
    assert (after_loss.east, after_loss.passes) == (1, 1)


# Ending the game: "The game ends after dealership has passed eight times. Any money left in the
# Flower or Wall Pots is split evenly between players."
def test_the_game_ends_with_the_eighth_pass_and_its_pots_are_split() -> None:
    table = Table(flower_pot=Fraction(600), points=(Fraction(9850),) * 4)
    for passes in range(7):
        table = play(table, a_win((table.east + 1) % 4, 10))
        assert (table.passes, table.is_over) == (passes + 1, False)
    assert table.flower_pot == 600
    last = play(table, a_win(0, 10))  # Seat 3 is East.
    assert (last.passes, last.is_over) == (8, True)
    assert pots(last) == [0, 0]
    assert gains(table, last) == [40 + 150, -10 + 150, -10 + 150, -20 + 150]
    with pytest.raises(AgainstTheRules, match="The game is over") as refused:
        play(last, a_win(0, 10))
    assert refused.value.code == "game_over"


def test_a_split_that_does_not_go_evenly_is_exact() -> None:
    after = end_game(Table(flower_pot=Fraction(50), wall_pot=Fraction(1)))
    assert after.points == (10_000 + Fraction(51, 4),) * 4
    assert pots(after) == [0, 0]
    assert after.is_over


@pytest.mark.parametrize(
    ("played", "code"),
    [
        pytest.param(lambda: a_win(0, 0), "out_of_range", id="worth nothing"),
        pytest.param(lambda: a_win(0, 1501), "out_of_range", id="over Triple Limit"),
        pytest.param(lambda: a_win(1, TripleLimit.AFTER_CHARLESTON), "not_east", id="not East"),
        pytest.param(lambda: a_win(0, TripleLimit.FIRST_DISCARD), "own_discard", id="East's own"),
        pytest.param(lambda: a_win(4), "unknown_player", id="a fifth player wins"),
        pytest.param(
            lambda: DealtRound(W, None, first_flower=4), "unknown_player", id="a fifth collects"
        ),
        pytest.param(
            lambda: DealtRound(W, None, bouquets=((-1, Bouquet.SEASONS),)),
            "unknown_player",
            id="a fifth makes a bouquet",
        ),
        pytest.param(
            lambda: DealtRound(W, None, {1: hand(NOTHING)}), "hand_in_wall_game", id="nobody won"
        ),
        pytest.param(
            lambda: DealtRound(W, Win(1, 50), {seat: hand(NOTHING) for seat in range(3)}),
            "hand_of_winner",
            id="the winner's tiles",
        ),
        pytest.param(
            lambda: DealtRound(W, Win(1, 50), {0: hand(NOTHING), 2: hand(NOTHING)}),
            "hand_missing",
            id="two hands",
        ),
        pytest.param(
            lambda: a_win(0, seat_1=f"{NOTHING[:-4]} RRR", seat_2=f"{NOTHING[:-4]} RR 1c"),
            "five_of_a_tile",
            id="five of a tile in two hands",
        ),
        pytest.param(
            lambda: a_win(0, seat_1=f"{NOTHING} 3s", seat_2=f"{NOTHING} 3s"),
            "flower_twice",
            id="a season in two hands",
        ),
        pytest.param(
            lambda: DealtRound(W, None, bouquets=((1, Bouquet.FLOWERS), (2, Bouquet.FLOWERS))),
            "bouquet_twice",
            id="the same bouquet twice",
        ),
        pytest.param(
            lambda: DealtRound(
                W,
                Win(0, 50),
                hands_beside(0, seat_1=f"{NOTHING} 3f"),
                bouquets=((1, Bouquet.FLOWERS),),
            ),
            "bouquet_in_hand",
            id="a bouquet that was not discarded",
        ),
        pytest.param(
            lambda: DealtRound(
                W,
                Win(0, 50),
                hands_beside(0, seat_1=f"{NOTHING} 3f"),
                are_flowers_declared=False,
            ),
            "nobody_declared",
            id="a flower that nobody declared",
        ),
        pytest.param(
            lambda: DealtRound(
                W, None, bouquets=((1, Bouquet.FLOWERS),), are_flowers_declared=False
            ),
            "nobody_declared",
            id="a bouquet that nobody declared",
        ),
    ],
)
def test_a_round_that_cannot_have_been_is_refused(played: object, code: str) -> None:
    assert callable(played)
    with pytest.raises(AgainstTheRules) as refused:
        play(Table(), played())
    assert refused.value.code == code


def test_the_edges_of_what_can_be_are_taken() -> None:
    play(Table(), a_win(0, 1))
    play(Table(), a_win(0, 1500))
    late = DealtRound(
        W,
        Win(0, 50),
        hands_beside(0, seat_1=f"{NOTHING} 3f"),
        are_flowers_declared=False,
        first_flower=1,
        bouquets=((2, Bouquet.SEASONS),),
    )
    play(Table(), late)
