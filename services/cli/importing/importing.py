"""Sends the lines of a file as one batch, reads the answers meanwhile, and resumes after a break.

A line counts as done once it has a final answer. Everything else is sent again, in the order of
the file, on the next connection: what is on record by then is answered as it was before.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

import orjson

from services.cli.importing.exchange import Broken, Exchange, RequestTarget, open_exchange
from services.cli.importing.lines import Line, LinePlace, Lines
from services.cli.importing.oddities import Oddities
from services.cli.importing.progress import FileChanged, ProgressKeeper, Tally
from services.cli.importing.refusals import Refusals
from services.cli.nights.submit import ENDED
from services.cli.terminal.client import ServiceUnreachable, UnexpectedAnswer
from services.cli.terminal.sending import WORTH_SENDING_AGAIN
from services.ingest.record.judging.refusing import TooManyForeignHits
from shared.errors import MahjicError

# Lines on their way: several times what the service records at once, so that it never waits for us.
UNANSWERED_LINES_MAX: Final = 4_000
UNANSWERED_BYTES_MAX: Final = 1 << 24
# Sooner or later something on the way closes a connection that carries nothing.
IDLE_S_MAX: Final = 5.0
# What is lost when this program is killed is sent again, and does no harm.
KEEP_S: Final = 0.5
PAUSE_S_MAX: Final = 30.0

Said = Callable[[str], None]


class ImportBroken(MahjicError):
    """The service did not answer for too long."""

    code = "import_broken"
    title = "The import broke off"
    # As sysexits.h has it: try again later.
    exit_code = 75


class NothingToImport(MahjicError):
    """The file has no lines."""

    code = "nothing_to_import"
    title = "Nothing to import"
    exit_code = 2


@dataclass(slots=True)
class Importing:
    """An import under way: what has been answered, and what is on its way.

    `say` gets a sentence about each break; `moved` is called whenever a line was answered;
    `oddities` gets the service's warnings.
    """

    target: RequestTarget
    inflow: "Inflow"
    refusals: Refusals
    keeper: ProgressKeeper | None
    tally: Tally
    say: Said
    moved: Callable[[int], None]
    oddities: Oddities
    patience_s: float
    _has_met: bool = False
    _kept_at_s: float = 0.0

    async def run(self) -> None:
        """Send everything until all of it is answered.

        Raises UnreadableFile and FileChanged, once everything read before is answered;
        ServiceUnreachable, if nothing answers at the start; ServiceRefused, UnexpectedAnswer and
        ImportBroken.
        """
        try:
            if self.keeper is not None and self.keeper.reached is not None:
                await self.inflow.skip_to(self.keeper.reached.place)
            await self._until_answered()
        finally:
            await self.inflow.close()
            self._keep()
        if not self.tally.lines:
            raise NothingToImport(f"{self.inflow.name} has no lines to import.")

    async def _until_answered(self) -> None:
        trouble_since_s: float | None = None
        breaks = 0
        while await self.inflow.has_more():
            answered_before = self.tally.lines
            try:
                await self._exchange()
                trouble_since_s, breaks = None, 0
                continue
            except Broken as broken:
                reason, pause_s = broken.reason, broken.pause_s
            except ServiceUnreachable as error:
                if not self._has_met:
                    raise
                reason, pause_s = error.detail.rstrip("."), None
            now_s = time.monotonic()
            if trouble_since_s is None or self.tally.lines > answered_before:
                trouble_since_s, breaks = now_s, 0
            pause_s = min(PAUSE_S_MAX, 2.0**breaks) if pause_s is None else pause_s
            breaks += 1
            where = f"after line {self.inflow.line_answered}"
            if now_s + pause_s > trouble_since_s + self.patience_s:
                raise ImportBroken(
                    f"It broke off {where}: {reason}. Import {self.inflow.name} again later; "
                    "what is on record counts only once."
                )
            self.say(f"It broke off {where}: {reason}. Trying again in {pause_s:g} s.")
            await asyncio.sleep(pause_s)

    async def _exchange(self) -> None:
        """Send what there is on one connection until it is answered, or nothing more comes."""
        async with open_exchange(self.target) as exchange:
            self._has_met = True
            sending = asyncio.create_task(self._send(exchange))
            try:
                await self._settle_all(exchange)
                if not sending.done() or self.inflow.unanswered:
                    raise Broken("the answer ended before the file")
                await sending
            finally:
                sending.cancel()
                # It may have broken by itself, for the same reason; the answers say more.
                await asyncio.gather(sending, return_exceptions=True)
                self.inflow.take_back()

    async def _send(self, exchange: Exchange) -> None:
        while group := await self.inflow.next_group():
            await exchange.send(b"".join(line.content + b"\n" for line in group))
        exchange.end()

    async def _settle_all(self, exchange: Exchange) -> None:
        number = 0
        async for content in exchange.answers():
            number += 1
            answer = _read(content, number, self.target.place)
            # A service that stops says so in place of a line that was not sent yet.
            if not self.inflow.unanswered and answer["status"] not in WORTH_SENDING_AGAIN:
                raise UnexpectedAnswer(self.target.place, "more lines than were sent")
            self._settle(answer)

    def _settle(self, answer: Mapping[str, Any]) -> None:
        """Note the answer to the first line on its way. Raises Broken if it is not final."""
        status, problem = answer["status"], answer.get("problem")
        if status < HTTPStatus.BAD_REQUEST:
            session = answer.get("session")
            if isinstance(session, dict) and session.get("status") in ENDED:
                self.tally.not_counting += 1
            elif answer.get("replayed") is True:
                self.tally.replayed += 1
            else:
                self.tally.recorded += 1
                if isinstance(session, dict):
                    self.oddities.take(self.inflow.unanswered[0].number, session)
            line = self.inflow.answered()
        else:
            told = problem if isinstance(problem, dict) else {"status": status}
            code = str(told.get("code", status))
            # We do not wait for the limit of a day; those lines are for another day.
            is_for_now = status in WORTH_SENDING_AGAIN and code != TooManyForeignHits.code
            if is_for_now or code == "request_in_progress":
                raise Broken(str(told.get("detail") or code).rstrip("."))
            # Written down first: a line that cannot be written down is not done.
            self.refusals.add(self.inflow.unanswered[0], told)
            line = self.inflow.answered()
            self.tally.refused[code] = self.tally.refused.get(code, 0) + 1
        self.moved(line.number)
        if time.monotonic() > self._kept_at_s + KEEP_S:
            self._keep()

    def _keep(self) -> None:
        """Save how far it is, the refused lines first: there are never fewer than it says."""
        self.refusals.flush()
        place = self.inflow.place_answered()
        if self.keeper is not None and place is not None:
            self.keeper.keep(place, self.tally, self.refusals.written)
        self._kept_at_s = time.monotonic()


class Inflow:
    """The lines to send: first those that a broken connection left unanswered, then new ones."""

    def __init__(self, lines: Lines, name: str) -> None:
        self.name = name
        self.unanswered: deque[Line] = deque()
        self._groups = lines.groups()
        self._coming: asyncio.Task[list[Line] | None] | None = None
        self._again: list[Line] = []
        self._unanswered_bytes = 0
        self._has_room = asyncio.Event()
        self._has_room.set()
        self._last: Line | None = None

    @property
    def line_answered(self) -> int:
        """The number of the last line with a final answer; 0 before the first."""
        return self._last.number if self._last else 0

    def place_answered(self) -> LinePlace | None:
        """Return the place after the last line with a final answer."""
        return self._last.place if self._last else None

    async def skip_to(self, place: LinePlace) -> None:
        """Skip what an earlier import had answered. Raises FileChanged, UnreadableFile."""
        async for group in self._groups:
            for number, line in enumerate(group):
                if line.number < place.line:
                    continue
                if line.place == place:
                    self._last, self._again = line, group[number + 1 :]
                    return
                raise self._changed(place)
        raise self._changed(place)

    async def has_more(self) -> bool:
        """Wait for a line to send; False when all are answered. Raises UnreadableFile."""
        if not self._again:
            self._again = await self._come() or []
        return bool(self._again)

    async def next_group(self) -> list[Line]:
        """Return the next lines to send, once there is room; none if none came for a long time."""
        await self._has_room.wait()
        group, self._again = self._again, []
        if not group:
            coming = self._coming or asyncio.create_task(self._next())
            self._coming = coming
            await asyncio.wait({coming}, timeout=IDLE_S_MAX)
            if not coming.done() or coming.exception() is not None:
                return []  # An error in the file is reported when everything before it is answered.
            group = coming.result() or []
            if group:
                self._coming = None
        self.unanswered.extend(group)
        self._unanswered_bytes += sum(len(line.content) for line in group)
        self._see_room()
        return group

    def answered(self) -> Line:
        """Mark the first line that was sent as having a final answer."""
        self._last = self.unanswered.popleft()
        self._unanswered_bytes -= len(self._last.content)
        self._see_room()
        return self._last

    def take_back(self) -> None:
        """Have everything that is not answered sent again."""
        self._again = [*self.unanswered, *self._again]
        self.unanswered.clear()
        self._unanswered_bytes = 0
        self._see_room()

    async def close(self) -> None:
        if self._coming is not None:
            self._coming.cancel()
            await asyncio.gather(self._coming, return_exceptions=True)
        await self._groups.aclose()

    async def _come(self) -> list[Line] | None:
        coming, self._coming = self._coming or asyncio.create_task(self._next()), None
        return await coming

    async def _next(self) -> list[Line] | None:
        return await anext(self._groups, None)

    def _see_room(self) -> None:
        has_room = (
            len(self.unanswered) < UNANSWERED_LINES_MAX
            and self._unanswered_bytes < UNANSWERED_BYTES_MAX
        )
        (self._has_room.set if has_room else self._has_room.clear)()

    def _changed(self, place: LinePlace) -> FileChanged:
        return FileChanged(
            f"{self.name} has changed before line {place.line}, where an import of it broke "
            "off. Start over with --restart: what is on record counts once, no matter how "
            "often it is sent."
        )


def _read(content: bytes, number: int, place: str) -> Mapping[str, Any]:
    """Return an answer, which must be to the line with that number. Raises UnexpectedAnswer."""
    try:
        answer = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise UnexpectedAnswer(place, "a line that is not JSON") from error
    if not isinstance(answer, dict) or not isinstance(answer.get("status"), int):
        raise UnexpectedAnswer(place, "a line without a status")
    if answer.get("line") != number:
        raise UnexpectedAnswer(place, f"line {answer.get('line')} when line {number} was due")
    return answer
