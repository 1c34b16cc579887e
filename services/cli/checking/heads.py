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
# A witness has a few seconds to cosign, and the next checkpoint may come a second later.
COSIGNED_TRIES_MAX: Final = 5
COSIGNED_PAUSE_S: Final = 2.0


@dataclass(slots=True)
class Trust:
    """Whose signatures count: the log's own key under its name, and those of witnesses."""

    log: VerifierKey
    witnesses: Sequence[VerifierKey]
    # Those that the caller asks for, and not only the service.
    needed: Sequence[VerifierKey] = ()

    def opened(self, note: str, where: str) -> tuple[TreeHead, list[Signed]]:
        """Return what a checkpoint says that the log signed, and the witnesses who cosigned it.

        Raises DoesNotHold.
        """
        try:
            text, signed = open_note(note, [self.log, *self.witnesses, *self.needed])
            checkpoint = read_checkpoint(text)
        except NoteRefused as error:
            raise DoesNotHold(str(error), where) from None
        if all(each.key != self.log for each in signed):
            raise DoesNotHold(f"The key of {self.log.name} has not signed it.", where)
        if checkpoint.origin != self.log.name:
            raise DoesNotHold(
                f"It is of {checkpoint.origin}, and must be of {self.log.name}.", where
            )
        return checkpoint, [each for each in signed if each.key != self.log]

    def missing(self, cosigned: Sequence[Signed]) -> VerifierKey | None:
        """Return a witness whom the caller asks for, and who is not among these."""
        who = {each.key for each in cosigned}
        return next((each for each in self.needed if each not in who), None)


@dataclass(slots=True)
class CheckedHead:
    """The newest head of one public log that was checked, and all others that it grew from."""

    asking: AskedService
    name: LogName
    number: int
    trust: Trust
    checkpoint: TreeHead
    cosigned: Sequence[Signed]
    roots: dict[int, bytes] = field(default_factory=dict)
    # From these, the root follows. They are asked for once: the next answer may be another one.
    edge: dict[HashTile, Sequence[bytes]] = field(default_factory=dict)

    @property
    def path(self) -> str:
        """Where the log is."""
        return path_of_log(self.name, self.number)

    def tree(self) -> TileTree:
        """Return the tree of the newest head, by its tiles."""
        return TileTree(self.checkpoint.size, self._read)

    def check_root(self) -> None:
        """Check that the tiles at the edge of the tree give its root. Raises DoesNotHold."""
        tree = TileTree(self.checkpoint.size, lambda tile: self.asking.tile(self.path, tile))
        root = _whole(tree.root, self.path)
        if root != self.checkpoint.root:
            named = ", ".join(each.path for each in tree.taken()) or "an empty tree"
            raise DoesNotHold(
                f"The root in the checkpoint does not follow from {named}.", self.path
            )
        self.roots[self.checkpoint.size] = self.checkpoint.root
        self.edge = tree.taken()

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
        self.roots[size] = root

    def accept(self, note: str, where: str) -> TreeHead:
        """Return what a checkpoint in an answer says, once it fits the others.

        Raises NotChecked, DoesNotHold.
        """
        checkpoint, cosigned = self.trust.opened(note, where)
        known = self.roots.get(checkpoint.size)
        if known is not None and known != checkpoint.root:
            raise DoesNotHold(
                f"Two different trees of {checkpoint.size} records are signed: somebody else "
                "is shown another history.",
                where,
            )
        if checkpoint.size > self.checkpoint.size:
            self._grow_to(checkpoint, cosigned, where)
        if checkpoint.size not in self.roots:
            self.check_grew_from(checkpoint.size, checkpoint.root, "in an answer")
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

    def _grow_to(self, checkpoint: TreeHead, cosigned: Sequence[Signed], where: str) -> None:
        """Go on to a head that has at least these records, if it has only grown to that.

        An answer may stand on a head that was signed a moment ago, before any witness was asked.
        """
        newer = CheckedHead(self.asking, self.name, self.number, self.trust, checkpoint, cosigned)
        try:
            if self.trust.missing(cosigned) is None:
                newer.check_root()
            else:
                newer = read_head(
                    self.asking, self.name, self.number, self.trust, size_min=checkpoint.size
                )
            newer.check_grew_from(self.checkpoint.size, self.checkpoint.root, "a moment ago")
        except DoesNotHold as error:
            raise DoesNotHold(error.what, where) from None
        self.checkpoint, self.cosigned, self.edge = newer.checkpoint, newer.cosigned, newer.edge
        self.roots |= newer.roots

    def _read(self, tile: HashTile) -> bytes | None:
        held = self.edge.get(tile)
        return self.asking.tile(self.path, tile) if held is None else b"".join(held)


def path_of_log(name: LogName, number: int) -> str:
    """Return where a log is that was begun so many times."""
    return f"{LOGS_PATH}/{name}" if number == 1 else f"{LOGS_PATH}/{name}/{number}"


def read_head(
    asking: AskedService, name: LogName, number: int, trust: Trust, *, size_min: int = 0
) -> CheckedHead:
    """Return the head of a log as it is now, signed and cosigned as it must be.

    Witnesses are asked once it is signed, so it is looked at again until they have cosigned it.
    Raises NotChecked, DoesNotHold.
    """
    where = f"{path_of_log(name, number)}/checkpoint"
    for tries_left in reversed(range(COSIGNED_TRIES_MAX)):
        note = asking.text(where)
        if note is None:
            raise NotChecked(f"{asking.place} has no public log at {where}.")
        checkpoint, cosigned = trust.opened(note, where)
        missing = trust.missing(cosigned)
        if missing is None and checkpoint.size >= size_min:
            head = CheckedHead(asking, name, number, trust, checkpoint, cosigned)
            head.check_root()
            return head
        if tries_left:
            asking.pause(COSIGNED_PAUSE_S)
    if missing is not None:
        raise DoesNotHold(f"The witness {missing.name} has not cosigned it.", where)
    raise DoesNotHold(f"It has {checkpoint.size} records, and an answer has {size_min}.", where)


def _whole(ask: Callable[[], Asked], where: str) -> Asked:
    try:
        return ask()
    except TileMissing as error:
        raise DoesNotHold(
            f"The tile {error.tile.path} is missing, or not as long as it must be.", where
        ) from None
