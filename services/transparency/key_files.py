"""The two secrets of the public logs, in files of our own: the key that signs, and that of salts.

Whoever has the first can sign histories that never were; whoever has the second can find out about
private players. So only our account may read either, and neither is ever in the database.
"""

import os
import secrets
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from services.transparency.refusals import PublicLogMisplaced
from shared.machine.durable import synchronize
from shared.machine.own_files import open_own, open_own_descriptor
from shared.tlog.notes import SignerKey

SIGNING_KEY_FILE: Final = "signing-key"
# A new key on its way to the place of the one before.
NEXT_KEY_FILE: Final = "signing-key.next"
SALT_KEY_FILE: Final = "salt-key"
KEY_BYTES: Final = 32
# Nobody but the owner may do anything.
OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


@dataclass(frozen=True, slots=True)
class SigningKey:
    """The key that signs all public logs, each under its own name."""

    private: Ed25519PrivateKey = field(repr=False)

    def of(self, origin: str) -> SignerKey:
        """Return it under the name of a log."""
        return SignerKey(origin, self.private)


def make_key(file: Path) -> None:
    """Write a new key. Raises FileExistsError if there is one."""
    descriptor = open_own_descriptor(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    with os.fdopen(descriptor, "wb") as opened:
        opened.write(secrets.token_hex(KEY_BYTES).encode("ascii") + b"\n")
        opened.flush()
        os.fsync(opened.fileno())


def read_signing_key(folder: Path, name: str = SIGNING_KEY_FILE) -> SigningKey:
    """Return the key that signs. Raises PublicLogMisplaced."""
    return SigningKey(Ed25519PrivateKey.from_private_bytes(_read(folder / name)))


def change_signing_key(folder: Path) -> None:
    """Put the next key in the place of the one before, durably. Raises OSError."""
    (folder / NEXT_KEY_FILE).replace(folder / SIGNING_KEY_FILE)
    synchronize(folder)


def read_salt_key(folder: Path) -> bytes:
    """Return the key of the salts. Raises PublicLogMisplaced."""
    return _read(folder / SALT_KEY_FILE)


def _read(file: Path) -> bytes:
    try:
        with open_own(file, "rb") as opened:
            mode = os.fstat(opened.fileno()).st_mode
            text = opened.read(KEY_BYTES * 2 + 2)
    except OSError as error:
        raise PublicLogMisplaced(
            f"{file} cannot be read ({type(error).__name__}). Put it back from its copy."
        ) from error
    if mode & OTHERS:
        raise PublicLogMisplaced(
            f"Others than its owner may read or write {file}. Run `chmod 600 {file}`, and think "
            "about who may have read it."
        )
    try:
        key = bytes.fromhex(text.decode("ascii"))
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise PublicLogMisplaced(f"{file} holds no key. Put it back from its copy.")
    return key
