"""Watches a public log as its readers do, and fails if it ever changes what it has said."""

import hashlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from services.transparency.folder import TransparencyFolder
from shared.tlog.checkpoints import TreeHead, read_checkpoint
from shared.tlog.leaves import LOG_NAMES, LogName
from shared.tlog.notes import open_note
from shared.tlog.proofs import check_growth
from shared.tlog.trees import TileTree


@dataclass
class Watcher:
    """Somebody who looks at both logs again and again, and remembers everything."""

    path: Path
    seen: dict[LogName, list[TreeHead]] = field(
        default_factory=lambda: {name: [] for name in LOG_NAMES}
    )
    tiles: dict[Path, str] = field(default_factory=dict)

    def look(self) -> None:
        """Take in what both logs say now; fail unless it goes on from what they said before."""
        for name in LOG_NAMES:
            self._look_at_checkpoint(name)
        self._look_at_tiles()

    def _look_at_checkpoint(self, name: LogName) -> None:
        folder = TransparencyFolder(self.path)
        log = folder.current(name)
        note = log.checkpoint()
        if note is None:
            assert not self.seen[name], "A checkpoint is gone."
            return
        text, _ = open_note(note, folder.verifier_keys())
        now = read_checkpoint(text)
        tree = TileTree(now.size, log.read_tile)
        assert tree.root() == now.root
        if self.seen[name]:
            old = self.seen[name][-1]
            proof = tree.prove_growth(old.size)
            check_growth(proof, old=old.size, old_root=old.root, new=now.size, new_root=now.root)
        if not self.seen[name] or self.seen[name][-1] != now:
            self.seen[name].append(now)

    def _look_at_tiles(self) -> None:
        for file, content in self._files().items():
            assert self.tiles.setdefault(file, content) == content, f"{file} has changed."

    def _files(self) -> Mapping[Path, str]:
        found = {}
        for name in LOG_NAMES:
            for file in (self.path / name / "tile").rglob("*"):
                # What is still being written has another name.
                if file.is_file() and not file.name.startswith("."):
                    # Nor is a narrow one there anymore once the full one is signed.
                    with suppress(FileNotFoundError):
                        found[file] = hashlib.sha256(file.read_bytes()).hexdigest()
        return found
