"""Knows whether pages show what was on record a while ago, so that they can say if not. Pure."""

from collections import deque
from typing import Final

# Views show a fact within a second. Who hears that pages are late can do nothing but wait, so a
# short delay is not worth a word.
LATE_S: Final = 60.0


class Lateness:
    """Compares what pages show with what was on record a minute ago."""

    def __init__(self) -> None:
        self.is_late = False
        # When we looked, and the last fact then: the newest look that is a minute old, and all
        # after it.
        self._ends: deque[tuple[float, int]] = deque()

    def look(self, shown_seq: int, end_seq: int, now_s: float) -> None:
        """Take in the last fact that all pages show, and the last one on record."""
        self._ends.append((now_s, end_seq))
        while len(self._ends) > 1 and self._ends[1][0] <= now_s - LATE_S:
            self._ends.popleft()
        looked_s, due_seq = self._ends[0]
        self.is_late = looked_s <= now_s - LATE_S and shown_seq < due_seq
