"""Gives a player's seats in a session to another player, and gives them back. Pure.

A seat remembers from whom it was taken, so the same request the other way undoes the first one
exactly. Everyone who asks who sits where goes by this: the rater, and whoever records facts.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import Generic, NamedTuple, TypeAlias, TypeVar

import orjson

from shared.events.facts import SessionSubmitted

Who = TypeVar("Who", bound=Hashable)


class Taking(NamedTuple, Generic[Who]):
    """How a seat was taken: who sat there, from which player it was taken, and the fact's seq.

    The id that sat there is another than the player's if it was merged into the player.
    """

    was: Who
    given: Who
    seq: int


class HeldSeat(NamedTuple, Generic[Who]):
    """The id that sits there, and how the seat was taken to get there, the first time first."""

    player: Who
    taken: tuple[Taking[Who], ...] = ()


Tables: TypeAlias = Sequence[Sequence[HeldSeat[Who]]]


def as_sent(tables: Sequence[Sequence[Who]]) -> list[list[HeldSeat[Who]]]:
    """Return the seats of a session from which none was ever taken."""
    return [[HeldSeat(player) for player in table] for table in tables]


def reassigned(
    tables: Tables[Who], given: Who, to: Who, seq: int, survivor: Callable[[Who], Who]
) -> Tables[Who]:
    """Return a session's tables with the seats of the player `given` taken for the id `to`.

    Where some of these seats were taken from `to` for `given`, those that were taken last go back
    to the ids that sat there, and the others stay. `given` is merged into no one; `survivor` says
    as whom an id counts, and `seq` is that of the fact.
    """
    into = survivor(to)

    def taken_at(seat: HeldSeat[Who]) -> int:
        """Return the fact that took a seat from `to` for `given`, or 0."""
        if not seat.taken or survivor(seat.player) != given:
            return 0
        last = seat.taken[-1]
        return last.seq if survivor(last.given) == into else 0

    def after(seat: HeldSeat[Who]) -> HeldSeat[Who]:
        if newest:
            is_it = taken_at(seat) == newest
            return HeldSeat(seat.taken[-1].was, seat.taken[:-1]) if is_it else seat
        if survivor(seat.player) != given:
            return seat
        return HeldSeat(to, (*seat.taken, Taking(seat.player, given, seq)))

    newest = max(taken_at(seat) for table in tables for seat in table)
    return [[after(seat) for seat in table] for table in tables]


def sitting_twice(tables: Tables[Who], survivor: Callable[[Who], Who]) -> list[int]:
    """Return the numbers of the rounds, from 1, in which someone has two seats."""
    return [
        number
        for number, table in enumerate(tables, start=1)
        if len({survivor(seat.player) for seat in table}) < len(table)
    ]


def with_seated(session: SessionSubmitted, tables: Tables[str]) -> SessionSubmitted:
    """Return a session as if those who sit at its tables had been sent."""
    return replace(
        session,
        rounds=tuple(
            played._replace(players=tuple(seat.player for seat in table))
            for played, table in zip(session.rounds, tables, strict=True)
        ),
    )


def written_tables(tables: Tables[str]) -> str:
    """Return tables as JSON: for each seat who sits there, then how it was taken each time."""
    return orjson.dumps(
        [[[seat.player, *map(tuple, seat.taken)] for seat in table] for table in tables]
    ).decode()


def read_tables(written: str) -> Tables[str]:
    """Return tables that were written."""
    return [
        [HeldSeat(player, tuple(Taking(*each) for each in taken)) for player, *taken in table]
        for table in orjson.loads(written)
    ]
