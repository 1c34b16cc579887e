"""Lets the writer of a fact wait for its verdict: one follower of the log per process.

It decodes only what someone is waiting for, and keeps the latest records for those who ask just
after. From a verdict in parts it hands out the first, which says what was done and who is affected.
"""

import asyncio
import contextlib
import re
from collections import OrderedDict
from collections.abc import Iterator
from typing import Final, NoReturn, TypeAlias

import structlog

from shared.events.codec import Verdict, decode_verdict
from shared.events.decoded import DecodedVerdicts
from shared.events.verdicts import RatingsCorrected, SessionRated, VerdictEvent
from shared.log.port import LogAway, Position, Record, VerdictLog

BATCH_RECORDS: Final = 1000
LOOK_S: Final = 1.0
RETRY_S: Final = 0.2
# For retries that come before the view shows the session: about 400 KiB, or 10 MB at the largest.
RECENT_RECORDS: Final = 200
# A verdict on a change to the past may list thousands of players. Few wait for it, and not for
# long.
RECENT_CHANGES: Final = 16
# What comes before the rounds and players in a verdict: the envelope, and the fact it answers.
HEAD_BYTES: Final = 1000
_ANSWERED: Final = re.compile(rb'"id":"([0-9]+)\.([0-9]+)","type":"([a-z0-9.-]+)"')
_SUBJECT: Final = re.compile(rb'"subject":"(ses_[0-9A-Z]{26})"')
_OF_CORRECTION: Final = b'"fact_type":"session-corrected.v1"'

# What a verdict is expected for: a session by its id, or a fact by its place on the log.
Topic: TypeAlias = str | int

_log = structlog.get_logger(__name__)


class Expected:
    """A verdict that someone is waiting for."""

    def __init__(self, future: "asyncio.Future[VerdictEvent]") -> None:
        self._future = future

    async def by(self, deadline_s: float) -> VerdictEvent | None:
        """Return the verdict, or None if it has not come by a time of the event loop."""
        loop = asyncio.get_running_loop()
        is_time = loop.create_future()

        def wake(_: object = None) -> None:
            if not is_time.done():
                is_time.set_result(None)

        timer = loop.call_at(deadline_s, wake)
        self._future.add_done_callback(wake)
        try:
            await is_time
        finally:
            timer.cancel()
            self._future.remove_done_callback(wake)
        return self._future.result() if self._future.done() else None


class Verdicts:
    """Who is waiting for which session or fact, and the latest verdicts."""

    def __init__(self, log: VerdictLog, decoded: DecodedVerdicts | None = None) -> None:
        """`decoded` is shared with another reader of the verdicts in this process, if any."""
        self._log = log
        self._decoded = decoded
        self._position: Position | None = None
        self._waiting: dict[Topic, set[asyncio.Future[VerdictEvent]]] = {}
        self._recent: OrderedDict[Topic, bytes] = OrderedDict()
        self._recent_changes: OrderedDict[Topic, bytes] = OrderedDict()

    @contextlib.contextmanager
    def expect(self, topic: Topic) -> Iterator[Expected]:
        """Expect the verdict on a session or a fact. Call it before recording, or miss it."""
        future: asyncio.Future[VerdictEvent] = asyncio.get_running_loop().create_future()
        recent = self._recent.get(topic) or self._recent_changes.get(topic)
        if recent is not None:
            future.set_result(decode_verdict(recent).event)
        waiting = self._waiting.setdefault(topic, set())
        waiting.add(future)
        try:
            yield Expected(future)
        finally:
            future.cancel()
            waiting.discard(future)
            if not waiting:
                self._waiting.pop(topic, None)

    async def find_end(self) -> None:
        """Note where the log ends now. Call it before anyone expects anything. Raises LogAway."""
        self._position = await self._log.tail()

    async def follow(self) -> NoReturn:
        """Keep following the log from the end that was found. Raises LogGap or HistorySplit."""
        position = self._position
        assert position is not None, "Its end is found before the log is followed."
        while True:
            try:
                records = await self._log.read(position, BATCH_RECORDS)
                for record in records:
                    self._hand_out(record)
                    position = Position(position.log_id, record.seq, record.chain)
                # What came in the meantime has rung already, and is not waited for.
                if len(records) < BATCH_RECORDS:
                    await self._log.wait_beyond(position.seq, LOOK_S)
            except LogAway as error:
                _log.warning("log_away", detail=error.detail)
                await asyncio.sleep(RETRY_S)

    def _hand_out(self, record: Record) -> None:
        topics, is_change = _topics(record.body[:HEAD_BYTES])
        for topic in topics:
            if is_change or isinstance(topic, int):
                _keep(self._recent_changes, topic, record.body, RECENT_CHANGES)
            else:
                _keep(self._recent, topic, record.body, RECENT_RECORDS)
        waiting = [each for topic in topics for each in self._waiting.get(topic, ())]
        if any(not each.done() for each in waiting):
            event = self._decode(record).event
            for each in waiting:
                if not each.done():
                    each.set_result(event)

    def _decode(self, record: Record) -> Verdict:
        if self._decoded is None:
            return decode_verdict(record.body)
        return self._decoded.decode(record.chain, record.body)


def _topics(head: bytes) -> tuple[list[Topic], bool]:
    """Return what a verdict is about, by its head, and whether it is on a change to the past.

    No one waits for the later parts of a verdict, or for a session by the place of its fact.
    """
    answered = _ANSWERED.search(head)
    if answered is None or int(answered[2]) != 1:
        return [], False
    is_change = answered[3].decode() == RatingsCorrected.TYPE
    topics: list[Topic] = []
    if answered[3].decode() != SessionRated.TYPE:
        topics.append(int(answered[1]))
    subject = _SUBJECT.search(head)
    # The subject of a void is also a session, and that has its own verdict.
    if subject is not None and (not is_change or _OF_CORRECTION in head):
        topics.append(subject[1].decode())
    return topics, is_change


def _keep(recent: OrderedDict[Topic, bytes], topic: Topic, body: bytes, topics_max: int) -> None:
    """Add a record to the latest ones. The first record on a topic is its verdict."""
    recent.setdefault(topic, body)
    if len(recent) > topics_max:
        recent.popitem(last=False)
