"""How a round of Wright-Patterson moves points, pots and the dealership, until the game is over.

Headings and quotations are those of the rule book. Where it leaves something open,
docs/scoring.md says how it is read here.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from fractions import Fraction
from itertools import combinations
from typing import Final

from shared.scoring.against_rules import AgainstTheRules
from shared.scoring.wright_patterson.hands import Hand, check_copies, check_single
from shared.scoring.wright_patterson.tiles import Bouquet, Wind
from shared.scoring.wright_patterson.value import value_of

SEATS: Final = 4
START_POINTS: Final = 10_000  # Setup.
STAKE: Final = 50  # What each player puts into a pot. Setup, Game End.
BOUQUET: Final = 500  # What each other player pays for one. Setup.
LIMIT: Final = 500  # Of a payment for a difference, doubled where East pays or is paid. Game End.
TRIPLE_LIMIT: Final = 3 * LIMIT
PASSES: Final = 8  # "The game ends after dealership has passed eight times."

Changes = tuple[Fraction, ...]  # What comes in for each seat, below 0 for what goes out.


class TripleLimit(Enum):
    """The two wins that are paid Triple Limit, whatever the hand is worth. Game End."""

    AFTER_CHARLESTON = "East wins immediately after the Charleston"
    FIRST_DISCARD = "any player wins off East's first discard"


@dataclass(frozen=True, slots=True)
class Win:
    """Seat `by` declares Mah Jongg with a hand of `worth` points, which the table declares.

    The ninety-two hands are not public, so no one but the table knows what one is worth. Raises
    AgainstTheRules when it is nothing, or more than the highest limit that the rule book names.
    """

    by: int
    worth: int | TripleLimit

    def __post_init__(self) -> None:
        if isinstance(self.worth, int) and not 0 < self.worth <= TRIPLE_LIMIT:
            raise AgainstTheRules(
                "out_of_range",
                f"The winning hand is given as {self.worth}; a hand is worth 1 to "
                f"{TRIPLE_LIMIT}, the Triple Limit, before East's double.",
            )


@dataclass(frozen=True, slots=True)
class DealtRound:
    """What happened from one deal to the next; seats are 0 to 3, in the order of play.

    `are_flowers_declared` is about the go-around before the Charleston, `first_flower` is the
    player who first declares a flower after it. `hands` are those of the three who did not win,
    or none.
    """

    prevailing: Wind
    win: Win | None
    hands: Mapping[int, Hand] = field(default_factory=dict)
    are_flowers_declared: bool = True
    first_flower: int | None = None
    bouquets: tuple[tuple[int, Bouquet], ...] = ()


@dataclass(frozen=True, slots=True)
class Table:
    """The state of a game: points by seat, what is in the pots, who is East, passes so far."""

    points: tuple[Fraction, ...] = (Fraction(START_POINTS),) * SEATS
    flower_pot: Fraction = Fraction(0)
    wall_pot: Fraction = Fraction(0)
    east: int = 0
    passes: int = 0
    is_over: bool = False

    def wind_of(self, seat: int) -> Wind:
        """Return the seat wind: East, then South, West and North in the order of play."""
        return Wind((seat - self.east) % SEATS + 1)


def play(table: Table, played: DealtRound) -> Table:
    """Return the state of the game after a round; the players' points and the pots sum to 40,000.

    Raises AgainstTheRules when the round cannot have been, or the game is over.
    """
    check_table(table, played)
    check_round(played)
    table = _put_in_flowers(table, played)
    for seat, _ in played.bouquets:
        table = _moved(table, bouquet_payments(seat))
    if played.win is None:
        return _put_in_wall(table)
    table = _moved(table, win_payments(played.win, table.east))
    table = _moved(table, difference_payments(scores_of(table, played), table.east))
    table = _collect_wall(table, played.win.by)
    return _pass_dealership(table, played.win.by)


def end_game(table: Table) -> Table:
    """Split "any money left in the Flower or Wall Pots" evenly: Ending the game."""
    part = (table.flower_pot + table.wall_pot) / SEATS
    moved = _moved(table, (part,) * SEATS)
    return replace(moved, flower_pot=Fraction(0), wall_pot=Fraction(0), is_over=True)


def win_payments(win: Win, east: int) -> Changes:
    """Return what the winner is paid by each player, twice where East pays or is paid: Game End."""
    worth = TRIPLE_LIMIT if isinstance(win.worth, TripleLimit) else win.worth
    losers = [seat for seat in range(SEATS) if seat != win.by]
    return _paid((loser, win.by, worth * _times(loser, win.by, east)) for loser in losers)


def difference_payments(scores: Mapping[int, int], east: int) -> Changes:
    """Return what "each player pays each higher-scoring player", within the limits: Game End.

    `scores` are those of the players who did not win, by seat.
    """
    payments = []
    for one, other in combinations(scores, 2):
        payer, payee = sorted((one, other), key=scores.__getitem__)
        difference = min(scores[payee] - scores[payer], LIMIT)
        payments.append((payer, payee, difference * _times(payer, payee, east)))
    return _paid(payments)


def bouquet_payments(seat: int) -> Changes:
    """Return what a bouquet brings: 500 from each, and East neither pays nor gets double: Setup."""
    return _paid((other, seat, BOUQUET) for other in range(SEATS) if other != seat)


def scores_of(table: Table, played: DealtRound) -> dict[int, int]:
    """Return the score of each hand that did not win, by seat; it is not doubled for East."""
    return {
        seat: value_of(hand, table.wind_of(seat), played.prevailing).score
        for seat, hand in played.hands.items()
    }


def check_table(table: Table, played: DealtRound) -> None:
    """Raise AgainstTheRules when the game is over, or East is not who the win makes East."""
    if table.is_over:
        raise AgainstTheRules(
            "game_over",
            "The game is over; write the four names again, East first, to start another game.",
        )
    if played.win is None:
        return
    is_east = played.win.by == table.east
    if played.win.worth is TripleLimit.AFTER_CHARLESTON and not is_east:
        raise AgainstTheRules(
            "not_east", "Only East can win immediately after the Charleston, but someone else did."
        )
    if played.win.worth is TripleLimit.FIRST_DISCARD and is_east:
        raise AgainstTheRules("own_discard", "East cannot win off East's own first discard.")


def check_round(played: DealtRound) -> None:
    """Raise AgainstTheRules when a round contradicts itself."""
    _check_seats(played)
    _check_hands(played)
    _check_flowers(played)


def _check_seats(played: DealtRound) -> None:
    seats = {*played.hands, *(seat for seat, _ in played.bouquets)}
    seats |= set() if played.win is None else {played.win.by}
    seats |= set() if played.first_flower is None else {played.first_flower}
    if strangers := seats - set(range(SEATS)):
        raise AgainstTheRules(
            "unknown_player", f"Seat {min(strangers)} is not at the table; the seats are 0 to 3."
        )


def _check_hands(played: DealtRound) -> None:
    """The three who did not win show a hand; after a wall game "hands are not scored"."""
    if played.win is None and played.hands:
        raise AgainstTheRules(
            "hand_in_wall_game", "No one won, so no hands are scored; leave the hands out."
        )
    if played.win is not None and played.win.by in played.hands:
        raise AgainstTheRules(
            "hand_of_winner", "The winner's hand is declared, not counted; leave its tiles out."
        )
    if played.win is not None and len(played.hands) < SEATS - 1:
        raise AgainstTheRules(
            "hand_missing",
            f"{SEATS - 1} players did not win, but only {len(played.hands)} of their hands are "
            "there; write a `hand` line for each.",
        )
    check_copies(tile for hand in played.hands.values() for tile in hand.tiles)
    check_single(flower for hand in played.hands.values() for flower in hand.flowers)


def _check_flowers(played: DealtRound) -> None:
    """A bouquet is discarded at once, and a flower in a hand was declared by someone."""
    made = [bouquet for _, bouquet in played.bouquets]
    shown = [flower for hand in played.hands.values() for flower in hand.flowers]
    for bouquet in Bouquet:
        if made.count(bouquet) > 1:
            raise AgainstTheRules(
                "bouquet_twice",
                (f"There is only one bouquet of {bouquet.value}, but it is there twice."),
            )
        if bouquet in made and any(flower.bouquet is bouquet for flower in shown):
            raise AgainstTheRules(
                "bouquet_in_hand",
                f"The four {bouquet.value} were discarded as a bouquet, so no hand has any.",
            )
    is_any_declared = played.are_flowers_declared or played.first_flower is not None
    if (made or shown) and not is_any_declared:
        raise AgainstTheRules(
            "nobody_declared",
            "There are flowers or seasons, but no one declared one, before or after the "
            "Charleston; name who did with `flower-pot`, or leave `no-flowers` out.",
        )


def _put_in_flowers(table: Table, played: DealtRound) -> Table:
    """Fill the Flower Pot "if no one declares any flowers", then let it be collected: Setup.

    It is collected by "the first player who declares a flower after the end of the Charleston".
    """
    if not played.are_flowers_declared:
        table = _moved(table, (Fraction(-STAKE),) * SEATS)
        table = replace(table, flower_pot=table.flower_pot + SEATS * STAKE)
    if played.first_flower is None:
        return table
    collected = _moved(table, _collected(played.first_flower, table.flower_pot))
    return replace(collected, flower_pot=Fraction(0))


def _put_in_wall(table: Table) -> Table:
    """Fill the Wall Pot "if the round ends with no one declaring Mah Jongg": Game End."""
    moved = _moved(table, (Fraction(-STAKE),) * SEATS)
    return replace(moved, wall_pot=table.wall_pot + SEATS * STAKE)


def _collect_wall(table: Table, winner: int) -> Table:
    """Give the Wall Pot to "the next player who declares Mah Jongg": Game End."""
    return replace(_moved(table, _collected(winner, table.wall_pot)), wall_pot=Fraction(0))


def _pass_dealership(table: Table, winner: int) -> Table:
    """Pass the dealership "only if someone other than East wins"; the eighth pass ends the game."""
    if winner == table.east:
        return table
    passed = replace(table, east=(table.east + 1) % SEATS, passes=table.passes + 1)
    return end_game(passed) if passed.passes == PASSES else passed


def _times(payer: int, payee: int, east: int) -> int:
    """Return 2 where East takes part: "East always pays and receives double", limits too."""
    return 2 if east in {payer, payee} else 1


def _paid(payments: Iterable[tuple[int, int, int]]) -> Changes:
    """Return what payments (payer, payee, points) make together; it sums to zero."""
    changes = [Fraction(0)] * SEATS
    for payer, payee, points in payments:
        changes[payer] -= points
        changes[payee] += points
    return tuple(changes)


def _collected(seat: int, pot: Fraction) -> Changes:
    return tuple(pot if other == seat else Fraction(0) for other in range(SEATS))


def _moved(table: Table, changes: Changes) -> Table:
    points = tuple(had + change for had, change in zip(table.points, changes, strict=True))
    return replace(table, points=points)
