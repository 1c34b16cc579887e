"""Looks for an address or a name wherever something is kept, in every form that a program gives it.

What is stored as a hash that anyone can make of a word is found, too: whoever guesses an address
would know it again. A hash that is made with a key of ours tells nobody anything.
"""

import base64
import hashlib
import json
import quopri
import unicodedata
from collections.abc import Iterable, Mapping
from html import escape
from typing import Final
from urllib.parse import quote, quote_plus

from shared.addresses import read_address
from shared.mail.address_hash import AddressHashes

_DIGESTS: Final = ("md5", "sha1", "sha256", "sha512", "blake2b")
_NORMAL: Final = ("NFC", "NFD", "NFKC")


def forms_of(word: str) -> set[str]:
    """Return every way to write a word that we look for, without capitals."""
    plain = {word, word.casefold(), *(unicodedata.normalize(form, word) for form in _NORMAL)}
    forms = set(plain)
    for each in plain:
        data = each.encode()
        forms |= {json.dumps(each)[1:-1], escape(each), quote(each), quote(each, safe="")}
        forms |= {quote_plus(each), quopri.encodestring(data).decode().strip(), data.hex()}
        forms |= {_in_base64(data, shift) for shift in range(3)}
        for name in _DIGESTS:
            digest = hashlib.new(name, data).digest()
            forms |= {digest.hex(), base64.b64encode(digest).decode().rstrip("=")}
    return {form.casefold() for form in forms}


def _in_base64(data: bytes, shift: int) -> str:
    """Return what every text has that holds these bytes in base64, so many bytes from a group."""
    encoded = base64.b64encode(bytes(shift) + data).decode().rstrip("=")
    return encoded[4 if shift else 0 : len(encoded) // 4 * 4 - 4]


def traces(places: Mapping[str, str], words: Iterable[str]) -> dict[str, list[str]]:
    """Return which words stand in which places, in whatever form."""
    sought = {word: forms_of(word) for word in words}
    found = {}
    for place, text in places.items():
        folded = text.casefold()
        there = [word for word, forms in sought.items() if any(each in folded for each in forms)]
        if there:
            found[place] = sorted(there)
    return found


def keyed_hashes(places: Mapping[str, str], key: bytes, addresses: Iterable[str]) -> set[str]:
    """Return the places that hold the hash of an address by our key."""
    hashes = AddressHashes(key)
    sought = [hashes.of(read_address(address)).hex() for address in addresses]
    return {place for place, text in places.items() if any(each in text for each in sought)}
