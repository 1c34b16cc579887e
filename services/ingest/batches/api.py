"""The route that takes many claims at once: `POST /v1/sessions/batch`, a line for each."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date
from functools import partial
from typing import Annotated, Any, Final

import orjson
import prometheus_client
import structlog
from fastapi import APIRouter, Depends, Query, Request
from prometheus_client import CollectorRegistry
from pydantic import BaseModel, Field
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from services.ingest.api import EXAMPLE, PATH
from services.ingest.batches.answers import LineAnswers, LineRules, a_few_at_a_time
from services.ingest.batches.batch import Batch, CutOff
from services.ingest.batches.outbox import Outbox
from services.ingest.batches.spool import Spool
from services.ingest.batches.window import Window
from services.ingest.claim.asked import AskedDryRun, AskedIfSimilar, asked_wait_s
from services.ingest.claim.claims import LineClaim
from services.ingest.claim.openapi import header, schema_of
from services.ingest.record.headway import Headway
from services.ingest.submit import Ports
from services.ingest.trials import Trials
from shared.answers import SessionAnswer
from shared.errors import MahjicError
from shared.http.bodies import check_lines_type
from shared.http.callers import Caller, is_still_allowed, require
from shared.http.requests import cut_off, request_id_of
from shared.http.responses import Problem, problem_responses
from shared.settings import Settings

BATCH_PATH: Final = f"{PATH}/batch"
LINES: Final = "application/x-ndjson"

_HEAD: Final = [
    (b"content-type", LINES.encode()),
    (b"cache-control", b"no-store"),
    # For proxies that would keep the answers until there are many of them.
    (b"x-accel-buffering", b"no"),
]


class AnsweredLine(BaseModel):
    """The answer to one line."""

    line: int = Field(ge=1, description="Which line of the body this answers; the first is 1.")
    status: int = Field(
        ge=200, le=599, description="What the session sent alone would have been answered."
    )
    replayed: bool | None = Field(
        default=None, description="Beside `session`: it was on record already."
    )
    session: SessionAnswer | None = Field(default=None, description="Where `status` is below 300.")
    problem: Problem | None = Field(default=None, description="Where `status` is 400 or more.")


_RESPONSES: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "One line for each line of the body, in the same order, each as soon as it "
        "is known. After a line of status 503 there is no other: send the batch again from that "
        "line on.",
        "content": {LINES: {"schema": {"type": "string"}, "itemSchema": schema_of(AnsweredLine)}},
    },
    **problem_responses(401, 403, 415, 429, 503),
}
_PARAMETERS: Final = [
    header(
        "Prefer",
        "`wait=10` waits for the ratings of each line, 30 s at most; `respond-async` answers it as "
        "soon as it is recorded.",
        characters_max=200,
    )
]

WholeNights = Annotated[
    bool,
    Query(
        description="Each line is a whole night, as `whole_night` says of a session. Without it a "
        "source may have several sessions of the same people on one date."
    ),
]

_log = structlog.get_logger(__name__)


class TooManyBatches(MahjicError):
    """As many batches run as the service takes at once, of this source or of all."""

    code = "too_many_batches"
    title = "Too many batches run at once"
    status = 503

    def __init__(self, running: int, whose: str) -> None:
        super().__init__(
            f"{running} batches of {whose} run, and no more at once. Send this one again when one "
            "of them has ended.",
            headers={"Retry-After": "5"},
        )


class RunningBatches:
    """How many batches run in this process, and of which source."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._running: Counter[str] = Counter()

    @contextlib.contextmanager
    def place(self, source: str) -> Iterator[None]:
        """Hold a place for a batch of a source. Raises TooManyBatches."""
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
    """What is told of batches to Prometheus."""

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


class BatchResponse(Response):
    """The answer to a batch, which is still read while it is answered."""

    def __init__(
        self,
        open_batch: Callable[[Scope, Callable[[int], None]], Batch],
        place: Callable[[], contextlib.AbstractContextManager[None]],
        figures: BatchFigures,
    ) -> None:
        super().__init__(media_type=LINES)
        self._open_batch = open_batch
        self._place = place
        self._figures = figures

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the batch. Raises TooManyBatches before anything is sent."""
        answered: Counter[str] = Counter()

        def tell(status: int) -> None:
            status_class = f"{status // 100}xx"
            answered[status_class] += 1
            self._figures.lines.labels(status_class).inc()

        head: Message = {"type": "http.response.start", "status": 200, "headers": _HEAD}
        with self._place(), self._figures.running.track_inprogress():
            batch = self._open_batch(scope, tell)
            try:
                await batch.run(receive, send, head)
            except CutOff:
                await cut_off(scope, receive)
            finally:
                _log.info("batch_ended", end=batch.end, lines=answered.total(), **answered)


def batch_routes(
    ports: Ports,
    trials: Trials,
    settings: Settings,
    today_latest: Callable[[], date],
    *,
    headway: Headway,
    stopping: asyncio.Event,
    registry: CollectorRegistry,
) -> APIRouter:
    """Return the route that submits batches; `stopping` is set when the service is to end."""
    router = APIRouter(tags=["submit"])
    running, figures = RunningBatches(settings), BatchFigures(registry)
    line_ports = a_few_at_a_time(ports)

    async def room() -> None:
        await headway.room()
        await ports.recorder.room_for_line()

    def open_batch(rules: LineRules, scope: Scope, tell: Callable[[int], None]) -> Batch:
        spool = Spool(settings.batch_spool_folder, bytes_max=settings.batch_spool_bytes_max)
        return Batch(
            LineAnswers(rules, line_ports, trials, today_latest),
            Window(
                lines_max=settings.batch_window_lines, bytes_max=settings.batch_window_bytes_max
            ),
            Outbox(spool),
            room=room,
            stopping=stopping,
            line_bytes_max=settings.line_bytes_max,
            idle_s_max=settings.batch_idle_s_max,
            key_check_s=settings.batch_key_check_s,
            is_allowed=partial(is_still_allowed, scope),
            tell=tell,
        )

    @router.post(
        BATCH_PATH,
        summary="Submit many sessions",
        response_model=None,
        response_class=Response,
        responses=_RESPONSES,
        openapi_extra={
            "requestBody": {
                "required": True,
                "content": {
                    LINES: {
                        "schema": {"type": "string"},
                        "itemSchema": schema_of(LineClaim),
                        "example": orjson.dumps(EXAMPLE).decode() + "\n",
                    }
                },
            },
            "parameters": _PARAMETERS,
        },
    )
    async def post_batch(
        request: Request,
        caller: Annotated[Caller, Depends(require("source"))],
        *,
        whole_nights: WholeNights = False,
        dry_run: AskedDryRun = False,
        if_similar: AskedIfSimilar = "warn",
    ) -> Response:
        """Record the session of each line, in their order, and answer it as one sent alone.

        A body of any length is read while it is answered: read the answers while sending. A line
        that is refused harms no other. Sending the batch again is safe.
        """
        source = caller.source
        assert source is not None
        check_lines_type(request)
        wait_s = asked_wait_s(request, settings)
        if dry_run:
            trials.count(source)

        def open_for(scope: Scope, tell: Callable[[int], None]) -> Batch:
            request_id = request_id_of(scope)
            rules = LineRules(
                source,
                wait_s,
                settings.line_bytes_max,
                request_id,
                PATH,
                are_whole_nights=whole_nights,
                if_similar=if_similar,
                is_trial=dry_run,
            )
            return open_batch(rules, scope, tell)

        return BatchResponse(open_for, lambda: running.place(source), figures)

    return router
