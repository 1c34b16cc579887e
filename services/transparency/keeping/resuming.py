"""Finds what a public log goes on from: what was signed last, if the files agree on it."""

from dataclasses import dataclass

from services.transparency.origin_folder import OriginFolder, TakenIn
from services.transparency.refusals import PublicLogMisplaced
from shared.log.port import HistorySplit, Position
from shared.tlog.checkpoints import TreeHead, read_checkpoint
from shared.tlog.growing import GrowingTree
from shared.tlog.hashes import EMPTY_ROOT
from shared.tlog.notes import NoteRefused, SignerKey, open_note, sign_note
from shared.tlog.trees import TileMissing


@dataclass(frozen=True, slots=True)
class Resumed:
    """A tree as it was signed last, and the checkpoint that everybody has, if there is one."""

    taken_in: TakenIn
    checkpoint: TreeHead
    tree: GrowingTree
    published: str | None


def resume(folder: OriginFolder, signer: SignerKey, beginning: Position) -> Resumed:
    """Return what was signed last; the empty tree if nothing was.

    Raises HistorySplit if something that was signed is gone, and PublicLogMisplaced if the files
    are damaged, or the log has ended.
    """
    if folder.ended() is not None:
        raise PublicLogMisplaced(
            f"{folder.origin.name} has ended, and the log after it was not begun. Run `mahjic "
            "transparency begin-again` once more, which goes on where it was cut off."
        )
    folder.clear_unfinished()
    published = folder.checkpoint()
    taken_in = folder.taken_in()
    if taken_in is None:
        if published is not None:
            raise HistorySplit(
                f"{folder.origin.name} has a checkpoint, but the file that says what was taken in "
                "for it is gone."
            )
        empty = TreeHead(folder.origin.name, 0, EMPTY_ROOT)
        taken_in = TakenIn(beginning, sign_note(empty.text, [signer]))
    checkpoint = _opened(folder, signer, taken_in.note)
    if checkpoint.size != taken_in.position.seq:
        raise PublicLogMisplaced(f"What was taken in for {folder.origin.name} is damaged.")
    if published is not None:
        _check_published(_opened(folder, signer, published), checkpoint)
    return Resumed(taken_in, checkpoint, _tree_of(folder, checkpoint), published)


def _check_published(published: TreeHead, signed: TreeHead) -> None:
    # What was signed last may not have been published yet.
    if published.size > signed.size or (published.size == signed.size and published != signed):
        raise HistorySplit(
            f"{published.origin} was published with {published.size} records, and the file that "
            f"says what was signed last knows of {signed.size} alone, or of others."
        )


def _opened(folder: OriginFolder, signer: SignerKey, note: str) -> TreeHead:
    try:
        text, _ = open_note(note, [signer.verifier])
        checkpoint = read_checkpoint(text)
    except NoteRefused as error:
        raise PublicLogMisplaced(
            f"A checkpoint of {folder.origin.name} is damaged: {error}"
        ) from error
    if checkpoint.origin != folder.origin.name:
        raise PublicLogMisplaced(f"A checkpoint of {folder.origin.name} is that of another log.")
    return checkpoint


def _tree_of(folder: OriginFolder, checkpoint: TreeHead) -> GrowingTree:
    try:
        tree = GrowingTree.at(checkpoint.size, folder.read_tile)
    except TileMissing as error:
        raise PublicLogMisplaced(
            f"{error.tile.path} of {folder.origin.name} is gone or too short. Put it back from a "
            "copy of the folder."
        ) from error
    if tree.root() != checkpoint.root:
        raise PublicLogMisplaced(
            f"The last tiles of {folder.origin.name} are not those that were signed. Put them "
            "back from a copy of the folder."
        )
    return tree
