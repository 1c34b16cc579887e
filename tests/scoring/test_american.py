"""The American rules, in the League's own words and in the numbers that organizers publish."""

from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.scoring.against_rules import AgainstTheRules
from shared.scoring.american import (
    AmericanGame,
    AmericanRules,
    Discarded,
    PaymentRules,
    SelfPicked,
    TournamentRules,
    WallGame,
    WinningHand,
    settle,
)

PAYMENT: Final = PaymentRules()
TOURNAMENT: Final = TournamentRules()
SEATS: Final = st.integers(0, 3)


@pytest.mark.parametrize(
    ("game", "expected"),
    [
        # Off a discard the discarder pays double; "all other players pay single value".
        (Discarded(0, WinningHand(25), by=3), (100, -25, -25, -50)),
        # "When a player picks own mah jongg tile, all players pay double value."
        (SelfPicked(1, WinningHand(30)), (-60, 180, -60, -60)),
        # "No jokers are part of the hand": double, of all that is paid; 25 becomes 50 and 100.
        (Discarded(0, WinningHand(25, has_no_jokers=True), by=1), (200, -100, -50, -50)),
        (SelfPicked(2, WinningHand(25, has_no_jokers=True)), (-100, -100, 300, -100)),
        # Singles and pairs are no better for having none.
        (
            Discarded(3, WinningHand(50, has_no_jokers=True, is_singles_and_pairs=True), by=0),
            (-100, -50, -50, 200),
        ),
        # Who misnames the tile pays four times the value, and no one else pays.
        (Discarded(1, WinningHand(35), by=2, is_misnamed=True), (0, 140, -140, 0)),
        # Dead hands pay like the others.
        (SelfPicked(0, WinningHand(20), dead=frozenset({1, 2})), (120, -40, -40, -40)),
        (WallGame(), (0, 0, 0, 0)),
        (WallGame(dead=frozenset({1})), (0, 0, 0, 0)),
    ],
)
def test_payments_are_those_of_the_league(game: AmericanGame, expected: tuple[int, ...]) -> None:
    assert settle(game, PAYMENT) == expected


@pytest.mark.parametrize(
    ("game", "expected"),
    [
        (SelfPicked(0, WinningHand(25)), (35, 0, 0, 0)),
        (SelfPicked(0, WinningHand(25, has_no_jokers=True)), (55, 0, 0, 0)),
        (Discarded(1, WinningHand(30, has_no_jokers=True), by=0), (-10, 50, 0, 0)),
        (SelfPicked(2, WinningHand(50, is_singles_and_pairs=True)), (0, 0, 60, 0)),
        (
            Discarded(2, WinningHand(75, has_no_jokers=True, is_singles_and_pairs=True), by=3),
            (0, 0, 75, -10),
        ),
        (Discarded(0, WinningHand(25, exposures=0), by=1), (25, -10, 0, 0)),
        (Discarded(0, WinningHand(25, exposures=1), by=1), (25, -10, 0, 0)),
        (Discarded(0, WinningHand(25, exposures=2), by=1), (25, -20, 0, 0)),
        (Discarded(0, WinningHand(25, exposures=3), by=1), (25, -25, 0, 0)),
        (Discarded(0, WinningHand(25, exposures=4), by=1), (25, -25, 0, 0)),
        (Discarded(0, WinningHand(45, exposures=2, has_quint=True), by=1), (45, -20, 0, 0)),
        (Discarded(3, WinningHand(25), by=1, is_misnamed=True), (0, -25, 0, 25)),
        (WallGame(), (10, 10, 10, 10)),
        (WallGame(dead=frozenset({0, 3})), (0, 10, 10, 0)),
        (WallGame(dead=frozenset({0, 1, 2})), (0, 0, 0, 10)),
        (SelfPicked(1, WinningHand(25), dead=frozenset({0})), (0, 35, 0, 0)),
    ],
)
def test_tournament_points_are_those_that_organizers_publish(
    game: AmericanGame, expected: tuple[int, ...]
) -> None:
    assert settle(game, TOURNAMENT) == expected


def test_every_number_of_a_way_can_be_set() -> None:
    # Each number has its own power of two, so that one taken for another shows.
    by_payment = PaymentRules(discarder=1, others=2, self_picked=4, no_jokers=8, misnamed=16)
    hand, jokerless = WinningHand(20), WinningHand(20, has_no_jokers=True)
    assert settle(Discarded(0, hand, by=1), by_payment) == (100, -20, -40, -40)
    assert settle(SelfPicked(0, jokerless), by_payment) == (1920, -640, -640, -640)
    assert settle(Discarded(0, hand, by=1, is_misnamed=True), by_payment) == (320, -320, 0, 0)
    by_points = TournamentRules(1, 2, 4, 8, 16, 32, 64, 128, 256)
    assert settle(SelfPicked(0, jokerless), by_points) == (23, 0, 0, 0)
    exposed = [
        WinningHand(20, exposures=number, has_quint=has_quint)
        for number, has_quint in [(0, False), (1, False), (2, False), (2, True), (3, False)]
    ]
    lost = [settle(Discarded(0, each, by=1), by_points)[1] for each in exposed]
    assert lost == [-4, -8, -16, -32, -64]
    assert settle(Discarded(0, hand, by=1, is_misnamed=True), by_points) == (20, -128, 0, 0)
    assert settle(WallGame(), by_points) == (256,) * 4


HANDS: Final = st.builds(
    WinningHand,
    st.sampled_from(range(20, 101, 5)),
    has_no_jokers=st.booleans(),
    exposures=st.integers(0, 4),
)


@st.composite
def games(draw: st.DrawFn) -> AmericanGame:
    winner, steps = draw(SEATS), draw(st.integers(0, 4))
    if steps == 4:
        return WallGame(draw(st.frozensets(SEATS)))
    hand = draw(HANDS)
    if steps == 0:
        return SelfPicked(winner, hand)
    return Discarded(winner, hand, by=(winner + steps) % 4, is_misnamed=draw(st.booleans()))


@given(
    game=games(),
    rules=st.builds(PaymentRules, *[st.integers(0, 1000)] * 5),
)
def test_payments_sum_to_zero_whatever_numbers_are_set(
    game: AmericanGame, rules: PaymentRules
) -> None:
    assert sum(settle(game, rules)) == 0


@given(game=games())
def test_no_points_of_a_tournament_depend_on_where_someone_sits(game: AmericanGame) -> None:
    """Turn the table by one seat, and all points turn with it."""

    def turned(seat: int) -> int:
        return (seat + 1) % 4

    dead = frozenset(map(turned, game.dead))
    match game:
        case WallGame():
            there: AmericanGame = WallGame(dead)
        case SelfPicked(winner, hand):
            there = SelfPicked(turned(winner), hand, dead)
        case Discarded(winner, hand, by, is_misnamed):
            there = Discarded(turned(winner), hand, turned(by), is_misnamed, dead)
    for rules in (PAYMENT, TOURNAMENT):
        here, moved = settle(game, rules), settle(there, rules)
        assert tuple(moved[turned(seat)] for seat in range(4)) == here


@pytest.mark.parametrize("value", [0, 15, 19, 21, 26, 101, 105, -25])
def test_a_value_that_no_card_has_is_refused(value: int) -> None:
    with pytest.raises(AgainstTheRules) as refused:
        WinningHand(value)
    assert refused.value.code == "no_such_value"
    assert refused.value.message == (
        f"No hand on the card is worth {value}; the values are 20 to 100, in steps of 5."
    )


def test_the_values_of_a_card_are_seventeen() -> None:
    # 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 80, 85, 90, 95, 100.
    taken = [value for value in range(-50, 200) if is_taken(value)]
    assert (len(taken), taken[0], taken[1], taken[-1]) == (17, 20, 25, 100)


def is_taken(value: int) -> bool:
    try:
        WinningHand(value)
    except AgainstTheRules:
        return False
    return True


@pytest.mark.parametrize(
    ("exposures", "is_singles_and_pairs", "has_quint", "said"),
    [
        (5, False, False, "at most 4 exposures, but this one has 5"),
        (-1, False, False, "at most 4 exposures, but this one has -1"),
        (1, True, False, "singles and pairs has no exposures"),
        (0, False, True, "An exposed quint is one of the exposures"),
    ],
)
def test_a_hand_that_cannot_be_is_refused(
    exposures: int, is_singles_and_pairs: bool, has_quint: bool, said: str
) -> None:
    with pytest.raises(AgainstTheRules, match=said) as refused:
        WinningHand(
            50,
            exposures=exposures,
            is_singles_and_pairs=is_singles_and_pairs,
            has_quint=has_quint,
        )
    assert refused.value.code == "impossible_hand"


HAND: Final = WinningHand(25)


@pytest.mark.parametrize("rules", [PAYMENT, TOURNAMENT])
@pytest.mark.parametrize(
    ("game", "code", "said"),
    [
        (SelfPicked(4, HAND), "unknown_player", "The winner sits in seat 4; the seats are 0 to 3"),
        (Discarded(0, HAND, by=-1), "unknown_player", "The discarder sits in seat -1"),
        (WallGame(frozenset({7})), "unknown_player", "The player with a dead hand sits in seat 7"),
        (Discarded(2, HAND, by=2), "winner_as_discarder", "The winner is also the discarder"),
        (SelfPicked(1, HAND, frozenset({1})), "dead_hand_plays", "The winner has a dead hand"),
        (
            Discarded(0, HAND, by=1, dead=frozenset({1})),
            "dead_hand_plays",
            "The discarder has a dead hand",
        ),
    ],
)
def test_a_game_that_cannot_be_is_refused_either_way(
    game: AmericanGame, rules: AmericanRules, code: str, said: str
) -> None:
    with pytest.raises(AgainstTheRules, match=said) as refused:
        settle(game, rules)
    assert refused.value.code == code
