"""Counts a year by reading the verdicts a second time, in order. Pure.

What it holds grows with the players and with what was changed, never with the sessions.
"""

from array import array
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from services.report.changes import Changes
from services.report.heads import head_of
from services.report.predicted import PlayedSeat, Predicted
from shared.events.codec import Verdict, decode_verdict
from shared.events.verdicts import RatedRound, RatingsCorrected, SessionRated
from shared.ids import BOB
from shared.rating.registry import START_CENTI, formula_named
from shared.replay.columns import Columns
from shared.replay.players import Players

ANONYMOUS: Final = "AN-"
MONTHS: Final = 12


@dataclass(slots=True)
class Volume:
    """How much was played."""

    sessions: int = 0
    rounds: int = 0
    games: int = 0

    def add(self, session: SessionRated) -> None:
        self.sessions += 1
        self.rounds += len(session.rounds)
        self.games += sum(played.games_played for played in session.rounds)


@dataclass(frozen=True, slots=True)
class Mean:
    """The ratings of everyone rated, added up; `month` is 0 for how the year began."""

    month: int
    players: int
    sum_centi: int


class People:
    """Where everyone stands after the last verdict that was taken in; an index for each id."""

    def __init__(self, columns: Columns) -> None:
        self._ids = Players(columns)
        self.index = self._ids.add
        self._rating = array("q", [START_CENTI])  # The first one is Bob.
        self._games = array("q", [0])
        self.rated = 0
        self.sum_centi = 0

    def __len__(self) -> int:
        return len(self._games)

    def id_of(self, index: int) -> str:
        return self._ids[index]

    def is_rated(self, index: int) -> bool:
        return self._games[index] > 0

    def put(self, player_id: str, rating_centi: int, games: int) -> None:
        """Note where a player stands now."""
        index = self.index(player_id)
        while len(self._games) <= index:
            self._rating.append(START_CENTI)
            self._games.append(0)
        for sign in (-1, 1):
            if self._games[index] > 0:
                self.rated += sign
                self.sum_centi += sign * self._rating[index]
            self._rating[index], self._games[index] = rating_centi, games


@dataclass(slots=True)
class YearTally:
    """What is counted of a year; `by_type` and `by_source` are sessions that count at its end.

    `came_at` says when sessions and players came that the changes name.
    """

    changes: Changes
    people: People
    predicted: Predicted = field(default_factory=Predicted)
    by_type: dict[str, Volume] = field(default_factory=dict)
    by_source: dict[str, Volume] = field(default_factory=dict)
    means: list[Mean] = field(default_factory=list)
    formulas: set[str] = field(default_factory=set)
    came_at: dict[str, datetime] = field(default_factory=dict)
    rated_before: set[str] = field(default_factory=set)
    played: set[str] = field(default_factory=set)
    _place: dict[str, int] = field(default_factory=dict)
    _wanted: frozenset[str] = frozenset()
    _reseated: frozenset[str] = frozenset()
    _month: int = 0

    def __post_init__(self) -> None:
        merges = self.changes.merged
        asked = [*self.changes.ended, *(m.player_id for m in merges), *(m.into for m in merges)]
        self._wanted = frozenset(asked)
        self._reseated = frozenset(session_id for session_id, _, _ in self.changes.reseated)

    def take_in(self, seq: int, body: bytes) -> None:
        """Take in the next verdict, of those up to the end of the year."""
        if seq == self.changes.first:
            self._begin()
        head = head_of(body)
        if self.changes.holds(seq) and head.year == self.changes.year:
            self._go_on_to(int(head.time[5:7]))
        verdict = decode_verdict(body)
        event = verdict.event
        if isinstance(event, SessionRated):
            self._note_came(verdict, event.session_id, *event.new_players)
            self._take_in_session(seq, verdict, event)
            for played in event.rounds:
                self._stand_after(played)
        elif isinstance(event, RatingsCorrected):
            self._note_came(verdict, *event.players)
            if event.session is not None:
                self._note_came(verdict, event.session.session_id, *event.session.new_players)
                self._take_in_session(seq, verdict, event.session)
            self._stand_after(event)

    def finish(self, *, is_whole: bool) -> None:
        """End the counting: after the last day of the year, or with the last verdict so far."""
        self._go_on_to(MONTHS + 1 if is_whole else self._month + 1)
        self.predicted.finish()

    def _begin(self) -> None:
        """Note how the year begins, before its first verdict."""
        everyone = range(1, len(self.people))
        rated = (self.people.id_of(each) for each in everyone if self.people.is_rated(each))
        self.rated_before = {self.changes.survivor(each) for each in rated}
        self._note_mean(0)
        self._month = 1

    def _go_on_to(self, month: int) -> None:
        """Note the mean at the end of each month that is over."""
        while self._month < month:
            self._note_mean(self._month)
            self._month += 1

    def _note_mean(self, month: int) -> None:
        self.means.append(Mean(month, self.people.rated, self.people.sum_centi))

    def _note_came(self, verdict: Verdict, *names: str) -> None:
        for name in self._wanted.intersection(names):
            self.came_at.setdefault(name, datetime.fromisoformat(verdict.time))

    def _take_in_session(self, seq: int, verdict: Verdict, session: SessionRated) -> None:
        """Count a session, if its place is in the year and it still counts at the end."""
        corrects = self.changes.corrects.get(session.session_id)
        place = seq if corrects is None else self._place[corrects]
        is_ended = session.session_id in self.changes.ended
        if is_ended:
            self._place[session.session_id] = place
        if is_ended or not self.changes.holds(place):
            return
        self.by_type.setdefault(session.game_type, Volume()).add(session)
        self.by_source.setdefault(session.source, Volume()).add(session)
        formula = verdict.answers.formula
        self.formulas.add(formula)
        scale = formula_named(formula).rules.scale_centi
        is_reseated = session.session_id in self._reseated
        for number, played in enumerate(session.rounds, start=1):
            ids = self._seated(session.session_id, number, played)
            self.played.update(self.changes.survivor(each) for each in ids if each != BOB)
            if not is_reseated:
                self.predicted.add(self._seats(played), scale)

    def _seated(self, session_id: str, number: int, played: RatedRound) -> list[str]:
        """Return who sits in a round at the end of the year, by the ids on the facts."""
        ids = played.played_as or played.players
        moved = self.changes.reseated
        return [moved.get((session_id, number, seat), each) for seat, each in enumerate(ids)]

    def _seats(self, played: RatedRound) -> list[PlayedSeat]:
        seats = zip(
            played.players,
            played.rating_before,
            played.games_before,
            played.mahjongs,
            strict=True,
        )
        return [
            PlayedSeat(self.people.index(each[0]), *each[1:]) for each in seats if each[0] != BOB
        ]

    def _stand_after(self, moved: RatedRound | RatingsCorrected) -> None:
        after = zip(
            moved.players,
            moved.rating_before,
            moved.rating_change,
            moved.games_after,
            strict=True,
        )
        for player_id, before, change, games in after:
            if player_id != BOB:
                self.people.put(player_id, before + change, games)
