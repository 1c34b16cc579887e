"""Checks every tile of a tree: each follows from those below it, and the root from all of them."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from services.cli.checking.found import DoesNotHold, Findings
from services.cli.checking.heads import CheckedHead
from shared.tlog.hashes import HASH_BYTES, root_of_full
from shared.tlog.tiles import LEVEL_MAX, WIDTH_MAX, HashTile, hashes_at, tile_at

Progress = Callable[[str, int, int | None], None]

_LEAVES: Final = 0


def check_tiles(
    head: CheckedHead, since: int, findings: Findings, progress: Progress
) -> Iterator[Sequence[bytes]]:
    """Check the tiles that a tree has beyond a size, and yield the hashes of its leaves, tile by
    tile.

    The edge of the tree was checked against the root. From there, each full tile is held against
    its hash in the one above it, so that a wrong one is named.
    """
    above: dict[HashTile, Sequence[bytes]] = {}
    for level in range(LEVEL_MAX, -1, -1):
        here: dict[HashTile, Sequence[bytes]] = {}
        count = -(-hashes_at(level, head.checkpoint.size) // WIDTH_MAX)
        for index in range(hashes_at(level, since) // WIDTH_MAX, count):
            tile = tile_at(level, index, head.checkpoint.size)
            where = f"{head.path}/{tile.path}"
            with findings.at(where):
                hashes = _hashes(head, tile)
                if tile.width == WIDTH_MAX:
                    _check_above(above, tile, hashes, head.checkpoint.size)
                if level > _LEAVES:
                    here[tile] = hashes
                else:
                    progress(f"{head.name}, tile {index}", index + 1, count)
                    yield hashes
        above = here


def _hashes(head: CheckedHead, tile: HashTile) -> Sequence[bytes]:
    """Return the hashes of a tile: those at the edge as they were checked, and never anew."""
    if tile.width < WIDTH_MAX:
        return head.edge[tile]
    data = head.asking.tile(head.path, tile)
    if data is None or len(data) != WIDTH_MAX * HASH_BYTES:
        raise DoesNotHold("The tile is missing, or not as long as it must be.")
    return [data[at : at + HASH_BYTES] for at in range(0, len(data), HASH_BYTES)]


def _check_above(
    above: dict[HashTile, Sequence[bytes]], tile: HashTile, hashes: Sequence[bytes], size: int
) -> None:
    parent = tile_at(tile.level + 1, tile.index // WIDTH_MAX, size)
    # One that is missing or wrong was told of already.
    known = above.get(parent)
    if known is not None and known[tile.index % WIDTH_MAX] != root_of_full(hashes):
        raise DoesNotHold(f"The tile is not the one whose hash is in {parent.path}.")
