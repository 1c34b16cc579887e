"""Keeps standings in memory along a replay, so that corrections need not start from the beginning.

They are spaced like those in a rater's folder: dense near the end, and ever sparser before it.
"""

from collections.abc import Sequence

from services.rater.checkpoints import GAP_FACTS_MIN, gap_facts, places_between, thinned
from shared.replay.replay import Checkpoint


class MemoryCheckpoints:
    """Checkpoints that are gone with the process."""

    def __init__(self, gap_facts_min: int = GAP_FACTS_MIN) -> None:
        self._gap_facts_min = gap_facts_min
        self._players = 0
        self._kept: tuple[Checkpoint, ...] = ()

    def newest(self, place: int) -> Checkpoint | None:
        """Return the newest one that is not beyond a place, if there is one."""
        fitting = [each for each in self._kept if each.place <= place]
        return fitting[-1] if fitting else None

    def drop_beyond(self, place: int) -> None:
        """Drop everything beyond a place for good: what it holds never happened."""
        self._kept = tuple(each for each in self._kept if each.place <= place)

    def worth_keeping(self, start: int, end: int) -> Sequence[int]:
        """Return the places from `start` to `end`, in order, where the next ones should be."""
        return places_between(start, end, self._gap())

    def keep(self, checkpoint: Checkpoint) -> None:
        """Keep one; its standings may be changed afterward."""
        self._players = len(checkpoint.standings.numbers)
        kept = Checkpoint(checkpoint.place, checkpoint.standings.copy())
        others = [each for each in self._kept if each.place != checkpoint.place]
        self._kept = thinned([*others, kept], self._gap())

    def _gap(self) -> int:
        return gap_facts(self._players, self._gap_facts_min)
