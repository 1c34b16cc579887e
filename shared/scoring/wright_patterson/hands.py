"""A hand that did not win, as its tiles are on the rack and in front of it."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Final

from shared.scoring.against_rules import AgainstTheRules
from shared.scoring.lines import short
from shared.scoring.wright_patterson.tiles import COPIES, SUITS, Bouquet, Flower, Tile, read_tiles

TILES: Final = 13  # A Kong counts as three of them.


class SetKind(Enum):
    """The sets that a player can declare; what lies in the hand undeclared is no set yet."""

    CHOW = "Chow"
    MIXED_CHOW = "Mixed Chow"
    PUNG = "open Pung"
    OPEN_KONG = "open Kong"
    ADDED_KONG = "added Kong"
    CONCEALED_KONG = "concealed Kong"


class Ready(StrEnum):
    """The limit hand that a player is one tile away from; only the players can tell."""

    NO = "no"
    LIMIT = "limit"
    DOUBLE_LIMIT = "double-limit"
    TRIPLE_LIMIT = "triple-limit"


@dataclass(frozen=True, slots=True)
class DeclaredSet:
    """A set that was called or declared, with its three or four tiles in order."""

    kind: SetKind
    tiles: tuple[Tile, ...]


@dataclass(frozen=True, slots=True)
class Hand:
    """The tiles of a player who did not win; `concealed` are those that were never declared.

    Raises AgainstTheRules when the tiles cannot have been in one hand.
    """

    concealed: tuple[Tile, ...]
    declared: tuple[DeclaredSet, ...] = ()
    flowers: tuple[Flower, ...] = ()
    ready: Ready = Ready.NO

    def __post_init__(self) -> None:
        count = len(self.concealed) + 3 * len(self.declared)
        if count != TILES:
            raise AgainstTheRules(
                "wrong_count",
                f"The hand has {count} tiles, counting a Kong as three; a hand that did not win "
                f"has {TILES}, plus its flowers.",
            )
        check_copies(self.tiles)
        check_single(self.flowers)
        for bouquet in Bouquet:
            if len([flower for flower in self.flowers if flower.bouquet is bouquet]) == COPIES:
                raise AgainstTheRules(
                    "undeclared_bouquet",
                    f"All four {bouquet.value} make a bouquet, which is paid and discarded at "
                    "once; write a `bouquet` line instead.",
                )

    @property
    def tiles(self) -> tuple[Tile, ...]:
        """All tiles but flowers and seasons."""
        return (*self.concealed, *(tile for each in self.declared for tile in each.tiles))


def read_hand(words: Iterable[str], ready: Ready = Ready.NO) -> Hand:
    """Return the hand that is written in words of tiles.

    `[234c]` is a Chow, `[1c2d3b]` a Mixed Chow, `[EEE]` a Pung and `[EEEE]` a Kong that was called,
    `[EEE+E]` a Kong by adding to a Pung, `(EEEE)` a concealed Kong; without brackets, tiles that
    were never declared. Raises AgainstTheRules when a word or the hand is impossible.
    """
    concealed: list[Tile] = []
    declared: list[DeclaredSet] = []
    flowers: list[Flower] = []
    for word in words:
        if word[0] in "[(":
            declared.append(_declared(word))
            continue
        for tile in read_tiles(word):
            if isinstance(tile, Tile):
                concealed.append(tile)
            else:
                flowers.append(tile)
    return Hand(tuple(concealed), tuple(declared), tuple(flowers), ready)


def check_copies(tiles: Iterable[Tile]) -> None:
    """Raise AgainstTheRules if there are more of a tile than the four that exist."""
    tile, count = max(Counter(tiles).items(), key=lambda item: item[1], default=(None, 0))
    if count > COPIES:
        raise AgainstTheRules(
            "five_of_a_tile", f"{tile} is there {count} times; there are only {COPIES} of it."
        )


def check_single(flowers: Iterable[Flower]) -> None:
    """Raise AgainstTheRules if a flower or season is there twice."""
    flower, count = max(Counter(flowers).items(), key=lambda item: item[1], default=(None, 0))
    if count > 1:
        raise AgainstTheRules(
            "flower_twice", (f"{flower} is there {count} times; there is only one of it.")
        )


def _declared(word: str) -> DeclaredSet:
    """Return the set that a word in brackets is."""
    brackets = word[0] + word[1:][-1:]
    if brackets not in {"[]", "()"}:
        raise AgainstTheRules("open_bracket", f"`{short(word)}` is missing its closing bracket.")
    inside, added, last = word[1:-1].partition("+")
    tiles = _without_flowers(word, inside)
    more = _without_flowers(word, last)
    if brackets == "[]":
        kind = _added(tiles, more) if added else _called(tiles)
    else:
        kind = SetKind.CONCEALED_KONG if _is_kong(tiles) and not added else None
    if kind is None:
        raise AgainstTheRules(
            "no_set",
            f"`{short(word)}` is not a set. A Chow is [234c], a Mixed Chow [1c2d3b], a Pung "
            "[EEE], a Kong [EEEE] if called, [EEE+E] if added to a Pung, (EEEE) if concealed.",
        )
    return DeclaredSet(kind, (*sorted(tiles), *more))


def _without_flowers(word: str, text: str) -> tuple[Tile, ...]:
    tiles = read_tiles(text)
    if any(isinstance(tile, Flower) for tile in tiles):
        raise AgainstTheRules(
            "no_set", f"`{short(word)}` has a flower or season in it; write those without brackets."
        )
    return tuple(tile for tile in tiles if isinstance(tile, Tile))


def _added(tiles: Sequence[Tile], more: Sequence[Tile]) -> SetKind | None:
    is_added = len(tiles) == 3 and len(more) == 1 and _is_kong([*tiles, *more])
    return SetKind.ADDED_KONG if is_added else None


def _called(tiles: Sequence[Tile]) -> SetKind | None:
    if _is_kong(tiles):
        return SetKind.OPEN_KONG
    if len(tiles) != 3:
        return None
    if len(set(tiles)) == 1:
        return SetKind.PUNG
    ranks = sorted(tile.rank for tile in tiles)
    kinds = {tile.kind for tile in tiles}
    if not kinds <= set(SUITS) or ranks != list(range(ranks[0], ranks[0] + 3)):
        return None
    return {1: SetKind.CHOW, 3: SetKind.MIXED_CHOW}.get(len(kinds))


def _is_kong(tiles: Sequence[Tile]) -> bool:
    return len(tiles) == 4 and len(set(tiles)) == 1
