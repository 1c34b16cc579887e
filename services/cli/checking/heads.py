"""Checks what a public log says of itself: who signed it, and that it only ever grew."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from services.cli.checking.asking import AskedService, NotChecked
from services.cli.checking.found import DoesNotHold
from services.cli.checking.kept import KeptHead
from shared.tlog.checkpoints import TreeHead, read_checkpoint
from shared.tlog.leaves import LogName
from shared.tlog.notes import NoteRefused, Signed, VerifierKey, open_note
from shared.tlog.proofs import ProofRefused, check_growth, check_leaf
from shared.tlog.tiles import HashTile
from shared.tlog.trees import TileMissing, TileTree

Asked = TypeVar("Asked")

LOGS_PATH: Final = "/log"


@dataclass(slots=True)
class Trust:
    """Whose signatures count: the log's own key under its name, and those of witnesses."""

    log: VerifierKey
    witnesses: Sequence[VerifierKey]
    # Those that the caller asks for, and not only the service.
    needed: Sequence[VerifierKey] = ()

    def opened(self, note: str, where: str) -> tuple[TreeHead, list[Signed]]:
        """Return what a checkpoint says, and who signed it. Raises DoesNotHold."""
        try:
            text, signed = open_note(note, [self.log, *self.witnesses, *self.needed])
            checkpoint = read_checkpoint(text)
        except NoteRefused as error:
            raise DoesNotHold(str(error), where) from None
        who = {each.key for each in signed}
        if self.log not in who:
            raise DoesNotHold(f"The key of {self.log.name} has not signed it.", where)
        if checkpoint.origin != self.log.name:
            raise DoesNotHold(
                f"It is of {checkpoint.origin}, and must be of {self.log.name}.", where
            )
        for each in self.needed:
            if each not in who:
                raise DoesNotHold(f"The witness {each.name} has not cosigned it.", where)
        return checkpoint, signed


@dataclass(slots=True)
class CheckedHead:
    """The newest head of one public log that was checked, and all others that it grew from."""

    asking: AskedService
    name: LogName
    number: int
    trust: Trust
    checkpoint: TreeHead
    cosigned: Sequence[Signed]
    _roots: dict[int, bytes] = field(default_factory=dict)

    @property
    def path(self) -> str:
        """Where the log is."""
        return path_of_log(self.name, self.number)

    def tree(self) -> TileTree:
        """Return the tree of the newest head, by its tiles."""
        return TileTree(self.checkpoint.size, self._read)

    def check_root(self) -> None:
        """Check that the tiles at the edge of the tree give its root. Raises DoesNotHold."""
        read: list[HashTile] = []

        def reading(tile: HashTile) -> bytes | None:
            read.append(tile)
            return self._read(tile)

        root = _whole(TileTree(self.checkpoint.size, reading).root, self.path)
        if root != self.checkpoint.root:
            named = ", ".join(dict.fromkeys(each.path for each in read))
            raise DoesNotHold(
                f"The root in the checkpoint does not follow from {named}.", self.path
            )
        self._roots[self.checkpoint.size] = self.checkpoint.root

    def check_grew_from(self, size: int, root: bytes, when: str) -> None:
        """Check that the log has only grown since an older head. Raises DoesNotHold."""
        if size > self.checkpoint.size:
            raise DoesNotHold(
                f"The log has {self.checkpoint.size} records, and had {size} {when}.", self.path
            )
        proof = _whole(lambda: self.tree().prove_growth(size), self.path)
        try:
            check_growth(
                proof,
                old=size,
                old_root=root,
                new=self.checkpoint.size,
                new_root=self.checkpoint.root,
            )
        except ProofRefused as error:
            raise DoesNotHold(f"Not the log that was seen {when}: {error}", self.path) from None
        self._roots[size] = root

    def accept(self, note: str, where: str) -> TreeHead:
        """Return what a checkpoint in an answer says, once it fits the others.

        Raises DoesNotHold.
        """
        checkpoint, signed = self.trust.opened(note, where)
        known = self._roots.get(checkpoint.size)
        if known is None:
            self._connect(checkpoint, signed, where)
        elif known != checkpoint.root:
            raise DoesNotHold(
                f"Two different trees of {checkpoint.size} records are signed: somebody else "
                "is shown another history.",
                where,
            )
        return checkpoint

    def check_in(self, checkpoint: TreeHead, seq: int, leaf: bytes, proof: Sequence[bytes]) -> None:
        """Check that a record is in the tree of a checkpoint. Raises DoesNotHold."""
        try:
            check_leaf(proof, index=seq - 1, size=checkpoint.size, leaf=leaf, root=checkpoint.root)
        except ProofRefused as error:
            raise DoesNotHold(f"Record {seq} of the {self.name}: {error}") from None

    def kept(self) -> KeptHead:
        """Return what is kept of it until the next check."""
        return KeptHead(
            number=self.number,
            key=str(self.trust.log),
            size=self.checkpoint.size,
            root=self.checkpoint.root.hex(),
        )

    def _connect(self, checkpoint: TreeHead, signed: Sequence[Signed], where: str) -> None:
        held = self.checkpoint
        if checkpoint.size < held.size:
            older = CheckedHead(
                self.asking, self.name, self.number, self.trust, held, self.cosigned
            )
            older.check_grew_from(checkpoint.size, checkpoint.root, "in an answer")
            self._roots[checkpoint.size] = checkpoint.root
            return
        self.checkpoint, self.cosigned = checkpoint, signed
        try:
            self.check_root()
            self.check_grew_from(held.size, held.root, "a moment ago")
        except DoesNotHold as error:
            self.checkpoint = held
            raise DoesNotHold(error.what, where) from None

    def _read(self, tile: HashTile) -> bytes | None:
        return self.asking.tile(self.path, tile)


def path_of_log(name: LogName, number: int) -> str:
    """Return where a log is that was begun so many times."""
    return f"{LOGS_PATH}/{name}" if number == 1 else f"{LOGS_PATH}/{name}/{number}"


def read_head(asking: AskedService, name: LogName, number: int, trust: Trust) -> CheckedHead:
    """Return the head of a log as it is now, signed as it must be. Raises DoesNotHold."""
    where = f"{path_of_log(name, number)}/checkpoint"
    note = asking.text(where)
    if note is None:
        raise NotChecked(f"{asking.place} has no public log at {where}.")
    checkpoint, signed = trust.opened(note, where)
    head = CheckedHead(
        asking, name, number, trust, checkpoint, [each for each in signed if each.at_s]
    )
    head.check_root()
    return head


def _whole(ask: Callable[[], Asked], where: str) -> Asked:
    try:
        return ask()
    except TileMissing as error:
        raise DoesNotHold(
            f"The tile {error.tile.path} is missing, or not as long as it must be.", where
        ) from None
