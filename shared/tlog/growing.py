"""Grows a tree leaf by leaf, and gives the tiles that it has then. Pure.

What is kept is the right edge: of each level, the hashes behind its last full tile. So a tree of
any size grows in the memory of some tiles.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from shared.tlog.hashes import EMPTY_ROOT, HASH_BYTES, node_hash, root_of_full
from shared.tlog.tiles import WIDTH_MAX, HashTile, hashes_at, tile_at
from shared.tlog.trees import ReadTile, TileMissing


@dataclass(slots=True)
class GrowingTree:
    """The right edge of a tree of `size` leaves, and the tiles filled since they were taken."""

    size: int = 0
    _edge: list[list[bytes]] = field(default_factory=lambda: [[]])
    _filled: list[tuple[HashTile, bytes]] = field(default_factory=list)

    @classmethod
    def at(cls, size: int, read: ReadTile) -> "GrowingTree":
        """Return a tree as its tiles have it, to go on from there. Raises TileMissing."""
        tree = cls(size)
        tree._edge = []
        level = 0
        while hashes_at(level, size) or not level:
            width = hashes_at(level, size) % WIDTH_MAX
            tree._edge.append(_edge_of(level, size, width, read) if width else [])
            level += 1
        return tree

    def append(self, leaves: Iterable[bytes]) -> None:
        """Add the hashes of leaves."""
        for each in leaves:
            self.size += 1
            self._put(0, each)

    def root(self) -> bytes:
        """Return the root."""
        found: bytes | None = None
        for hashes in self._edge:
            for span in reversed(list(_full_spans(hashes))):
                part = root_of_full(span)
                found = part if found is None else node_hash(part, found)
        return EMPTY_ROOT if found is None else found

    def take_tiles(self) -> list[tuple[HashTile, bytes]]:
        """Return the tiles that were filled since this was asked, and those of the edge."""
        taken, self._filled = self._filled, []
        for level, hashes in enumerate(self._edge):
            if hashes:
                index = hashes_at(level, self.size) // WIDTH_MAX
                taken.append((HashTile(level, index, len(hashes)), b"".join(hashes)))
        return taken

    def _put(self, level: int, each: bytes) -> None:
        if level == len(self._edge):
            self._edge.append([])
        hashes = self._edge[level]
        hashes.append(each)
        if len(hashes) == WIDTH_MAX:
            index = hashes_at(level, self.size) // WIDTH_MAX - 1
            self._filled.append((HashTile(level, index), b"".join(hashes)))
            above = root_of_full(hashes)
            hashes.clear()
            self._put(level + 1, above)


def _edge_of(level: int, size: int, width: int, read: ReadTile) -> list[bytes]:
    tile = tile_at(level, hashes_at(level, size) // WIDTH_MAX, size)
    data = read(tile)
    if data is None or len(data) != width * HASH_BYTES:
        raise TileMissing(tile)
    return [data[at : at + HASH_BYTES] for at in range(0, len(data), HASH_BYTES)]


def _full_spans(hashes: list[bytes]) -> Iterable[list[bytes]]:
    """Yield the hashes in spans that are powers of two, each shorter than the one before."""
    at = 0
    while at < len(hashes):
        count = 1 << (len(hashes) - at).bit_length() - 1
        yield hashes[at : at + count]
        at += count
