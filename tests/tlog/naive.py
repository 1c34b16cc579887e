"""A second, simple implementation: the definitions of RFC 6962 as they stand, without tiles."""

import hashlib
from collections.abc import Sequence


def leaf(number: int) -> bytes:
    """Return the hash of a made-up leaf."""
    return hashlib.sha256(b"\x00" + b"leaf %d" % number).digest()


def node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


def _split(count: int) -> int:
    half = 1
    while half * 2 < count:
        half *= 2
    return half


def tree_head(leaves: Sequence[bytes]) -> bytes:
    """Return MTH of leaf hashes (2.1)."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    half = _split(len(leaves))
    return node(tree_head(leaves[:half]), tree_head(leaves[half:]))


def path(index: int, leaves: Sequence[bytes]) -> list[bytes]:
    """Return PATH, the audit path of a leaf (2.1.1)."""
    if len(leaves) == 1:
        return []
    half = _split(len(leaves))
    if index < half:
        return [*path(index, leaves[:half]), tree_head(leaves[half:])]
    return [*path(index - half, leaves[half:]), tree_head(leaves[:half])]


def growth(old: int, leaves: Sequence[bytes]) -> list[bytes]:
    """Return PROOF, that a tree is an older one with more behind it (2.1.2)."""
    return _subproof(old, leaves, is_known=True) if 0 < old < len(leaves) else []


def _subproof(old: int, leaves: Sequence[bytes], *, is_known: bool) -> list[bytes]:
    if old == len(leaves):
        return [] if is_known else [tree_head(leaves)]
    half = _split(len(leaves))
    if old <= half:
        return [*_subproof(old, leaves[:half], is_known=is_known), tree_head(leaves[half:])]
    return [
        *_subproof(old - half, leaves[half:], is_known=False),
        tree_head(leaves[:half]),
    ]
