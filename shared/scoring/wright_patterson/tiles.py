"""The 144 tiles of Wright-Patterson, and the short notation in which a hand is written down.

`123c` Craks, `55d` Dots, `789b` Bams, `E` `S` `W` `N` winds, `R` `G` `P` the red, green and white
(plain) dragon, `14f` flowers, `2s` seasons. Capitals are honors; small letters follow digits.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Final

from shared.scoring.against_rules import AgainstTheRules
from shared.scoring.lines import short

COPIES: Final = 4  # Of every tile but the flowers and seasons, of which there is one each.


class Wind(IntEnum):
    """A wind, with the number of the flower and of the season that belong to it."""

    EAST = 1
    SOUTH = 2
    WEST = 3
    NORTH = 4


class Kind(StrEnum):
    """What is on a tile: one of three suits, a wind or a dragon."""

    CRAKS = "c"
    DOTS = "d"
    BAMS = "b"
    WIND = "wind"
    DRAGON = "dragon"


class Bouquet(StrEnum):
    """Four tiles that make a bouquet together: all the flowers, or all the seasons."""

    FLOWERS = "flowers"
    SEASONS = "seasons"


SUITS: Final = (Kind.CRAKS, Kind.DOTS, Kind.BAMS)
DRAGONS: Final = "RGP"
WINDS: Final = "ESWN"


@dataclass(frozen=True, slots=True, order=True)
class Tile:
    """A tile of a suit (`rank` 1 to 9), a wind (1 to 4, as in Wind) or a dragon (1 to 3)."""

    kind: Kind
    rank: int

    @property
    def is_honor(self) -> bool:
        return self.kind not in SUITS

    @property
    def is_terminal(self) -> bool:
        """The ones and nines of the suits are terminals."""
        return self.kind in SUITS and self.rank in {1, 9}

    def __str__(self) -> str:
        if self.kind is Kind.WIND:
            return WINDS[self.rank - 1]
        if self.kind is Kind.DRAGON:
            return DRAGONS[self.rank - 1]
        return f"{self.rank}{self.kind.value}"


@dataclass(frozen=True, slots=True, order=True)
class Flower:
    """A flower or a season; its number is that of its wind."""

    bouquet: Bouquet
    number: int

    def __str__(self) -> str:
        return f"{self.number}{'f' if self.bouquet is Bouquet.FLOWERS else 's'}"


_RUN: Final = re.compile(r"(?P<ranks>[0-9]+)(?P<mark>[A-Za-z]?)|(?P<honor>[ESWNRGP])")
_BOUQUETS: Final = {"f": Bouquet.FLOWERS, "s": Bouquet.SEASONS}


def read_tiles(text: str) -> tuple[Tile | Flower, ...]:
    """Return the tiles that a word names, in its order; AgainstTheRules if one does not exist."""
    return tuple(_tiles(text))


def _tiles(text: str) -> Iterator[Tile | Flower]:
    place = 0
    while place < len(text):
        run = _RUN.match(text, place)
        if run is None:
            raise AgainstTheRules(
                "unknown_tile",
                f"`{text[place]}` in `{short(text)}` is not the start of a tile; write digits "
                "and c, d, b, f or s, or one of E S W N R G P.",
            )
        if honor := run["honor"]:
            yield wind_or_dragon(honor)
        else:
            for rank in run["ranks"]:
                yield _ranked(int(rank), run["mark"], text)
        place = run.end()


def wind_or_dragon(letter: str) -> Tile:
    """Return the honor that one of E S W N R G P stands for."""
    if letter in WINDS:
        return Tile(Kind.WIND, WINDS.index(letter) + 1)
    return Tile(Kind.DRAGON, DRAGONS.index(letter) + 1)


def _ranked(rank: int, mark: str, text: str) -> Tile | Flower:
    if mark in _BOUQUETS and rank in range(1, 5):
        return Flower(_BOUQUETS[mark], rank)
    if mark in {suit.value for suit in SUITS} and rank in range(1, 10):
        return Tile(Kind(mark), rank)
    raise AgainstTheRules(
        "unknown_tile",
        f"There is no tile `{rank}{mark}` (in `{short(text)}`); suits are 1 to 9 followed by c, "
        "d or b, flowers (f) and seasons (s) 1 to 4.",
    )
