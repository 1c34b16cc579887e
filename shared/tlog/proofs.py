"""Checks proofs, as whoever doubts a log does: from hashes alone (RFC 6962). Pure."""

from collections.abc import Sequence

from shared.tlog.hashes import EMPTY_ROOT, node_hash


class ProofRefused(ValueError):
    """A proof does not show what it should."""


def check_leaf(proof: Sequence[bytes], *, index: int, size: int, leaf: bytes, root: bytes) -> None:
    """Raise ProofRefused unless a tree of `size` leaves with this root has this leaf there."""
    if not 0 <= index < size:
        raise ProofRefused("The tree has no such leaf.")
    place, last, found = index, size - 1, leaf
    for each in proof:
        if last == 0:
            raise ProofRefused("The proof is longer than the tree is high.")
        if place % 2 or place == last:
            found = node_hash(each, found)
            # The last node of a level without a right neighbor goes up as it is.
            while place % 2 == 0 and place:
                place, last = place >> 1, last >> 1
        else:
            found = node_hash(found, each)
        place, last = place >> 1, last >> 1
    if last or found != root:
        raise ProofRefused("The leaf is not in the tree.")


def check_growth(
    proof: Sequence[bytes], *, old: int, old_root: bytes, new: int, new_root: bytes
) -> None:
    """Raise ProofRefused unless the tree of `new` leaves is that of `old`, and maybe more."""
    if not 0 <= old <= new:
        raise ProofRefused("The tree has become smaller.")
    if old in {0, new}:
        expected = EMPTY_ROOT if old == 0 else new_root
        if proof or old_root != expected:
            raise ProofRefused("Two trees of one size differ.")
        return
    place, last = old - 1, new - 1
    while place % 2:
        place, last = place >> 1, last >> 1
    rest = list(proof) if place else [old_root, *proof]
    if not rest:
        raise ProofRefused("The proof is not whole.")
    found_old = found_new = rest[0]
    for each in rest[1:]:
        if last == 0:
            raise ProofRefused("The proof is longer than the tree is high.")
        if place % 2 or place == last:
            found_old, found_new = node_hash(each, found_old), node_hash(each, found_new)
            while place % 2 == 0 and place:
                place, last = place >> 1, last >> 1
        else:
            found_new = node_hash(found_new, each)
        place, last = place >> 1, last >> 1
    if last or found_old != old_root or found_new != new_root:
        raise ProofRefused("The tree is not the old one with more behind it.")
