"""The path of a submission: read, record, wait, answer. Read `submit_session` first."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from services.ingest.claim.checks import CheckedSession
from services.ingest.record.judging.identified import Submission, submitted_as
from services.ingest.record.judging.judgment import Accepted, Judgment, Replayed
from services.ingest.record.judging.on_record import SeatIds
from services.ingest.record.judging.repeats import told_again
from services.ingest.record.judging.similar import similar_warnings
from services.ingest.record.lanes import LinesInOrder
from services.ingest.record.recorder import Recorder
from services.ingest.waiting import Expected, Verdicts
from shared.answers import SessionAnswer, SessionStatus, session_answer
from shared.answers.sessions import WarningAnswer
from shared.answers.shown import warning_of
from shared.errors import MahjicError
from shared.events.verdicts import FactRefused, RatingsCorrected, SessionRated, VerdictEvent

# Views are only behind for a moment, unless they are being built.
LOOK_AGAIN_S: Final = 0.2


class RequestInProgress(MahjicError):
    """The first request with this key is still running."""

    code = "request_in_progress"
    title = "The first request with this Idempotency-Key is still running"
    status = 409


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a submission. `is_final` is false if the session is not rated yet."""

    body: SessionAnswer
    is_final: bool
    is_replayed: bool
    by_key: bool

    @property
    def status(self) -> int:
        """201 for a session rated now or retried with its key, 200 for a repeat, otherwise 202."""
        if not self.is_final:
            return 202
        return 200 if self.is_replayed and not self.by_key else 201


# Returns who each seat of a session on record is read as now.
Seats = Callable[[str], Awaitable[SeatIds]]


@dataclass(frozen=True, slots=True)
class Ports:
    """What submitting needs from outside. The wiring hands it in.

    `stored` looks up a verdict in the sessions view.
    """

    recorder: Recorder
    verdicts: Verdicts
    running: "RunningKeys"
    stored: Callable[[str], Awaitable[VerdictEvent | None]]
    seats: Seats
    new_session_id: Callable[[], str]


class RunningKeys:
    """The Idempotency-Keys of requests that are running in this process."""

    def __init__(self) -> None:
        self._running: dict[bytes, asyncio.Event] = {}

    async def take(
        self, key_print: bytes, deadline_s: float
    ) -> contextlib.AbstractContextManager[None]:
        """Wait until no other request is using the key, then take it. Raises RequestInProgress.

        `deadline_s` is a time of the event loop, as everywhere here.
        """
        while (other := self._running.get(key_print)) is not None:
            try:
                async with asyncio.timeout_at(deadline_s):
                    await other.wait()
            except TimeoutError:
                raise RequestInProgress(
                    "The first request with this Idempotency-Key is still running. Send it "
                    "again in a few seconds.",
                    headers={"Retry-After": "2"},
                ) from None
        return self._holding(key_print)

    @contextlib.contextmanager
    def _holding(self, key_print: bytes) -> Iterator[None]:
        self._running[key_print] = asyncio.Event()
        try:
            yield
        finally:
            self._running.pop(key_print).set()


async def submit_session(
    session: CheckedSession, *, source: str, key_print: bytes | None, wait_s: float, ports: Ports
) -> Answer:
    """Take a source's word for a session. The answer has its ratings, if they come in time.

    Raises before anything is stored. Once it is recorded, the session counts, whatever happens
    next: a slow rater makes the answer "accepted", never an error.
    """
    # One deadline for everything: an earlier request with this key, the database and the rater.
    deadline_s = asyncio.get_running_loop().time() + wait_s
    if key_print is None:
        return await _record_and_wait(session, source, None, deadline_s, ports)
    with await ports.running.take(key_print, deadline_s):
        return await _record_and_wait(session, source, key_print, deadline_s, ports)


async def submit_line(
    session: CheckedSession,
    *,
    source: str,
    key_print: bytes | None,
    wait_s: float,
    lines: LinesInOrder,
    ports: Ports,
) -> Answer:
    """Do the same for a line of a batch. Its wait begins when it is recorded.

    Lines are recorded in the order of the calls, so none waits for a request that is using its key:
    whichever of the two reaches the log first counts as the first.
    """
    submission = Submission(ports.new_session_id(), source, session, key_print)
    with ports.verdicts.expect(submission.session_id) as verdict:
        judgment = await ports.recorder.record_line(submission, lines)
        deadline_s = asyncio.get_running_loop().time() + wait_s
        return await answer_to(judgment, verdict, deadline_s, ports)


async def _record_and_wait(
    session: CheckedSession, source: str, key_print: bytes | None, deadline_s: float, ports: Ports
) -> Answer:
    submission = Submission(ports.new_session_id(), source, session, key_print)
    # Start waiting before it is recorded, or the verdict may be missed.
    with ports.verdicts.expect(submission.session_id) as verdict:
        judgment = await ports.recorder.record(submission)
        return await answer_to(judgment, verdict, deadline_s, ports)


async def answer_to(
    judgment: Judgment, verdict: Expected, deadline_s: float, ports: Ports
) -> Answer:
    """Return the answer to a judgment, with the ratings if they come in time. Raises refusals."""
    if isinstance(judgment, MahjicError):
        raise judgment
    if isinstance(judgment, Replayed):
        earlier = await _earlier_verdict(judgment.session_id, deadline_s, ports)
        return await answer_again(judgment, earlier, ports.seats)
    # A caller who does not wait gets no ratings, however soon they come.
    is_over = asyncio.get_running_loop().time() >= deadline_s
    return first_answer(judgment, None if is_over else await verdict.by(deadline_s))


def first_answer(accepted: Accepted, verdict: VerdictEvent | None) -> Answer:
    """Return the answer to a newly recorded session, whether it is rated yet or not."""
    names = submitted_as(accepted.submission, accepted.identified.survivor_ids)
    body = session_answer(
        accepted.fact.session_id,
        _status("accepted", verdict),
        _rated(verdict),
        seq=accepted.fact_seq,
        submitted_as=names,
        players=names.items(),
        warnings=_shown(accepted),
        on_record=accepted.on_record,
    )
    return Answer(body, is_final=verdict is not None, is_replayed=False, by_key=False)


async def answer_again(replayed: Replayed, verdict: VerdictEvent | None, seats: Seats) -> Answer:
    """Return the same answer as the first time, with the session's current status."""
    rated = _rated(verdict)
    body = session_answer(
        replayed.session_id,
        _status(replayed.status, verdict),
        rated,
        seq=replayed.earlier.fact_seq,
        submitted_as=await _names(replayed, rated, seats),
        players=submitted_as(replayed.submission, replayed.identified.survivor_ids).items(),
        warnings=[warning_of(told_again(replayed)), *_shown(replayed)],
        on_record=replayed.on_record,
    )
    is_final = verdict is not None
    return Answer(body, is_final=is_final, is_replayed=True, by_key=replayed.by_key)


async def _earlier_verdict(session_id: str, deadline_s: float, ports: Ports) -> VerdictEvent | None:
    """Return the verdict on an earlier session, if it shows up in time.

    If it was written just before this process began to follow the log, it shows up only in the
    view, and only once the view has come that far. Hence the second look, and the third.
    """
    loop = asyncio.get_running_loop()
    with ports.verdicts.expect(session_id) as expected:
        while True:
            verdict = await ports.stored(session_id)
            if verdict is None:
                verdict = await expected.by(min(deadline_s, loop.time() + LOOK_AGAIN_S))
            if verdict is not None or loop.time() >= deadline_s:
                return verdict


async def _names(replayed: Replayed, rated: SessionRated | None, seats: Seats) -> Mapping[str, str]:
    """Return what each player in the verdict is called in this request.

    The verdict has the ids of its day, and players may have been merged or unmerged since. Then the
    seats say who is who.
    """
    sent = replayed.identified
    names = submitted_as(replayed.submission, sent.survivor_ids, sent.player_ids)
    rounds = [] if rated is None else rated.rounds
    if not all(player_id in names for played in rounds for player_id in played.players):
        sat = await seats(replayed.session_id)
        for played, survivors in zip(rounds, sat, strict=False):
            for player_id, survivor_id in zip(played.players, survivors, strict=True):
                if survivor_id in names:
                    names.setdefault(player_id, names[survivor_id])
    return names


def _rated(verdict: VerdictEvent | None) -> SessionRated | None:
    """Return the session as rated, when it came or as the correction of another."""
    if isinstance(verdict, RatingsCorrected):
        return verdict.session
    return verdict if isinstance(verdict, SessionRated) else None


def _status(on_record: SessionStatus, verdict: VerdictEvent | None) -> SessionStatus:
    if on_record != "accepted":
        return on_record
    if isinstance(verdict, FactRefused):
        return "refused"
    return "accepted" if verdict is None else "rated"


def _shown(judged: Accepted | Replayed) -> list[WarningAnswer]:
    """Return what is odd about a session in itself, and compared with those on record."""
    return [
        *map(warning_of, judged.submission.session.warnings),
        *similar_warnings(judged.similar),
    ]
