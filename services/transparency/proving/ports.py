"""What proofs need of the public log: the last signed head of each tree, its tiles, the salts."""

from dataclasses import dataclass
from typing import Protocol

from shared.errors import MahjicError
from shared.tlog.checkpoints import Checkpoint
from shared.tlog.leaves import LogName
from shared.tlog.tiles import Tile


class NoPublicLog(MahjicError):
    """This service keeps no public log."""

    code = "no_public_log"
    title = "There is no public log here"
    status = 404

    def __init__(self) -> None:
        super().__init__("This service keeps no public log, so nothing here can be proved by it.")


@dataclass(frozen=True, slots=True)
class SignedHead:
    """A tree as it was last signed: the whole note, and what it says."""

    note: str
    checkpoint: Checkpoint


class SignedTree(Protocol):
    """One log as the public sees it: its newest origin."""

    def head(self) -> SignedHead | None:
        """Return the newest signed head; None before the first one."""
        ...

    def read_tile(self, tile: Tile) -> bytes | None:
        """Return the hashes of a tile; None if there is no such tile."""
        ...


class PublicLogs(Protocol):
    """Both public logs."""

    @property
    def facts(self) -> SignedTree: ...

    @property
    def verdicts(self) -> SignedTree: ...

    def salts(self, log_id: str, name: LogName, seq: int) -> tuple[bytes, bytes]:
        """Return what hides a record in its leaf, and what hides its chain values."""
        ...
