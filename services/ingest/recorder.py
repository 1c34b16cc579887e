"""Records submissions in groups: one transaction is in flight, the next takes what queued since.

A submission that was recorded stays recorded whatever happens to the connection; one that could not
be told so in time is answered with 503, and sending it again is safe. A change of the past waits in
the same queue, and is a transaction of its own.
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NoReturn, TypeVar

import asyncpg
import structlog
from asyncpg.pool import PoolConnectionProxy

from services.ingest.chances import Chances
from services.ingest.deciding import Change, Decision
from services.ingest.judge import Accepted, Judgement, Submission
from services.ingest.transaction import find_recorded, record_submissions
from services.ingest.waterline import Waterline
from shared.db.away import DATABASE_AWAY
from shared.errors import MahjicError
from shared.http.problems import ServiceUnavailable

RETRY_S: Final = 0.1
# A transaction of 500 takes 50 ms; one that takes this long is stuck behind something.
ATTEMPT_S_MAX: Final = 10.0
# A merge of two people takes the prints of all their sessions anew: a hundred thousand in a minute.
CHANGE_S_MAX: Final = 300.0

T = TypeVar("T")

_log = structlog.get_logger(__name__)


class QueueFull(MahjicError):
    """More submissions wait than the service takes on."""

    code = "queue_full"
    title = "The service has more submissions than it can take"
    status = 503

    def __init__(self, waiting: int) -> None:
        super().__init__(
            f"{waiting} submissions wait to be recorded, and this one was not taken. "
            "Send it again in a few seconds.",
            headers={"Retry-After": "5"},
        )


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A request in the queue, who waits for its outcome, and until when (loop time)."""

    request: Submission | Decision[Any]
    outcome: asyncio.Future[Any]
    deadline_s: float


class Recorder:
    """The queue of submissions and changes, and the one loop that empties it."""

    def __init__(
        self,
        pool: asyncpg.Pool,
        chances: Chances,
        waterline: Waterline,
        *,
        group_max: int,
        queue_max: int,
        wait_s_max: float,
    ) -> None:
        self._pool = pool
        self._chances = chances
        self._waterline = waterline
        self._group_max = group_max
        self._queue_max = queue_max
        self._wait_s_max = wait_s_max
        self._queue: deque[_Waiting] = deque()
        self._filled = asyncio.Event()
        self._is_stopped = False

    async def record(self, submission: Submission) -> Judgement:
        """Return the judgement on a submission; what it accepted is on the log by then.

        Raises QueueFull, or ServiceUnavailable when the database is away for too long or the
        service stops.
        """
        judgement: Judgement = await self._outcome(submission)
        return judgement

    async def decide(self, change: Change[T]) -> T:
        """Return what a change of the past is decided to be; what it wrote is on the log by then.

        Raises the change's refusal, and the same as `record`.
        """
        decided: T = await self._outcome(Decision(change))
        return decided

    async def _outcome(self, request: Submission | Decision[Any]) -> Any:  # noqa: ANN401 - As asked.
        if self._is_stopped:
            raise ServiceUnavailable
        if len(self._queue) >= self._queue_max:
            raise QueueFull(len(self._queue))
        loop = asyncio.get_running_loop()
        outcome: asyncio.Future[Any] = loop.create_future()
        deadline_s = loop.time() + self._wait_s_max
        self._queue.append(_Waiting(request, outcome, deadline_s))
        self._filled.set()
        try:
            # Here too, for an attempt on a database that does not answer may take far longer.
            async with asyncio.timeout_at(deadline_s):
                return await outcome
        except TimeoutError:
            raise ServiceUnavailable from None

    async def run(self) -> NoReturn:
        """Empty the queue until it is cancelled or fails; whoever waits then is told so.

        Raises HistorySplit when the log was put back to an older state.
        """
        group: list[_Waiting] = []
        try:
            while True:
                await self._filled.wait()
                group = self._next_group()
                await self._record_group(group)
        finally:
            self._is_stopped = True
            for each in [*group, *self._queue]:
                _tell(each, ServiceUnavailable())

    def _next_group(self) -> list[_Waiting]:
        """Return what comes next in one transaction: many submissions, or one change."""
        group = [self._queue.popleft()]
        if isinstance(group[0].request, Submission):
            while self._queue and len(group) < self._group_max:
                if not isinstance(self._queue[0].request, Submission):
                    break
                group.append(self._queue.popleft())
        if not self._queue:
            self._filled.clear()
        return group

    async def _record_group(self, group: Sequence[_Waiting]) -> None:
        """Record a group, however often the database goes away meanwhile."""
        judged: dict[str, Judgement] = {}
        while group := _still_waiting(group):
            try:
                async with (
                    asyncio.timeout(_attempt_s_max(group)),
                    self._pool.acquire() as connection,
                ):
                    outcomes = await self._attempt(connection, group, judged)
            except DATABASE_AWAY as error:
                _log.warning("database_away", error=type(error).__name__, waiting=len(group))
                await asyncio.sleep(RETRY_S)
            except asyncpg.PostgresError as error:
                await self._record_apart(group, error)
                return
            else:
                for each, outcome in zip(group, outcomes, strict=True):
                    _tell(each, outcome)
                return

    async def _attempt(
        self,
        connection: PoolConnectionProxy,
        group: Sequence[_Waiting],
        judged: dict[str, Judgement],
    ) -> list[Any]:
        """Return the outcomes of a group; `judged` is what the attempt before found."""
        requests = [each.request for each in group]
        submissions = [each for each in requests if isinstance(each, Submission)]
        if submissions:
            await self._judge_once(connection, submissions, judged)
            return [judged[each.session_id] for each in submissions]
        (decision,) = (each for each in requests if isinstance(each, Decision))
        return [await decision.attempt(connection, self._waterline)]

    async def _judge_once(
        self,
        connection: PoolConnectionProxy,
        submissions: Sequence[Submission],
        judged_before: dict[str, Judgement],
    ) -> None:
        """Record submissions, unless the attempt before did and only its answer was lost."""
        accepted = [key for key, each in judged_before.items() if isinstance(each, Accepted)]
        if accepted and await find_recorded(connection, accepted, waterline=self._waterline):
            return
        judged_before.clear()

        def keep(judgements: Sequence[Judgement]) -> None:
            ids = (each.session_id for each in submissions)
            judged_before.update(zip(ids, judgements, strict=True))

        await record_submissions(
            connection,
            submissions,
            self._chances,
            waterline=self._waterline,
            before_commit=keep,
        )

    async def _record_apart(self, group: Sequence[_Waiting], error: asyncpg.PostgresError) -> None:
        """Find the request that the database refuses, so that it harms no other."""
        if len(group) == 1:
            _log.error("recording_failed", error=type(error).__name__, sqlstate=error.sqlstate)
            _tell(group[0], error)
            return
        for each in group:
            await self._record_group([each])


def _attempt_s_max(group: Sequence[_Waiting]) -> float:
    return CHANGE_S_MAX if isinstance(group[0].request, Decision) else ATTEMPT_S_MAX


def _still_waiting(group: Sequence[_Waiting]) -> list[_Waiting]:
    """Return who may wait longer, and tell the others that the database is away."""
    now_s = asyncio.get_running_loop().time()
    for each in group:
        if each.deadline_s <= now_s:
            _tell(each, ServiceUnavailable())
    return [each for each in group if not each.outcome.done()]


def _tell(waiting: _Waiting, outcome: object) -> None:
    if waiting.outcome.done():
        return
    if isinstance(outcome, Exception):
        waiting.outcome.set_exception(outcome)
    else:
        waiting.outcome.set_result(outcome)
