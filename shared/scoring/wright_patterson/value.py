"""What a hand that did not win is worth under Wright-Patterson: points, doubles, rounding.

The section is "Scoring For Non-Winner Hands" of the rule book; quotations are from it. Where it
leaves something open, docs/scoring.md says how it is read here.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from shared.scoring.wright_patterson.hands import Hand, Ready, SetKind
from shared.scoring.wright_patterson.tiles import DRAGONS, Kind, Tile, Wind

_PUNGS: Final = {SetKind.PUNG}
_KONGS: Final = {SetKind.OPEN_KONG, SetKind.ADDED_KONG, SetKind.CONCEALED_KONG}
_OPEN: Final = {SetKind.PUNG, SetKind.OPEN_KONG, SetKind.ADDED_KONG}
# "Open Kongs count as Concealed Pungs": three of its tiles were in the hand when the fourth was
# called, and lie face down. An added Kong grew from a Pung that was called, so it does not.
_LIKE_CONCEALED_PUNGS: Final = {SetKind.OPEN_KONG, SetKind.CONCEALED_KONG}


@dataclass(frozen=True, slots=True)
class Counted:
    """One line of a score: what it is for, and its points or doubles."""

    what: str
    number: int


@dataclass(frozen=True, slots=True)
class HandValue:
    """The score of a hand, and the lines that make it."""

    points: tuple[Counted, ...]
    doubles: tuple[Counted, ...]

    @property
    def base(self) -> int:
        """The points before doubling: "if a hand totals 2 points at this stage", it has none."""
        total = sum(line.number for line in self.points)
        return 0 if total == 2 else total

    @property
    def score(self) -> int:
        """What "doubling the points that many times, then rounding ... to the nearest 10" makes."""
        return nearest_ten(self.base * 2 ** sum(line.number for line in self.doubles))


@dataclass(frozen=True, slots=True)
class _Sets:
    """The Pungs, Kongs and pairs of a hand: `sets` has each Pung and Kong once, by its tile."""

    sets: frozenset[Tile]
    pairs: frozenset[Tile]
    concealed_pungs: int


def value_of(hand: Hand, seat: Wind, prevailing: Wind) -> HandValue:
    """Return what a hand is worth to a player in the seat of a wind."""
    sets = _sets(hand)
    return HandValue(
        tuple(_points(hand, sets, seat, prevailing)),
        tuple(_doubles(hand, sets, seat, prevailing)),
    )


def nearest_ten(number: int) -> int:
    """Return the nearest multiple of 10; a 5 at the end goes upward."""
    return (number + 5) // 10 * 10


def _sets(hand: Hand) -> _Sets:
    """Find the sets of a hand.

    "Concealed triplets and undeclared Kongs are all considered Concealed Pungs, even if a player
    is Ready for a hand that would group these tiles differently."
    """
    counts = Counter(hand.concealed)
    concealed = [tile for tile, count in counts.items() if count >= 3]
    declared = [each for each in hand.declared if each.kind in _PUNGS | _KONGS]
    like_concealed = [each for each in declared if each.kind in _LIKE_CONCEALED_PUNGS]
    return _Sets(
        sets=frozenset([*concealed, *(each.tiles[0] for each in declared)]),
        pairs=frozenset(tile for tile, count in counts.items() if count == 2),
        concealed_pungs=len(concealed) + len(like_concealed),
    )


def _points(hand: Hand, sets: _Sets, seat: Wind, prevailing: Wind) -> Iterator[Counted]:
    for tile, count in sorted(Counter(hand.concealed).items()):
        if count >= 3:
            yield Counted(f"concealed Pung of {tile}", _set_points(tile, is_kong=False))
    for each in hand.declared:
        if each.kind in _PUNGS | _KONGS:
            closed = _set_points(each.tiles[0], is_kong=each.kind in _KONGS)
            # "This point amount is halved if the Pung/Kong is open."
            points = closed // 2 if each.kind in _OPEN else closed
            yield Counted(f"{each.kind.value} of {each.tiles[0]}", points)
    for tile in sorted(sets.pairs):
        # "Pair of dragons, seat wind, or prevailing wind: 2 points each"; a wind that is both: 4.
        if number := _times(tile, seat, prevailing):
            yield Counted(f"pair of {tile}", 2 * number)
    for flower in sorted(hand.flowers):
        yield Counted(f"flower {flower}", 4)  # "Flower not in a bouquet: 4 points each"


def _set_points(tile: Tile, *, is_kong: bool) -> int:
    """Return the points of a set that is not open."""
    if tile.is_honor or tile.is_terminal:
        return 32 if is_kong else 8
    return 16 if is_kong else 4


def _doubles(hand: Hand, sets: _Sets, seat: Wind, prevailing: Wind) -> Iterator[Counted]:
    """Yield the lines of doubles; a line and those indented below it do not stack."""
    for flower in sorted(hand.flowers):
        if number := [seat, prevailing].count(Wind(flower.number)):
            yield Counted(f"Own/Prevailing Flower {flower}", number)
    for tile in sorted(sets.sets):
        if number := _times(tile, seat, prevailing):
            yield Counted(f"Triplet of {tile}", number)
    yield from _three_dragons(sets)
    yield from _tiles(hand)
    if sets.concealed_pungs >= 4:
        yield Counted("Four Concealed Pungs", 2)
    elif sets.concealed_pungs == 3:
        yield Counted("Three Concealed Pungs", 1)
    if hand.ready is not Ready.NO:
        yield _READY[hand.ready]


_READY: Final = {
    Ready.LIMIT: Counted("Ready on Limit Hand", 1),
    Ready.DOUBLE_LIMIT: Counted("Ready on Double Limit Hand", 2),
    Ready.TRIPLE_LIMIT: Counted("Ready on Triple Limit Hand", 3),
}


def _three_dragons(sets: _Sets) -> Iterator[Counted]:
    triplets = len([tile for tile in sets.sets if tile.kind is Kind.DRAGON])
    pairs = len([tile for tile in sets.pairs if tile.kind is Kind.DRAGON])
    if triplets == len(DRAGONS):
        yield Counted("Big Three Dragons", 4)
    elif (triplets, pairs) == (2, 1):
        yield Counted("Little Three Dragons", 3)


def _tiles(hand: Hand) -> Iterator[Counted]:
    """Yield the doubles for the tiles that the whole hand is made of."""
    tiles = hand.tiles
    suits = {tile.kind for tile in tiles if not tile.is_honor}
    has_honors = any(tile.is_honor for tile in tiles)
    if not suits:
        # "Does not stack with Half-Flush", nor with Terminals and Honours, above it in the list.
        yield Counted("All Honors", 3)
        return
    if len(suits) == 1:
        yield Counted("Half-Flush", 1) if has_honors else Counted("Full Flush", 3)
    if all(tile.is_honor or tile.is_terminal for tile in tiles):
        yield Counted("Terminals and Honours", 1) if has_honors else Counted("All Terminals", 3)


def _times(tile: Tile, seat: Wind, prevailing: Wind) -> int:
    """Return how often a tile counts: a dragon once, a wind as seat wind and as prevailing wind."""
    if tile.kind is Kind.DRAGON:
        return 1
    return [seat, prevailing].count(Wind(tile.rank)) if tile.kind is Kind.WIND else 0
