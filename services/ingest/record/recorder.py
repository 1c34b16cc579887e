"""Records submissions in groups: while one transaction runs, the next group queues up.

A recorded submission stays recorded, whatever happens to the connection. If its outcome does not
come in time, the answer is 503, and sending it again is safe. A change to the past waits in the
same queue, and is a transaction of its own. Lines of batches wait in their own lane. A mistake of
ours costs the one request that meets it (docs/decisions/0041).
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final, NoReturn, TypeVar

import asyncpg
import structlog
from asyncpg.pool import PoolConnectionProxy

from services.ingest.record.deciding import Change, Decision
from services.ingest.record.ids_and_times import IdsAndTimes
from services.ingest.record.judging.identified import Submission
from services.ingest.record.judging.judgment import Accepted, Judgment
from services.ingest.record.known.acquaintances import MetBefore
from services.ingest.record.known.refusals import ForeignRefusals
from services.ingest.record.lanes import Lanes, LinesInOrder, Waiting
from services.ingest.record.transaction import find_recorded, record_submissions
from services.ingest.record.waterline import Waterline
from shared.db.away import DATABASE_AWAY
from shared.errors import MahjicError, ServiceUnavailable
from shared.log.port import HistorySplit

RETRY_S: Final = 0.1
# A transaction of 500 takes 50 ms. One that takes this long is stuck behind something.
ATTEMPT_S_MAX: Final = 10.0
# A merge of two people takes the prints of all their sessions again: 100,000 in a minute.
CHANGE_S_MAX: Final = 300.0

T = TypeVar("T")

_log = structlog.get_logger(__name__)


class QueueFull(MahjicError):
    """More submissions are waiting than the service can handle."""

    code = "queue_full"
    title = "The service has more submissions than it can handle"
    status = 503

    def __init__(self, waiting: int) -> None:
        super().__init__(
            f"{waiting} submissions are waiting to be recorded, so this one was not accepted. "
            "Send it again in a few seconds.",
            headers={"Retry-After": "5"},
        )


class Recorder:
    """The queue of submissions and changes, and the one loop that empties it."""

    def __init__(
        self,
        pool: asyncpg.Pool,
        ids_and_times: IdsAndTimes,
        waterline: Waterline,
        *,
        group_max: int,
        queue_max: int,
        lines_max: int,
        wait_s_max: float,
        foreign_refusals_max: int,
    ) -> None:
        self._pool = pool
        self._ids_and_times = ids_and_times
        self._waterline = waterline
        self._queue_max = queue_max
        self._wait_s_max = wait_s_max
        self.refusals = ForeignRefusals(foreign_refusals_max)
        self._met = MetBefore()
        self._lanes = Lanes(group_max=group_max, lines_max=lines_max)
        self._is_stopped = False

    async def record(self, submission: Submission) -> Judgment:
        """Return the judgment on a submission. If it was accepted, it is on the log by then.

        Raises QueueFull, or ServiceUnavailable when the database is away for too long or the
        service stops.
        """
        self._refuse_if_full()
        judgment: Judgment = await self._outcome(submission)
        return judgment

    async def room_for_line(self) -> None:
        """Wait until the batch lane has room for one more line."""
        await self._lanes.room_for_line()

    async def record_line(self, submission: Submission, lines: LinesInOrder) -> Judgment:
        """Return the judgment on a line of a batch, as `record` does on a single submission.

        Lines are recorded in the order of the calls, and never refused for lack of room. After a
        line that could not be recorded in time, no other line of its batch is. Raises
        ServiceUnavailable.
        """
        if lines.is_given_up:
            raise ServiceUnavailable
        judgment: Judgment = await self._outcome(submission, lines)
        return judgment

    async def decide(self, change: Change[T]) -> T:
        """Return the decision on a change to the past. What it wrote is on the log by then.

        Raises the change's refusal, and the same as `record`.
        """
        self._refuse_if_full()
        decided: T = await self._outcome(Decision(change))
        return decided

    def _refuse_if_full(self) -> None:
        if not self._is_stopped and self._lanes.singles >= self._queue_max:
            raise QueueFull(self._lanes.singles)

    async def _outcome(
        self, request: Submission | Decision[Any], lines: LinesInOrder | None = None
    ) -> Any:  # noqa: ANN401 - As asked.
        if self._is_stopped:
            raise ServiceUnavailable
        loop = asyncio.get_running_loop()
        deadline_s = loop.time() + self._wait_s_max
        waiting = Waiting(request, loop.create_future(), deadline_s, lines)
        self._lanes.add(waiting)
        # Here too, because an attempt on a database that does not answer may take far longer.
        timer = loop.call_at(deadline_s, _give_up_if_waiting, waiting)
        try:
            return await waiting.outcome
        finally:
            timer.cancel()

    async def run(self) -> NoReturn:
        """Empty the queue until it is canceled or fails. Everyone still waiting is then told.

        Raises HistorySplit when the log was put back to an older state.
        """
        group: list[Waiting] = []
        try:
            while True:
                group = await self._lanes.next_group()
                await self._record_group(group)
        finally:
            self._is_stopped = True
            for each in [*group, *self._lanes.clear()]:
                each.give_up()

    async def _record_group(
        self, group: Sequence[Waiting], judged_before: Mapping[str, Judgment] | None = None
    ) -> None:
        """Record a group, however often the database goes away in the meantime.

        `judged_before` is what an attempt found that may have been committed before it failed.
        """
        judged = dict(judged_before or {})
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
            except HistorySplit:
                raise
            except Exception as error:  # noqa: BLE001 - The one whose request it is raises it.
                await self._record_apart(group, judged, error)
                return
            else:
                for each, outcome in zip(group, outcomes, strict=True):
                    each.tell(outcome)
                return

    async def _attempt(
        self,
        connection: PoolConnectionProxy,
        group: Sequence[Waiting],
        judged: dict[str, Judgment],
    ) -> list[Any]:
        """Return the outcomes of a group. `judged` is what the previous attempt found."""
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
        judged_before: dict[str, Judgment],
    ) -> None:
        """Record submissions, unless an earlier attempt did and only its answer was lost."""
        accepted = [key for key, each in judged_before.items() if isinstance(each, Accepted)]
        if accepted and await find_recorded(connection, accepted, waterline=self._waterline):
            return
        judged_before.clear()

        def keep(judgments: Sequence[Judgment]) -> None:
            ids = (each.session_id for each in submissions)
            judged_before.update(zip(ids, judgments, strict=True))

        await record_submissions(
            connection,
            submissions,
            self._ids_and_times,
            waterline=self._waterline,
            refusals=self.refusals,
            met=self._met,
            before_commit=keep,
        )

    async def _record_apart(
        self, group: Sequence[Waiting], judged: Mapping[str, Judgment], error: Exception
    ) -> None:
        """Find the request that cannot be recorded, so that the others are not affected."""
        # It only saves questions. Whatever went wrong, the next transaction asks them again.
        self._met = MetBefore()
        if len(group) == 1:
            # Whoever asked logs the rest of it, under the id of the request.
            sqlstate = getattr(error, "sqlstate", None)
            _log.error("recording_failed", error=type(error).__name__, sqlstate=sqlstate)
            group[0].tell(error)
            return
        for each in group:
            await self._record_group([each], _judgment_on(each, judged))


def _judgment_on(waiting: Waiting, judged: Mapping[str, Judgment]) -> dict[str, Judgment]:
    request = waiting.request
    if isinstance(request, Submission) and request.session_id in judged:
        return {request.session_id: judged[request.session_id]}
    return {}


def _give_up_if_waiting(waiting: Waiting) -> None:
    if not waiting.outcome.done():  # It may have been told in this same turn.
        waiting.give_up()


def _attempt_s_max(group: Sequence[Waiting]) -> float:
    return CHANGE_S_MAX if isinstance(group[0].request, Decision) else ATTEMPT_S_MAX


def _still_waiting(group: Sequence[Waiting]) -> list[Waiting]:
    """Return the requests that may wait longer, and tell the others that the database is away."""
    now_s = asyncio.get_running_loop().time()
    for each in group:
        if each.deadline_s <= now_s:
            each.give_up()
    return [each for each in group if not each.outcome.done()]
