"""Who waits to be recorded, and who is next: single requests first, then lines of batches.

Neither can starve. A transaction takes all waiting single submissions, up to its size, and a tenth
of that in lines, however many submissions there are. Changes to the past are each a transaction of
their own, and take turns with lines.
"""

import asyncio
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from services.ingest.record.deciding import Decision
from services.ingest.record.judging.identified import Submission
from shared.errors import ServiceUnavailable

# A transaction has room for one line for each of this many single submissions.
SINGLES_PER_LINE: Final = 10
# Lines with a hundred rounds each would make a long transaction, and single submissions would wait
# for it.
ROUNDS_OF_LINES_MAX: Final = 2_000


class LinesInOrder:
    """The lines of one batch on their way: recorded in order, and none after one that failed.

    When a line waits too long, all lines behind it are given up with it.
    """

    def __init__(self) -> None:
        self.is_given_up = False
        self._waiting: set[Waiting] = set()

    def add(self, waiting: "Waiting") -> None:
        """Keep track of a line until it gets its outcome."""
        self._waiting.add(waiting)
        waiting.outcome.add_done_callback(lambda _: self._waiting.discard(waiting))

    def give_up(self) -> None:
        """Record none of the lines that are still waiting, and none that come later."""
        self.is_given_up = True
        for each in list(self._waiting):
            each.tell(ServiceUnavailable())


@dataclass(slots=True, eq=False)
class Waiting:
    """A request in the queue, the future of its outcome, and its deadline (loop time)."""

    request: Submission | Decision[Any]
    outcome: asyncio.Future[Any]
    deadline_s: float
    lines: LinesInOrder | None = None

    def tell(self, outcome: object) -> None:
        """Hand over the outcome, unless that was done already or no one is waiting."""
        if self.outcome.done():
            return
        if isinstance(outcome, Exception):
            self.outcome.set_exception(outcome)
        else:
            self.outcome.set_result(outcome)

    def give_up(self) -> None:
        """Say that it took too long."""
        self.tell(ServiceUnavailable())
        if self.lines is not None:
            self.lines.give_up()


class Lanes:
    """The queue of single requests, the queue of lines, and the rule for who is next."""

    def __init__(self, *, group_max: int, lines_max: int) -> None:
        self._group_max = group_max
        self._lines_at_least = max(1, group_max // SINGLES_PER_LINE)
        self._lines_max = lines_max
        self._singles: deque[Waiting] = deque()
        self._lines: deque[Waiting] = deque()
        self._lines_are_due = False
        self._filled = asyncio.Event()
        self._has_room = asyncio.Event()
        self._has_room.set()

    def __iter__(self) -> Iterator[Waiting]:
        return iter([*self._singles, *self._lines])

    @property
    def singles(self) -> int:
        return len(self._singles)

    def add(self, waiting: Waiting) -> None:
        """Queue a request in its lane."""
        if waiting.lines is None:
            self._singles.append(waiting)
        else:
            waiting.lines.add(waiting)
            self._lines.append(waiting)
        self._see_to_it()

    async def room_for_line(self) -> None:
        """Wait until another line may be queued."""
        while len(self._lines) >= self._lines_max:
            await self._has_room.wait()

    async def next_group(self) -> list[Waiting]:
        """Wait for the contents of the next transaction: many submissions, or one change."""
        await self._filled.wait()
        is_change = bool(self._singles) and isinstance(self._singles[0].request, Decision)
        if is_change and not (self._lines and self._lines_are_due):
            self._lines_are_due = True
            group = [self._singles.popleft()]
        else:
            self._lines_are_due = False
            group = list(self._next_singles())
            group += self._next_lines(max(self._group_max - len(group), self._lines_at_least))
        self._see_to_it()
        return group

    def clear(self) -> list[Waiting]:
        everybody = list(self)
        self._singles.clear()
        self._lines.clear()
        self._see_to_it()
        return everybody

    def _next_singles(self) -> Iterator[Waiting]:
        for _ in range(self._group_max):
            if not self._singles or not isinstance(self._singles[0].request, Submission):
                return
            yield self._singles.popleft()

    def _next_lines(self, lines_max: int) -> Iterator[Waiting]:
        rounds = 0
        for _ in range(lines_max):
            if not self._lines or rounds >= ROUNDS_OF_LINES_MAX:
                return
            line = self._lines.popleft()
            assert isinstance(line.request, Submission), "Changes of the past come one by one."
            rounds += len(line.request.session.rounds)
            yield line

    def _see_to_it(self) -> None:
        """Wake those whose wait is over now."""
        _set(self._filled, is_so=bool(self._singles or self._lines))
        _set(self._has_room, is_so=len(self._lines) < self._lines_max)


def _set(event: asyncio.Event, *, is_so: bool) -> None:
    if is_so:
        event.set()
    else:
        event.clear()
