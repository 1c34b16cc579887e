"""Finds the rounds of a player that a correction gave other numbers, by replaying the facts.

The facts are read into columns when somebody first asks, and again from there on when somebody asks
for more. All of it is a cache: it is kept while the rounds are not too many, and thrown away else.
"""

import asyncio
from array import array
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import structlog
from numpy.typing import NDArray

from services.projections.history.entries import Pool
from shared.errors import MahjicError
from shared.events.codec import decode_fact
from shared.events.facts import SessionCorrected, SessionSubmitted
from shared.events.fields import UnreadableRecord
from shared.http.problems import LogUnavailable
from shared.log.port import HistorySplit, Log, LogAway, LogGap, Position, Record
from shared.rating import kernel
from shared.replay.chronicle import Chronicle
from shared.replay.files import Columns
from shared.replay.possible import ImpossibleFact
from shared.replay.replay import Checkpoint, Replay, Stretch

# What a request waits for before it is told to come again; the work goes on meanwhile.
WAIT_S_MAX: Final = 2.0
RETRY_AFTER_S: Final = 2
# One is worked on at a time. So many wait for it: more would not be answered soon anyway.
ASKED_MAX: Final = 8
# Answers never change, and pages of one are asked for one after the other. All these rounds take
# 50 MB.
ANSWERS_MAX: Final = 256
KEPT_ROUNDS_MAX: Final = 100_000
FACTS_MAX: Final = 500
# What is recorded at once of a replay; 260 bytes a round.
ROUNDS_RECORDED_MAX: Final = 50_000

_log = structlog.get_logger(__name__)

# The player in a change, and the fact of the correction.
Asked: TypeAlias = tuple[str, int]
# A round of a player: the place of its session, and the numbers in both pools.
_Told: TypeAlias = tuple[int, "RoundNumbers"]
# Those rounds by their rows.
_Played: TypeAlias = dict[int, _Told]


class BeingComputed(MahjicError):
    """The answer takes a replay of the history, which is not done yet."""

    code = "being_computed"
    title = "The answer is being computed"
    status = 503

    def __init__(self) -> None:
        super().__init__(
            "The rounds that the correction changed are found by replaying the history, which is "
            f"not done yet. Ask again in {RETRY_AFTER_S} s.",
            headers={"Retry-After": str(RETRY_AFTER_S)},
        )


@dataclass(frozen=True, slots=True)
class RoundNumbers:
    """What a round did to a player by one history."""

    mahjic: Pool
    verified: Pool


@dataclass(frozen=True, slots=True)
class ChangedRound:
    """A round, by the fact of its session, and its numbers before and after a correction.

    They are None where it was no round of the player's.
    """

    fact_seq: int
    round_no: int
    before: RoundNumbers | None
    after: RoundNumbers | None


class Replays:
    """The facts as far as they were read, and what was found by replaying them.

    A history of more than `rounds_max` rounds is not kept. Of a replay `recorded_max` rounds are
    held at once, and `answers_max` answers are remembered.
    """

    def __init__(
        self,
        facts: Log,
        *,
        rounds_max: int,
        wait_s_max: float = WAIT_S_MAX,
        recorded_max: int = ROUNDS_RECORDED_MAX,
        answers_max: int = ANSWERS_MAX,
    ) -> None:
        self._facts = facts
        self._rounds_max = rounds_max
        self._wait_s_max = wait_s_max
        self._recorded_max = recorded_max
        self._answers_max = answers_max
        self._history: _ReadHistory | None = None
        self._is_too_long = False
        self._turn = asyncio.Lock()
        self._running: dict[Asked, asyncio.Task[Sequence[ChangedRound] | None]] = {}
        self._kept: OrderedDict[Asked, Sequence[ChangedRound]] = OrderedDict()

    async def changed_rounds(self, player_id: str, fact_seq: int) -> Sequence[ChangedRound] | None:
        """Return the rounds of a player that a correction gave other numbers, in order of place.

        None when the history is too long for it. Raises BeingComputed when that takes longer than a
        request may wait, and LogUnavailable.
        """
        asked = (player_id, fact_seq)
        if asked in self._kept:
            self._kept.move_to_end(asked)
            return self._kept[asked]
        if self._is_too_long:
            return None
        task = self._running.get(asked) or self._begin(asked)
        # Whoever asks may leave, and the work goes on for the next one.
        await asyncio.wait([task], timeout=self._wait_s_max)
        if not task.done():
            raise BeingComputed
        return task.result()

    def _begin(self, asked: Asked) -> asyncio.Task[Sequence[ChangedRound] | None]:
        if len(self._running) >= ASKED_MAX:
            raise BeingComputed
        task = self._running[asked] = asyncio.create_task(self._find(asked))

        def end(task: asyncio.Task[Sequence[ChangedRound] | None]) -> None:
            del self._running[asked]
            # Whoever asked may be gone by now, and would not hear of it.
            if not task.cancelled() and (error := task.exception()) is not None:
                _log.warning("replay_failed", fact_seq=asked[1], error=type(error).__name__)

        task.add_done_callback(end)
        return task

    async def _find(self, asked: Asked) -> Sequence[ChangedRound] | None:
        async with self._turn:
            history = await self._read_up_to(asked[1])
            if history is None:
                return None
            try:
                # The loop that rates is long. Compiled, it lets go of the interpreter.
                changed = await asyncio.to_thread(history.changed_rounds, *asked)
            except asyncio.CancelledError:
                history.is_left = True  # The service stops, and would wait for the thread.
                raise
        self._keep(asked, changed)
        return changed

    async def _read_up_to(self, fact_seq: int) -> "_ReadHistory | None":
        """Read the facts up to one that was rated; None when there are too many rounds."""
        try:
            history = self._history
            if history is None:
                beginning = await self._facts.beginning()
                history = self._history = _ReadHistory(beginning, self._recorded_max)
            while history.position.seq < fact_seq:
                records = await self._facts.read(history.position, FACTS_MAX)
                if not records:
                    raise BeingComputed  # A database behind the one that the views are in.
                await asyncio.to_thread(history.take_in, records)
                if history.rounds > self._rounds_max:
                    self._history, self._is_too_long = None, True
                    return None
        except LogAway:
            raise LogUnavailable from None
        except (LogGap, HistorySplit):
            # The log was put back to an older state. What is kept here is of no use then.
            self._history = None
            self._kept.clear()
            raise
        return history

    def _keep(self, asked: Asked, changed: Sequence[ChangedRound]) -> None:
        self._kept[asked] = changed
        rounds = sum(map(len, self._kept.values()))
        while len(self._kept) > self._answers_max or (
            rounds > KEPT_ROUNDS_MAX and len(self._kept) > 1
        ):
            _, oldest = self._kept.popitem(last=False)
            rounds -= len(oldest)


class _EverybodyLeft(Exception):
    """The service stops."""


class _ReadHistory:
    """The facts up to a position in columns. One thread at a time may use it."""

    def __init__(self, beginning: Position, recorded_max: int) -> None:
        self.position = beginning
        self._recorded_max = recorded_max
        self._chronicle = Chronicle(Columns())
        # The fact of each session, and where its rounds begin among all of them.
        self._session_facts = array("q")
        self._begins = array("q")
        self.rounds = 0
        self.is_left = False

    def take_in(self, records: Sequence[Record]) -> None:
        """Take in the next facts, but those that the rater refuses."""
        for record in records:
            session = self._take_in_fact(record)
            if session is not None:
                self._session_facts.append(record.seq)
                self._begins.append(self.rounds)
                self.rounds += len(session.rounds)
            self.position = Position(self.position.log_id, record.seq, record.chain)

    def _take_in_fact(self, record: Record) -> SessionSubmitted | None:
        """Take in a fact, and return the session that it brings."""
        try:
            event = decode_fact(record.body).event
            self._chronicle.take_in(record.seq, event)
        except (UnreadableRecord, ImpossibleFact):
            return None
        if isinstance(event, SessionCorrected):
            return event.session
        return event if isinstance(event, SessionSubmitted) else None

    def changed_rounds(self, player_id: str, fact_seq: int) -> Sequence[ChangedRound]:
        """Replay the history without a correction and with it, and compare a player's rounds."""
        player = self._chronicle.find_player(player_id)
        if player is None:
            return ()
        place = self._chronicle.first_place(fact_seq)
        # Up to the first place that the correction touches it is one and the same history.
        common = Replay(self._chronicle, fact_seq - 1)
        for _ in self._stretches(common, place, is_recorded=False):
            pass
        start = common.checkpoint()
        before = self._rounds_of(player, fact_seq - 1, start)
        after = self._rounds_of(player, fact_seq, start)
        rows = {
            row: (before.get(row) or after[row])[0]
            for row in before.keys() | after.keys()
            if before.get(row) != after.get(row)
        }
        return [
            self._changed(row, before.get(row), after.get(row))
            for row in sorted(rows, key=lambda row: (rows[row], row))
        ]

    def _rounds_of(self, player: int, as_of: int, start: Checkpoint) -> _Played:
        """Replay the rest of a history, and return the rounds that are the player's in it."""
        replay = Replay(self._chronicle, as_of, start)
        seats = _seats_of(player, replay.history.survivor, replay.history.rounds.players)
        played: _Played = {}
        for stretch in self._stretches(replay, as_of + 1, is_recorded=True):
            _take_in(stretch, replay.history.sessions, seats, played)
        return played

    def _stretches(self, replay: Replay, place: int, *, is_recorded: bool) -> Iterator[Stretch]:
        """Rate up to a place in stretches whose records are small, unless everybody has left."""
        sessions = replay.history.sessions
        rounds = (sessions.round_to - sessions.round_from).cumsum()
        steps = range(
            ROUNDS_RECORDED_MAX, int(rounds[-1]) if len(rounds) else 0, ROUNDS_RECORDED_MAX
        )
        stops = sessions.place[np.searchsorted(rounds, steps)].tolist()
        for stop in [*(each for each in stops if each < place), place]:
            for stretch in replay.stretches(stop, is_recorded=is_recorded):
                yield stretch
                if self.is_left:
                    raise _EverybodyLeft

    def _changed(self, row: int, before: _Told | None, after: _Told | None) -> ChangedRound:
        session = int(np.searchsorted(np.frombuffer(self._begins, np.int64), row, "right")) - 1
        return ChangedRound(
            fact_seq=self._session_facts[session],
            round_no=row - self._begins[session] + 1,
            before=None if before is None else before[1],
            after=None if after is None else after[1],
        )


def _seats_of(
    player: int, survivor: NDArray[np.int32], players: NDArray[np.int32]
) -> NDArray[np.int8]:
    """Return for each round ever played in which seat the player sits; -1 where in none."""
    members = np.flatnonzero(survivor == player)
    is_there = np.isin(players, members)
    return np.where(is_there.any(axis=1), is_there.argmax(axis=1), -1).astype(np.int8)


def _take_in(
    stretch: Stretch, sessions: kernel.Sessions, seats: NDArray[np.int8], played: _Played
) -> None:
    """Keep what a stretch did to the player."""
    assert stretch.record is not None
    numbers = stretch.record.numbers
    rated = slice(stretch.session_from, stretch.session_to)
    begins, ends = sessions.round_from[rated], sessions.round_to[rated]
    lengths = ends - begins
    # The row of each round, and the place of its session, in the order of rating.
    first = np.repeat(begins - np.concatenate(([0], lengths.cumsum()[:-1])), lengths)
    rows = first + np.arange(len(first))
    places = np.repeat(sessions.place[rated], lengths)
    for at in np.flatnonzero(seats[rows] >= 0).tolist():
        row = int(rows[at])
        told = numbers[at, seats[row]].tolist()
        played[row] = (int(places[at]), RoundNumbers(_pool(told[:4]), _pool(told[4:])))


def _pool(numbers: Sequence[int]) -> Pool:
    rating_before, games_before, rating_change, games_after = numbers
    return Pool(rating_before, rating_change, games_before, games_after)
