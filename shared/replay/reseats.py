"""The seats that were reassigned: who sat in each before, and from whom it was taken."""

from collections.abc import Callable
from itertools import chain
from typing import Final

from shared.events.verdicts import ReseatedSession
from shared.replay.columns import Columns
from shared.replay.reseating import HeldSeat, Tables, Taking
from shared.replay.sessions import PlayedSessions

WIDTH: Final = 5  # The round, the seat, who sat there, from whom it was taken, and the fact.


class Reseats:
    """Which seats of which rounds were taken from whom, where any were."""

    def __init__(self, columns: Columns) -> None:
        self._rows = columns.column("seats_taken", "int64", WIDTH)
        self._taken: dict[tuple[int, int], tuple[Taking[int], ...]] = {}
        for round_row, seat, *taking in self._rows.rows.tolist():
            place = (round_row, seat)
            self._taken[place] = (*self._taken.get(place, ()), Taking(*taking))

    def tables(self, sessions: PlayedSessions, row: int) -> list[list[HeldSeat[int]]]:
        """Return who sits in each round of a session, and from whom the seat was taken."""
        rounds, tables = sessions.rounds_of(row), sessions.tables_of(row)
        return [
            [
                HeldSeat(player, self._taken.get((round_row, place), ()))
                for place, player in enumerate(table)
            ]
            for round_row, table in zip(rounds, tables, strict=True)
        ]

    def append(self, rounds: range, tables: Tables[int]) -> None:
        """Note from whom the seats of a session were taken, whose rounds were just added."""
        for round_row, table in zip(rounds, tables, strict=True):
            for place, seat in enumerate(table):
                if seat.taken:
                    self._taken[round_row, place] = seat.taken
                    self._rows.append(
                        number for each in seat.taken for number in (round_row, place, *each)
                    )


def reseated_session(
    sessions: PlayedSessions, old: int, new: int, session_id: str, name: Callable[[int], str]
) -> ReseatedSession:
    """Return the seats of a session that moved, by its rows before and after."""
    before, after = sessions.tables_of(old), sessions.tables_of(new)
    moved: list[tuple[int, int, str, str, int, int]] = []
    for number, round_row in enumerate(sessions.rounds_of(new)):
        mahjongs, wall_games = sessions.results_of(round_row)
        moved += [
            (number + 1, place, name(one), name(other), mahjongs[place], wall_games)
            for place, (one, other) in enumerate(zip(before[number], after[number], strict=True))
            if one != other
        ]
    sat, sitting = set(chain.from_iterable(before)), set(chain.from_iterable(after))
    round_numbers, seats, was, now, won, walls = zip(*moved, strict=True)
    return ReseatedSession(
        session_id=session_id,
        round_numbers=round_numbers,
        seats=seats,
        was=was,
        now=now,
        mahjongs=won,
        wall_games=walls,
        left=tuple(sorted(map(name, sat - sitting))),
        joined=tuple(sorted(map(name, sitting - sat))),
    )
