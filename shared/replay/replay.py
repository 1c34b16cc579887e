"""Rates the history as of a fact, from its beginning or from any place where an earlier run
stopped."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from shared.rating.columns import RatingRecord, Standings
from shared.rating.kernel import apply_events, loop_for, rate
from shared.rating.registry import Formula
from shared.replay.chronicle import Chronicle

# This many rounds, or one session, are rated between two checks whether to go on: a few
# milliseconds of work, or half a second if nothing is compiled.
STRETCH_ROUNDS: Final = 25_000


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Everyone's standing at a place in the history, before what happened there.

    It is valid for a history as of any fact, as long as nothing before the place was changed.
    """

    place: int
    standings: Standings


@dataclass(frozen=True, slots=True)
class Stretch:
    """Sessions that were just rated: from index `session_from` up to `session_to` of the history.

    `record` has a row for each of their rounds in order, if it was asked for.
    """

    session_from: int
    session_to: int
    formula: Formula
    record: RatingRecord | None


class Replay:
    """A replay under way: `standings` is everyone's standing at `place`.

    Every session and verification before the place has been applied, and nothing after it. With a
    `formula`, everything is rated by that one, whatever was adopted.
    """

    def __init__(
        self,
        chronicle: Chronicle,
        as_of: int,
        start: Checkpoint | None = None,
        *,
        formula: Formula | None = None,
    ) -> None:
        self.place = 0 if start is None else start.place
        history = chronicle.history(as_of, self.place)
        adopted = history.adopted if formula is None else ((0, formula),)
        self.history = replace(history, adopted=adopted)
        newcomers = Standings.of_newcomers(1)
        standings = newcomers if start is None else start.standings
        self.standings = standings.grown(chronicle.players)
        self.session = 0
        self._event = int(np.searchsorted(self.history.events.place, self.place))
        sessions = self.history.sessions
        self._loop = loop_for(int((sessions.round_to - sessions.round_from).sum()))

    def checkpoint(self) -> Checkpoint:
        """Return everyone's standing at the place, in its own memory."""
        return Checkpoint(self.place, self.standings.copy())

    def run_to(self, place: int) -> None:
        """Rate everything before a place."""
        for _ in self.stretches(place):
            pass

    def stretches(self, place: int, *, is_recorded: bool = False) -> Iterator[Stretch]:
        """Rate everything before a place, and stop now and then to report what was rated.

        The caller may look at the standings, and may stop for good.
        """
        sessions = self.history.sessions
        end = int(np.searchsorted(sessions.place, place))
        while self.session < end:
            here = int(sessions.place[self.session])
            change = int(np.searchsorted(sessions.place, self._next_adoption(here)))
            session_to = self._stretch_end(min(end, change))
            formula = self.formula_at(here)
            yield self._rate(session_to, formula, is_recorded)
        self._event = apply_events(
            self.history.events, self._event, place, self.history.survivor, self.standings
        )
        self.place = place

    def _stretch_end(self, end: int) -> int:
        """Return up to which session to rate at once, at most up to `end`."""
        sessions = self.history.sessions
        rows = slice(self.session, min(end, self.session + STRETCH_ROUNDS))
        rounds = np.cumsum(sessions.round_to[rows] - sessions.round_from[rows])
        within = int(np.searchsorted(rounds, STRETCH_ROUNDS, side="right"))
        return self.session + max(1, within)

    def _rate(self, session_to: int, formula: Formula, is_recorded: bool) -> Stretch:
        sessions = self.history.sessions
        rows = slice(self.session, session_to)
        rounds = int((sessions.round_to[rows] - sessions.round_from[rows]).sum())
        record = RatingRecord.of_rounds(rounds) if is_recorded else None
        self._event = rate(
            self.history.rounds,
            sessions,
            self.history.events,
            self.standings,
            formula.rules,
            session_from=self.session,
            session_to=session_to,
            event_from=self._event,
            survivor=self.history.survivor,
            record=record,
            loop=self._loop,
        )
        stretch = Stretch(self.session, session_to, formula, record)
        self.session = session_to
        self.place = int(sessions.place[session_to - 1]) + 1
        return stretch

    def formula_at(self, place: int) -> Formula:
        holding = [formula for since, formula in self.history.adopted if since <= place]
        assert holding, "The first record of every log adopts a formula."
        return holding[-1]

    def _next_adoption(self, place: int) -> int:
        """Return the next place from which another formula applies."""
        later = [since for since, _ in self.history.adopted if since > place]
        return min(later, default=self.history.as_of + 1)


def rate_as_of(chronicle: Chronicle, as_of: int, start: Checkpoint | None = None) -> Standings:
    """Return everyone's standing after fact `as_of`."""
    replay = Replay(chronicle, as_of, start)
    replay.run_to(as_of + 1)
    return replay.standings
