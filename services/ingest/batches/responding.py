"""Answers batches while they are still being read: a limited number at once, and per source."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import prometheus_client
import structlog
from prometheus_client import CollectorRegistry
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from services.ingest.api import Intake
from services.ingest.batches.answers import LineAnswers, LineRules, a_few_at_a_time
from services.ingest.batches.batch import Batch, CutOff
from services.ingest.batches.outbox import Outbox
from services.ingest.batches.spool import Spool
from services.ingest.batches.window import Window
from services.ingest.record.headway import Headway
from shared.errors import MahjicError
from shared.http.callers import is_still_allowed
from shared.http.requests import cut_off
from shared.settings import Settings

LINES: Final = "application/x-ndjson"

_HEAD: Final = [
    (b"content-type", LINES.encode()),
    (b"cache-control", b"no-store"),
    # Keeps proxies from holding answers back until there are many of them.
    (b"x-accel-buffering", b"no"),
]

_log = structlog.get_logger(__name__)


class TooManyBatches(MahjicError):
    """The service is already running as many batches as it can, from this source or in all."""

    code = "too_many_batches"
    title = "Too many batches at once"
    status = 503

    def __init__(self, running: int, whose: str) -> None:
        super().__init__(
            f"{running} batches of {whose} are running, which is the limit. Send this one "
            "again when one of them has ended.",
            headers={"Retry-After": "5"},
        )


class RunningBatches:
    """Counts the batches that are running in this process, by source."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._running: Counter[str] = Counter()

    @contextlib.contextmanager
    def place(self, source: str) -> Iterator[None]:
        """Hold a place for one of a source's batches. Raises TooManyBatches."""
        if self._running[source] >= self._settings.batches_per_source_max:
            raise TooManyBatches(self._running[source], "this source")
        if self._running.total() >= self._settings.batches_max:
            raise TooManyBatches(self._running.total(), "all sources")
        self._running[source] += 1
        try:
            yield
        finally:
            self._running[source] -= 1


class BatchFigures:
    """What Prometheus is told about batches."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.running = prometheus_client.Gauge(
            "mahjic_batches_running", "Batches that are being answered now.", registry=registry
        )
        self.lines = prometheus_client.Counter(
            "mahjic_batch_lines",
            "Lines of batches answered, by class of status.",
            ("status",),
            registry=registry,
        )


@dataclass(frozen=True, slots=True)
class BatchIntake:
    """What the batch route needs. `stopping` is set when the service should end."""

    sessions: Intake
    headway: Headway
    running: RunningBatches
    figures: BatchFigures
    stopping: asyncio.Event


def batch_intake(
    sessions: Intake, headway: Headway, stopping: asyncio.Event, registry: CollectorRegistry
) -> BatchIntake:
    """Return what the route needs. Its lines leave database connections to single requests."""
    lines = replace(sessions, submitting=a_few_at_a_time(sessions.submitting))
    running, figures = RunningBatches(sessions.settings), BatchFigures(registry)
    return BatchIntake(lines, headway, running, figures, stopping)


class BatchResponse(Response):
    """The answer to a batch, sent while the batch is still being read."""

    def __init__(self, rules: LineRules, intake: BatchIntake) -> None:
        super().__init__(media_type=LINES)
        self._rules = rules
        self._intake = intake

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the batch. Raises TooManyBatches before anything is sent."""
        answered: Counter[str] = Counter()
        figures = self._intake.figures

        def tell(status: int) -> None:
            status_class = f"{status // 100}xx"
            answered[status_class] += 1
            figures.lines.labels(status_class).inc()

        head: Message = {"type": "http.response.start", "status": 200, "headers": _HEAD}
        with self._intake.running.place(self._rules.source), figures.running.track_inprogress():
            batch = self._open(scope, tell)
            try:
                await batch.run(receive, send, head)
            except CutOff:
                await cut_off(scope, receive)
            finally:
                _log.info("batch_ended", end=batch.end, lines=answered.total(), **answered)

    def _open(self, scope: Scope, tell: Callable[[int], None]) -> Batch:
        sessions, settings = self._intake.sessions, self._intake.sessions.settings
        spool = Spool(settings.batch_spool_folder, bytes_max=settings.batch_spool_bytes_max)
        return Batch(
            LineAnswers(self._rules, sessions.submitting, sessions.trials, sessions.today_latest),
            Window(
                lines_max=settings.batch_window_lines, bytes_max=settings.batch_window_bytes_max
            ),
            Outbox(spool),
            room=self._room,
            stopping=self._intake.stopping,
            line_bytes_max=settings.line_bytes_max,
            idle_s_max=settings.batch_idle_s_max,
            key_check_s=settings.batch_key_check_s,
            is_allowed=partial(is_still_allowed, scope),
            tell=tell,
        )

    async def _room(self) -> None:
        """Wait until another line may be recorded."""
        await self._intake.headway.room()
        await self._intake.sessions.submitting.recorder.room_for_line()
