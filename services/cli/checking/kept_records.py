"""Keeps the records of a log in a file while they are checked, so that a check can go on later.

Each is kept with its salts. What was kept is checked again like what has just come.
"""

from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from struct import Struct
from typing import Final

from shared.events.chain import first_chain
from shared.log.port import Position, Record, chained
from shared.machine.own_files import open_own
from shared.tlog.hashes import HASH_BYTES
from shared.tlog.leaves import LogName

_LENGTH: Final = Struct(">I")
_SALTS_BYTES: Final = 2 * HASH_BYTES
RECORD_BYTES_MAX: Final = 64 << 20


@dataclass(frozen=True, slots=True)
class SaltedRecord:
    """A record as an auditor has it: its bytes, and what hides it and its chain values."""

    body: bytes
    salt: bytes
    chain_salt: bytes

    def to_bytes(self) -> bytes:
        """Return it as the file holds it."""
        return _LENGTH.pack(len(self.body)) + self.salt + self.chain_salt + self.body


@dataclass(slots=True)
class KeptRecords:
    """The file of one log. `ends` are where each record ends in it."""

    path: Path
    ends: "array[int]" = field(default_factory=lambda: array("q"))

    def read_kept(self) -> Iterator[SaltedRecord]:
        """Yield what is kept, as far as it is whole; what is behind that is dropped.

        Whoever stops before the end drops the rest.
        """
        self.ends = array("q")
        try:
            with open_own(self.path, "rb") as file:
                while (record := _read(file.read)) is not None:
                    self.ends.append(file.tell())
                    yield record
        except FileNotFoundError:
            return

    def drop_from(self, count: int) -> None:
        """Keep only so many records."""
        del self.ends[count:]

    def append(self, records: Sequence[SaltedRecord]) -> None:
        """Keep more records behind those that are there."""
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with open_own(self.path, "ab") as file:
            end = self.ends[-1] if self.ends else 0
            file.truncate(end)
            for each in records:
                file.write(each.to_bytes())
                end += _LENGTH.size + _SALTS_BYTES + len(each.body)
                self.ends.append(end)

    def bodies(self, start: int, count: int) -> list[bytes]:
        """Return the bytes of some records, of which the first one is number `start`, from 0."""
        if start >= len(self.ends):
            return []
        with open_own(self.path, "rb") as file:
            file.seek(self.ends[start - 1] if start else 0)
            found = (_read(file.read) for _ in range(min(count, len(self.ends) - start)))
            return [each.body for each in found if each is not None]


@dataclass(frozen=True, slots=True)
class KeptLog:
    """A log as its kept records make it, for whoever rates it again (shared/log/port.py)."""

    log_id: str
    name: LogName
    records: KeptRecords

    async def beginning(self) -> Position:
        """Return the position before the first record."""
        return Position(self.log_id, 0, first_chain(self.log_id, self.name))

    async def read(self, after: Position, records_max: int) -> list[Record]:
        """Return the next records after a position that was read from here."""
        bodies = self.records.bodies(after.seq, records_max)
        return chained(after, bodies) if bodies else []


def _read(read: Callable[[int], bytes]) -> SaltedRecord | None:
    head = read(_LENGTH.size + _SALTS_BYTES)
    if len(head) < _LENGTH.size + _SALTS_BYTES:
        return None
    (length,) = _LENGTH.unpack_from(head)
    body = read(length) if length <= RECORD_BYTES_MAX else b""
    if len(body) < length:
        return None
    salts = head[_LENGTH.size :]
    return SaltedRecord(body, salts[:HASH_BYTES], salts[HASH_BYTES:])
