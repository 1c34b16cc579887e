"""What the pages of an uploaded sheet ask for and say: keeping it, reading it again, sending it.

Like a typed night, a sheet is a draft whose id is made with the page, and is what sends it only
once.
"""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Final, Protocol

from services.accounts.logging_in.logins import Login
from services.site.desk.night.nights import (
    DraftState,
    SendPressed,
    SentNight,
    TableResult,
    TriedNight,
)
from services.site.kit.words import _
from shared.errors import MahjicError
from shared.sheets.cells import Sheet, SheetMistake

# The code of a table that is no score sheet at all, among the reasons why a file is not kept.
NO_ROUNDS: Final = "no_rounds"


class TooManySheets(MahjicError):
    """As many sheets wait at the desk of a source as are kept."""

    code = "too_many_sheets"
    title = "Too many sheets are waiting"
    status = 409

    def __init__(self, most: int) -> None:
        super().__init__(
            _("{} sheets of your club are not sent yet. Send one or throw one away first.").format(
                most
            )
        )


@dataclass(frozen=True, slots=True)
class SheetDraft:
    """An uploaded sheet on its way.

    `book` has every sheet of the file, and `sheet` is the one that counts: None if nobody has said
    yet which. Then `mistakes` says why; else they are what is wrong in it. Without any, `claim` is
    what would be submitted.
    """

    draft_id: str
    state: DraftState
    version: int
    book: Sequence[Sheet] = field(repr=False)
    sheet: Sheet | None = field(repr=False)
    mistakes: Sequence[SheetMistake] = field(repr=False)
    claim: Mapping[str, Any] | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class OpenSheet:
    """A sheet that is not sent yet, in the list of a desk."""

    draft_id: str
    day: date | None
    rounds: int
    mistakes: int
    changed_at: datetime
    is_own: bool


@dataclass(frozen=True, slots=True)
class TriedSheet:
    """What a sheet would do; or the mistakes that only a trial finds, in its cells."""

    tried: TriedNight
    tables: Sequence[TableResult]
    mistakes: Sequence[SheetMistake] = ()


class Sheets(Protocol):
    """What a desk does with sheets. Everything is asked as the source, and counts as its word."""

    @property
    def bytes_max(self) -> int:
        """How long a file may be."""
        ...

    def new_draft_id(self) -> str:
        """Return an id that no draft has."""
        ...

    def taking(self, source: str) -> AbstractAsyncContextManager[None]:
        """Hold a place for a file that comes in. Raises SheetsBusy if there is none for long."""
        ...

    async def keep_file(
        self, login: Login, source: str, draft_id: str, content: bytes
    ) -> Sequence[SheetMistake]:
        """Keep the sheet in a file; return why it can't be one, and then nothing is kept.

        A file that was uploaded under the same id gives way. Raises UnknownDraft or TooManySheets.
        """
        ...

    async def keep_cells(
        self,
        login: Login,
        source: str,
        draft: SheetDraft,
        sheet: Sheet,
        *,
        version: int,
    ) -> str | None:
        """Keep a sheet of a draft as it was mended, and read it; return under which id it is now.

        That is another one if somebody else has mended it since `version`, and None if it can no
        longer be changed. Raises SheetRefused if it holds too much.
        """
        ...

    async def draft(self, login: Login, source: str, draft_id: str) -> SheetDraft:
        """Return a sheet of the desk. Raises UnknownDraft or UnknownDesk."""
        ...

    async def open_sheets(self, login: Login, source: str) -> Sequence[OpenSheet]:
        """Return what is not sent yet, what was changed last first."""
        ...

    async def drop(self, login: Login, source: str, draft_id: str) -> None:
        """Throw a sheet away, unless it is on its way."""
        ...

    async def try_out(self, login: Login, source: str, draft_id: str) -> TriedSheet:
        """Say what a sheet without mistakes would do, without recording anything."""
        ...

    async def send(
        self, login: Login, source: str, draft: SheetDraft, pressed: SendPressed
    ) -> SentNight:
        """Send a sheet without mistakes; again and again it is the same session."""
        ...
