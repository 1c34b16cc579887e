"""The backup file: a dump in PostgreSQL's custom format, sealed by a line of ours at the end.

`pg_restore` reads such a file like any other. The seal tells a Mahjic backup from other dumps, and
a complete one from a damaged or truncated one, before anything is touched.
"""

import hashlib
import json
import os
import stat
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from shared.errors import MahjicError

FORMAT: Final = 1
SEAL_MARK: Final = b"\nMAHJIC BACKUP "
SEAL_BYTES_MAX: Final = 4096
CHUNK_BYTES: Final = 1 << 20


class NotABackup(MahjicError):
    """The file was not written by `mahjic backup`."""

    code = "not_a_backup"
    title = "The file is not a Mahjic backup"


class BackupDamaged(MahjicError):
    """The file has changed since it was written."""

    code = "backup_damaged"
    title = "The backup is damaged"


class BackupNewer(MahjicError):
    """The backup was written by a newer program."""

    code = "backup_newer"
    title = "The backup is newer than the program"


@dataclass(frozen=True, slots=True)
class Seal:
    """What the last line of a backup says about it."""

    format: int
    migrations: int
    server_version: str
    tables: int
    dump_bytes: int
    sha256: str


def seal_backup(file: Path, *, migrations: int, server_version: str, tables: int) -> Seal:
    """Append the seal to a finished dump, and flush all of it to disk."""
    dump_bytes = file.stat().st_size
    sha256 = _digest(file, dump_bytes)
    seal = Seal(FORMAT, migrations, server_version, tables, dump_bytes, sha256)
    with file.open("ab") as writer:
        writer.write(SEAL_MARK + json.dumps(asdict(seal)).encode() + b"\n")
        writer.flush()
        os.fsync(writer.fileno())
    return seal


def check_backup(file: Path) -> Seal:
    """Return the seal of a complete file.

    Raises NotABackup, BackupNewer or BackupDamaged.
    """
    try:
        if not stat.S_ISREG(file.stat().st_mode):
            # It is read at least twice, and reading a pipe would wait.
            raise NotABackup(f"{file} is not a file.")
        seal = _read_seal(file)
        if _digest(file, seal.dump_bytes) != seal.sha256:
            raise BackupDamaged(
                f"{file} has changed since it was written: its SHA-256 differs from the one at "
                "its end. Nothing was touched. Use another copy of the backup, or an older "
                "backup."
            )
    except OSError as error:
        raise NotABackup(f"{file} cannot be read: {error.strerror or error}.") from error
    return seal


def _read_seal(file: Path) -> Seal:
    size_bytes = file.stat().st_size
    with file.open("rb") as reader:
        is_dump = reader.read(5) == b"PGDMP"
        reader.seek(max(0, size_bytes - SEAL_BYTES_MAX))
        tail = reader.read()
    _, mark, line = tail.rpartition(SEAL_MARK)
    try:
        fields = json.loads(line) if mark and line.endswith(b"\n") else None
        # First of all, since a newer format may have other fields.
        if is_dump and fields is not None and fields["format"] > FORMAT:
            raise BackupNewer(
                f"{file} was written by a newer mahjic. Restore it with that version."
            )
        seal = None if fields is None else Seal(**fields)
    except (ValueError, TypeError, KeyError):
        seal = None
    if is_dump and seal is None:
        raise NotABackup(
            f"{file} is a PostgreSQL dump, but without the end that `mahjic backup` writes: it "
            "was cut off, or made by another program. Nothing was touched."
        )
    if seal is None or not is_dump:
        raise NotABackup(f"{file} was not written by `mahjic backup`. Nothing was touched.")
    return seal


def _digest(file: Path, size_bytes: int) -> str:
    digest = hashlib.sha256()
    with file.open("rb") as reader:
        left = size_bytes
        while left > 0 and (chunk := reader.read(min(CHUNK_BYTES, left))):
            digest.update(chunk)
            left -= len(chunk)
    return digest.hexdigest()
