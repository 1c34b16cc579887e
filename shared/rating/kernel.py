"""The formula over columns: rates millions of rounds in a second, equal to formula.py exactly.

The loop is compiled by numba where that is installed (the extra `fast`) and the work is large
enough to wait for it; else the same loop runs as plain Python. Compiled, it releases the
interpreter lock.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cache
from importlib.util import find_spec
from pickle import UnpicklingError
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from shared.rating import kernel_loop
from shared.rating.columns import (
    SEATS_MAX,
    Events,
    Index,
    RatingRecord,
    Rounds,
    Sessions,
    Standings,
)
from shared.rating.expected import expected_table
from shared.rating.parameters import Parameters
from shared.rating.registry import MAHJIC_ELO_1

__all__ = ["Events", "RatingRecord", "Rounds", "Sessions", "Standings", "apply_events", "rate"]

# What a folder without rights, a full disk or a damaged file does to numba's cache and its pickles.
_CACHE_FAILURES: Final = (
    *(OSError, RuntimeError, UnpicklingError, EOFError),
    *(AttributeError, ImportError, IndexError, ValueError),
)
COMPILED_ROUNDS_MIN: Final = 20_000  # Below this, plain Python is done before numba is imported.


@dataclass(frozen=True, slots=True)
class Loop:
    """A way to run the loop: the function, and how to pass it the columns it reads and writes."""

    replay: Callable[..., int]
    reads: Callable[[NDArray[Any]], Any]
    writes: Callable[[NDArray[Any]], Any]


def _plain(column: NDArray[Any]) -> memoryview:
    """Return the same memory as plain Python numbers, which are faster one by one."""
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
    record: RatingRecord | None = None,
    loop: Loop | None = None,
) -> int:
    """Rate the sessions at index session_from up to session_to, and move the standings in place.

    Before each session, the events of lower places act, from index `event_from` on. Returns the
    index of the first event that did not act yet. `survivor` int32[p] says which player each one
    plays as (itself, unless merged). `record` has a row for every round that is rated, or more. The
    loop is chosen by the size of the work unless one is given. Compiled, nothing checks the indexes
    in the columns: each must be that of a row that is there.
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
        kernel_loop.RecordColumns(*map(writes, _columns(record or RatingRecord.of_rounds(0)))),
        *(writes(np.zeros((kernel_loop.TABLE_ROWS, SEATS_MAX), np.int64)) for _ in range(2)),
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
    """Return the loop that finishes this many rounds first."""
    if rounds >= COMPILED_ROUNDS_MIN and can_be_compiled():
        return compiled_loop()
    return ready_loop() or PLAIN


def ready_loop() -> Loop | None:
    """Return the compiled loop if this process has it already."""
    return compiled_loop() if compiled_loop.cache_info().currsize > 0 else None


def can_be_compiled() -> bool:
    """Return whether there is a compiler."""
    return find_spec("numba") is not None


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
    except _CACHE_FAILURES:
        return _compiled(njit(nogil=True, error_model="numpy"))


def _compiled(compiler: Callable[[Callable[..., int]], Callable[..., int]]) -> Loop:
    """Return the loop after a run on empty columns, which compiles it."""
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


def _columns(rows: Rounds | Sessions | Events | Standings | RatingRecord) -> list[NDArray[Any]]:
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
