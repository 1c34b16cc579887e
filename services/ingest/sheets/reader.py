"""Opens score sheets in separate processes: a few at a time, each with limited work and memory.

A file that takes too long, or all the memory, costs its sender the answer, and affects no one else.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Final, cast

import orjson
import structlog

from services.ingest.sheets.turns import Turns
from shared.errors import MahjicError, Mistake
from shared.json_text import JsonDocument, read_json
from shared.machine.children import FAULT_OF_OURS, a_child
from shared.settings import Settings
from shared.sheets.cells import Place, SheetMistake, SheetRefused, refused
from shared.sheets.drawn import DRAWN_BYTES_MAX, TOO_MUCH_TEXT
from shared.sheets.reading import ScoreSheet

CHILD: Final = "services.ingest.sheets.child"
# A second of work takes longer if others are working too. Beyond this, the delay is our fault.
WALL_TIMES_MAX: Final = 3

_log = structlog.get_logger(__name__)


class SheetsBusy(MahjicError):
    """More score sheets are coming in than the service can read."""

    code = "sheets_busy"
    title = "The service has more score sheets than it can read"
    status = 503

    def __init__(self) -> None:
        super().__init__(
            "The service is busy reading other score sheets, so this one was not accepted. "
            "Send it again in a few seconds.",
            headers={"Retry-After": "5"},
        )


@dataclass(frozen=True, slots=True)
class OpenedSheet:
    """A score sheet that was opened, and its claim as any claim in JSON is decoded."""

    sheet: ScoreSheet
    document: JsonDocument


@dataclass(frozen=True, slots=True)
class SheetReading:
    """What the process that read a file wrote about it, as plain values that can be kept.

    `found` is why the file was refused, or everything that was found in it, and `claim` the text of
    the claim. If it is to be kept and could be opened, `sheets` are its cells, and `addresses` all
    that are in them.
    """

    found: Mapping[str, Any] = field(repr=False)
    claim: str = field(repr=False)
    sheets: Sequence[Mapping[str, Any]] = field(repr=False, default=())
    addresses: Sequence[str] = field(repr=False, default=())

    @property
    def refused(self) -> Sequence[SheetMistake]:
        """Why there is nothing to read, or no way to tell what; empty if it was read."""
        return _mistakes(self.found.get("refused", ()))

    def opened(self) -> OpenedSheet:
        """Return the score sheet. Raises SheetRefused if there is none."""
        if "refused" in self.found:
            raise SheetRefused(self.refused)
        document = read_json(self.claim.encode())
        sheet = ScoreSheet(
            claim=cast("Mapping[str, Any]", document.value),
            places={at: Place(**place) for at, place in self.found["places"].items()},
            mistakes=_mistakes(self.found["mistakes"]),
            noted=frozenset(self.found["noted"]),
            warnings=[Mistake(**each) for each in self.found["warnings"]],
        )
        return OpenedSheet(sheet, document)


class SheetReader:
    """Reads files, a few at a time."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        # One source never has all of them, however slowly it sends and however long its files take.
        self._turns = _shared(settings.sheets_at_once_max)
        self._places = _shared(settings.sheet_uploads_max)

    @asynccontextmanager
    async def taking(self, source: str) -> AsyncIterator[None]:
        """Hold a place for a file that a source uploads. Nothing is read until there is a place.

        Raises SheetsBusy if there is none for too long.
        """
        async with self._one_of(self._places, source):
            yield

    async def read(self, content: bytes, *, source: str, sheet_name: str | None) -> OpenedSheet:
        """Return what a source's file says.

        Raises SheetsBusy, or SheetRefused if it cannot be opened.
        """
        reading = await self._reading(content, source, sheet_name=sheet_name)
        return reading.opened()

    async def draw(self, content: bytes, *, source: str) -> SheetReading:
        """Return what a source's file says, and its cells. Raises SheetsBusy."""
        return await self._reading(content, source, sheet_name=None, is_drawn=True)

    async def read_again(
        self, sheets: Sequence[Mapping[str, Any]], *, source: str, sheet_name: str | None
    ) -> SheetReading:
        """Return what cells say that were drawn before, and mended since.

        Raises SheetsBusy, or SheetRefused if they are far more than they were.
        """
        content = orjson.dumps(sheets)
        if len(content) > DRAWN_BYTES_MAX:
            raise refused("too_large", TOO_MUCH_TEXT)
        read = await self._reading(content, source, sheet_name=sheet_name, is_opened=True)
        return replace(read, sheets=sheets)

    async def _reading(
        self,
        content: bytes,
        source: str,
        *,
        sheet_name: str | None,
        is_drawn: bool = False,
        is_opened: bool = False,
    ) -> SheetReading:
        asked = {
            "sheet_name": sheet_name,
            "is_drawn": is_drawn,
            "is_opened": is_opened,
            "bytes_max": self._settings.sheet_bytes_max,
            "memory_bytes_max": self._settings.sheet_memory_bytes_max,
            "cpu_s_max": self._settings.sheet_cpu_s_max,
        }
        async with self._one_of(self._turns, source):
            told = await self._read(orjson.dumps(asked) + b"\n", content)
        found, claim, kept = (*told.split(b"\n"), b"", b"{}")[:3]
        return SheetReading(orjson.loads(found), claim.decode(), **orjson.loads(kept))

    @asynccontextmanager
    async def _one_of(self, turns: Turns, source: str) -> AsyncIterator[None]:
        async with AsyncExitStack() as held:
            try:
                turn = turns.one(source, wait_s_max=self._settings.sheet_s_max)
                await held.enter_async_context(turn)
            except TimeoutError:
                raise SheetsBusy from None
            yield

    async def _read(self, asked: bytes, content: bytes) -> bytes:
        async with a_child(CHILD) as child:
            try:
                async with asyncio.timeout(self._settings.sheet_s_max * WALL_TIMES_MAX):
                    assert child.stdin is not None, "It is a pipe."
                    child.stdin.write(asked)
                    told, faults = await child.communicate(content)
            except TimeoutError:
                _log.error("sheet_reader_too_slow")
                raise SheetsBusy from None
        if child.returncode == 0:
            return told
        # Nothing else that it wrote comes from us, so nothing else is safe to log.
        is_told = child.returncode == FAULT_OF_OURS
        exception = faults.decode(errors="replace") if is_told else None
        _log.error("sheet_not_read", exit_code=child.returncode, exception=exception)
        # A signal ended it: it used too much time, or the system was short of memory.
        raise _too_heavy() if (child.returncode or 0) < 0 else _unreadable()


def _shared(at_once: int) -> Turns:
    return Turns(at_once=at_once, of_one=max(1, at_once // 2))


def _mistakes(told: Iterable[Mapping[str, Any]]) -> list[SheetMistake]:
    return [SheetMistake(Place(**each["place"]), each["code"], each["message"]) for each in told]


def _too_heavy() -> SheetRefused:
    return refused(
        "too_large",
        "Reading the file takes more work or memory than a score sheet needs. Copy its cells into "
        "the template, and send that.",
    )


def _unreadable() -> SheetRefused:
    return refused(
        "not_a_sheet",
        "The file cannot be read. Open it in a spreadsheet program, save it again as .xlsx or as "
        "CSV UTF-8, and send that.",
    )
