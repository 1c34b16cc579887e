"""Watches what memory each process holds while sessions are recorded, and judges if it grows."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psutil  # type: ignore[import-untyped]

from tests.soak.site import Place

MIB: Final = 2**20
# Until then caches fill, PostgreSQL's above all, and most players appear for the first time.
WARM_UP_SHARE: Final = 0.2
# What is compared: the first and the last part of the samples after the warm-up.
COMPARED_SHARE: Final = 0.2
# Allocators breathe by some MiB. A leak of 64 bytes a session is more than this.
GROWTH_MIB_PER_100K_MAX: Final = 5.0
# Over fewer sessions breathing alone would pass for growth, so it is shown and not judged.
JUDGED_SESSIONS_MIN: Final = 400_000
# What is shown of the course of an import.
PARTS: Final = 5


@dataclass(frozen=True, slots=True)
class Sample:
    """How far everything was at a moment, and the bytes that each process held.

    `mapped` are those of the files that the service had mapped and in memory.
    """

    at_s: float
    place: Place
    held: Mapping[str, int]
    mapped: int = 0


@dataclass(frozen=True, slots=True)
class Growth:
    """What a process held after the warm-up and at the end, in MiB, and between how many facts."""

    process: str
    early_mib: float
    late_mib: float
    most_mib: float
    facts: int

    @property
    def mib_per_100k(self) -> float:
        """The growth per 100,000 facts."""
        return (self.late_mib - self.early_mib) / max(self.facts, 1) * 100_000

    @property
    def is_judged(self) -> bool:
        """Tell whether it is long enough to tell growth from breathing."""
        return self.facts >= JUDGED_SESSIONS_MIN

    @property
    def is_flat(self) -> bool:
        """Tell whether it grew no more than it may; always so where it is not judged."""
        return not self.is_judged or self.mib_per_100k <= GROWTH_MIB_PER_100K_MAX


def growths(samples: Sequence[Sample]) -> list[Growth]:
    """Return the growth of each process that was there from the warm-up to the end."""
    recorded_max = samples[-1].place.recorded
    warm = [each for each in samples if each.place.recorded >= WARM_UP_SHARE * recorded_max]
    compared = max(1, int(len(warm) * COMPARED_SHARE))
    found = []
    for process in sorted({name for sample in warm for name in sample.held}):
        there = [sample for sample in warm if process in sample.held]
        part = min(compared, len(there))
        early, late = there[:part], there[-part:]
        found.append(
            Growth(
                process,
                _mib(early, process),
                _mib(late, process),
                max(sample.held[process] for sample in samples if process in sample.held) / MIB,
                _middle(late) - _middle(early),
            )
        )
    return found


def course(samples: Sequence[Sample]) -> list[Sample]:
    """Return a sample from the beginning of each part of the import, and the last one."""
    recorded_max = samples[-1].place.recorded
    places = [recorded_max * part // PARTS for part in range(1, PARTS)]
    return [
        *(next(each for each in samples if each.place.recorded >= place) for place in places),
        samples[-1],
    ]


def own_bytes(process: psutil.Process) -> int:
    """Return what a process holds by itself: without the pages of files that it has mapped.

    Those are the columns of the rater, which the system may drop at any time.
    """
    for line in Path(f"/proc/{process.pid}/status").read_text(encoding="ascii").splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) * 1024
    raise AssertionError("This system does not tell what memory a process holds by itself.")


def mapped_bytes(process: psutil.Process) -> int:
    """Return how much of mapped files, programs included, a process has in memory."""
    memory = process.memory_info()
    return int(memory.rss) - own_bytes(process)


def family_bytes(process: psutil.Process) -> int:
    """Return what a process and its children hold together, what they share counted once."""
    total = 0
    for each in [process, *process.children(recursive=True)]:
        try:
            rollup = Path(f"/proc/{each.pid}/smaps_rollup").read_text(encoding="ascii")
        except (FileNotFoundError, ProcessLookupError):
            continue  # It has ended since.
        total += next(
            int(line.split()[1]) * 1024 for line in rollup.splitlines() if line.startswith("Pss:")
        )
    return total


def _mib(samples: Sequence[Sample], process: str) -> float:
    return statistics.median(sample.held[process] for sample in samples) / MIB


def _middle(samples: Sequence[Sample]) -> int:
    return int(statistics.median(sample.place.recorded for sample in samples))
