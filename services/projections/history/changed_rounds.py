"""Reads facts into columns, and finds a player's rounds that a correction gave new numbers."""

from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from services.projections.history.entries import Pool, ReplayedNumbers, ReplayedRound
from shared.events.codec import decode_facts
from shared.events.facts import session_of
from shared.log.port import Position, Record
from shared.rating import kernel
from shared.replay.chronicle import Chronicle
from shared.replay.files import StoredColumns
from shared.replay.replay import Checkpoint, Replay, Stretch

# How much of a replay is recorded at once, at 260 bytes a round.
ROUNDS_RECORDED_MAX: Final = 50_000

# A round of a player: the place of its session, and the numbers in both pools.
_Told: TypeAlias = tuple[int, ReplayedNumbers]
# A round: the fact that brought it, and its number there.
_Round: TypeAlias = tuple[int, int]
_Played: TypeAlias = dict[_Round, _Told]


class ReadHistory:
    """The facts up to a position in columns, and replays. It holds `recorded_max` rounds of them.

    Only one thread at a time may use it. Another may say that everyone has left.
    """

    def __init__(self, beginning: Position, recorded_max: int = ROUNDS_RECORDED_MAX) -> None:
        self.position = beginning
        self._recorded_max = recorded_max
        self._chronicle = Chronicle(StoredColumns())
        self.rounds = 0
        self.is_left = False

    def take_in(self, records: Sequence[Record]) -> None:
        """Take in the next facts, at least one, except those that the rater refuses."""
        read = decode_facts((record.seq, record.body) for record in records)
        facts = [(seq, fact.event) for seq, fact in read]
        refused = self._chronicle.take_in_all(facts)
        for seq, event in facts:
            session = session_of(event)
            if session is not None and seq not in refused:
                self.rounds += len(session.rounds)
        self.position = Position(self.position.log_id, records[-1].seq, records[-1].chain)

    def changed_rounds(self, player_id: str, fact_seq: int) -> Sequence[ReplayedRound]:
        """Replay the history without and with a correction, and compare a player's rounds."""
        player = self._chronicle.find_player(player_id)
        if player is None:
            return ()
        place = self._chronicle.first_place(fact_seq)
        # Up to the first place that the correction touches, the history is the same.
        common = Replay(self._chronicle, fact_seq - 1)
        for _ in self._stretches(common, place, is_recorded=False):
            pass
        start = common.checkpoint()
        before = self._rounds_of(player, fact_seq - 1, start)
        after = self._rounds_of(player, fact_seq, start)
        changed = {
            which: (before.get(which) or after[which])[0]
            for which in before.keys() | after.keys()
            if before.get(which) != after.get(which)
        }
        return [
            _changed(which, before.get(which), after.get(which))
            for which in sorted(changed, key=lambda which: (changed[which], which))
        ]

    def _rounds_of(self, player: int, as_of: int, start: Checkpoint) -> _Played:
        """Replay the rest of a history, and return the player's rounds in it."""
        replay = Replay(self._chronicle, as_of, start)
        seats = _seats_of(player, replay.history.survivor, replay.history.rounds.players)
        played: dict[int, _Told] = {}
        for stretch in self._stretches(replay, as_of + 1, is_recorded=True):
            _take_in(stretch, replay.history.sessions, seats, played)
        # A round of a reseated session has another row, and is the same round.
        return {self._chronicle.told_round(row): told for row, told in played.items()}

    def _stretches(self, replay: Replay, place: int, *, is_recorded: bool) -> Iterator[Stretch]:
        """Rate up to a place in stretches with small records, unless everyone has left."""
        sessions = replay.history.sessions
        rounds = (sessions.round_to - sessions.round_from).cumsum()
        total = int(rounds[-1]) if len(rounds) else 0
        steps = range(self._recorded_max, total, self._recorded_max)
        stops = sessions.place[np.searchsorted(rounds, steps)].tolist()
        for stop in [*(each for each in stops if each < place), place]:
            for stretch in replay.stretches(stop, is_recorded=is_recorded):
                yield stretch
                if self.is_left:
                    raise _EveryoneLeft


class _EveryoneLeft(Exception):
    """The service is stopping."""


def _seats_of(
    player: int, survivor: NDArray[np.int32], players: NDArray[np.int32]
) -> NDArray[np.int8]:
    """Return the player's seat in each round ever played, or -1 for none."""
    members = np.flatnonzero(survivor == player)
    is_there = np.isin(players, members)
    return np.where(is_there.any(axis=1), is_there.argmax(axis=1), -1).astype(np.int8)


def _take_in(
    stretch: Stretch,
    sessions: kernel.Sessions,
    seats: NDArray[np.int8],
    played: dict[int, _Told],
) -> None:
    """Record what a stretch did to the player."""
    assert stretch.record is not None
    numbers = stretch.record.numbers
    rated = slice(stretch.session_from, stretch.session_to)
    begins, ends = sessions.round_from[rated], sessions.round_to[rated]
    lengths = ends - begins
    # The row of each round, and the place of its session, in rating order.
    first = np.repeat(begins - np.concatenate(([0], lengths.cumsum()[:-1])), lengths)
    rows = first + np.arange(len(first))
    places = np.repeat(sessions.place[rated], lengths)
    for at in np.flatnonzero(seats[rows] >= 0).tolist():
        row = int(rows[at])
        told = numbers[at, seats[row]].tolist()
        played[row] = (int(places[at]), ReplayedNumbers(_pool(told[:4]), _pool(told[4:])))


def _changed(which: _Round, before: _Told | None, after: _Told | None) -> ReplayedRound:
    fact_seq, round_no = which
    return ReplayedRound(
        fact_seq=fact_seq,
        round_no=round_no,
        before=None if before is None else before[1],
        after=None if after is None else after[1],
    )


def _pool(numbers: Sequence[int]) -> Pool:
    rating_before, games_before, rating_change, games_after = numbers
    return Pool(rating_before, rating_change, games_before, games_after)
