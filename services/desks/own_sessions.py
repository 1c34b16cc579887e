"""Keeps the promises of SessionsOfDesk: a source's own sessions, as `/v1` answers it about them."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from services.accounts.logging_in.logins import Login
from services.accounts.members.desks import settled_at
from services.accounts.members.session_acts import acts_on_sessions
from services.accounts.ports import Connection
from services.accounts.room import Accounts
from services.desks.afterward import changed_later
from services.desks.answers import label_of, moves_of
from services.desks.drafts import TypedDraft, check_room_for_night, find_correction, write_draft
from services.desks.own_list import labels_of, listed_people
from services.desks.sending import SendingPorts
from services.desks.session_changes import bring_back, refusal_ahead, take_out
from services.desks.session_disputes import answer_at, disputes_at, disputes_on
from services.ingest.people.disputes import AnswerTold
from services.projections.answering.reading import ViewReader
from services.projections.sessions.as_claim import read_claim
from services.projections.sessions.list_reads import AskedPage, answer_sessions
from services.projections.sessions.listing import Wanted
from services.projections.sessions.routes import StoredSessions, tell_session
from services.site.desk.night.missing import read_day
from services.site.desk.night.nights import SeatResult, TableResult
from services.site.desk.night.roster import Listed, Roster
from services.site.desk.night.seated import WhoSits, named_in
from services.site.desk.night.typed import TABLES_MAX, as_document
from services.site.desk.sessions.filling import filled_night
from services.site.desk.sessions.recorded import (
    ChangeRefused,
    DisputeAtDesk,
    DoneAtDesk,
    MovedBy,
    OwnSession,
    PastEffect,
    SessionEnding,
    SessionLine,
    SessionLines,
    SheetKind,
    WantedSessions,
)
from services.site.kit.words import _
from shared.access.lookups import check_not_suspended
from shared.answers.effects import EffectAnswer
from shared.answers.seen import ERASED, Sight
from shared.answers.sessions import NamedPlayer
from shared.errors import UnknownSession
from shared.events.facts import Reason
from shared.ids import is_session_id
from shared.seated import read_sight
from shared.sheets.writing import csv_bytes, sheet_rows, xlsx_bytes

LINES_AT_ONCE: Final = 25
TOO_LONG: Final = _(
    "This session has more rounds than the form holds, which is {}. Send the whole session anew "
    "with your program, as a correction of this one."
)


@dataclass(frozen=True, slots=True)
class DeskSessions:
    """What a desk reads of its sessions, and does with them."""

    accounts: Accounts
    stored: StoredSessions
    sending: SendingPorts
    tell: AnswerTold

    @property
    def _reader(self) -> ViewReader:
        return self.stored.reader

    async def people(self, source: str) -> Sequence[Listed]:
        """Return the list of a club."""
        return await self.accounts.settled(lambda c: listed_people(c, source))

    async def find(
        self, source: str, wanted: WantedSessions, *, cursor: str | None = None
    ) -> SessionLines:
        """Return a page of the sessions of a club."""
        asked = Wanted(source, wanted.first_day, wanted.last_day, wanted.player_id, None)
        page = await answer_sessions(
            self._reader, AskedPage(asked, cursor, LINES_AT_ONCE), by=source
        )
        labels = labels_of(await self.people(source))
        lines = []
        for row in page["sessions"]:
            names = _names(row["players"], labels)
            others = row["players_count"] - len(names)
            lines.append(
                SessionLine(
                    row["session_id"],
                    row["session_date"],
                    row["game_type"],
                    row["status"],
                    row["rounds_count"],
                    names,
                    others,
                )
            )
        return SessionLines(lines, page["next_cursor"])

    async def one(self, login: Login, source: str, session_id: str) -> OwnSession:
        """Return a session of the club."""
        claim = await self.claim_of(source, session_id)
        told = await tell_session(self.stored, session_id, by=source)
        labels = labels_of(await self.people(source), claim)
        concerned = [each for each in (session_id, told["corrects"], told["corrected_by"]) if each]
        sight = await read_sight(self._reader.fetch_plain, concerned, by=source)
        acts = await self._acts(login, source, session_id, told["corrects"])
        disputes = await self.accounts.settled(
            lambda c: disputes_on(c, source, session_id, labels, self.accounts)
        )
        refused = await self.accounts.settled(
            lambda c: refusal_ahead(self.sending, c, source, session_id)
        )
        ended = told["ended"]
        return OwnSession(
            session_id=session_id,
            day=_day_of(claim),
            kind=claim["game_type"],
            status=told["status"],
            submitted_at=told["submitted_at"],
            tables=_tables(claim, labels),
            moves=moves_of(told, labels),
            corrects=told["corrects"],
            corrected_by=told["corrected_by"],
            note=told["note"],
            effect=_effect(told["effect"], sight, labels),
            ending=None
            if ended is None
            else SessionEnding(
                ended["reason"], ended["note"], _effect(ended["effect"], sight, labels)
            ),
            is_reseated=told["reseated_fact_seq"] is not None,
            is_somebody_erased=ERASED in _seated_in(claim),
            acts=acts,
            disputes=disputes,
            later=await changed_later(self._reader, source, told, sight, labels),
            why_fixed="" if refused is None else refused.detail,
        )

    async def sheet(self, source: str, session_id: str, kind: SheetKind) -> bytes:
        """Return a session as a score sheet."""
        claim = await self.claim_of(source, session_id)
        write = csv_bytes if kind == "csv" else xlsx_bytes
        return await asyncio.to_thread(lambda: write(sheet_rows(claim)))

    async def take_out(
        self, login: Login, source: str, session_id: str, *, reason: Reason, note: str | None
    ) -> None:
        """Void a session."""
        await check_not_suspended(self.accounts.pool, source)
        await self.claim_of(source, session_id)
        await take_out(self.sending, login, source, session_id, reason=reason, note=note)

    async def bring_back(self, login: Login, source: str, session_id: str) -> str:
        """Let a voided session count again as it was."""
        await check_not_suspended(self.accounts.pool, source)
        claim = await self.claim_of(source, session_id)
        return await bring_back(self.sending, login, source, session_id, claim)

    async def correct(self, login: Login, source: str, session_id: str) -> str:
        """Begin a correction, or go on with it."""
        claim = await self.claim_of(source, session_id)
        if len(claim["rounds"]) > TABLES_MAX:
            raise ChangeRefused(TOO_LONG.format(TABLES_MAX))
        chance = self.accounts.chance

        async def begin(connection: Connection) -> str:
            refused = await refusal_ahead(self.sending, connection, source, session_id)
            if refused is not None:
                raise refused
            found = await find_correction(connection, source, session_id)
            if found is not None:
                return found
            await check_room_for_night(connection, source)
            roster = Roster(await listed_people(connection, source))
            night, draft_id = filled_night(claim, roster), chance.new_id("nid")
            named = named_in(night, WhoSits(night, roster))
            typed = TypedDraft(as_document(night), named, corrects=session_id)
            await write_draft(
                connection, source, draft_id, login.account_id, typed, now=chance.now()
            )
            return draft_id

        return await settled_at(self.accounts, login, source, begin)

    async def disputes(
        self, source: str, *, is_all: bool = False, after: int = 0
    ) -> Sequence[DisputeAtDesk]:
        """Return what players dispute."""
        labels, accounts = labels_of(await self.people(source)), self.accounts
        return await accounts.settled(
            lambda c: disputes_at(c, source, labels, accounts, is_all=is_all, after=after)
        )

    async def answer(
        self, login: Login, source: str, session_id: str, number: int, text: str
    ) -> None:
        """Answer a player."""
        await answer_at(
            self.accounts,
            self.tell,
            login,
            source,
            session_id=session_id,
            number=number,
            text=text,
        )

    async def _acts(
        self, login: Login, source: str, session_id: str, corrects: str | None
    ) -> Sequence[DoneAtDesk]:
        """Return who did what to a session, and who put it in the place of an earlier one."""
        asked = [each for each in (session_id, corrects) if each is not None]
        acts = await self.accounts.settled(
            lambda c: acts_on_sessions(c, source, asked, reader=login.account_id)
        )
        return [
            DoneAtDesk(each.act, each.at, each.known_as, each.is_own)
            for each in acts
            if each.session_id == session_id or each.act in {"corrected", "brought_back"}
        ]

    async def claim_of(self, source: str, session_id: str) -> Mapping[str, Any]:
        """Return a session as the claim that it came from. Raises UnknownSession."""
        is_id = is_session_id(session_id)
        claim = await read_claim(self._reader, session_id, by=source) if is_id else None
        if claim is None:
            raise UnknownSession
        return claim


def _names(players: Sequence[NamedPlayer], labels: Mapping[str, str]) -> Sequence[str]:
    named = [label_of(each["player"], labels) for each in players if each["player"] is not None]
    return sorted(named, key=str.casefold)


def _day_of(claim: Mapping[str, Any]) -> date | None:
    return read_day(claim["session_date"])


def _seated_in(claim: Mapping[str, Any]) -> set[str]:
    return {seat["email"] for played in claim["rounds"] for seat in played["players"]}


def _tables(claim: Mapping[str, Any], labels: Mapping[str, str]) -> Sequence[TableResult]:
    """Return who sits where now, and what they won."""
    return [
        TableResult(
            played["players"][0]["games_played"],
            played["wall_games"],
            [
                SeatResult(label_of(seat["email"], labels), seat["mahjongs"], seat.get("points"))
                for seat in played["players"]
            ],
        )
        for played in claim["rounds"]
    ]


def _effect(
    told: EffectAnswer | None, sight: Sight, labels: Mapping[str, str]
) -> PastEffect | None:
    """Return what a change did to people of these sessions. Of the private ones no rating now."""
    if told is None:
        return None
    known = {each.survivor_id: each for each in sight.seated.values()}
    known |= {each.player_id: each for each in sight.seated.values()}
    moved = []
    for each in told["changes"]:
        someone = known.get(each["player_id"])
        sent = None if someone is None else sight.called(someone.player_id)
        is_public = someone is not None and someone.is_public
        moved.append(
            MovedBy(
                each["player_id"] if sent is None and is_public else label_of(sent, labels),
                each["rating_before"] if is_public else None,
                each["rating_after"] if is_public else None,
                each["rating_change"],
            )
        )
    return PastEffect(moved, told["others_moved"])
