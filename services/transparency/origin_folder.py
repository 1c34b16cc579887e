"""The files of one public log: its tiles, its checkpoint, and what was taken in for that.

Tiles are written first and the checkpoint last, so whoever reads a checkpoint finds its tiles. A
tile that is there never changes; if it would, the log has another history.
"""

import shutil
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import orjson

from services.transparency.origins import LogOrigin
from services.transparency.refusals import PublicLogMisplaced
from shared.log.port import HistorySplit, Position
from shared.machine.durable import (
    FOR_US,
    FRESH_PREFIX,
    make_folders,
    put_in_place,
    read_if_there,
    synchronize,
    write_whole,
)
from shared.tlog.checkpoints import read_checkpoint
from shared.tlog.hashes import HASH_BYTES
from shared.tlog.notes import NoteRefused
from shared.tlog.tiles import WIDTH_MAX, HashTile

CHECKPOINT_FILE: Final = "checkpoint"
TAKEN_IN_FILE: Final = "taken-in"
ENDED_FILE: Final = "ended"


@dataclass(frozen=True, slots=True)
class TakenIn:
    """How far a log was taken in when its last checkpoint was signed, and that checkpoint."""

    position: Position
    note: str

    def to_json(self) -> bytes:
        """Return it as its file holds it."""
        place = self.position
        told = {"log_id": place.log_id, "seq": place.seq, "chain": place.chain.hex()}
        return orjson.dumps({**told, "note": self.note})

    @classmethod
    def from_json(cls, content: bytes) -> "TakenIn":
        """Read what a file holds. Raises ValueError, KeyError and TypeError."""
        told = orjson.loads(content)
        log_id, seq, note = told["log_id"], told["seq"], told["note"]
        if not (isinstance(log_id, str) and isinstance(seq, int) and isinstance(note, str)):
            raise TypeError
        return cls(Position(log_id, seq, bytes.fromhex(told["chain"])), note)


@dataclass(frozen=True, slots=True)
class OriginFolder:
    """The files of one public log. What writes raises OSError."""

    path: Path
    origin: LogOrigin

    def read_tile(self, tile: HashTile) -> bytes | None:
        """Return the hashes of a tile; None if it is not there.

        A narrower tile goes once the full one in its place is signed, which begins with it.
        """
        found = read_if_there(self.path / tile.path)
        if found is None and tile.width < WIDTH_MAX:
            full = read_if_there(self.path / tile.full.path)
            found = None if full is None else full[: tile.width * HASH_BYTES]
        return found

    def write_tiles(self, tiles: Iterable[tuple[HashTile, bytes]]) -> None:
        """Write tiles, durably. Raises HistorySplit if one is there and differs."""
        changed = dict[Path, None]()
        for tile, hashes in tiles:
            file = self.path / tile.path
            there = read_if_there(file)
            if there is None:
                make_folders(file.parent, self.path)
                put_in_place(file, hashes)
                changed[file.parent] = None
            elif there != hashes:
                raise HistorySplit(
                    f"The log would change {tile.path} of {self.origin.name}, and what was "
                    "published never changes."
                )
        for folder in changed:
            synchronize(folder)

    def drop_narrow(self, tiles: Iterable[HashTile]) -> None:
        """Remove what came before these full tiles; it is in them."""
        for tile in tiles:
            narrow = self.path / HashTile(tile.level, tile.index, 1).path
            shutil.rmtree(narrow.parent, ignore_errors=True)

    def checkpoint(self) -> str | None:
        """Return the checkpoint as everybody gets it."""
        return _text(read_if_there(self.path / CHECKPOINT_FILE))

    def signed_size(self) -> int:
        """Return how many records the checkpoint is of; 0 without one."""
        note = self.checkpoint()
        if note is None:
            return 0
        try:
            return read_checkpoint(note).size
        except NoteRefused:
            return 0

    def publish(self, note: str) -> None:
        """Replace the checkpoint, durably."""
        write_whole(self.path / CHECKPOINT_FILE, note.encode())

    def taken_in(self) -> TakenIn | None:
        """Return what was last taken in and signed. Raises PublicLogMisplaced."""
        content = read_if_there(self.path / TAKEN_IN_FILE)
        if content is None:
            return None
        try:
            return TakenIn.from_json(content)
        except (ValueError, KeyError, TypeError) as error:
            raise PublicLogMisplaced(
                f"{self.path / TAKEN_IN_FILE} is damaged. Put it back from a copy; if there is "
                "none, `mahjic transparency begin-again` goes on."
            ) from error

    def keep(self, taken_in: TakenIn) -> None:
        """Remember what was taken in and signed, durably."""
        write_whole(self.path / TAKEN_IN_FILE, taken_in.to_json(), mode=FOR_US)

    def ended(self) -> str | None:
        """Return the note that ended this log, if it has ended."""
        return _text(read_if_there(self.path / ENDED_FILE))

    def end(self, note: str) -> None:
        """End this log, durably."""
        write_whole(self.path / ENDED_FILE, note.encode())

    def clear_unfinished(self) -> None:
        """Remove what a process that was killed was writing."""
        with suppress(FileNotFoundError):
            for each in self.path.rglob(f"{FRESH_PREFIX}*"):
                each.unlink(missing_ok=True)


def _text(content: bytes | None) -> str | None:
    return None if content is None else content.decode(errors="replace")
