"""Reads a batch and answers its lines in order as it reads. Read `Batch.run` first.

Memory is bounded whatever the client does: it holds a window of lines in progress, and an outbox of
answers that the client has not read. When either is full, the batch is not read any further: the
client is slowed down, but nothing is refused.
"""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Iterable
from typing import Final, Literal

from starlette.requests import ClientDisconnect
from starlette.types import Message, Receive, Send

from services.ingest.batches.answers import BatchStopped, LineAnswers
from services.ingest.batches.lines import Line, LineCutter
from services.ingest.batches.outbox import Outbox
from services.ingest.batches.window import LineAnswer, Window
from shared.errors import MahjicError

# Reading lines is work. Other requests get a turn after this long.
TURN_S: Final = 0.002
# How long a client that is still sending has to notice that its batch has ended.
LINGER_S: Final = 5.0
# A service that is stopping waits less long than usual for a client that reads nothing.
STOPPING_IDLE_S_MAX: Final = 5.0
# After such an answer nothing that follows in the batch is recorded, to keep the order.
NOT_RECORDED: Final = 503

End = Literal["complete", "not_recorded", "stopped", "idle", "refused", "client_gone", "failed"]


class Batch:
    """One batch on its way through the service."""

    def __init__(
        self,
        answers: LineAnswers,
        window: Window,
        outbox: Outbox,
        *,
        room: Callable[[], Awaitable[None]],
        stopping: asyncio.Event,
        line_bytes_max: int,
        idle_s_max: float,
        key_check_s: float,
        is_allowed: Callable[[], Awaitable[bool]],
        tell: Callable[[int], None],
    ) -> None:
        self._answers = answers
        self._window = window
        self._outbox = outbox
        # Call it to wait until another line may be recorded.
        self._room = room
        self._stopping = stopping
        self._cutter = LineCutter(line_bytes_max=line_bytes_max)
        self._idle_s_max = idle_s_max
        self._key_check_s = key_check_s
        self._is_allowed = is_allowed
        self._tell = tell
        self._lines_begun = 0
        self._is_body_read = False
        # Shows who is waiting for whom: what the client was last asked for, and when it last moved
        # a byte.
        self._is_receiving = self._is_sending = False
        self._moved_s = self._turn_began_s = time.monotonic()
        self._dropping: asyncio.Task[None] | None = None
        self.end: End = "complete"

    async def run(self, receive: Receive, send: Send, head: Message) -> None:
        """Read the batch to its end and answer it, as far as the client and the service get.

        Raises ClientDisconnect, or CutOff when the client must be cut off.
        """
        # Before anything is sent, so that a client that asks whether to continue is told to.
        reading = asyncio.create_task(self._read(receive))
        sending = asyncio.create_task(self._send(send, head))
        others = [
            reading,
            asyncio.create_task(self._answer_in_order(receive, reading)),
            asyncio.create_task(self._end_when_stopping(receive, reading)),
            asyncio.create_task(self._cut_off_when_idle()),
            asyncio.create_task(self._cut_off_when_refused()),
        ]
        try:
            await _until_done(sending, others)
        except BaseException as error:
            self.end = _end_by(error)
            raise
        finally:
            self._window.cancel()
            await _cancel([sending, *others, *([self._dropping] if self._dropping else [])])
            self._outbox.discard()

    async def _read(self, receive: Receive) -> None:
        """Start on each line of the body as it arrives."""
        while not self._is_body_read:
            for line in self._cutter.feed(await self._receive(receive)):
                await self._begin(line)
        for line in self._cutter.end():
            await self._begin(line)
        self._window.complete()

    async def _begin(self, line: Line) -> None:
        # Before a line is started, so that a service that stops here names a line that exists.
        if time.monotonic() - self._turn_began_s > TURN_S:
            await asyncio.sleep(0)
            self._turn_began_s = time.monotonic()
        line_no = self._lines_begun + 1
        read = self._answers.read(line)
        weight_bytes = len(line or b"")
        answer: LineAnswer | asyncio.Task[LineAnswer]
        if isinstance(read, MahjicError):
            answer = self._answers.refused(line_no, read)
            weight_bytes = max(weight_bytes, len(answer.content))
            await self._window.room(weight_bytes)
        else:
            await self._window.room(weight_bytes)
            await self._room()
            answer = asyncio.create_task(self._answers.submit(line_no, read))
        # Nothing may wait from here on: a line that is started is counted and answered.
        self._window.add(answer, weight_bytes)
        self._lines_begun = line_no

    async def _answer_in_order(self, receive: Receive, reading: "asyncio.Task[None]") -> None:
        """Send the answers to the outbox, until one says that its line was not recorded."""
        while (answer := await self._window.first()) is not None:
            await self._outbox.put(answer.content)
            self._window.drop_first()
            self._tell(answer.status)
            if answer.status == NOT_RECORDED:
                self._end_early("not_recorded", receive, reading)
                self._window.cancel()
                break
        self._outbox.complete()

    async def _end_when_stopping(self, receive: Receive, reading: "asyncio.Task[None]") -> None:
        """Take no more lines once the service stops, and say so after the lines already taken."""
        await self._stopping.wait()
        if not reading.done():
            self._end_early("stopped", receive, reading)
            await asyncio.wait([reading])
            stopped = self._answers.refused(self._lines_begun + 1, BatchStopped())
            self._window.add(stopped, len(stopped.content))
            self._window.complete()

    def _end_early(self, end: End, receive: Receive, reading: "asyncio.Task[None]") -> None:
        if self._dropping is None:
            self.end = end
            reading.cancel()
            self._dropping = asyncio.create_task(self._drop(receive, reading))

    async def _drop(self, receive: Receive, reading: "asyncio.Task[None]") -> None:
        """Read what the client is still sending, and throw it away.

        If it were not read, closing the connection would destroy answers that are on their way.
        """
        await asyncio.wait([reading])
        with contextlib.suppress(ClientDisconnect):
            while not self._is_body_read:
                await self._receive(receive)

    async def _send(self, send: Send, head: Message) -> None:
        await send(head)
        while content := await self._outbox.take():
            self._is_sending = True
            await send({"type": "http.response.body", "body": content, "more_body": True})
            self._is_sending = False
            self._moved_s = time.monotonic()
        if self._dropping is not None:
            await asyncio.wait([self._dropping], timeout=LINGER_S)
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _receive(self, receive: Receive) -> bytes:
        """Return the next part of the body. Raises ClientDisconnect."""
        self._is_receiving = True
        message = await receive()
        self._is_receiving = False
        self._moved_s = time.monotonic()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        self._is_body_read = not message.get("more_body", False)
        part: bytes = message.get("body", b"")
        return part

    async def _cut_off_when_idle(self) -> None:
        """Raise CutOff when the client has kept us waiting for too long."""
        while True:
            idle_s_max = self._idle_s_max
            if self._stopping.is_set():
                idle_s_max = min(idle_s_max, STOPPING_IDLE_S_MAX)
            await asyncio.sleep(min(1.0, idle_s_max / 10))
            now_s = time.monotonic()
            waits_for_us = self._is_receiving and not self._is_sending and len(self._window)
            if waits_for_us or not (self._is_receiving or self._is_sending):
                self._moved_s = now_s
            elif now_s - self._moved_s > idle_s_max:
                raise CutOff("idle")

    async def _cut_off_when_refused(self) -> None:
        """Raise CutOff once the API key of the batch is no longer valid."""
        is_allowed = True
        while is_allowed:
            await asyncio.sleep(self._key_check_s)
            is_allowed = await self._is_allowed()
        raise CutOff("refused")


class CutOff(Exception):
    """The client neither sends nor reads, or its API key is no longer valid."""

    def __init__(self, end: End) -> None:
        super().__init__(end)
        self.end = end


async def _until_done(last: "asyncio.Task[None]", others: "Iterable[asyncio.Task[None]]") -> None:
    """Wait for the last of some tasks. Raises the error of any that fails before that."""
    running = {last, *others}
    while not last.done():
        done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
        for each in done:
            if not each.cancelled():
                each.result()


async def _cancel(tasks: "Iterable[asyncio.Task[None]]") -> None:
    running = list(tasks)
    for each in running:
        each.cancel()
    await asyncio.gather(*running, return_exceptions=True)


def _end_by(error: BaseException) -> End:
    if isinstance(error, CutOff):
        return error.end
    return "client_gone" if isinstance(error, ClientDisconnect) else "failed"
