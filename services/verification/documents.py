"""What is kept of a document that proved who somebody is: hashes with a key of the operator's.

The same document gives the same hash however it was read; without the key nobody can find out of
which document it is, not even by trying all numbers.
"""

import hashlib
import hmac
import unicodedata
from dataclasses import dataclass, field
from typing import Final

from services.verification.stripe.port import DocumentRead

_BETWEEN: Final = "\x1f"


@dataclass(frozen=True, slots=True)
class DocumentHash:
    """The hash of a document, and that of its owner's name and birth date if it says both."""

    document: bytes
    person: bytes | None


@dataclass(frozen=True, slots=True)
class DocumentHashes:
    """Hashes documents with HMAC-SHA256. The key is outside the database, and never changes."""

    key: bytes = field(repr=False)

    def of(self, read: DocumentRead) -> DocumentHash | None:
        """Return what is kept of a document, None if it doesn't tell which one it is."""
        number = _letters_and_digits(read.number or "")
        if not number or not read.country or not read.document_type:
            return None
        which = (_folded(read.country), _folded(read.document_type), number)
        return DocumentHash(self._hash("document", *which), self._person(read))

    def _person(self, read: DocumentRead) -> bytes | None:
        if read.born_on is None or not read.first_name or not read.last_name:
            return None
        names = sorted(_folded(f"{read.first_name} {read.last_name}").split())
        return self._hash("person", " ".join(names), read.born_on.isoformat())

    def _hash(self, *parts: str) -> bytes:
        return hmac.new(self.key, _BETWEEN.join(parts).encode(), hashlib.sha256).digest()


def _letters_and_digits(number: str) -> str:
    """Return a number as it is, whether it was read with gaps and hyphens or not."""
    return "".join(each for each in _folded(number) if each.isalnum())


def _folded(text: str) -> str:
    """Return a text without case and accents."""
    parts = unicodedata.normalize("NFKD", text.casefold())
    return "".join(each for each in parts if not unicodedata.combining(each))
