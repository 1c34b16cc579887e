"""Gathers the rounds of many sessions into columns, and checks them all in a few steps of numpy.

It says less than `possible.py`, but faster: all are possible, or some may not be.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shared.events.facts import SessionSubmitted
from shared.rating.columns import SEATS_MAX, Rounds, Sessions
from shared.replay.possible import GAMES_PLAYED_MAX, POINTS_CENTI_MAX

Whole: TypeAlias = NDArray[np.int64]

EMPTY_SEAT: Final = -1
BOB_INDEX: Final = 0


@dataclass(frozen=True, slots=True)
class Gathered:
    """The rounds of s sessions, n rounds in all, whose numbers add up.

    `rounds_each` is int64[s]; `player_ids` are those of all seats in order. The others are
    int64[n], and int64[n, 4] with 0 at empty seats for mahjongs and points.
    """

    rounds_each: Whole
    player_ids: Sequence[str]
    seats: Whole
    games_played: Whole
    mahjongs: Whole
    points_centi: Whole
    points_count: Whole

    def at_tables(self, seated: Sequence[int]) -> Whole:
        """Return int64[n, 4], for the numbers of all seats in order; -1 at empty seats."""
        return _wide(np.array(seated, np.int64), self.seats, EMPTY_SEAT)

    def rounds(self, tables: Whole) -> Rounds:
        """Return the rounds in columns of their own, with these players at the tables."""
        return Rounds(
            players=tables.astype(np.int32),
            mahjongs=self.mahjongs.astype(np.uint8),
            points_centi=self.points_centi.astype(np.int32),
            games_played=self.games_played.astype(np.uint8),
            seats=self.seats.astype(np.uint8),
            points_count=self.points_count.astype(np.uint8),
        )

    def sessions(self) -> Sessions:
        """Return the sessions of those rounds, in places that only order them."""
        round_to = np.cumsum(self.rounds_each)
        return Sessions(np.arange(len(round_to)), round_to - self.rounds_each, round_to)


def gather(sessions: Sequence[SessionSubmitted]) -> Gathered | None:
    """Return the rounds of all sessions; None if the numbers of any of them do not add up."""
    rounds_each = np.fromiter((len(each.rounds) for each in sessions), np.int64)
    if not len(sessions) or rounds_each.min() < 1:
        return None
    rounds = [*chain.from_iterable([each.rounds for each in sessions])]
    counts = [each.game_type != "social" for each in sessions]
    points_count = np.repeat(np.array(counts, np.int64), rounds_each)
    games_played, wall_games, tables, mahjongs, points = zip(*rounds, strict=True)
    if None in points:
        if any(points_count[[each is None for each in points]]):
            return None
        pairs = zip(points, tables, strict=True)
        points = tuple([(0,) * len(table) if each is None else each for each, table in pairs])
    seats = np.fromiter(map(len, tables), np.int64)
    if seats.min() < 2 or seats.max() > SEATS_MAX:
        return None
    try:
        games, walls = np.array(games_played, np.int64), np.array(wall_games, np.int64)
        won, scored = _wide(_flat(mahjongs), seats, 0), _wide(_flat(points), seats, 0)
    except (OverflowError, ValueError):  # Beyond 64 bits, or not one number for each seat.
        return None
    if not (
        games.min() >= 1
        and games.max() <= GAMES_PLAYED_MAX
        and walls.min() >= 0
        and walls.max() <= GAMES_PLAYED_MAX
        and won.min() >= 0
        and won.max() <= GAMES_PLAYED_MAX
        and (won.sum(axis=1) + walls == games).all()
        and scored.min() >= -POINTS_CENTI_MAX
        and scored.max() <= POINTS_CENTI_MAX
    ):
        return None
    return Gathered(
        rounds_each=rounds_each,
        player_ids=[*chain.from_iterable(tables)],
        seats=seats,
        games_played=games,
        mahjongs=won,
        points_centi=scored * points_count[:, None],
        points_count=points_count,
    )


def can_sit_together(tables: Whole) -> bool:
    """Return whether no one sits twice at a table, and no one alone with Bob: int64[n, 4]."""
    in_order = np.sort(tables, axis=1)
    is_twice = (in_order[:, 1:] == in_order[:, :-1]) & (in_order[:, 1:] != EMPTY_SEAT)
    is_for_two = (tables != EMPTY_SEAT).sum(axis=1) == 2
    return not (is_twice.any() or (is_for_two & (tables == BOB_INDEX).any(axis=1)).any())


def _flat(rows: Sequence[Sequence[int]]) -> Whole:
    return np.fromiter(chain.from_iterable(rows), np.int64)


def _wide(numbers: Whole, seats: Whole, empty: int) -> Whole:
    """Return one row for each table. Raises ValueError if there are more or fewer than seats."""
    if len(numbers) != seats.sum():
        raise ValueError("There is not one number for each seat.")
    if seats.min() == SEATS_MAX:
        return numbers.reshape(-1, SEATS_MAX)
    rows = np.full((len(seats), SEATS_MAX), empty, np.int64)
    rows[np.arange(SEATS_MAX) < seats[:, None]] = numbers
    return rows
