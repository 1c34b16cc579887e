"""Works out in the background what would happen: one thing at a time, and the newest are kept.

Whoever asks waits a moment. What takes longer goes on without them, and is there when they ask
again. All of it is a cache of this process: another one works it out for itself.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeVar

import structlog

from services.foresight.season import Progress
from shared.errors import MahjicError

# A history of some thousand sessions is through by then.
WAIT_S_MAX: Final = 3.0
# More would not be worked out soon anyway.
WAITING_MAX: Final = 4
KEPT_MAX: Final = 8

_log = structlog.get_logger(__name__)


class _AsOf(Protocol):
    @property
    def as_of(self) -> int: ...


Outcome = TypeVar("Outcome", bound=_AsOf)


class TooMuchToForesee(MahjicError):
    """Several trials wait for their turn already."""

    code = "too_much_to_foresee"
    title = "Other trials are being worked out"
    status = 503

    def __init__(self) -> None:
        super().__init__(
            "Other trials are being worked out, one after the other. Ask again in a minute.",
            headers={"Retry-After": "60"},
        )


@dataclass(frozen=True, slots=True)
class Underway:
    """How far the work is: what is at hand, and how much of it is done."""

    at_hand: str
    done: int
    total: int


@dataclass(eq=False, slots=True)
class _Job:
    task: asyncio.Task[Any]
    at: Underway


class Foresights:
    """What is being worked out, and what was, by a key that says what was asked."""

    def __init__(self, *, wait_s_max: float = WAIT_S_MAX) -> None:
        self._wait_s_max = wait_s_max
        self._turn = asyncio.Lock()
        self._jobs: dict[str, _Job] = {}
        self._kept: OrderedDict[str, Any] = OrderedDict()

    async def ask(
        self,
        key: str,
        work: Callable[[Progress], Awaitable[Outcome]],
        *,
        end: int,
        newer_than: int = 0,
    ) -> Outcome | Underway:
        """Return what some work finds on a log that ends at `end`, or how far it is.

        What was found before stands, unless it is as of a fact up to `newer_than` and there is more
        by now. Raises what the work raises, and TooMuchToForesee.
        """
        kept: Outcome | None = self._kept.get(key)
        if kept is not None and kept.as_of > min(newer_than, end - 1):
            self._kept.move_to_end(key)
            return kept
        job = self._jobs.get(key) or self._begin(key, work)
        await asyncio.wait([job.task], timeout=self._wait_s_max)
        if not job.task.done():
            return job.at
        found: Outcome = job.task.result()
        return found

    def _begin(self, key: str, work: Callable[[Progress], Awaitable[Outcome]]) -> _Job:
        if len(self._jobs) >= WAITING_MAX:
            raise TooMuchToForesee
        at = Underway("", 0, 0)

        def progress(at_hand: str, done: int, total: int) -> None:
            self._jobs[key].at = Underway(at_hand, done, total)

        async def in_turn() -> Outcome:
            async with self._turn:
                found = await work(progress)
            self._kept[key] = found
            self._kept.move_to_end(key)
            while len(self._kept) > KEPT_MAX:
                self._kept.popitem(last=False)
            return found

        def end(task: asyncio.Task[Outcome]) -> None:
            del self._jobs[key]
            # Those who asked may be gone by now, and would not see it.
            if not task.cancelled() and (error := task.exception()) is not None:
                _log.warning("foresight_failed", error=type(error).__name__)

        job = self._jobs[key] = _Job(asyncio.create_task(in_turn()), at)
        job.task.add_done_callback(end)
        return job
