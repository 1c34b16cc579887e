"""Keeps the promises of VoidsAtStaff: one fact voids what was shown, all of it or nothing.

So there is no middle in which a process could die: sent again, it does the same once more, or finds
that it was done.
"""

import hashlib
from dataclasses import dataclass
from typing import Final

from services.accounts.logging_in.logins import Login
from services.accounts.room import Accounts
from services.ingest.changes.answering import ChangePorts
from services.ingest.changes.shown_first.choosing import (
    ChosenSessions,
    SessionsAskedFor,
    choose_sessions,
)
from services.ingest.changes.voids import Voiding, void_sessions
from services.site.kit.words import _
from services.site.staff.changes import (
    LookedAtVoid,
    MeantSessions,
    RecordMoved,
    SessionOfPlayer,
    WhatItMoves,
)
from services.staffing.checked import ActOfStaff, AsShown, ports_for
from services.staffing.foreseeing import Foreseeing
from shared.events.facts import VOIDED_SESSIONS_MAX, Reason, SessionsVoided

WAIT_S: Final = 5.0
NOTHING: Final = _("No session that counts is meant by this.")
TOO_MANY: Final = _("More than {} sessions are meant. Choose fewer days, and do it in parts.")


@dataclass(frozen=True, slots=True)
class StaffVoids:
    """What staff void."""

    accounts: Accounts
    changing: ChangePorts
    foreseeing: Foreseeing

    async def look(self, meant: MeantSessions, reason: Reason, *, newer_than: int) -> LookedAtVoid:
        """Return which sessions are meant, and what voiding them would do."""
        chosen = await self._chosen(meant)
        shown = [
            SessionOfPlayer(each.session_id, each.source, each.day) for each in chosen.sessions
        ]
        moves = WhatItMoves(None, _why_not(chosen))
        if not moves.why_not:
            change = SessionsVoided(_ids(chosen), reason)
            moves = await self.foreseeing.moves(change, newer_than=newer_than)
        return LookedAtVoid(shown, chosen.has_more, _mark(chosen), moves)

    async def void(
        self, login: Login, meant: MeantSessions, reason: Reason, *, as_of: int, mark: str
    ) -> int:
        """Void what was shown, once."""
        # What was voided since is meant as well: this may be sent a second time.
        chosen = await self._chosen(meant, since=as_of)
        if _mark(chosen) != mark or _why_not(chosen):
            raise RecordMoved
        session_ids = _ids(chosen)
        done = ActOfStaff(login, "void_sessions", session_ids)
        shown = AsShown(as_of, SessionsVoided(session_ids, reason))
        ports = ports_for(self.changing, self.accounts, done, shown)
        voiding = Voiding(session_ids, reason, None, by=None)
        await void_sessions(voiding, wait_s=WAIT_S, ports=ports)
        return len(session_ids)

    async def _chosen(self, meant: MeantSessions, *, since: int | None = None) -> ChosenSessions:
        wanted = SessionsAskedFor(meant.source, meant.player_id, meant.first_day, meant.last_day)
        return await self.accounts.settled(lambda c: choose_sessions(c, wanted, since=since))


def _why_not(chosen: ChosenSessions) -> str:
    if chosen.has_more:
        return TOO_MANY.format(f"{VOIDED_SESSIONS_MAX:,}")
    return "" if chosen.sessions else NOTHING


def _ids(chosen: ChosenSessions) -> tuple[str, ...]:
    return tuple(each.session_id for each in chosen.sessions)


def _mark(chosen: ChosenSessions) -> str:
    """Return a short text that stands for exactly these sessions."""
    return hashlib.sha256(" ".join(_ids(chosen)).encode()).hexdigest()[:32]
