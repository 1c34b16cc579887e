"""Answers one line of a batch the way a session sent on its own is answered."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from typing import Annotated, Final, NotRequired

import orjson
import structlog
from pydantic import Field
from typing_extensions import TypedDict

from services.ingest.batches.lines import TOO_LONG, Line
from services.ingest.batches.window import LineAnswer
from services.ingest.claim.checks import CheckedSession, IfSimilar
from services.ingest.claim.headers import read_idempotency_key
from services.ingest.claim.reading import read_line
from services.ingest.record.judging.on_record import SeatIds
from services.ingest.record.judging.prints import key_print
from services.ingest.record.lanes import LinesInOrder
from services.ingest.submit import Ports, submit_line
from services.ingest.trials import Trials
from shared.answers import SessionAnswer
from shared.answers.trials import TrialAnswer
from shared.errors import InternalError, MahjicError, MalformedJson
from shared.http.problems import Problem, problem_of

# Lines that repeat sessions of merged players look up who sat there. Other requests need
# connections too.
LOOK_UPS_MAX: Final = 4
# How many lines of one batch are tried out at once, each on its own connection.
TRIALS_MAX: Final = 2

_log = structlog.get_logger(__name__)


class LineTooLong(MahjicError):
    """A line of a batch is longer than any session."""

    code = "line_too_long"
    title = "The line is too long"
    status = 413

    def __init__(self, bytes_max: int) -> None:
        super().__init__(
            f"The line is longer than {bytes_max} bytes, and was skipped. A line is one "
            "session; send a session with many rounds in parts.",
            extra={"bytes_max": bytes_max},
        )


class BatchStopped(MahjicError):
    """The service is stopping, and takes no more lines of this batch."""

    code = "batch_stopped"
    title = "The service is stopping"
    status = 503

    def __init__(self) -> None:
        super().__init__(
            "The service is stopping. This line and those after it were not recorded; send them "
            "again in a few seconds.",
        )


class AnsweredLine(TypedDict):
    """The answer to one line."""

    line: Annotated[
        int, Field(ge=1, description="Which line of the body this answers; the first is 1.")
    ]
    status: Annotated[
        int, Field(ge=200, le=599, description="The status the session would get on its own.")
    ]
    replayed: NotRequired[
        Annotated[bool | None, Field(description="With `session`: it was already on record.")]
    ]
    session: NotRequired[
        Annotated[
            SessionAnswer | TrialAnswer | None,
            Field(description="If `status` is below 300; of a dry run, what would be recorded."),
        ]
    ]
    problem: NotRequired[
        Annotated[Problem | None, Field(description="If `status` is 400 or more.")]
    ]


@dataclass(frozen=True, slots=True)
class LineRules:
    """What applies to every line of a batch: its source, and how long each line waits."""

    source: str
    wait_s: float
    line_bytes_max: int
    request_id: str
    key_path: str
    are_whole_nights: bool = False
    if_similar: IfSimilar = "warn"
    is_trial: bool = False


@dataclass(frozen=True, slots=True)
class ReadLine:
    """A line that was read, with nothing wrong in it."""

    session: CheckedSession
    key_print: bytes | None


class LineAnswers:
    def __init__(
        self, rules: LineRules, ports: Ports, trials: Trials, today_latest: Callable[[], date]
    ) -> None:
        self._rules = rules
        self._ports = ports
        self._trials = trials
        # Other requests try out and submit at the same time.
        self._trial_turns = asyncio.Semaphore(TRIALS_MAX)
        self._today_latest = today_latest
        self._in_order = LinesInOrder()

    def read(self, line: Line) -> ReadLine | MahjicError:
        """Return the session of a line, or the error that refuses it before it is judged."""
        rules = self._rules
        if line is TOO_LONG:
            return LineTooLong(rules.line_bytes_max)
        if not line.strip(b" \t\r\n"):
            return MalformedJson("it is empty")
        try:
            sent_key, session = read_line(
                line,
                source=rules.source,
                today_latest=self._today_latest(),
                if_similar=rules.if_similar,
            )
            if rules.are_whole_nights:
                session = replace(session, is_whole_night=True)
            key = read_idempotency_key([] if sent_key is None else [sent_key])
        except MahjicError as refusal:
            return refusal
        if key is None:
            return ReadLine(session, None)
        return ReadLine(session, key_print(rules.source, "POST", rules.key_path, key))

    async def submit(self, line_no: int, read: ReadLine) -> LineAnswer:
        """Submit the session of a line and answer it. Call it in the order of the lines."""
        try:
            if self._rules.is_trial:
                async with self._trial_turns:
                    tried = await self._trials.run(read.session, source=self._rules.source)
                is_on_record = not tried["results"]
                return _answer(
                    {"line": line_no, "status": 200, "replayed": is_on_record, "session": tried}
                )
            answer = await submit_line(
                read.session,
                source=self._rules.source,
                key_print=read.key_print,
                wait_s=self._rules.wait_s,
                lines=self._in_order,
                ports=self._ports,
            )
        except MahjicError as refusal:
            return self.refused(line_no, refusal)
        except Exception:  # noqa: BLE001 - The last resort, as for a request: only one line fails.
            _log.error("line_failed", line=line_no, exc_info=True)
            return self.refused(line_no, InternalError())
        replayed, session = answer.is_replayed, answer.body
        return _answer(
            {"line": line_no, "status": answer.status, "replayed": replayed, "session": session}
        )

    def refused(self, line_no: int, refusal: MahjicError) -> LineAnswer:
        problem = problem_of(refusal, self._rules.request_id)
        return _answer({"line": line_no, "status": refusal.status, "problem": problem})


def a_few_at_a_time(ports: Ports) -> Ports:
    """Return ports that let only a few lines look up seats at a time, over all batches.

    Verdicts are looked up together, in one query at a time.
    """
    turns = asyncio.Semaphore(LOOK_UPS_MAX)

    async def seats_in_turn(session_id: str) -> SeatIds:
        async with turns:
            return await ports.seats(session_id)

    return replace(ports, seats=seats_in_turn)


def _answer(answered: AnsweredLine) -> LineAnswer:
    content = orjson.dumps(answered, option=orjson.OPT_APPEND_NEWLINE)
    return LineAnswer(answered["status"], content)
