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


class HeldSeat(NamedTuple, Generic[Who]):
    """The id that sits there, and all who had to give the seat away, the first one first.

    Each of them is the id that sat there before, and the player who was asked to give it away:
    other than the id if that was merged into the player.
    """

    player: Who
    taken: tuple[tuple[Who, Who], ...] = ()


Tables: TypeAlias = Sequence[Sequence[HeldSeat[Who]]]


def as_sent(tables: Sequence[Sequence[Who]]) -> list[list[HeldSeat[Who]]]:
    """Return the seats of a session from which none was ever taken."""
    return [[HeldSeat(player) for player in table] for table in tables]


def reassigned(
    tables: Tables[Who], given: Who, to: Who, survivor: Callable[[Who], Who]
) -> Tables[Who]:
    """Return a session's tables with the seats of the player `given` taken for the id `to`.

    Where some of these seats were taken from `to` for `given`, those go back to the ids that sat
    there, and the others stay. `given` is merged into no one; `survivor` says as whom an id counts.
    """
    into = survivor(to)

    def goes_back(seat: HeldSeat[Who]) -> bool:
        if not seat.taken or survivor(seat.player) != given:
            return False
        return survivor(seat.taken[-1][1]) == into

    if any(goes_back(seat) for table in tables for seat in table):
        return [[_given_back(seat) if goes_back(seat) else seat for seat in t] for t in tables]
    return [
        [_taken(seat, given, to) if survivor(seat.player) == given else seat for seat in table]
        for table in tables
    ]


def _given_back(seat: HeldSeat[Who]) -> HeldSeat[Who]:
    before, _ = seat.taken[-1]
    return HeldSeat(before, seat.taken[:-1])


def _taken(seat: HeldSeat[Who], given: Who, to: Who) -> HeldSeat[Who]:
    return HeldSeat(to, (*seat.taken, (seat.player, given)))


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
    """Return tables as JSON: for each seat who sits there, then all who had to give it away."""
    return orjson.dumps(
        [[[seat.player, *seat.taken] for seat in table] for table in tables]
    ).decode()


def read_tables(written: str) -> Tables[str]:
    """Return tables that were written."""
    return [
        [HeldSeat(player, tuple((was, given) for was, given in taken)) for player, *taken in table]
        for table in orjson.loads(written)
    ]
