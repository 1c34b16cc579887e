"""The American rules: what one game by the card of the year brings each player, in whole numbers.

There are two ways to count, each a table of numbers that a club may set: by payment, as the
National Mah Jongg League has it, and by tournament points, as organizers publish them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias, assert_never

from shared.scoring.against_rules import AgainstTheRules

SEATS: Final = 4
# The card is not ours to print. These are all the values that one has.
VALUES: Final = range(20, 101, 5)
EXPOSURES_MAX: Final = 4  # A hand has 14 tiles, and an exposure at least three.
PENALTY_MAX: Final = 1000


@dataclass(frozen=True, slots=True)
class PaymentRules:
    """How many times the value of the hand each player pays the winner.

    `no_jokers` multiplies all of it. Who misnames a discard that is claimed for mah jongg pays
    `misnamed` times the value, and the others pay nothing.
    """

    discarder: int = 2
    others: int = 1
    self_picked: int = 2
    no_jokers: int = 2
    misnamed: int = 4


@dataclass(frozen=True, slots=True)
class TournamentRules:
    """What is added to the value for the winner, and what a discarder loses.

    The discarder loses by how many exposures the winner had: `exposed_3` is for three or more,
    `exposed_2_quint` for two of which one is a quint. Every living hand gets `wall_game`.
    """

    self_picked: int = 10
    no_jokers: int = 20
    exposed_0: int = 10
    exposed_1: int = 10
    exposed_2: int = 20
    exposed_2_quint: int = 20
    exposed_3: int = 25
    misnamed: int = 25
    wall_game: int = 10


@dataclass(frozen=True, slots=True)
class WinningHand:
    """The hand of the winner: its value on the card, and what changes what it brings.

    Raises AgainstTheRules when there cannot be such a hand.
    """

    value: int
    has_no_jokers: bool = False
    is_singles_and_pairs: bool = False
    exposures: int = 0
    has_quint: bool = False

    def __post_init__(self) -> None:
        if self.value not in VALUES:
            raise no_such_value(str(self.value))
        if self.exposures not in range(EXPOSURES_MAX + 1):
            raise AgainstTheRules(
                "impossible_hand",
                f"A hand has at most {EXPOSURES_MAX} exposures, but this one has "
                f"{self.exposures}. Count the groups that the winner had exposed.",
            )
        if self.is_singles_and_pairs and self.exposures:
            raise AgainstTheRules(
                "impossible_hand",
                "A hand of singles and pairs has no exposures; leave out one or the other.",
            )
        if self.has_quint and not self.exposures:
            raise AgainstTheRules(
                "impossible_hand",
                "An exposed quint is one of the exposures; say how many there are, or leave the "
                "quint out.",
            )


@dataclass(frozen=True, slots=True)
class WallGame:
    """No one wins. `dead` are the seats whose hands are dead, for mah jongg in error too."""

    dead: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class SelfPicked:
    """The winner picks the last tile, or gets it in exchange for a joker."""

    winner: int
    hand: WinningHand
    dead: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Discarded:
    """The winner claims what seat `by` discards, or calls by a wrong name if `is_misnamed`."""

    winner: int
    hand: WinningHand
    by: int
    is_misnamed: bool = False
    dead: frozenset[int] = frozenset()


AmericanGame: TypeAlias = WallGame | SelfPicked | Discarded
AmericanRules: TypeAlias = PaymentRules | TournamentRules


def settle(game: AmericanGame, rules: AmericanRules) -> tuple[int, ...]:
    """Return what each of the four seats gets. By payment, the four sum to zero.

    Raises AgainstTheRules for a seat that is not at the table, a winner who discards, and a dead
    hand that wins or discards.
    """
    _check_seats(game)
    if isinstance(rules, PaymentRules):
        return _by_payment(game, rules)
    return _by_points(game, rules)


def lost_by_discarder(hand: WinningHand, rules: TournamentRules) -> int:
    """Return what a discard costs in a tournament: the more the winner had exposed, the more."""
    if hand.exposures == 2:
        return rules.exposed_2_quint if hand.has_quint else rules.exposed_2
    if hand.exposures > 2:
        return rules.exposed_3
    return rules.exposed_1 if hand.exposures else rules.exposed_0


def no_such_value(text: str) -> AgainstTheRules:
    """Return the refusal of a value that is on no card."""
    return AgainstTheRules(
        "no_such_value",
        f"No hand on the card is worth {text}; the values are {VALUES[0]} to {VALUES[-1]}, in "
        f"steps of {VALUES.step}.",
    )


def _by_payment(game: AmericanGame, rules: PaymentRules) -> tuple[int, ...]:
    match game:
        case WallGame():
            return (0,) * SEATS
        case SelfPicked(winner, hand):
            times = dict.fromkeys(_others(winner), rules.self_picked)
        case Discarded(winner, hand, by, is_misnamed=True):
            times = {by: rules.misnamed}
        case Discarded(winner, hand, by):
            times = {**dict.fromkeys(_others(winner), rules.others), by: rules.discarder}
        case _:
            assert_never(game)
    worth = hand.value * (rules.no_jokers if _counts_as_jokerless(hand) else 1)
    paid = {seat: worth * number for seat, number in times.items()}
    return _by_seat({winner: sum(paid.values()), **{seat: -sum_ for seat, sum_ in paid.items()}})


def _by_points(game: AmericanGame, rules: TournamentRules) -> tuple[int, ...]:
    match game:
        case WallGame(dead):
            return tuple(0 if seat in dead else rules.wall_game for seat in range(SEATS))
        case SelfPicked(winner, hand):
            return _by_seat({winner: _won(hand, rules) + rules.self_picked})
        case Discarded(winner, hand, by, is_misnamed):
            lost = rules.misnamed if is_misnamed else lost_by_discarder(hand, rules)
            return _by_seat({winner: _won(hand, rules), by: -lost})
        case _:
            assert_never(game)


def _won(hand: WinningHand, rules: TournamentRules) -> int:
    return hand.value + (rules.no_jokers if _counts_as_jokerless(hand) else 0)


def _counts_as_jokerless(hand: WinningHand) -> bool:
    """Return whether a hand is rewarded for it: singles and pairs never have jokers."""
    return hand.has_no_jokers and not hand.is_singles_and_pairs


def _others(winner: int) -> list[int]:
    return [seat for seat in range(SEATS) if seat != winner]


def _by_seat(points: Mapping[int, int]) -> tuple[int, ...]:
    return tuple(points.get(seat, 0) for seat in range(SEATS))


def _check_seats(game: AmericanGame) -> None:
    roles = {} if isinstance(game, WallGame) else {"winner": game.winner}
    if isinstance(game, Discarded):
        roles["discarder"] = game.by
    dead = [("player with a dead hand", seat) for seat in sorted(game.dead)]
    for role, seat in [*roles.items(), *dead]:
        if seat not in range(SEATS):
            raise AgainstTheRules(
                "unknown_player",
                f"The {role} sits in seat {seat}; the seats are 0 to {SEATS - 1}.",
            )
    if isinstance(game, Discarded) and game.by == game.winner:
        raise AgainstTheRules(
            "winner_as_discarder",
            "The winner is also the discarder; no one wins off their own discard.",
        )
    for role, seat in roles.items():
        if seat in game.dead:
            raise AgainstTheRules(
                "dead_hand_plays",
                f"The {role} has a dead hand; who is dead neither wins nor discards.",
            )
