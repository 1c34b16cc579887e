"""Trees grow into tiles, and prove what is in them: held against the definitions of RFC 6962."""

from itertools import pairwise

import pytest

from shared.tlog.growing import GrowingTree
from shared.tlog.hashes import EMPTY_ROOT, leaf_hash
from shared.tlog.proofs import ProofRefused, check_growth, check_leaf
from shared.tlog.tiles import HashTile, grown_tiles, read_path
from shared.tlog.trees import TileMissing, TileTree
from tests.tlog.naive import growth, leaf, path, tree_head

# Around the widths of tiles, and of tiles of tiles.
SIZES = (1, 2, 3, 4, 5, 7, 8, 9, 100, 255, 256, 257, 511, 512, 513, 700)
LARGE = (65_535, 65_536, 65_537, 66_000)


class Shelf(dict[HashTile, bytes]):
    """Tiles as they were written; one that was never changes."""

    def put(self, tile: HashTile, data: bytes) -> None:
        assert self.setdefault(tile, data) == data, f"{tile.path} has changed."


def grown(*sizes: int) -> Shelf:
    """Return the tiles of a tree that was published at these sizes."""
    shelf, tree = Shelf(), GrowingTree()
    for size in sizes:
        tree.append(leaf(number) for number in range(tree.size, size))
        for tile, data in tree.take_tiles():
            shelf.put(tile, data)
    return shelf


LEAVES = [leaf(number) for number in range(max(SIZES))]
SHELF = grown(*SIZES)


def test_the_hashes_are_those_of_the_test_vectors_of_certificate_transparency() -> None:
    # Of the reference implementation of RFC 6962: no leaf, and one without a byte.
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert EMPTY_ROOT.hex() == empty
    one = "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"
    assert leaf_hash(b"").hex() == one


@pytest.mark.parametrize("size", SIZES)
def test_root_and_proofs_are_as_defined(size: int) -> None:
    leaves, tree = LEAVES[:size], TileTree(size, SHELF.get)
    assert tree.root() == tree_head(leaves)
    for index in {*range(min(size, 9)), size // 2, size - 1}:
        assert tree.leaf(index) == leaves[index]
        proof = tree.prove_leaf(index)
        assert proof == path(index, leaves)
        check_leaf(proof, index=index, size=size, leaf=leaves[index], root=tree.root())
    for old in {*range(min(size, 9)), size // 2, size - 1, size}:
        proof = tree.prove_growth(old)
        assert proof == growth(old, leaves)
        old_root = tree_head(leaves[:old])
        check_growth(proof, old=old, old_root=old_root, new=size, new_root=tree.root())


def test_all_small_trees_prove_all_of_their_leaves_and_of_their_past() -> None:
    for size in range(1, 34):
        leaves = LEAVES[:size]
        tree = TileTree(size, grown(size).get)
        for index in range(size):
            assert tree.prove_leaf(index) == path(index, leaves)
        for old in range(size + 1):
            assert tree.prove_growth(old) == growth(old, leaves)


@pytest.mark.parametrize("size", SIZES)
def test_whatever_is_changed_is_refused(size: int) -> None:
    tree = TileTree(size, SHELF.get)
    root, index = tree.root(), size // 3
    proof, other = tree.prove_leaf(index), leaf(1_000_000)
    told = {"index": index, "size": size, "leaf": LEAVES[index], "root": root}
    wrong = [{**told, "leaf": other}, {**told, "root": other}, {**told, "index": size}]
    wrong += [{**told, "index": each} for each in {0, size - 1, index + 1} - {index}]
    for each in wrong:
        with pytest.raises(ProofRefused):
            check_leaf(proof, **each)  # type: ignore[arg-type]
    changed = [[*proof[:place], other, *proof[place + 1 :]] for place in range(len(proof))]
    for bad in (*changed, [*proof, other], proof[:-1] if proof else [other]):
        with pytest.raises(ProofRefused):
            check_leaf(bad, **told)  # type: ignore[arg-type]


@pytest.mark.parametrize(("old", "new"), list(pairwise(SIZES)))
def test_a_tree_that_is_not_the_old_one_with_more_is_refused(old: int, new: int) -> None:
    tree, other = TileTree(new, SHELF.get), leaf(1_000_000)
    proof, roots = tree.prove_growth(old), (tree_head(LEAVES[:old]), tree.root())
    with pytest.raises(ProofRefused):
        check_growth(proof, old=old, old_root=other, new=new, new_root=roots[1])
    with pytest.raises(ProofRefused):
        check_growth(proof, old=old, old_root=roots[0], new=new, new_root=other)
    with pytest.raises(ProofRefused):
        check_growth(proof, old=new, old_root=roots[1], new=old, new_root=roots[0])
    changed = [[*proof[:place], other, *proof[place + 1 :]] for place in range(len(proof))]
    for bad in (*changed, [*proof, other], proof[:-1]):
        with pytest.raises(ProofRefused):
            check_growth(bad, old=old, old_root=roots[0], new=new, new_root=roots[1])


def test_trees_that_fill_tiles_of_tiles_go_on_from_any_size() -> None:
    shelf = grown(*LARGE)
    leaves = [leaf(number) for number in range(max(LARGE))]
    for size in LARGE:
        tree = TileTree(size, shelf.get)
        assert tree.root() == tree_head(leaves[:size])
        again = GrowingTree.at(size, shelf.get)
        assert again.root() == tree.root()
        again.append(leaves[size : size + 300])
        assert again.root() == tree_head(leaves[: size + 300])
    assert HashTile(1, 0) in shelf
    assert HashTile(2, 0, 1) in shelf


@pytest.mark.parametrize(("old", "new"), [(0, 1), (0, 700), (255, 256), (256, 257), (300, 700)])
def test_the_tiles_that_a_tree_has_more_are_named(old: int, new: int) -> None:
    before = set(grown(old)) if old else set()
    assert set(grown_tiles(old, new)) == set(grown(*filter(None, (old, new)))) - before


def prove_all(tree: TileTree) -> None:
    """Read every tile of a tree."""
    for index in range(0, tree.size, 10):
        tree.prove_leaf(index)


def test_a_tile_that_is_gone_or_cut_is_told() -> None:
    shelf = grown(700)
    for tile in list(shelf):
        kept = shelf.pop(tile)
        for broken in (None, kept[:-1], kept + b"x"):
            if broken is not None:
                shelf[tile] = broken
            with pytest.raises(TileMissing) as missing:
                prove_all(TileTree(700, shelf.get))
            assert missing.value.tile == tile
        shelf[tile] = kept


@pytest.mark.parametrize(
    ("tile", "path_"),
    [
        (HashTile(0, 0), "tile/0/000"),
        (HashTile(0, 5, 3), "tile/0/005.p/3"),
        (HashTile(1, 999), "tile/1/999"),
        (HashTile(0, 1000), "tile/0/x001/000"),
        (HashTile(3, 1_234_067, 255), "tile/3/x001/x234/067.p/255"),
    ],
)
def test_tiles_are_named_as_tlog_tiles_names_them(tile: HashTile, path_: str) -> None:
    assert tile.path == path_
    assert read_path(path_) == tile


@pytest.mark.parametrize(
    "path_",
    [
        "tile/0/0",
        "tile/0/0000",
        "tile/0/x000/000",
        "tile/0/001/000",
        "tile/0/000.p/0",
        "tile/0/000.p/256",
        "tile/0/000.p/01",
        "tile/0/000.p/257",
        "tile/6/000",
        "tile/00/000",
        "tile/entries/000",
        "tile/0/../000",
        "tile/0/000/",
        "/tile/0/000",
        "tile/0/x001/x000/x000/x000/x000/x000/000",
        "tile/0/\u0660\u0660\u0660",
        "tile/0/000\n",
    ],
)
def test_a_name_that_is_not_the_one_form_names_no_tile(path_: str) -> None:
    assert read_path(path_) is None
