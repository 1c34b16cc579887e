"""The hashes of a Merkle tree as RFC 6962 defines them. Pure."""

import hashlib
from collections.abc import Sequence
from typing import Final

HASH_BYTES: Final = 32
# The root of a tree without leaves.
EMPTY_ROOT: Final = hashlib.sha256(b"").digest()


def leaf_hash(entry: bytes) -> bytes:
    """Return the hash of a leaf."""
    return hashlib.sha256(b"\x00" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of the node above two others."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def root_of_full(hashes: Sequence[bytes]) -> bytes:
    """Return the root above hashes of one level, of which there are a power of two."""
    assert hashes
    assert len(hashes) & (len(hashes) - 1) == 0
    while len(hashes) > 1:
        hashes = [node_hash(hashes[place], hashes[place + 1]) for place in range(0, len(hashes), 2)]
    return hashes[0]


def split_at(leaves: int) -> int:
    """Return how many of so many leaves, two or more, are on the left: a power of two below it."""
    assert leaves > 1
    return 1 << (leaves - 1).bit_length() - 1
