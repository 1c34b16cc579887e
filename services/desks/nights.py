"""Keeps the promises of Nights: drafts in their table, everything else by ingest's own functions.

A night is sent in three steps: what is sent is written into its draft, then recorded, then the
draft is done. Whatever breaks off between them, sending it again does the same once more: the id
of the draft is the Idempotency-Key.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any, Final

import orjson

from services.accounts.logging_in.logins import Login
from services.accounts.members.desks import settled_at
from services.accounts.members.session_acts import note_session_act
from services.accounts.ports import Connection
from services.accounts.room import Accounts
from services.desks.answers import loaded, moves_of, tried_night
from services.desks.drafts import (
    KeptDraft,
    TypedDraft,
    begin_sending,
    check_room_for_night,
    draft_of_page,
    drop_draft,
    list_drafts,
    note_sent,
    read_draft,
    reopen,
    write_draft,
)
from services.desks.own_list import labels_of, listed_people
from services.desks.sending import SendingPorts, send_claim, trial_of
from services.ingest.who.played_last import read_played_last
from services.projections.sessions.routes import tell_session
from services.site.desk.night.missing import read_day
from services.site.desk.night.nights import (
    KeptNight,
    NightDraft,
    OpenNight,
    RecordedNight,
    SendPressed,
    SentNight,
    TriedNight,
    TypedAs,
    UnknownDraft,
)
from services.site.desk.night.roster import Listed
from services.site.desk.night.typed import GAMES_USUAL, TypedNight, as_document, from_document
from shared.access.lookups import check_not_suspended
from shared.errors import UnknownSession
from shared.events.facts import Reason

# Nights are played in the evening and entered until late. In the west of the United States it is
# the same evening still when it is past midnight in the east.
WEST: Final = timedelta(hours=-8)
READ_TYPE: Final = "SELECT type FROM mahjic.listed_sources WHERE slug = $1"


@dataclass(frozen=True, slots=True)
class DeskNights:
    """What a desk does with nights."""

    accounts: Accounts
    sending: SendingPorts

    @property
    def today_latest(self) -> date:
        """The date where it is latest on earth."""
        return self.sending.today_latest()

    @property
    def today_of_clubs(self) -> date:
        """The date of an evening that may just have ended."""
        return (self.accounts.chance.now() + WEST).date()

    def new_draft_id(self) -> str:
        """Return an id that no draft has."""
        return self.accounts.chance.new_id("nid")

    def new_page(self) -> str:
        """Return a token that no other page has."""
        return self.accounts.chance.new_id("page")

    async def people(self, source: str) -> Sequence[Listed]:
        """Return the list of a club."""
        return await self.accounts.settled(lambda c: listed_people(c, source))

    async def has_played(self, source: str) -> bool:
        """Return whether a session of a club is on record."""
        last = await self.accounts.settled(lambda c: read_played_last(c, source))
        return last is not None

    async def usual(self, source: str) -> tuple[str, str]:
        """Return the kind of game and the games of a round as the club sent them last."""

        async def read(connection: Connection) -> tuple[str, str]:
            last = await read_played_last(connection, source)
            if last is not None:
                return last.game_type, str(last.games_played)
            is_league = await connection.fetchval(READ_TYPE, source) == "league"
            return ("league" if is_league else "social"), GAMES_USUAL

        return await self.accounts.settled(read)

    async def draft(self, login: Login, source: str, draft_id: str) -> NightDraft:
        """Return a draft of the desk."""
        kept = await settled_at(
            self.accounts, login, source, lambda c: read_draft(c, source, draft_id)
        )
        return _told(kept)

    async def open_nights(self, login: Login, source: str) -> Sequence[OpenNight]:
        """Return what is not sent yet."""
        kept = await settled_at(self.accounts, login, source, lambda c: list_drafts(c, source))
        return [
            OpenNight(
                each.draft_id,
                read_day(each.night["day"]),
                len(each.night["tables"]),
                each.changed_at,
                is_own=each.begun_by == login.account_id,
                is_correction=each.corrects is not None,
            )
            for each in kept
        ]

    async def save(
        self, login: Login, source: str, draft_id: str, night: TypedNight, typed: TypedAs
    ) -> KeptNight | None:
        """Keep what is typed; apart from what somebody else typed meanwhile."""
        document = orjson.loads(orjson.dumps(as_document(night)))
        draft, chance = TypedDraft(document, typed.named, typed.page), self.accounts.chance

        async def write(connection: Connection) -> KeptNight | None:
            at, kept = draft_id, await read_draft(connection, source, draft_id, locked=True)
            if (kept is None and typed.version) or (kept is not None and kept.sheet is not None):
                raise UnknownDraft
            if kept is not None and kept.state != "open":
                return None
            corrects = None if kept is None else kept.corrects
            if kept is not None and kept.night == document:
                return KeptNight(draft_id, kept.version, corrects is not None)
            is_more = kept is None
            if kept is not None and kept.version != typed.version and kept.page != typed.page:
                own = await draft_of_page(connection, source, typed.page) if typed.page else None
                at, is_more = own or chance.new_id("nid"), own is None
            if is_more:
                await check_room_for_night(connection, source)
            account_id, now = login.account_id, chance.now()
            own_draft = replace(draft, corrects=corrects)
            version = await write_draft(connection, source, at, account_id, own_draft, now=now)
            return KeptNight(at, version, corrects is not None)

        return await settled_at(self.accounts, login, source, write)

    async def drop(self, login: Login, source: str, draft_id: str) -> None:
        """Throw a draft away."""
        await settled_at(self.accounts, login, source, lambda c: drop_draft(c, source, draft_id))

    async def try_out(self, source: str, claim: Mapping[str, Any]) -> TriedNight:
        """Say what a night would do."""
        labels = labels_of(await self.people(source), claim)
        return tried_night(await trial_of(self.sending, source, claim), labels)

    async def send(
        self,
        login: Login,
        source: str,
        draft_id: str,
        claim: Mapping[str, Any] | None,
        pressed: SendPressed,
        *,
        is_whole_night: bool = False,
    ) -> SentNight:
        """Send a draft once, however often this is called.

        A whole night is compared with nights on record that have grown or changed since.
        """
        asked = {
            "claim": claim,
            "send_as": pressed.send_as,
            "corrects": pressed.corrects,
            "is_whole_night": is_whole_night,
        }
        return await self._send(login, source, draft_id, asked, version=pressed.version)

    async def send_correction(
        self,
        login: Login,
        source: str,
        draft_id: str,
        claim: Mapping[str, Any] | None,
        *,
        version: int,
        reason: Reason,
        note: str | None = None,
        is_meant: bool = False,
    ) -> SentNight:
        """Put a draft in the place of the session that it corrects, once."""
        said = {"reason": reason} if note is None else {"reason": reason, "note": note}
        asked = {"claim": claim, "send_as": "correction", "said": said, "is_meant": is_meant}
        return await self._send(login, source, draft_id, asked, version=version)

    async def _send(
        self, login: Login, source: str, draft_id: str, asked: dict[str, Any], *, version: int
    ) -> SentNight:
        await check_not_suspended(self.accounts.pool, source)

        async def begin(connection: Connection) -> KeptDraft:
            kept = await read_draft(connection, source, draft_id, locked=True)
            if kept is None:
                raise UnknownDraft
            asked["by"] = login.account_id
            if kept.corrects is not None:
                asked.update(send_as="correction", corrects=kept.corrects)
            if kept.state == "open" and kept.version == version and asked["claim"] is not None:
                await begin_sending(connection, source, draft_id, asked)
            return kept

        kept = await settled_at(self.accounts, login, source, begin)
        if kept.session_id is not None:
            return SentNight(kept.session_id)
        if kept.state == "open" and kept.version != version:
            return SentNight(is_changed=True)
        going: Mapping[str, Any] = kept.sending or asked
        if going["claim"] is None:
            return SentNight()
        sent = await send_claim(self.sending, source, draft_id, going)
        now = self.accounts.chance.now()
        await self.accounts.settled(lambda c: _end(c, source, draft_id, going, sent, now=now))
        return sent

    async def recorded(self, source: str, session_id: str) -> RecordedNight | None:
        """Return a session of the source."""
        try:
            told = await tell_session(self.sending.sessions, session_id, by=source)
        except UnknownSession:
            return None
        labels = labels_of(await self.people(source))
        return RecordedNight(
            session_id, told["status"], loaded(told["rounds"], labels), moves_of(told, labels)
        )


def _told(kept: KeptDraft | None) -> NightDraft:
    # Of a night that is sent nothing shows that it was a sheet.
    if kept is None or kept.sheet is not None:
        raise UnknownDraft
    night = from_document(kept.night)
    return NightDraft(
        kept.draft_id,
        kept.state,
        night,
        kept.version,
        kept.changed_at,
        kept.session_id,
        kept.corrects,
    )


async def _end(
    connection: Connection,
    source: str,
    draft_id: str,
    going: Mapping[str, Any],
    sent: SentNight,
    *,
    now: datetime,
) -> None:
    if sent.session_id is None:
        await reopen(connection, source, draft_id)
        return
    # What kind of night it was, and nobody in it.
    claim, by = going["claim"], going.get("by")
    left = as_document(TypedNight(claim["session_date"], claim["game_type"], ()))
    await note_sent(connection, source, draft_id, sent.session_id, left)
    if sent.is_first and by is not None and going["send_as"] != "correction":
        await note_session_act(connection, source, sent.session_id, "sent", by=by, at=now)
