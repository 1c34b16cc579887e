"""Lets a submission wait for its verdict: one follower of the log per process.

It decodes only what somebody waits for, and keeps the latest records for those who come just after.
"""

import asyncio
import contextlib
import re
from collections import OrderedDict
from collections.abc import Iterator
from typing import Final, NoReturn

import structlog

from shared.events.codec import decode_verdict
from shared.events.verdicts import VerdictEvent
from shared.log.port import LogAway, Position, Record, VerdictLog

BATCH_RECORDS: Final = 1000
LOOK_S: Final = 1.0
RETRY_S: Final = 0.2
# For retries that come before the view shows the session: about 400 KiB, of the largest 10 MB.
RECENT_RECORDS: Final = 200
# The subject stands before the data, within the first characters of an envelope.
ENVELOPE_BYTES: Final = 400
_SUBJECT: Final = re.compile(rb'"subject":"(ses_[0-9A-Z]{26})"')

_log = structlog.get_logger(__name__)


class Expected:
    """A verdict that somebody waits for."""

    def __init__(self, future: "asyncio.Future[VerdictEvent]") -> None:
        self._future = future

    async def by(self, deadline_s: float) -> VerdictEvent | None:
        """Return the verdict, or None when it has not come by a time of the event loop."""
        wait_s = max(0.0, deadline_s - asyncio.get_running_loop().time())
        done, _ = await asyncio.wait([self._future], timeout=wait_s)
        return self._future.result() if done else None


class Verdicts:
    """Who waits for which session, and the verdicts that came last."""

    def __init__(self, log: VerdictLog) -> None:
        self._log = log
        self._position: Position | None = None
        self._waiting: dict[str, set[asyncio.Future[VerdictEvent]]] = {}
        self._recent: OrderedDict[str, bytes] = OrderedDict()

    @contextlib.contextmanager
    def expect(self, session_id: str) -> Iterator[Expected]:
        """Expect the verdict on a session. Before recording it, or it may be missed."""
        future: asyncio.Future[VerdictEvent] = asyncio.get_running_loop().create_future()
        recent = self._recent.get(session_id)
        if recent is not None:
            future.set_result(decode_verdict(recent).event)
        waiting = self._waiting.setdefault(session_id, set())
        waiting.add(future)
        try:
            yield Expected(future)
        finally:
            future.cancel()
            waiting.discard(future)
            if not waiting:
                self._waiting.pop(session_id, None)

    async def find_end(self) -> None:
        """Note where the log ends now, before anybody expects anything. Raises LogAway."""
        self._position = await self._log.tail()

    async def follow(self) -> NoReturn:
        """Follow the log from the end that was found for ever. Raises LogGap or HistorySplit."""
        position = self._position
        assert position is not None, "Its end is found before the log is followed."
        while True:
            try:
                records = await self._log.read(position, BATCH_RECORDS)
                if not records:
                    await self._log.wait_beyond(position.seq, LOOK_S)
                    continue
            except LogAway as error:
                _log.warning("log_away", detail=error.detail)
                await asyncio.sleep(RETRY_S)
                continue
            for record in records:
                self._hand_out(record)
            position = Position(position.log_id, records[-1].seq, records[-1].chain)

    def _hand_out(self, record: Record) -> None:
        subject = _SUBJECT.search(record.body, 0, ENVELOPE_BYTES)
        if subject is None:
            return
        session_id = subject[1].decode()
        self._recent[session_id] = record.body
        if len(self._recent) > RECENT_RECORDS:
            self._recent.popitem(last=False)
        waiting = [each for each in self._waiting.get(session_id, ()) if not each.done()]
        if waiting:
            event = decode_verdict(record.body).event
            for each in waiting:
                each.set_result(event)
