"""Keeps the books of what is sent: how many sessions must be on record, and everybody's games."""

from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from gzip import GzipFile
from io import BufferedWriter
from pathlib import Path
from typing import Final

from tests.soak.seasons import SOURCES, Claim, Sent, games_of, sessions, with_another_game

# The sources whose files are packed.
PACKED: Final = frozenset({"a-platform", "a-club"})
ON_RECORD: Final = frozenset({"new", "played twice"})
# A session and its rival are each other's: whoever comes second is refused.
REFUSED: Final = frozenset({"rival", "half known", "key reused", "wrong"})


@dataclass(frozen=True, slots=True)
class Change:
    """A session that is sent once more by itself, and then voided, or corrected to another one."""

    source: str
    claim: Claim
    corrected: Claim | None


@dataclass(slots=True)
class Books:
    """What was sent, by kind and by source, and what must come of it."""

    kinds: Counter[str] = field(default_factory=Counter)
    lines: Counter[str] = field(default_factory=Counter)
    games: Counter[str] = field(default_factory=Counter)
    changes: list[Change] = field(default_factory=list)

    @property
    def sessions(self) -> int:
        """How many sessions must be on record, but for those that correct others."""
        return sum(self.kinds[kind] for kind in ON_RECORD)

    @property
    def refused(self) -> int:
        """How many lines must be refused."""
        return sum(self.kinds[kind] for kind in REFUSED)

    @property
    def voided(self) -> int:
        """How many sessions are voided."""
        return sum(change.corrected is None for change in self.changes)

    @property
    def corrected(self) -> int:
        """How many sessions are corrected."""
        return len(self.changes) - self.voided

    def take(self, sent: Sent) -> None:
        """Enter a line, and the change that will be made of it."""
        self.kinds[sent.kind] += 1
        self.lines[sent.source] += 1
        if sent.is_to_change:
            is_voided = len(self.changes) % 2 == 0
            corrected = None if is_voided else with_another_game(sent.claim)
            self.changes.append(Change(sent.source, sent.claim, corrected))
            if corrected is not None:
                self.games.update(_games(corrected, sent.source))
        elif sent.kind in ON_RECORD:
            self.games.update(_games(sent.claim, sent.source))


@dataclass(frozen=True, slots=True)
class Written:
    """The files of the sources, and the books of what is in them."""

    files: Mapping[str, Path]
    books: Books


def write_files(count: int, seed: int, folder: Path, *, changes: int) -> Written:
    """Make up so many sessions, and write each source's lines to a file of its own."""
    books = Books()
    files = {
        source.slug: folder / f"{source.slug}.ndjson{'.gz' * (source.slug in PACKED)}"
        for source in SOURCES
    }
    with ExitStack() as stack:
        opened = {slug: stack.enter_context(_opened(file)) for slug, file in files.items()}
        for sent in sessions(count, seed, changes=changes):
            opened[sent.source].write(sent.line + b"\n")
            books.take(sent)
    return Written(files, books)


def _games(claim: Claim, source: str) -> Counter[str]:
    games: Counter[str] = Counter()
    for who, count in games_of(claim, source):
        games[who] += count
    return games


def _opened(file: Path) -> GzipFile | BufferedWriter:
    if file.suffix == ".gz":
        return GzipFile(file, "wb", compresslevel=1)
    return file.open("wb")
