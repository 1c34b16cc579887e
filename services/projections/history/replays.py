"""Finds a player's rounds that a correction gave different numbers, by replaying the facts.

The facts are read into columns when someone first asks, and read further when someone asks for
more. All of it is a cache: it is kept unless there are too many rounds, and then thrown away.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from typing import Final, TypeAlias

import structlog

from services.projections.history.changed_rounds import ROUNDS_RECORDED_MAX, ReadHistory
from services.projections.history.entries import ReplayedRound
from shared.errors import LogUnavailable, MahjicError
from shared.log.port import HistorySplit, Log, LogAway, LogGap
from shared.rating.registry import UnknownFormula
from shared.replay.adoptions import FormulaDiffers

# How long a request waits before it is told to come again. The work goes on in the meantime.
WAIT_S_MAX: Final = 2.0
RETRY_AFTER_S: Final = 2
# One is worked on at a time. This many may wait: more would not be answered soon anyway.
ASKED_MAX: Final = 8
# Answers never change, and their pages are asked for one after the other. All these rounds take 50
# MB.
ANSWERS_MAX: Final = 256
KEPT_ROUNDS_MAX: Final = 100_000
FACTS_MAX: Final = 500

_log = structlog.get_logger(__name__)

# The player in a change, and the fact of the correction.
Asked: TypeAlias = tuple[str, int]


class BeingComputed(MahjicError):
    """The answer needs a replay of the history, which is not finished yet."""

    code = "being_computed"
    title = "The answer is being computed"
    status = 503

    def __init__(self) -> None:
        super().__init__(
            "The rounds that the correction changed are found by replaying the history, which "
            f"is not finished yet. Ask again in {RETRY_AFTER_S} s.",
            headers={"Retry-After": str(RETRY_AFTER_S)},
        )


class Replays:
    """The facts read so far, and what was found by replaying them.

    A history of more than `rounds_max` rounds is not kept. At most `recorded_max` rounds of a
    replay are held at once, and `answers_max` answers are remembered.
    """

    def __init__(
        self,
        facts: Log,
        *,
        rounds_max: int,
        wait_s_max: float = WAIT_S_MAX,
        recorded_max: int = ROUNDS_RECORDED_MAX,
        answers_max: int = ANSWERS_MAX,
    ) -> None:
        self._facts = facts
        self._rounds_max = rounds_max
        self._wait_s_max = wait_s_max
        self._recorded_max = recorded_max
        self._answers_max = answers_max
        self._history: ReadHistory | None = None
        self._is_too_long = False
        self._turn = asyncio.Lock()
        self._running: dict[Asked, asyncio.Task[Sequence[ReplayedRound] | None]] = {}
        self._kept: OrderedDict[Asked, Sequence[ReplayedRound]] = OrderedDict()

    async def changed_rounds(self, player_id: str, fact_seq: int) -> Sequence[ReplayedRound] | None:
        """Return a player's rounds that a correction gave different numbers, in log order.

        Returns None if the history is too long for it. Raises BeingComputed if it takes longer than
        a request may wait, and LogUnavailable.
        """
        asked = (player_id, fact_seq)
        if asked in self._kept:
            self._kept.move_to_end(asked)
            return self._kept[asked]
        if self._is_too_long:
            return None
        task = self._running.get(asked) or self._begin(asked)
        # The client may leave. The work goes on for the next one.
        await asyncio.wait([task], timeout=self._wait_s_max)
        if not task.done():
            raise BeingComputed
        return task.result()

    def _begin(self, asked: Asked) -> asyncio.Task[Sequence[ReplayedRound] | None]:
        if len(self._running) >= ASKED_MAX:
            raise BeingComputed
        task = self._running[asked] = asyncio.create_task(self._find(asked))

        def end(task: asyncio.Task[Sequence[ReplayedRound] | None]) -> None:
            del self._running[asked]
            # Those who asked may be gone by now, and would not see it.
            if not task.cancelled() and (error := task.exception()) is not None:
                _log.warning("replay_failed", fact_seq=asked[1], error=type(error).__name__)

        task.add_done_callback(end)
        return task

    async def _find(self, asked: Asked) -> Sequence[ReplayedRound] | None:
        async with self._turn:
            history = await self._read_up_to(asked[1])
            if history is None:
                return None
            try:
                # The rating loop is long. Compiled, it releases the interpreter lock.
                changed = await asyncio.to_thread(history.changed_rounds, *asked)
            except asyncio.CancelledError:
                history.is_left = True  # The service is stopping, and would wait for the thread.
                raise
        self._keep(asked, changed)
        return changed

    async def _read_up_to(self, fact_seq: int) -> ReadHistory | None:
        """Read the facts up to one that was rated. Return None if there are too many rounds."""
        try:
            history = self._history
            if history is None:
                beginning = await self._facts.beginning()
                history = self._history = ReadHistory(beginning, self._recorded_max)
            while history.position.seq < fact_seq:
                wanted = min(FACTS_MAX, fact_seq - history.position.seq)
                records = await self._facts.read(history.position, wanted)
                if not records:
                    raise BeingComputed  # This database is behind the one with the views.
                await asyncio.to_thread(history.take_in, records)
                if history.rounds > self._rounds_max:
                    self._history, self._is_too_long = None, True
                    return None
        except LogAway:
            raise LogUnavailable from None
        except (UnknownFormula, FormulaDiffers):
            self._history = None  # It may have taken in only part of what was read.
            raise
        except (LogGap, HistorySplit):
            # The log was put back to an older state, so what is kept here is useless.
            self._history = None
            self._kept.clear()
            raise
        return history

    def _keep(self, asked: Asked, changed: Sequence[ReplayedRound]) -> None:
        self._kept[asked] = changed
        rounds = sum(map(len, self._kept.values()))
        while len(self._kept) > self._answers_max or (
            rounds > KEPT_ROUNDS_MAX and len(self._kept) > 1
        ):
            _, oldest = self._kept.popitem(last=False)
            rounds -= len(oldest)
