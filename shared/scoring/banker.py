"""The banker rule book: who pays whom for one hand, and when a game is over.

The numbers in brackets are the sections of the rule book.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from shared.scoring.against_rules import AgainstTheRules

SEATS: Final = 4  # [1.1]
START_POINTS: Final = 100  # [1.3]


@dataclass(frozen=True, slots=True)
class BankerSelfDraw:
    """The winner drew the winning tile [2]."""


@dataclass(frozen=True, slots=True)
class BankerDiscard:
    """The winner claimed a tile that the player in seat `by` discarded [2]."""

    by: int


def settle(
    winner: int,
    win: BankerSelfDraw | BankerDiscard,
    banker: int,
    standup: bool = False,
    in_between: bool = False,
) -> tuple[int, ...]:
    """Return what each of the four seats gets for a won hand; the four numbers sum to zero [1.4].

    Seats are 0 to 3, in any order that the caller keeps to. Raises AgainstTheRules for a seat
    that is not at the table, and for a winner who is said to have discarded the winning tile.
    """
    _check_seat("banker", banker)
    _check_seat("winner", winner)
    bonus = bonus_multiplier(standup=standup, in_between=in_between)
    losers = [seat for seat in range(SEATS) if seat != winner]
    shares = {loser: share(loser, winner, banker) for loser in losers}
    match win:
        case BankerSelfDraw():
            payments = {loser: 2 * shares[loser] * bonus for loser in losers}  # [5.1]
        case BankerDiscard(by):
            _check_discarder(by, winner)
            # The discarder pays double the own share, and the shares of the other two [5.2].
            payments = {by: (sum(shares.values()) + shares[by]) * bonus}
    changes = [-payments.get(seat, 0) for seat in range(SEATS)]
    changes[winner] = sum(payments.values())
    return tuple(changes)


def bonus_multiplier(*, standup: bool, in_between: bool) -> int:
    """Return G, which multiplies every payment of a hand: 1, 2 or 4 [3.3]."""
    return (2 if standup else 1) * (2 if in_between else 1)  # [3.1], [3.2]


def share(payer: int, winner: int, banker: int) -> int:
    """Return a loser's share before penalties and G: doubled if either of the two is banker [4]."""
    return 2 if banker in {payer, winner} else 1


def is_over(points: Sequence[int]) -> bool:
    """Return whether a game has ended: someone is below 0; with 0 the game goes on [1.6]."""
    return min(points) < 0


def _check_discarder(by: int, winner: int) -> None:
    _check_seat("discarder", by)
    if by == winner:
        raise AgainstTheRules(
            "winner_as_discarder",
            "The winner is also the discarder; no one wins off their own discard.",
        )


def _check_seat(role: str, seat: int) -> None:
    if seat not in range(SEATS):
        raise AgainstTheRules(
            "unknown_player", f"The {role} sits in seat {seat}; the seats are 0 to {SEATS - 1}."
        )
