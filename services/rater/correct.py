"""Works out what a fact about the past changes: the history is replayed from where it was touched.

The ratings after it are those of a replay of the history as it now is; nothing is subtracted.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from services.rater.state import State
from shared.events.facts import SeatsReassigned, SessionCorrected, SessionSubmitted
from shared.events.verdicts import FactRefused, RatingsCorrected, ReseatedSession, SessionRated
from shared.rating.columns import Standings
from shared.rating.kernel_loop import GAMES, RATING, VERIFIED
from shared.replay.chronicle import Chronicle, FactAboutThePast
from shared.replay.merges import root
from shared.replay.possible import ImpossibleFact
from shared.replay.replay import Checkpoint, Replay
from shared.replay.session_rating import Standing, rate_session

PART_PLAYERS_MAX: Final = 5_000


class Checkpoints(Protocol):
    """Standings that were kept along the way, so that a replay need not begin at the beginning."""

    def newest(self, place: int) -> Checkpoint | None:
        """Return the newest one that is not beyond a place, if there is one."""
        ...

    def drop_beyond(self, place: int) -> None:
        """Drop everything beyond a place for good: what it holds never happened."""
        ...

    def worth_keeping(self, start: int, end: int) -> Sequence[int]:
        """Return the places from `start` to `end`, in order, where the next ones should be."""
        ...

    def keep(self, checkpoint: Checkpoint) -> None:
        """Keep one; its standings may be changed afterward."""
        ...


class NoCheckpoints:
    """No checkpoints at all: every replay begins at the beginning."""

    def newest(self, place: int) -> None:
        """Return nothing."""

    def drop_beyond(self, place: int) -> None:
        """Drop nothing."""

    def worth_keeping(self, start: int, end: int) -> Sequence[int]:  # noqa: ARG002
        return ()

    def keep(self, checkpoint: Checkpoint) -> None:
        """Keep nothing."""


@dataclass(frozen=True, slots=True)
class PastVerdict:
    """What a fact about the past changed: the players moved, in the order in which they are shown.

    `before` and `after` int64[n,4] hold their numbers as in Standings. `session` is the new session
    of a correction, as rated in its place; `reseated` are the seats that a fact reassigned.
    """

    fact: FactAboutThePast
    session: SessionRated | None
    reseated: tuple[ReseatedSession, ...] | None
    chronicle: Chronicle
    moved: NDArray[np.int64]
    before: NDArray[np.int64]
    after: NDArray[np.int64]

    @property
    def parts(self) -> int:
        """How many parts the verdict has; one if no one moved."""
        return max(1, -(-len(self.moved) // PART_PLAYERS_MAX))

    def part(self, number: int) -> RatingsCorrected:
        """Return part 1, 2 ... of the verdict."""
        rows = slice((number - 1) * PART_PLAYERS_MAX, number * PART_PLAYERS_MAX)
        before, after = self.before[rows], self.after[rows]
        is_first = number == 1
        return RatingsCorrected(
            fact_type=self.fact.TYPE,
            data=_told(self.fact) if is_first else {},
            session=self.session if is_first else None,
            moved=len(self.moved),
            players=tuple(self.chronicle.player_ids(self.moved[rows])),
            rating_before=_plain(before[:, RATING]),
            rating_change=_plain(after[:, RATING] - before[:, RATING]),
            games_before=_plain(before[:, GAMES]),
            games_after=_plain(after[:, GAMES]),
            verified_rating_before=_plain(before[:, VERIFIED + RATING]),
            verified_rating_change=_plain(
                after[:, VERIFIED + RATING] - before[:, VERIFIED + RATING]
            ),
            verified_games_before=_plain(before[:, VERIFIED + GAMES]),
            verified_games_after=_plain(after[:, VERIFIED + GAMES]),
            reseated=self.reseated if is_first else None,
        )


def correct(
    state: State,
    seq: int,
    fact: FactAboutThePast,
    checkpoints: Checkpoints,
    check_stopped: Callable[[], None] = lambda: None,
) -> PastVerdict | FactRefused:
    """Apply fact `seq` and return what it changed; an impossible one changes nothing.

    `check_stopped` is called now and then; if it raises, the state can no longer be used. Raises
    UnknownFormula or FormulaDiffers, and then nothing is changed.
    """
    chronicle = state.chronicle
    held, links = state.standings, dict(chronicle.links)
    try:
        chronicle.take_in(seq, fact)
    except ImpossibleFact as error:
        return FactRefused(error.reason, error.session_id)
    before = held.grown(chronicle.players)
    after, session = _rerated(
        chronicle, seq, fact, before, checkpoints=checkpoints, check_stopped=check_stopped
    )
    concerned = [
        root(each, player)
        for player in chronicle.session_players(seq).tolist()
        for each in (links, chronicle.links)
    ]
    moved = _in_order(before.numbers, after.numbers, concerned)
    state.put(after)
    return PastVerdict(
        fact,
        session,
        chronicle.reseated(seq, fact) if isinstance(fact, SeatsReassigned) else None,
        chronicle,
        moved,
        before.numbers[moved],
        after.numbers[moved],
    )


def _rerated(
    chronicle: Chronicle,
    seq: int,
    fact: FactAboutThePast,
    before: Standings,
    *,
    checkpoints: Checkpoints,
    check_stopped: Callable[[], None],
) -> tuple[Standings, SessionRated | None]:
    """Return everyone's standing after the fact, and the session that it brings as rated."""
    place = chronicle.first_place(seq)
    if place >= seq:
        return before, None
    checkpoints.drop_beyond(place)
    replay = Replay(chronicle, seq, checkpoints.newest(place))
    worth_keeping = checkpoints.worth_keeping(replay.place, seq)
    session = None
    for stop in sorted({*worth_keeping, place, seq + 1}):
        for _ in replay.stretches(stop):
            check_stopped()
        if stop == place and isinstance(fact, SessionCorrected):
            session = _rated_in_place(chronicle, replay, fact.session)
        if stop in worth_keeping:
            checkpoints.keep(Checkpoint(replay.place, replay.standings))
    return replay.standings, session


def _rated_in_place(
    chronicle: Chronicle, replay: Replay, session: SessionSubmitted
) -> SessionRated:
    """Rate a session by the readable formula, from everyone's standing at this point."""
    standings = replay.standings

    def standing(player_id: str) -> Standing:
        index = chronicle.player_index(player_id)
        rating_centi, games, verified_rating_centi, verified_games = standings.numbers[
            index
        ].tolist()
        return Standing(
            rating_centi,
            games,
            verified_rating_centi,
            verified_games,
            is_verified=bool(standings.verified_members[index]),
        )

    return rate_session(session, replay.formula_at(replay.place), standing, chronicle.read_as)


def _in_order(
    before: NDArray[np.int64], after: NDArray[np.int64], concerned: Sequence[int]
) -> NDArray[np.int64]:
    """Return the players a fact moved: first those it is about, then those it moved most.

    Among equals, the player who appeared first on the log comes first.
    """
    moved = np.flatnonzero((before != after).any(axis=1))
    is_concerned = np.zeros(len(after), np.bool_)
    is_concerned[np.array(concerned, np.int64)] = True
    by = np.abs(after[moved] - before[moved])
    keys = (-by[:, VERIFIED + RATING], -by[:, RATING], ~is_concerned[moved])
    return moved[np.lexsort(keys)]


def _told(fact: FactAboutThePast) -> dict[str, Any]:
    """Return the data of a fact without the session that it brings."""
    data = fact.to_json()
    data.pop("session", None)
    return data


def _plain(column: NDArray[np.int64]) -> tuple[int, ...]:
    return tuple(column.tolist())
