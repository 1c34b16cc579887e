"""The columns that the kernel reads and changes: numpy arrays, in memory or mapped from files.

A player is an index; index 0 is Bob.
"""

from dataclasses import dataclass, fields
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

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
from shared.rating.parameters import START_CENTI

Whole: TypeAlias = NDArray[np.int64]
Index: TypeAlias = NDArray[np.int32]
Small: TypeAlias = NDArray[np.uint8]

SEATS_MAX: Final = 4


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
        """Return this many empty rounds."""
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
        """Return this many sessions without rounds."""
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
        """Return this many events, all for Bob, to be overwritten."""
        return cls(np.zeros(rows, np.int64), np.zeros(rows, np.int32), np.zeros(rows, np.uint8))


@dataclass(frozen=True, slots=True)
class Standings:
    """Everyone's standing, one row per player; a merged id has the numbers of a newcomer.

    numbers int64[p,4] (rating_centi, games, verified_rating_centi, verified_games, side by side
    because a round needs them together), is_verified uint8[p] (of the id itself), verified_members
    int32[p] (how many of the ids that count as this one are Verified).
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

    def regroup(self, survivor: Index) -> None:
        """Count the Verified ids of each player again, by which id counts as which player."""
        self.verified_members[:] = np.bincount(survivor, self.is_verified, len(survivor))

    def copy(self) -> "Standings":
        """Return a copy in its own memory."""
        return Standings(*(getattr(self, each.name).copy() for each in fields(self)))

    def grown(self, players: int) -> "Standings":
        """Return a copy for `players` people; the added ones are newcomers."""
        grown = Standings.of_newcomers(players)
        for each in fields(self):
            column = getattr(self, each.name)
            getattr(grown, each.name)[: len(column)] = column
        return grown


@dataclass(frozen=True, slots=True)
class RatingRecord:
    """Every number of the rated rounds, one row per round in the order of rating.

    numbers int64[k,4,8] (rating_before, games_before, rating_change and games_after of the mahjic
    pool, then of the verified), is_verified uint8[k,4]. An empty seat keeps what was there before.
    """

    numbers: Whole
    is_verified: Small

    @classmethod
    def of_rounds(cls, rounds: int) -> "RatingRecord":
        """Return a record of zeros for this many rounds."""
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
        """The changes of the verified ratings, 0 for players not counted there, int64[k,4]."""
        return self.numbers[:, :, RECORDED + RATING_CHANGE]

    @property
    def verified_games_before(self) -> Whole:
        """The games counted in the verified pool before the round, int64[k,4]."""
        return self.numbers[:, :, RECORDED + GAMES_BEFORE]

    @property
    def verified_games_after(self) -> Whole:
        """The games counted in the verified pool after the round, int64[k,4]."""
        return self.numbers[:, :, RECORDED + GAMES_AFTER]
