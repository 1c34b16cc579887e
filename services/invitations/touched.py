"""Whom verdicts may have rated for the first time, and which nights they are about. Pure.

It is better to name somebody too many: what counts is looked up when their turn comes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from shared.events.codec import Verdict
from shared.events.facts import (
    PlayersMerged,
    PlayersUnmerged,
    SeatsReassigned,
    SessionCorrected,
    SessionsVoided,
)
from shared.events.verdicts import FactNoted, RatingsCorrected, SessionRated
from shared.ids import BOB


@dataclass(slots=True)
class Touched:
    """Players, sessions whose players are meant, and nights; each with the time of the last fact.

    A night is a source and a day. Days before `oldest` are too old for any mail.
    """

    oldest: date
    players: dict[str, datetime] = field(default_factory=dict)
    sessions: dict[str, datetime] = field(default_factory=dict)
    nights: dict[tuple[str, date], datetime] = field(default_factory=dict)

    def take_in(self, verdict: Verdict) -> None:
        """Take in the next verdict. Of one in parts, the first says what it was about."""
        at, event = datetime.fromisoformat(verdict.time), verdict.event
        if isinstance(event, SessionRated):
            self._take_in_session(event, at)
        elif isinstance(event, RatingsCorrected | FactNoted) and verdict.answers.part == 1:
            self._take_in_change(event.fact_type, event.data, at)
            if isinstance(event, RatingsCorrected):
                self._take_in_seats(event, at)

    def _take_in_session(self, session: SessionRated, at: datetime) -> None:
        day = date.fromisoformat(session.session_date)
        if day < self.oldest:
            return
        self.nights[session.source, day] = at
        for rated in session.rounds:
            for player_id, games in zip(rated.players, rated.games_before, strict=True):
                if games == 0 and player_id != BOB:
                    self.players[player_id] = at

    def _take_in_change(self, fact_type: str, data: Mapping[str, Any], at: datetime) -> None:
        """Take in who may be rated first by another session than before, or by none."""
        if fact_type == SessionsVoided.TYPE:
            self.sessions |= dict.fromkeys(data.get("session_ids", ()), at)
        elif fact_type == SessionCorrected.TYPE:
            self.sessions |= dict.fromkeys(_texts_in(data, "corrects"), at)
        elif fact_type == SeatsReassigned.TYPE:
            self.players |= dict.fromkeys(_texts_in(data, "from", "to"), at)
        elif fact_type in {PlayersMerged.TYPE, PlayersUnmerged.TYPE}:
            ids = _texts_in(data, "player_id", "into", "merged_into")
            self.players |= dict.fromkeys(ids, at)

    def _take_in_seats(self, event: RatingsCorrected, at: datetime) -> None:
        if event.session is not None:
            self.sessions[event.session.session_id] = at
        for seats in event.reseated or ():
            self.players |= dict.fromkeys((*seats.was, *seats.now), at)


def _texts_in(data: Mapping[str, Any], *names: str) -> list[str]:
    return [data[name] for name in names if isinstance(data.get(name), str)]
