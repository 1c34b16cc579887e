"""Checkpoints: what a log says of itself at a size, as the text of a signed note. Pure."""

import base64
import re
from dataclasses import dataclass
from typing import Final

from shared.tlog.encoding import read_base64
from shared.tlog.hashes import HASH_BYTES
from shared.tlog.notes import NoteRefused

SIZE_MAX: Final = 1 << 62
_SIZE: Final = re.compile(r"0|[1-9][0-9]{0,18}")


@dataclass(frozen=True, slots=True)
class TreeHead:
    """The origin of a log, and the size and root of its tree."""

    origin: str
    size: int
    root: bytes

    @property
    def text(self) -> str:
        """The text that is signed."""
        return f"{self.origin}\n{self.size}\n{base64.b64encode(self.root).decode()}\n"


def read_checkpoint(text: str) -> TreeHead:
    """Return what a text says. Raises NoteRefused.

    Lines behind the third are extensions, which say nothing to us.
    """
    lines = text.split("\n", 3)
    if len(lines) < 4 or not lines[0] or _SIZE.fullmatch(lines[1]) is None:
        raise NoteRefused("This is no checkpoint: it says an origin, a size and a root.")
    size, root = int(lines[1]), read_base64(lines[2])
    if len(root) != HASH_BYTES or size > SIZE_MAX:
        raise NoteRefused("The size or the root of this checkpoint cannot be.")
    return TreeHead(lines[0], size, root)
