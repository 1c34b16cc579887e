"""The formula over columns: rates millions of rounds in a second, equal to formula.py exactly.

The loop is compiled by numba where that is installed (the extra `fast`) and the work is large
enough to wait for it; else the same loop runs as plain Python. Compiled, it releases the
interpreter lock. A player is an index; index 0 is Bob.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cache
from importlib.util import find_spec
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shared.rating import kernel_loop
from shared.rating.expected import expected_table
from shared.rating.formulas import MAHJIC_ELO_1
from shared.rating.kernel_loop import (
    GAMES,
    GAMES_AFTER,
    GAMES_BEFORE,
    RATING,
    RATING_BEFORE,
    RATING_CHANGE,
    RECORDED,
    VERIFIED,
)
from shared.rating.parameters import START_CENTI, Parameters

Whole: TypeAlias = NDArray[np.int64]
Index: TypeAlias = NDArray[np.int32]
Small: TypeAlias = NDArray[np.uint8]

SEATS_MAX: Final = 4
COMPILED_ROUNDS_MIN: Final = 20_000  # Below, plain Python is done before numba is imported.


@dataclass(frozen=True, slots=True)
class Rounds:
    """The rounds ever played, one row each, in any order; sessions name their rows.

    players int32[n,4] (index, -1 for an empty seat; seats are filled from the left), mahjongs
    uint8[n,4], points_centi int32[n,4] (0 where they do not count), games_played, seats and
    points_count uint8[n].
    """

    players: Index
    mahjongs: Small
    points_centi: Index
    games_played: Small
    seats: Small
    points_count: Small

    @classmethod
    def of_rows(cls, rows: int) -> "Rounds":
        """Return so many rounds that nobody played yet."""
        return cls(
            players=np.full((rows, SEATS_MAX), -1, np.int32),
            mahjongs=np.zeros((rows, SEATS_MAX), np.uint8),
            points_centi=np.zeros((rows, SEATS_MAX), np.int32),
            games_played=np.zeros(rows, np.uint8),
            seats=np.zeros(rows, np.uint8),
            points_count=np.zeros(rows, np.uint8),
        )


@dataclass(frozen=True, slots=True)
class Sessions:
    """The sessions to rate, in order of place: rows round_from up to round_to; int64[s] each."""

    place: Whole
    round_from: Whole
    round_to: Whole

    @classmethod
    def of_rows(cls, rows: int) -> "Sessions":
        """Return so many sessions without rounds."""
        return cls(*(np.zeros(rows, np.int64) for _ in fields(cls)))


@dataclass(frozen=True, slots=True)
class Events:
    """The verifications and their ends, in order of place.

    place int64[e], player int32[e] (the one in the fact, merged or not), is_verified uint8[e].
    """

    place: Whole
    player: Index
    is_verified: Small

    @classmethod
    def of_rows(cls, rows: int) -> "Events":
        """Return so many events, all of Bob, to be written over."""
        return cls(np.zeros(rows, np.int64), np.zeros(rows, np.int32), np.zeros(rows, np.uint8))


@dataclass(frozen=True, slots=True)
class Standings:
    """How everybody stands, one row a player; a merged id stands like a newcomer.

    numbers int64[p,4] (rating_centi, games, verified_rating_centi, verified_games, side by side
    because a round needs them together), is_verified uint8[p] (of the id itself), verified_members
    int32[p] (how many of the ids that play as this one are Verified).
    """

    numbers: Whole
    is_verified: Small
    verified_members: Index

    @classmethod
    def of_newcomers(cls, players: int) -> "Standings":
        """Return the standings of `players` people before their first round."""
        numbers = np.zeros((players, 4), np.int64)
        numbers[:, (RATING, VERIFIED + RATING)] = START_CENTI
        return cls(numbers, np.zeros(players, np.uint8), np.zeros(players, np.int32))

    @property
    def rating_centi(self) -> Whole:
        """The mahjic ratings, int64[p]; a view, as the other three are."""
        return self.numbers[:, RATING]

    @property
    def games(self) -> Whole:
        """The games counted in the mahjic pool, int64[p]."""
        return self.numbers[:, GAMES]

    @property
    def verified_rating_centi(self) -> Whole:
        """The verified ratings, int64[p]."""
        return self.numbers[:, VERIFIED + RATING]

    @property
    def verified_games(self) -> Whole:
        """The games counted in the verified pool, int64[p]."""
        return self.numbers[:, VERIFIED + GAMES]

    def copy(self) -> "Standings":
        """Return standings of their own memory."""
        return Standings(*(getattr(self, each.name).copy() for each in fields(self)))

    def grown(self, players: int) -> "Standings":
        """Return a copy for `players` people, of whom the last are newcomers."""
        grown = Standings.of_newcomers(players)
        for each in fields(self):
            column = getattr(self, each.name)
            getattr(grown, each.name)[: len(column)] = column
        return grown


@dataclass(frozen=True, slots=True)
class Record:
    """Every number of the rounds that are rated, one row a round in the order of rating.

    numbers int64[k,4,8] (rating_before, games_before, rating_change and games_after of the mahjic
    pool, then of the verified), is_verified uint8[k,4]. An empty seat keeps what was there before.
    """

    numbers: Whole
    is_verified: Small

    @classmethod
    def of_rounds(cls, rounds: int) -> "Record":
        """Return a record of zeros for so many rounds."""
        return cls(
            np.zeros((rounds, SEATS_MAX, 2 * RECORDED), np.int64),
            np.zeros((rounds, SEATS_MAX), np.uint8),
        )

    @property
    def rating_before(self) -> Whole:
        """The mahjic ratings before the round, int64[k,4]; a view, as the others are."""
        return self.numbers[:, :, RATING_BEFORE]

    @property
    def rating_change(self) -> Whole:
        """The changes of the mahjic ratings, 0 for Bob, int64[k,4]."""
        return self.numbers[:, :, RATING_CHANGE]

    @property
    def games_before(self) -> Whole:
        """The games counted in the mahjic pool before the round, int64[k,4]."""
        return self.numbers[:, :, GAMES_BEFORE]

    @property
    def games_after(self) -> Whole:
        """The games counted in the mahjic pool after the round, int64[k,4]."""
        return self.numbers[:, :, GAMES_AFTER]

    @property
    def verified_rating_before(self) -> Whole:
        """The verified ratings before the round, int64[k,4]."""
        return self.numbers[:, :, RECORDED + RATING_BEFORE]

    @property
    def verified_rating_change(self) -> Whole:
        """The changes of the verified ratings, 0 for who did not count there, int64[k,4]."""
        return self.numbers[:, :, RECORDED + RATING_CHANGE]

    @property
    def verified_games_before(self) -> Whole:
        """The games counted in the verified pool before the round, int64[k,4]."""
        return self.numbers[:, :, RECORDED + GAMES_BEFORE]

    @property
    def verified_games_after(self) -> Whole:
        """The games counted in the verified pool after the round, int64[k,4]."""
        return self.numbers[:, :, RECORDED + GAMES_AFTER]


@dataclass(frozen=True, slots=True)
class Loop:
    """A way to run the loop: the function, and how it takes what it reads and what it writes."""

    replay: Callable[..., int]
    reads: Callable[[NDArray[Any]], Any]
    writes: Callable[[NDArray[Any]], Any]


def _plain(column: NDArray[Any]) -> memoryview:
    """Return the same memory with plain Python numbers in it, which are quicker one by one."""
    return column.data


PLAIN: Final = Loop(kernel_loop.replay, _plain, _plain)


def rate(
    rounds: Rounds,
    sessions: Sessions,
    events: Events,
    standings: Standings,
    rules: Parameters,
    *,
    session_from: int,
    session_to: int,
    event_from: int,
    survivor: Index,
    record: Record | None = None,
    loop: Loop | None = None,
) -> int:
    """Rate the sessions at index session_from up to session_to, and move the standings in place.

    Before each session, the events of lower places act, from index `event_from` on. Returns the
    index of the first event that did not act yet. `survivor` int32[p] says as whom each player
    plays (itself, unless merged). `record` has a row for every round that is rated, or more. The
    loop is chosen by the size of the work unless one is given.
    """
    rows = slice(session_from, session_to)
    rated = int((sessions.round_to[rows] - sessions.round_from[rows]).sum())
    assert 0 <= session_from <= session_to <= len(sessions.place), "There are no such sessions."
    assert len(survivor) == len(standings.numbers), "Survivors and standings differ in players."
    assert record is None or len(record.numbers) >= rated, "The record is too short."
    chosen = loop or loop_for(rated)
    reads, writes = chosen.reads, chosen.writes
    return chosen.replay(
        kernel_loop.RoundColumns(*map(reads, _columns(rounds))),
        kernel_loop.SessionColumns(*map(reads, _columns(sessions))),
        session_from,
        session_to,
        kernel_loop.EventColumns(*map(reads, _columns(events))),
        event_from,
        reads(survivor),
        kernel_loop.StandingColumns(*map(writes, _columns(standings))),
        _rule_columns(rules, reads),
        kernel_loop.RecordColumns(*map(writes, _columns(record or Record.of_rounds(0)))),
        writes(np.zeros((kernel_loop.TABLE_ROWS, SEATS_MAX), np.int64)),
    )


def apply_events(
    events: Events, event_from: int, place: int, survivor: Index, standings: Standings
) -> int:
    """Let the events before `place` act on the standings, as `rate` does before a session there.

    Returns the index of the first event that did not act yet.
    """
    return kernel_loop.apply_events(
        kernel_loop.EventColumns(*map(_plain, _columns(events))),
        event_from,
        place,
        _plain(survivor),
        kernel_loop.StandingColumns(*map(_plain, _columns(standings))),
    )


def loop_for(rounds: int) -> Loop:
    """Return the loop that is done soonest with so many rounds."""
    if rounds >= COMPILED_ROUNDS_MIN and find_spec("numba") is not None:
        return compiled_loop()
    return PLAIN


@cache
def compiled_loop() -> Loop:
    """Return the loop compiled by numba; that takes seconds, or less than one from its cache.

    A cache that cannot be read or written only costs time. Raises ImportError without numba.
    """
    from numba import njit  # noqa: PLC0415 -- It takes half a second, which most commands need not.
    from numba.extending import register_jitable  # noqa: PLC0415

    for helper in kernel_loop.HELPERS:
        register_jitable(helper)
    try:
        return _compiled(njit(nogil=True, cache=True, error_model="numpy"))
    except (OSError, RuntimeError, EOFError):
        return _compiled(njit(nogil=True, error_model="numpy"))


def _compiled(compiler: Callable[[Callable[..., int]], Callable[..., int]]) -> Loop:
    """Return the loop once it has rated nothing, which compiles it."""
    loop = Loop(compiler(kernel_loop.replay), _read_only, _writable)
    rate(
        Rounds.of_rows(0),
        Sessions.of_rows(0),
        Events.of_rows(0),
        Standings.of_newcomers(1),
        MAHJIC_ELO_1.rules,
        session_from=0,
        session_to=0,
        event_from=0,
        survivor=np.zeros(1, np.int32),
        loop=loop,
    )
    return loop


def _read_only(column: NDArray[Any]) -> NDArray[Any]:
    """Return a view of one and the same type for mapped and other memory: one compilation."""
    view = _writable(column)
    view.flags.writeable = False
    return view


def _writable(column: NDArray[Any]) -> NDArray[Any]:
    assert column.flags.c_contiguous, "A column has gaps; the kernel was not compiled for that."
    return column.view(np.ndarray)


def _columns(rows: Rounds | Sessions | Events | Standings | Record) -> list[NDArray[Any]]:
    """Return the arrays of a dataclass in their order."""
    return [getattr(rows, each.name) for each in fields(rows)]


def _rule_columns(
    rules: Parameters, reads: Callable[[NDArray[Any]], Any]
) -> kernel_loop.RuleColumns:
    return kernel_loop.RuleColumns(
        expected_nano=reads(np.frombuffer(expected_table(rules.scale_centi), np.int32)),
        k_games_min=reads(np.array([games_min for games_min, _ in rules.k_bands], np.int64)),
        k=reads(np.array([k for _, k in rules.k_bands], np.int64)),
        bonus_nano_per_centi=rules.bonus_nano_per_centi,
        bonus_max_nano=rules.bonus_max_nano,
        is_scaled=rules.is_scaled,
    )
