"""Writes files whole or not at all, and so that they are still there after a loss of power."""

import os
import secrets
from pathlib import Path
from typing import Final

from shared.machine.own_files import open_own, open_own_descriptor

FRESH_PREFIX: Final = ".fresh-"
FOR_ALL: Final = 0o644
FOR_US: Final = 0o600


def write_whole(file: Path, content: bytes, *, mode: int = FOR_ALL) -> None:
    """Replace a file, durably. Raises OSError."""
    put_in_place(file, content, mode=mode)
    synchronize(file.parent)


def put_in_place(file: Path, content: bytes, *, mode: int = FOR_ALL) -> None:
    """Replace a file; its name is durable once its folder is synchronized. Raises OSError."""
    fresh = file.with_name(f"{FRESH_PREFIX}{secrets.token_hex(8)}")
    try:
        with os.fdopen(
            open_own_descriptor(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb"
        ) as new:
            os.fchmod(new.fileno(), mode)
            new.write(content)
            new.flush()
            os.fsync(new.fileno())
        fresh.replace(file)
    except OSError:
        fresh.unlink(missing_ok=True)
        raise


def make_folders(folder: Path, within: Path) -> None:
    """Make a folder and those above it, up to one that is there, durably. Raises OSError."""
    missing = [folder, *folder.parents]
    missing = missing[: missing.index(within)]
    for each in reversed(missing):
        if not each.is_dir():
            each.mkdir(exist_ok=True)
            synchronize(each.parent)


def synchronize(folder: Path) -> None:
    """Flush the names in a folder to disk. Raises OSError."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read_if_there(file: Path) -> bytes | None:
    """Return what a file of ours holds; None if it is not there. Raises OSError."""
    try:
        with open_own(file, "rb") as opened:
            return opened.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
