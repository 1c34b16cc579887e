"""Keeps the promises of Sheets: files are read by ingest's own reader, and sent as nights are.

A sheet is read once for each change, in a process of its own, and what was found is kept with its
cells: looking at it again costs no reading.
"""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from typing import Any, Final

import orjson

from services.accounts.logging_in.logins import Login
from services.accounts.members.desks import settled_at
from services.desks.answers import claimed_tables, tried_night
from services.desks.drafts import KeptDraft, TypedDraft, list_drafts, read_draft
from services.desks.keeping import keep_sheet
from services.desks.nights import DeskNights
from services.desks.own_list import labels_of, listed_in, names_on
from services.ingest.sheets.reader import SheetReader, SheetReading
from services.ingest.sheets.submitting import SheetSession, check_sheet, in_sheet_words
from services.site.desk.night.missing import read_day
from services.site.desk.night.nights import SendPressed, SentNight, TriedNight, UnknownDraft
from services.site.desk.sheet.sheets import NO_ROUNDS, OpenSheet, SheetDraft, TriedSheet
from shared.answers.trials import TrialAnswer
from shared.errors import MahjicError
from shared.sheets.cells import Sheet, SheetMistake, SheetRefused
from shared.sheets.drawn import as_drawn, from_drawn
from shared.sheets.reading import ScoreSheet, chosen_sheet

# Nobody has said yet which sheet of a workbook counts. Any other refusal is of the whole file.
UNDECIDED: Final = frozenset({"several_sheets", "hidden_sheet"})
NO_SHEET: Final = "not_a_sheet"


@dataclass(frozen=True, slots=True)
class CheckedSheet:
    """The session in a sheet, or why there is none."""

    session: SheetSession | None
    mistakes: Sequence[SheetMistake] = ()


@dataclass(frozen=True, slots=True)
class DeskSheets:
    """What a desk does with sheets."""

    nights: DeskNights
    reader: SheetReader
    bytes_max: int

    def new_draft_id(self) -> str:
        """Return an id that no draft has."""
        return self.nights.new_draft_id()

    def taking(self, source: str) -> AbstractAsyncContextManager[None]:
        """Hold a place for a file that comes in."""
        return self.reader.taking(source)

    async def keep_file(
        self, login: Login, source: str, draft_id: str, content: bytes
    ) -> Sequence[SheetMistake]:
        """Keep the sheet in a file, or say why it is none."""
        read = await self.reader.draw(content, source=source)
        if read.refused and read.refused[0].code not in UNDECIDED:
            return read.refused
        mistakes = self._checked(read, source).mistakes
        if mistakes and not read.refused and mistakes[0].code == NO_SHEET:
            return [replace(mistakes[0], code=NO_ROUNDS)]
        await self._keep(login, source, draft_id, read, None, version=None)
        return ()

    async def keep_cells(
        self, login: Login, source: str, draft: SheetDraft, sheet: Sheet, *, version: int
    ) -> str | None:
        """Keep a sheet as it was mended, and read it."""
        book = as_drawn(sheet if each.name == sheet.name else each for each in draft.book)
        read = await self.reader.read_again(book, source=source, sheet_name=sheet.name)
        return await self._keep(login, source, draft.draft_id, read, sheet.name, version=version)

    async def draft(self, login: Login, source: str, draft_id: str) -> SheetDraft:
        """Return a sheet of the desk."""
        kept = await self._kept(login, source, draft_id)
        if kept.sheet is None:
            return SheetDraft(kept.draft_id, kept.state, kept.version, (), None, (), None)
        read, sheet_name = _from_text(kept.sheet)
        checked = self._checked(read, source)
        book = from_drawn(read.sheets)
        return SheetDraft(
            kept.draft_id,
            kept.state,
            kept.version,
            book,
            None if read.refused else chosen_sheet(book, sheet_name),
            checked.mistakes,
            None if checked.session is None else checked.session.claim(),
        )

    async def open_sheets(self, login: Login, source: str) -> Sequence[OpenSheet]:
        """Return what is not sent yet."""
        accounts = self.nights.accounts
        kept = await settled_at(
            accounts, login, source, lambda c: list_drafts(c, source, are_sheets=True)
        )
        return [
            OpenSheet(
                each.draft_id,
                read_day(each.night["day"]),
                each.night["rounds"],
                each.night["mistakes"],
                each.changed_at,
                is_own=each.begun_by == login.account_id,
            )
            for each in kept
        ]

    async def drop(self, login: Login, source: str, draft_id: str) -> None:
        """Throw a sheet away."""
        await self.nights.drop(login, source, draft_id)

    async def try_out(self, login: Login, source: str, draft_id: str) -> TriedSheet:
        """Say what a sheet would do."""
        kept = await self._kept(login, source, draft_id)
        if kept.sheet is None:
            raise UnknownDraft
        checked = self._checked(_from_text(kept.sheet)[0], source)
        session = checked.session
        if session is None:
            return TriedSheet(TriedNight(), (), checked.mistakes)
        claim = session.claim()
        labels = labels_of(await self.nights.people(source), claim)
        tried = await self._trial(session, source)
        if isinstance(tried, SheetRefused):
            return TriedSheet(TriedNight(), (), tried.mistakes)
        told = tried_night(tried, labels, lambda at: _row_words(session.sheet, at))
        return TriedSheet(told, claimed_tables(claim, labels))

    async def send(
        self, login: Login, source: str, draft: SheetDraft, pressed: SendPressed
    ) -> SentNight:
        """Send a sheet once, however often this is called."""
        return await self.nights.send(
            login, source, draft.draft_id, draft.claim, pressed, is_whole_night=True
        )

    async def _trial(self, checked: SheetSession, source: str) -> TrialAnswer | MahjicError:
        trials = self.nights.sending.trials
        trials.count(source)
        try:
            return await trials.run(checked.session, source=source)
        except MahjicError as error:
            if error.status >= 500:
                raise
            told = in_sheet_words(error, checked.sheet)
            return told if isinstance(told, SheetRefused) else error

    async def _kept(self, login: Login, source: str, draft_id: str) -> KeptDraft:
        accounts = self.nights.accounts
        kept = await settled_at(accounts, login, source, lambda c: read_draft(c, source, draft_id))
        if kept is None or (kept.sheet is None and kept.state != "sent"):
            raise UnknownDraft
        return kept

    async def _keep(
        self,
        login: Login,
        source: str,
        draft_id: str,
        read: SheetReading,
        sheet_name: str | None,
        *,
        version: int | None,
    ) -> str | None:
        people = await self.nights.people(source)
        claim: Mapping[str, Any] = {} if read.refused else read.opened().sheet.claim
        book = from_drawn(read.sheets)
        cells = (cell for sheet in book for row in sheet.rows for cell in row)
        typed = TypedDraft(
            night={
                "day": claim.get("session_date", ""),
                "rounds": len(claim.get("rounds", ())),
                "mistakes": len(self._checked(read, source).mistakes),
            },
            named=[*read.addresses, *listed_in(cells, names_on(people))],
            page="",
            sheet=_as_text(read, sheet_name),
        )
        accounts = self.nights.accounts
        return await keep_sheet(accounts, login, source, draft_id, typed, version=version)

    def _checked(self, read: SheetReading, source: str) -> CheckedSheet:
        try:
            session = check_sheet(
                read.opened(),
                allow_duplicate=False,
                source=source,
                today_latest=self.nights.today_latest,
            )
        except SheetRefused as refusal:
            return CheckedSheet(None, refusal.mistakes)
        return CheckedSheet(session)


def _as_text(read: SheetReading, sheet_name: str | None) -> str:
    kept = {
        "sheets": read.sheets,
        "sheet_name": sheet_name,
        "found": read.found,
        "claim": read.claim,
    }
    return orjson.dumps(kept).decode()


def _from_text(text: str) -> tuple[SheetReading, str | None]:
    kept = orjson.loads(text)
    return SheetReading(kept["found"], kept["claim"], kept["sheets"]), kept["sheet_name"]


def _row_words(sheet: ScoreSheet, pointer: str) -> str:
    row = sheet.place_of(pointer).row
    return "" if row is None else f"Row {row}: "
