"""Reads a tree of a size from its tiles: its root, and proofs of what is in it. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from shared.tlog.hashes import EMPTY_ROOT, HASH_BYTES, node_hash, root_of_full, split_at
from shared.tlog.tiles import LEVEL_BITS, WIDTH_MAX, HashTile, tile_at

# Gives the hashes of a tile, one after the other; None if it has none.
ReadTile: TypeAlias = Callable[[HashTile], bytes | None]

_FULL_LEVEL: Final = WIDTH_MAX


class TileMissing(LookupError):
    """A tile that belongs to a tree is not there, or is not as long as it must be."""

    def __init__(self, tile: HashTile) -> None:
        super().__init__(tile.path)
        self.tile = tile


@dataclass(slots=True)
class TileTree:
    """A tree of `size` leaves. Each tile is read once.

    What it says raises TileMissing if a tile is.
    """

    size: int
    read: ReadTile = field(repr=False)
    _hashes: dict[HashTile, Sequence[bytes]] = field(default_factory=dict, init=False, repr=False)

    def root(self) -> bytes:
        """Return the root."""
        return self.subtree(0, self.size) if self.size else EMPTY_ROOT

    def leaf(self, index: int) -> bytes:
        """Return the hash of a leaf."""
        return self.subtree(index, index + 1)

    def subtree(self, start: int, end: int) -> bytes:
        """Return the root above the leaves from `start` to before `end`."""
        assert 0 <= start < end <= self.size
        leaves = end - start
        if leaves & (leaves - 1) == 0 and start % leaves == 0:
            level = (leaves.bit_length() - 1) // LEVEL_BITS
            first, count = start >> LEVEL_BITS * level, leaves >> LEVEL_BITS * level
            hashes = self._tile(level, first // WIDTH_MAX)
            place = first % WIDTH_MAX
            return root_of_full(hashes[place : place + count])
        middle = start + split_at(leaves)
        return node_hash(self.subtree(start, middle), self.subtree(middle, end))

    def prove_leaf(self, index: int) -> list[bytes]:
        """Return what proves that a leaf is in this tree, from the leaf to the root."""
        assert 0 <= index < self.size
        start, end, proof = 0, self.size, []
        while end - start > 1:
            middle = start + split_at(end - start)
            if index < middle:
                proof.append((middle, end))
                end = middle
            else:
                proof.append((start, middle))
                start = middle
        return [self.subtree(*span) for span in reversed(proof)]

    def prove_growth(self, old: int) -> list[bytes]:
        """Return what proves that this tree is one of `old` leaves, with more behind them."""
        assert 0 <= old <= self.size
        if old in {0, self.size}:
            return []
        start, end, proof = 0, self.size, []
        while old != end:
            middle = start + split_at(end - start)
            if old <= middle:
                proof.append((middle, end))
                end = middle
            else:
                proof.append((start, middle))
                start = middle
        # The old tree itself is known to whoever asks; a part of it is not.
        spans = proof if start == 0 else [*proof, (start, end)]
        return [self.subtree(*span) for span in reversed(spans)]

    def taken(self) -> dict[HashTile, Sequence[bytes]]:
        """Return the tiles that were read so far, each as wide as this tree has it."""
        return dict(self._hashes)

    def _tile(self, level: int, index: int) -> Sequence[bytes]:
        tile = tile_at(level, index, self.size)
        if tile not in self._hashes:
            self._hashes[tile] = self._read(tile)
        return self._hashes[tile]

    def _read(self, tile: HashTile) -> Sequence[bytes]:
        wanted = tile.width * HASH_BYTES
        for each in dict.fromkeys((tile, tile.full)):
            data = self.read(each)
            # A full one begins with what a narrower one in its place had.
            if data is not None and len(data) == each.width * HASH_BYTES:
                return [data[at : at + HASH_BYTES] for at in range(0, wanted, HASH_BYTES)]
        raise TileMissing(tile)
