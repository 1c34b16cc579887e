"""Keyed hashes of addresses: what may be kept of an address when everything else is erased.

Without the key nobody can tell which address a hash stands for, not even by trying all addresses.
An address is hashed in its one form (`shared/addresses.py`), so one mailbox has one hash.
"""

import hmac
from typing import Final

KEY_BYTES_MIN: Final = 32
# What the key is used for besides must never give the same bytes.
_ADDRESS: Final = b"address\x00"
_END_OF_MAIL: Final = b"no more mail\x00"
_TAG_BYTES: Final = 16


class AddressHashes:
    """Hashes addresses with the key of this installation, which stays the same forever."""

    def __init__(self, key: bytes) -> None:
        assert len(key) >= KEY_BYTES_MIN
        self._key = key

    def of(self, address: str) -> bytes:
        """Return the hash of an address: 32 bytes."""
        return self._digest(_ADDRESS + address.encode())

    def tag_of(self, address_hash: bytes) -> bytes:
        """Return what proves that we made a link about this hash: 16 bytes."""
        return self._digest(_END_OF_MAIL + address_hash)[:_TAG_BYTES]

    def _digest(self, message: bytes) -> bytes:
        return hmac.digest(self._key, message, "sha256")
