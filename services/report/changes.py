"""Gathers what became of sessions and players, so that a second reading knows what counts. Pure."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal, TypeAlias

from services.report.heads import VerdictHead, head_of
from shared.events.codec import Verdict, decode_verdict, fact_answered
from shared.events.facts import (
    FormulaAdopted,
    FormulaAdoptedFromBeginning,
    PlayersMerged,
    PlayersUnmerged,
    PlayerVerificationEnded,
    PlayerVerified,
    SeatsReassigned,
    SessionCorrected,
    SessionsVoided,
)
from shared.events.verdicts import FactNoted, RatingsCorrected

EndKind: TypeAlias = Literal["voided", "corrected"]
# A record of the log adopts the first formula; there is nothing yet to try it on.
FOUNDING: Final = 1


@dataclass(frozen=True, slots=True)
class EndOfSession:
    """How and when a session ended, and whether that was in the year."""

    kind: EndKind
    time: datetime
    is_in_year: bool


@dataclass(frozen=True, slots=True)
class MergedInYear:
    """A merge of two players in the year, and when."""

    player_id: str
    into: str
    time: datetime


@dataclass(frozen=True, slots=True)
class AdoptedInYear:
    """A formula that was adopted in the year, and by which fact."""

    formula: str
    fact_seq: int
    day: str
    since: Literal["now", "beginning"]


@dataclass(slots=True)
class Changes:
    """What verdicts on anything but new sessions say, up to the end of a year.

    The clock of a service can be put back, so a year is what lies between two places of the log:
    it begins with the `first` verdict of a time in it, and ends with the `last` before any later.
    `corrects` leads from a session to the one that it corrects; `links` from a player to the one
    whom it is merged into at the end; `reseated` says who sits where in a session (by its id, round
    from 1 and seat from 0) since seats were reassigned.
    """

    year: int
    first: int = 0
    first_fact: int = 0
    last: int = 0
    last_fact: int = 0
    last_time: str = ""
    is_over: bool = False
    ended: dict[str, EndOfSession] = field(default_factory=dict)
    corrects: dict[str, str] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    verified: set[str] = field(default_factory=set)
    merged: list[MergedInYear] = field(default_factory=list)
    adopted: list[AdoptedInYear] = field(default_factory=list)
    reseated: dict[tuple[str, int, int], str] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)

    def take_in(self, seq: int, body: bytes) -> None:
        """Take in the next verdict. Nothing after the year is taken in."""
        head = head_of(body)
        self.is_over = self.is_over or head.year > self.year
        if self.is_over:
            return
        self.last, self.last_time = seq, head.time
        self.last_fact = fact_answered(body)
        if self.first == 0 and head.year == self.year:
            self.first, self.first_fact = seq, self.last_fact
        if not head.is_session:
            self._take_in_change(decode_verdict(body), head)

    def holds(self, seq: int) -> bool:
        """Return whether a verdict belongs to the year, once everything was taken in."""
        return self.first <= seq <= self.last

    def survivor(self, player_id: str) -> str:
        """Return which player this one counts as at the end."""
        while player_id in self.links:
            player_id = self.links[player_id]
        return player_id

    def _take_in_change(self, verdict: Verdict, head: VerdictHead) -> None:
        event = verdict.event
        if isinstance(event, FactNoted | RatingsCorrected) and verdict.answers.part == 1:
            change = _Change(event.data, event, verdict.answers.fact_seq, head.time)
            self._take[event.fact_type](change)

    @property
    def _take(self) -> Mapping[str, "Callable[[_Change], None]"]:
        return {
            SessionsVoided.TYPE: self._void,
            SessionCorrected.TYPE: self._correct,
            PlayersMerged.TYPE: self._merge,
            PlayersUnmerged.TYPE: self._unmerge,
            PlayerVerified.TYPE: self._verify,
            PlayerVerificationEnded.TYPE: self._end_verification,
            SeatsReassigned.TYPE: self._reseat,
            FormulaAdopted.TYPE: self._adopt,
            FormulaAdoptedFromBeginning.TYPE: self._adopt,
        }

    def _void(self, change: "_Change") -> None:
        for session_id in change.data["session_ids"]:
            self._end(session_id, "voided", change)

    def _correct(self, change: "_Change") -> None:
        assert isinstance(change.event, RatingsCorrected)
        assert change.event.session is not None, "A correction has a new session."
        corrects = change.data["corrects"]
        self.corrects[change.event.session.session_id] = corrects
        self._end(corrects, "corrected", change)

    def _end(self, session_id: str, kind: EndKind, change: "_Change") -> None:
        if session_id not in self.ended:
            is_in_year = self.first > 0
            self.ended[session_id] = EndOfSession(
                kind, datetime.fromisoformat(change.time), is_in_year
            )

    def _merge(self, change: "_Change") -> None:
        player_id, into = change.data["player_id"], change.data["into"]
        self.links[player_id] = into
        if self.first:
            time = datetime.fromisoformat(change.time)
            self.merged.append(MergedInYear(player_id, into, time))

    def _unmerge(self, change: "_Change") -> None:
        self.links.pop(change.data["player_id"], None)
        self.counts["unmerged"] += self.first > 0

    def _verify(self, change: "_Change") -> None:
        self.verified.add(change.data["player_id"])

    def _end_verification(self, change: "_Change") -> None:
        self.verified.discard(change.data["player_id"])

    def _reseat(self, change: "_Change") -> None:
        assert isinstance(change.event, RatingsCorrected)
        for session in change.event.reseated or ():
            places = zip(session.round_numbers, session.seats, session.now, strict=True)
            for number, seat, player_id in places:
                self.reseated[session.session_id, number, seat] = player_id
            self.counts["reseated"] += self.first > 0

    def _adopt(self, change: "_Change") -> None:
        if self.first and change.fact_seq != FOUNDING:
            since: Literal["now", "beginning"] = (
                "beginning" if isinstance(change.event, RatingsCorrected) else "now"
            )
            self.adopted.append(
                AdoptedInYear(change.data["formula"], change.fact_seq, change.time[:10], since)
            )


@dataclass(frozen=True, slots=True)
class _Change:
    data: Any
    event: FactNoted | RatingsCorrected
    fact_seq: int
    time: str
