"""What a rater's folder vouches for: as of which fact, which rows, and which checkpoints.

The manifest is the one file that changes, and it changes as a whole. Anything it does not name does
not count. A seal is the SHA-256 of what it covers.
"""

import hashlib
import os
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import orjson

from shared.machine.durable import synchronize
from shared.machine.own_files import open_own

FORMAT: Final = 1
MANIFEST_NAME: Final = "manifest"
# A file that is being written; it gets its name once it is complete.
FRESH_SUFFIX: Final = ".new"
_SEAL_CHARACTERS: Final = 64


@dataclass(frozen=True, slots=True)
class ColumnSeal:
    """How many rows of a column count, how many bytes each has, and their seal."""

    rows: int
    row_bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class CheckpointSeal:
    """The file with the standings just before a place: the number of players, and its seal."""

    place: int
    players: int
    file: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """As of a fact: the rows that say what happened, and standings at places in that history.

    `seq` and `chain` (hexadecimal) are those of the fact, `verdict` the seal of the last verdict on
    it, `time` that of the last readable fact. `columns` are by name, `checkpoints` in order of
    place.
    """

    log_id: str
    seq: int
    chain: str
    engine: str
    verdict: str
    time: str
    columns: Mapping[str, ColumnSeal]
    checkpoints: tuple[CheckpointSeal, ...]


class ManifestUnusable(Exception):
    """The manifest cannot be trusted; its text is a sentence that says why."""


def read_manifest(folder: Path) -> Manifest | None:
    """Return what a folder vouches for; None if it is new. Raises ManifestUnusable and OSError."""
    try:
        with open_own(folder / MANIFEST_NAME, "rb") as file:
            content = file.read()
    except FileNotFoundError:
        return None
    seal, body = content[:_SEAL_CHARACTERS], content[_SEAL_CHARACTERS:]
    if seal_of(body).encode() != seal:
        raise ManifestUnusable("The manifest was cut short or altered.")
    fields = orjson.loads(body)
    if (fields.pop("format"), fields.pop("byteorder")) != (FORMAT, sys.byteorder):
        raise ManifestUnusable("The manifest was written by another version or machine.")
    return _from_json(fields)


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Change what a folder vouches for, durably. Raises OSError."""
    body = orjson.dumps({"format": FORMAT, "byteorder": sys.byteorder, **asdict(manifest)})
    fresh = folder / f"{MANIFEST_NAME}{FRESH_SUFFIX}"
    with open_own(fresh, "wb") as file:
        file.write(seal_of(body).encode() + body)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(folder / MANIFEST_NAME)
    synchronize(folder)


def remove_manifest(folder: Path) -> None:
    """Make a folder vouch for nothing, durably. Raises OSError."""
    (folder / MANIFEST_NAME).unlink(missing_ok=True)
    synchronize(folder)


def seal_of(content: bytes) -> str:
    """Return the SHA-256 of some bytes, as 64 hexadecimal characters."""
    return hashlib.sha256(content).hexdigest()


def _from_json(fields: dict[str, Any]) -> Manifest:
    columns = {name: ColumnSeal(**seal) for name, seal in fields.pop("columns").items()}
    checkpoints = tuple(CheckpointSeal(**seal) for seal in fields.pop("checkpoints"))
    return Manifest(columns=columns, checkpoints=checkpoints, **fields)
