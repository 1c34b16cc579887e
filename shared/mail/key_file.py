"""The key of the address hashes in a file of the data folder: made once, and the same for good.

Whoever has the file can tell which addresses a backup's hashes stand for, so only our account may
read it. Whoever loses it asks people again who had ended their mail.
"""

import os
import secrets
from pathlib import Path
from typing import Final

from shared.errors import MahjicError
from shared.machine.own_files import open_own, open_own_descriptor
from shared.mail.address_hash import KEY_BYTES_MIN

KEY_FILE: Final = "address-hash.key"


class AddressKeyUnreadable(MahjicError):
    """The file with the key of the address hashes is there, but holds no key."""

    code = "address_key_unreadable"
    title = "The key of the address hashes cannot be read"


def key_in(folder: Path) -> bytes:
    """Return the key in a data folder, made now if there is none. Raises AddressKeyUnreadable."""
    file = folder / KEY_FILE
    if not file.exists():
        _make(file)
    try:
        with open_own(file, "rb") as opened:
            key = bytes.fromhex(opened.read().decode("ascii"))
    except (OSError, ValueError) as error:
        raise _unreadable(file) from error
    if len(key) != KEY_BYTES_MIN:
        raise _unreadable(file)
    return key


def _make(file: Path) -> None:
    """Make the file whole or not at all: of two processes that start at once, one makes it."""
    unfinished = file.with_name(f".{KEY_FILE}.{secrets.token_hex(8)}")
    descriptor = open_own_descriptor(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    try:
        with os.fdopen(descriptor, "wb") as opened:
            opened.write(secrets.token_hex(KEY_BYTES_MIN).encode("ascii") + b"\n")
            opened.flush()
            os.fsync(opened.fileno())
        if not file.exists():
            _link(unfinished, file)
    finally:
        unfinished.unlink()


def _link(unfinished: Path, file: Path) -> None:
    try:
        os.link(unfinished, file)
    except FileExistsError:
        return  # Somebody else was quicker, and theirs is the key.


def _unreadable(file: Path) -> AddressKeyUnreadable:
    return AddressKeyUnreadable(
        f"{file} holds no key. Put it back from a copy, or set MAHJIC_ADDRESS_HASH_KEY. If there "
        "is no copy, delete it and a new one is made: whoever has said that they want no more mail "
        "is then no longer known."
    )
