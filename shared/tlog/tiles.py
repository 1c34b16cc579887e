"""Names the tiles in which the hashes of a tree are kept and served (C2SP tlog-tiles). Pure.

A tile holds up to 256 hashes of one level, 32 bytes each. A level counts tiles, so that each level
is 256 times as wide as the one above. A full tile never changes; one that is not full has its width
in its name, and is another tile once there is more.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

WIDTH_MAX: Final = 256
LEVEL_BITS: Final = 8
# Six levels hold more leaves than there can be.
LEVEL_MAX: Final = 5
_PATH: Final = re.compile(
    r"tile/(?P<level>[0-9])/(?P<index>(?:x[0-9]{3}/){0,5}[0-9]{3})(?:\.p/(?P<width>[1-9][0-9]{0,2}))?"
)


@dataclass(frozen=True, slots=True, order=True)
class HashTile:
    """A tile: its level (0 holds leaves), its place in it, and how many hashes it has."""

    level: int
    index: int
    width: int = WIDTH_MAX

    @property
    def path(self) -> str:
        """Where it is served, below the address of its log."""
        index = self.index
        parts = [f"{index % 1000:03}"]
        while index >= 1000:
            index //= 1000
            parts.append(f"x{index % 1000:03}")
        ending = "" if self.width == WIDTH_MAX else f".p/{self.width}"
        return f"tile/{self.level}/{'/'.join(reversed(parts))}{ending}"

    @property
    def end(self) -> int:
        """How many hashes its level has up to its last one."""
        return self.index * WIDTH_MAX + self.width

    @property
    def full(self) -> "HashTile":
        """The tile in its place that never changes."""
        return HashTile(self.level, self.index)


def read_path(path: str) -> HashTile | None:
    """Return the tile that a path names; None unless it is the one form of its name."""
    match = _PATH.fullmatch(path)
    if match is None:
        return None
    index = int(match["index"].replace("x", "").replace("/", ""))
    tile = HashTile(int(match["level"]), index, int(match["width"] or WIDTH_MAX))
    is_named = tile.level <= LEVEL_MAX and tile.width <= WIDTH_MAX and tile.path == path
    return tile if is_named else None


def hashes_at(level: int, size: int) -> int:
    """Return how many hashes a level of a tree has, for its number of leaves."""
    return size >> LEVEL_BITS * level


def tile_at(level: int, index: int, size: int) -> HashTile:
    """Return the tile in a place, as a tree of a size has it, which must reach there."""
    width = min(WIDTH_MAX, hashes_at(level, size) - index * WIDTH_MAX)
    assert width > 0
    return HashTile(level, index, width)


def grown_tiles(old: int, new: int) -> Iterator[HashTile]:
    """Yield the tiles that a tree has after it grew from a size to another, and had not before.

    Full ones come first in each level, so that whoever reads the last one finds those before it.
    """
    for level in range(LEVEL_MAX + 1):
        before, after = hashes_at(level, old), hashes_at(level, new)
        for index in range(before // WIDTH_MAX, -(-after // WIDTH_MAX)):
            tile = tile_at(level, index, new)
            if before < index * WIDTH_MAX + tile.width:
                yield tile
