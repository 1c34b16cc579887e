"""Signed notes: a text, and lines that say who signed it (C2SP signed-note, cosignature/v1). Pure.

Keys are Ed25519. A log signs the text as it is; a witness signs it together with the time.
"""

import base64
import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)

from shared.tlog.encoding import read_base64

ED25519: Final = 1
COSIGNATURE: Final = 4
KEY_BYTES: Final = 32
ID_BYTES: Final = 4
TIME_BYTES: Final = 8
SIGNATURE_BYTES: Final = 64
NOTE_BYTES_MAX: Final = 1 << 20
SIGNATURES_MAX: Final = 100
# What a name may not have, which would begin something else.
_NAME: Final = re.compile(r"[^\s+]{1,255}")
_DASH: Final = "\N{EM DASH} "


class NoteRefused(ValueError):
    """A text is no signed note, or not signed by whom it must be."""


@dataclass(frozen=True, slots=True)
class VerifierKey:
    """With what others check who signed. `kind` is ED25519 for a log, COSIGNATURE for a witness."""

    name: str
    kind: int
    public: bytes

    @property
    def key_id(self) -> bytes:
        """The first four bytes of its hash, which a signature names it by."""
        named = self.name.encode() + b"\n" + bytes([self.kind]) + self.public
        return hashlib.sha256(named).digest()[:ID_BYTES]

    def __str__(self) -> str:
        public = base64.b64encode(bytes([self.kind]) + self.public).decode()
        return f"{self.name}+{self.key_id.hex()}+{public}"


@dataclass(frozen=True, slots=True)
class SignerKey:
    """With what a log signs, under its name."""

    name: str
    private: Ed25519PrivateKey = field(repr=False)

    @property
    def verifier(self) -> VerifierKey:
        """With what others check that it signed."""
        return VerifierKey(self.name, ED25519, self.private.public_key().public_bytes_raw())

    def line(self, text: str) -> str:
        """Return the line that signs a text."""
        signature = self.verifier.key_id + self.private.sign(text.encode())
        return f"{_DASH}{self.name} {base64.b64encode(signature).decode()}\n"


@dataclass(frozen=True, slots=True)
class Signed:
    """That a key has signed; `at_s` is when a witness says that it did, in seconds since 1970."""

    key: VerifierKey
    at_s: int | None


def read_verifier_key(text: str) -> VerifierKey:
    """Return a verifier key from its text. Raises NoteRefused."""
    name, _, rest = text.strip().partition("+")
    key_id, _, encoded = rest.partition("+")
    data = read_base64(encoded)
    if _NAME.fullmatch(name) is None or len(data) != 1 + KEY_BYTES:
        raise NoteRefused("This is no verifier key: it is a name, eight digits and a key, with +.")
    key = VerifierKey(name, data[0], data[1:])
    if key.kind not in {ED25519, COSIGNATURE} or key.key_id.hex() != key_id:
        raise NoteRefused("The digits of this verifier key are not those of its key.")
    return key


def sign_note(text: str, signers: Sequence[SignerKey]) -> str:
    """Return a note; `text` ends with a line feed."""
    assert text.endswith("\n")
    return text + "\n" + "".join(each.line(text) for each in signers)


def open_note(note: str, keys: Iterable[VerifierKey]) -> tuple[str, list[Signed]]:
    """Return the text of a note, and who of these signed it.

    Lines of keys that are not known are passed over. Raises NoteRefused if a known key's line is
    wrong, if nobody known has signed, or if this is no note.
    """
    if len(note) > NOTE_BYTES_MAX:
        raise NoteRefused("This is too long for a signed note.")
    body, between, lines = note.rpartition("\n\n")
    if not between or not lines.endswith("\n"):
        raise NoteRefused("This is no signed note: it ends with an empty line and signatures.")
    text = body + "\n"
    known = {(each.name, each.key_id): each for each in keys}
    signed: list[Signed] = []
    for line in lines[:-1].split("\n", SIGNATURES_MAX + 1)[: SIGNATURES_MAX + 1]:
        name, signature = _read_line(line)
        key = known.get((name, signature[:ID_BYTES]))
        if key is not None and all(each.key != key for each in signed):
            signed.append(_checked(key, signature[ID_BYTES:], text))
    if not signed:
        raise NoteRefused("Nobody whom we know has signed this note.")
    return text, signed


def _read_line(line: str) -> tuple[str, bytes]:
    name, _, encoded = line.removeprefix(_DASH).partition(" ")
    data = read_base64(encoded)
    if not line.startswith(_DASH) or _NAME.fullmatch(name) is None or len(data) <= ID_BYTES:
        raise NoteRefused("A line of this note is no signature.")
    return name, data


def _checked(key: VerifierKey, signature: bytes, text: str) -> Signed:
    at_s: int | None = None
    signed = text.encode()
    if key.kind == COSIGNATURE:
        at_s = int.from_bytes(signature[:TIME_BYTES], "big")
        signature = signature[TIME_BYTES:]
        signed = b"cosignature/v1\ntime %d\n" % at_s + signed
    try:
        Ed25519PublicKey.from_public_bytes(key.public).verify(signature, signed)
    except (InvalidSignature, ValueError):
        raise NoteRefused(f"The signature of {key.name} is not theirs.") from None
    return Signed(key, at_s)
